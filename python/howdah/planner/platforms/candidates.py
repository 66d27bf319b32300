"""The platforms a host allows: native and so many virtual machines, each sized, judged and ranked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from howdah.errors import UserError
from howdah.model.inventory import HostGroup
from howdah.model.plan import Candidate, Judgement, Layout, Role, Worker
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.platforms.division import Division, Share, divide, least_worker, slots_of, undivided
from howdah.planner.platforms.judging import judge, platform_score
from howdah.planner.rules import platform as rules
from howdah.units import format_counted, format_gib

MOST_PER_SOCKET = 10
"""Twenty workers on two sockets are the most that were measured (RULES 16); more only where insisted on."""
LEAST_THREADS = 2
"""A map and a reduce task at once (howdah)."""


def weigh(group: HostGroup, request: PlanRequest) -> tuple[Candidate, ...]:
    """The group's platforms, the recommended one first, refused ones last with their reasons.

    ``workers`` counts a group that carries no masters. Raises UserError where the hosts are too small
    to plan for, or where the workers per host that the request insists on are impossible.
    """
    _sensible(request)
    _large_enough(group, request)
    possible: list[Division] = []
    refused: dict[Judgement, list[int]] = {}
    if not request.weighs_virtual:
        refused[rules.HYPERVISOR.refuses(_undivided_because(request))] = list(_counts(group, request))
    else:
        for per_host in _counts(group, request):
            outcome = divide(group, request, per_host)
            if isinstance(outcome, Division):
                possible.append(outcome)
            else:
                refused.setdefault(outcome, []).append(per_host)
    if not possible and request.sharing is not None:
        raise UserError(
            f"groups[{group.name}]",
            f"the part of these hosts that is left for this cluster cannot be divided: "
            f"{next(iter(refused)).text}",
            "leave these hosts out, or change the shares of the clusters",
        )
    if not possible and request.dividing not in (None, Hypervisor.NONE):
        raise UserError(
            "--protect-masters ft" if request.hypervisor is None else f"--hypervisor {request.hypervisor}",
            f"group {group.name!r} cannot be divided: {next(iter(refused)).text}",
            "give --hypervisor none to use these hosts as they are",
        )
    if request.sharing is None:
        # A worker that is the host itself would have all of it.
        possible.insert(0, undivided(group))
    candidates = [_candidate(group, request, division) for division in possible]
    candidates.sort(key=lambda candidate: (-candidate.score, _per_host(candidate)))
    if request.workers_per_host is not None:
        candidates = _insisting(request.workers_per_host, candidates, refused, group)
    candidates[0] = candidates[0].model_copy(update={"verdict": "recommended"})
    return (*candidates, *(_refused(group, why, counts) for why, counts in refused.items()))


def layout_of(candidate: Candidate) -> Layout:
    """How a full host of that platform is divided."""
    return Layout(
        group=candidate.group,
        platform=candidate.platform,
        virtual=candidate.platform != "native",
        workers=tuple(kind.name for kind in candidate.kinds for _ in range(kind.per_host)),
    )


def _undivided_because(request: PlanRequest) -> str:
    if request.hypervisor is Hypervisor.NONE:
        return "--hypervisor none: hosts are not divided"
    return "no hypervisor was given: --hypervisor vsphere or kvm divides hosts, --weigh-virtual compares"


def _sensible(request: PlanRequest) -> None:
    if request.weigh_virtual and request.hypervisor is Hypervisor.NONE:
        raise UserError(
            "--weigh-virtual", "there are no virtual machines with --hypervisor none", "leave one of them out"
        )
    if request.workers_per_host is not None and request.workers_per_host < 1:
        raise UserError(
            f"--workers-per-host {request.workers_per_host}",
            "a host has at least one worker",
            "give, for example, 4",
        )
    if request.slots is None:
        return
    if not request.mapreduce:
        raise UserError(
            "--slots",
            "only jobs on YARN have tasks, and the plan has none",
            "leave it out, or add --workload mapreduce",
        )
    if request.slots < 1:
        raise UserError(f"--slots {request.slots}", "a worker has at least one slot", "give, for example, 6")


def _large_enough(group: HostGroup, request: PlanRequest) -> None:
    where, least = f"groups[{group.name}]", least_worker(request)
    if group.data_disks == 0:
        raise UserError(
            f"{where}.disks",
            "these hosts have no data disks for a DataNode",
            "give at least one disk the role data, or the group `serves: masters`",
        )
    if group.memory_bytes < least:
        raise UserError(
            f"{where}.memory",
            f"{format_gib(group.memory_bytes)} is too little for a worker",
            f"{format_gib(least)} hold the operating system, the daemons and the least work; "
            "leave these hosts out, or set the group to `serves: masters`",
        )
    if group.cpu.threads < LEAST_THREADS:
        raise UserError(
            f"{where}.cpu",
            f"{format_counted(group.cpu.threads, 'thread')} is too little for a worker",
            f"{LEAST_THREADS} run the daemons and a task at once; leave these hosts out",
        )


def _counts(group: HostGroup, request: PlanRequest) -> Iterable[int]:
    """The numbers of virtual machines per host that are worth a look."""
    most = min(group.data_disks, MOST_PER_SOCKET * group.cpu.sockets)
    return sorted({*range(1, most + 1), request.workers_per_host or 1})


def _insisting(
    per_host: int, candidates: Sequence[Candidate], refused: dict[Judgement, list[int]], group: HostGroup
) -> list[Candidate]:
    """The candidates, those with the number of workers insisted on first."""
    matching = [candidate for candidate in candidates if _per_host(candidate) == per_host]
    if not matching:
        reason = next(why.text for why, counts in refused.items() if per_host in counts)
        possible = listed(_per_host(candidate) for candidate in candidates)
        raise UserError(
            f"--workers-per-host {per_host}",
            f"impossible on the hosts of group {group.name!r}: {reason}",
            f"possible: {possible}",
        )
    return [*matching, *(candidate for candidate in candidates if candidate not in matching)]


def _per_host(candidate: Candidate) -> int:
    return sum(kind.per_host for kind in candidate.kinds)


def _candidate(group: HostGroup, request: PlanRequest, division: Division) -> Candidate:
    judgements = judge(group, request, division)
    names = ("worker",) if len(division.shares) == 1 else ("small", "large")
    return Candidate(
        group=group.name,
        platform=division.platform,
        verdict="possible",
        workers=division.per_host * group.count,
        kinds=tuple(
            _worker(group, request, name, share, division.numa_nodes)
            for name, share in zip(names, division.shares, strict=True)
        ),
        score=platform_score(judgements),
        judgements=judgements,
    )


def _refused(group: HostGroup, why: Judgement, counts: Iterable[int]) -> Candidate:
    return Candidate(
        group=group.name,
        platform=f"{listed(counts)} per host",
        verdict="refused",
        workers=0,
        kinds=(),
        score=0.0,
        judgements=(why,),
    )


def _worker(group: HostGroup, request: PlanRequest, name: str, share: Share, numa_nodes: int) -> Worker:
    rule = slots_of(group, request, vcpus=share.vcpus, disks=share.disks, memory_bytes=share.memory_bytes)
    slots = rule.tasks if request.slots is None else request.slots
    return Worker(
        name=name,
        map_slots=slots,
        reduce_slots=slots,
        memory_bytes=share.memory_bytes,
        data_dirs=tuple(f"/data/{number:02d}" for number in range(1, share.disks + 1)),
        group=group.name,
        per_host=share.per_host,
        vcpus=share.vcpus,
        data_disks=share.disks,
        numa_nodes=numa_nodes,
        roles=_roles(request),
    )


def _roles(request: PlanRequest) -> tuple[Role, ...]:
    roles = [Role.DATANODE]
    if request.mapreduce:
        roles.append(Role.NODEMANAGER)
    if request.hbase_used:
        roles.append(Role.REGIONSERVER)
    return tuple(roles)


def listed(numbers: Iterable[int]) -> str:
    """Numbers in order, runs of three or more folded: ``3, 5–7, 11``; nothing for none."""
    parts: list[str] = []
    for _, run in groupby(enumerate(sorted(set(numbers))), key=lambda pair: pair[1] - pair[0]):
        values = [value for _, value in run]
        parts += [f"{values[0]}–{values[-1]}"] if len(values) > 2 else [str(value) for value in values]
    return ", ".join(parts)
