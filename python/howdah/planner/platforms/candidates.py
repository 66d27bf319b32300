"""The platforms a host allows: native and so many virtual machines, each sized, judged and ranked.

The numbers of their workers become settings of the plan, each with its rule, its reason and its inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from howdah.errors import UserError
from howdah.model.inventory import HostGroup
from howdah.model.plan import Breach, Candidate, Input, Judgement, Layout, Role, Setting, Worker
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.platforms.division import (
    Division,
    Share,
    Slots,
    divide,
    least_worker,
    memory_for_workers,
    slots_of,
    tasks_per_core,
    undivided,
)
from howdah.planner.platforms.judging import judge, platform_score
from howdah.planner.rule import Decision, Rule, inputs_of, with_user_value
from howdah.planner.rules.platform import rules
from howdah.units import format_counted, format_gib, format_percent

MOST_PER_SOCKET = 10
"""Twenty workers on two sockets are the most that were measured (RULES 16); more only where insisted on."""
LEAST_THREADS = 2  # A map and a reduce task at once (howdah).


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
        words = "undivided" if request.hypervisor is Hypervisor.NONE else "not-given"
        refused[rules.refuses("platform.hypervisor", words)] = list(_counts(group, request))
    else:
        for per_host in _counts(group, request):
            outcome = divide(group, request, per_host)
            if isinstance(outcome, Division):
                possible.append(outcome)
            else:
                refused.setdefault(outcome, []).append(per_host)
    why = "" if possible else next(iter(refused)).text
    if why and request.sharing is not None:
        problem = f"the part of these hosts that is left for this cluster cannot be divided: {why}"
        hint = "leave these hosts out, or change the shares of the clusters"
        raise UserError(f"groups[{group.name}]", problem, hint)
    if why and request.dividing not in (None, Hypervisor.NONE):
        where = "--protect-masters ft" if request.hypervisor is None else f"--hypervisor {request.hypervisor}"
        problem = f"group {group.name!r} cannot be divided: {why}"
        raise UserError(where, problem, "give --hypervisor none to use these hosts as they are")
    if request.sharing is None:
        # A worker that is the host itself would have all of it.
        possible.insert(0, undivided(group))
    candidates = [_candidate(group, request, division) for division in possible]
    candidates.sort(key=lambda candidate: (-candidate.score, _per_host(candidate)))
    if request.workers_per_host is not None:
        candidates = _insisting(request.workers_per_host, candidates, refused, group)
    candidates[0] = candidates[0].model_copy(update={"verdict": "recommended"})
    return (*candidates, *(_refused(group, judged, counts) for judged, counts in refused.items()))


def layout_of(candidate: Candidate) -> Layout:
    """How a full host of that platform is divided."""
    return Layout(
        group=candidate.group,
        platform=candidate.platform,
        virtual=candidate.platform != "native",
        workers=tuple(kind.name for kind in candidate.kinds for _ in range(kind.per_host)),
    )


def _sensible(request: PlanRequest) -> None:
    if request.weigh_virtual and request.hypervisor is Hypervisor.NONE:
        hint = "leave one of them out"
        raise UserError("--weigh-virtual", "there are no virtual machines with --hypervisor none", hint)
    if request.workers_per_host is not None and request.workers_per_host < 1:
        problem = "a host has at least one worker"
        raise UserError(f"--workers-per-host {request.workers_per_host}", problem, "give, for example, 4")
    if request.slots is None:
        return
    if not request.mapreduce:
        hint = "leave it out, or add --workload mapreduce"
        raise UserError("--slots", "only jobs on YARN have tasks, and the plan has none", hint)
    if request.slots < 1:
        raise UserError(f"--slots {request.slots}", "a worker has at least one slot", "give, for example, 6")


def _large_enough(group: HostGroup, request: PlanRequest) -> None:
    where, least = f"groups[{group.name}]", least_worker(request)
    if group.data_disks == 0:
        hint = "give at least one disk the role data, or the group `serves: masters`"
        raise UserError(f"{where}.disks", "these hosts have no data disks for a DataNode", hint)
    if group.memory_bytes < least:
        problem = f"{format_gib(group.memory_bytes)} is too little for a worker"
        hint = f"{format_gib(least)} hold the operating system, the daemons and the least work"
        out = "leave these hosts out, or set the group to `serves: masters`"
        raise UserError(f"{where}.memory", problem, f"{hint}; {out}")
    if group.cpu.threads < LEAST_THREADS:
        problem = f"{format_counted(group.cpu.threads, 'thread')} is too little for a worker"
        hint = f"{LEAST_THREADS} run the daemons and a task at once; leave these hosts out"
        raise UserError(f"{where}.cpu", problem, hint)


def _counts(group: HostGroup, request: PlanRequest) -> Iterable[int]:
    most = min(group.data_disks, MOST_PER_SOCKET * group.cpu.sockets)
    return sorted({*range(1, most + 1), request.workers_per_host or 1})


def _insisting(
    per_host: int, candidates: Sequence[Candidate], refused: dict[Judgement, list[int]], group: HostGroup
) -> list[Candidate]:
    matching = [candidate for candidate in candidates if _per_host(candidate) == per_host]
    if not matching:
        reason = next(why.text for why, counts in refused.items() if per_host in counts)
        possible = listed(_per_host(candidate) for candidate in candidates)
        problem = f"impossible on the hosts of group {group.name!r}: {reason}"
        raise UserError(f"--workers-per-host {per_host}", problem, f"possible: {possible}")
    return [*matching, *(candidate for candidate in candidates if candidate not in matching)]


def _per_host(candidate: Candidate) -> int:
    return sum(kind.per_host for kind in candidate.kinds)


def _candidate(group: HostGroup, request: PlanRequest, division: Division) -> Candidate:
    judgements = tuple(judge(group, request, division))
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
    slots = slots_of(group, request, share).tasks if request.slots is None else request.slots
    roles = (Role.DATANODE, *((Role.NODEMANAGER,) if request.mapreduce else ()))
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
        roles=(*roles, Role.REGIONSERVER) if request.hbase_used else roles,
    )


def listed(numbers: Iterable[int]) -> str:
    """Numbers in order, runs of three or more folded: ``3, 5–7, 11``; nothing for none."""
    parts: list[str] = []
    for _, run in groupby(enumerate(sorted(set(numbers))), key=lambda pair: pair[1] - pair[0]):
        values = [value for _, value in run]
        parts += [f"{values[0]}–{values[-1]}"] if len(values) > 2 else [str(value) for value in values]
    return ", ".join(parts)


def size_settings(group: HostGroup, candidate: Candidate, request: PlanRequest) -> Iterator[Setting]:
    """The sizes of every kind of worker of a possible candidate."""
    if layout_of(candidate).virtual:
        yield _held_back(group, candidate)
    for worker in candidate.kinds:
        name = worker.name if len(candidate.kinds) > 1 else None
        sizes = {
            "worker.vcpus": _vcpus(group, candidate, worker, request),
            "worker.memory": _memory(group, candidate, worker),
            "worker.data_disks": _data_disks(group, candidate, worker),
            "worker.numa_nodes": _numa_nodes(group, worker, request),
        }
        for key, (rule, decision) in sizes.items():
            yield rule.setting(key, decision, worker=name, group=group.name)
        for key in ("worker.map_slots", "worker.reduce_slots") if request.mapreduce else ():
            yield _slots(key, group, worker, name, request)


def _held_back(group: HostGroup, candidate: Candidate) -> Setting:
    allocated = sum(kind.per_host * kind.memory_bytes for kind in candidate.kinds)
    reserved = group.memory_bytes - allocated
    memory, share = group.memory_bytes, format_percent(allocated / group.memory_bytes)
    values = {"allocated": format_gib(allocated), "memory": format_gib(memory)}
    inputs = inputs_of(("memory of a host", memory, "B"), ("memory of its workers", allocated, "B"))
    rule, decision = _decided("memory.held-back", "kept", reserved, inputs, share=share, **values)
    return rule.setting("host.memory_held_back", decision, group=group.name)


def _decided(
    rule: str, words: str, value: int, inputs: tuple[Input, ...], /, **values: object
) -> tuple[Rule, Decision]:
    """The rule of a size, and the size for a reason in the rule's words."""
    return rules[rule], Decision(value, rules.text(rule, words, **values), inputs)


def _vcpus(
    group: HostGroup, candidate: Candidate, worker: Worker, request: PlanRequest
) -> tuple[Rule, Decision]:
    cpu, vcpus = group.cpu, worker.vcpus or 0
    if not layout_of(candidate).virtual:
        return _decided("platform.native", "threads", cpu.threads, inputs_of(("threads", cpu.threads)))
    threads_of = ("threads of a host", cpu.threads), ("threads of a core", cpu.threads_per_core)
    inputs = inputs_of(*threads_of, ("workers of this kind on a host", worker.per_host))
    threads = format_counted(cpu.threads, "thread")
    allocated = sum(kind.per_host * (kind.vcpus or 0) for kind in candidate.kinds)
    if allocated > cpu.threads:
        return _decided("platform.overcommit", "over", vcpus, inputs, allocated=allocated, threads=threads)
    if not request.hbase_used:
        return _decided("platform.threads-committed", "exact", vcpus, inputs, threads=threads)
    words = "spare" if request.dividing is Hypervisor.KVM else "vsphere"
    cores = format_counted(cpu.cores, "core")
    values = {"threads": threads, "per_core": cpu.threads_per_core, "vcpus": vcpus, "cores": cores}
    return _decided("platform.spare-core", words, vcpus, inputs, **values)


def _memory(group: HostGroup, candidate: Candidate, worker: Worker) -> tuple[Rule, Decision]:
    memory, available = group.memory_bytes, memory_for_workers(group.memory_bytes)
    if not layout_of(candidate).virtual:
        return _decided("memory.native", "all", memory, inputs_of(("memory of a host", memory, "B")))
    disks = sum(kind.per_host * (kind.data_disks or 0) for kind in candidate.kinds)
    workers = sum(kind.per_host for kind in candidate.kinds)
    words = "equal" if len({kind.memory_bytes for kind in candidate.kinds}) == 1 else "by-disks"
    of_host = ("memory for workers of a host", available, "B"), ("workers on a host", workers)
    inputs = inputs_of(*of_host, ("data disks of the worker", worker.data_disks or 0))
    values = {"workers": workers, "own": worker.data_disks, "disks": disks}
    return _decided(
        "memory.worker-share", words, worker.memory_bytes, inputs, available=format_gib(available), **values
    )


def _data_disks(group: HostGroup, candidate: Candidate, worker: Worker) -> tuple[Rule, Decision]:
    disks, own = group.data_disks, worker.data_disks or 0
    workers = sum(kind.per_host for kind in candidate.kinds)
    inputs = inputs_of(("data disks of a host", disks), ("workers on a host", workers))
    values = {"disks": format_counted(disks, "data disk"), "workers": format_counted(workers, "worker")}
    return _decided("platform.data-disks", "divided", own, inputs, **values)


def _numa_nodes(group: HostGroup, worker: Worker, request: PlanRequest) -> tuple[Rule, Decision]:
    cpu, spanned, vcpus = group.cpu, worker.numa_nodes or 1, worker.vcpus or 0
    threads, cores = cpu.threads // cpu.numa_nodes, cpu.cores // cpu.numa_nodes
    inputs = inputs_of(
        ("NUMA nodes of a host", cpu.numa_nodes),
        ("threads of a node", threads),
        ("cores of a node", cores),
        ("virtual CPUs of the worker", vcpus),
    )
    if cpu.numa_nodes == 1:
        return _decided("platform.fits-numa-node", "one-node", 1, inputs)
    if spanned > 1:
        return _decided("platform.fits-numa-node", "larger", spanned, inputs, nodes=cpu.numa_nodes)
    if vcpus > cores:
        means = "binding" if request.dividing is Hypervisor.KVM else "preferHT"
        values = {"vcpus": vcpus, "threads": threads, "cores": cores, "means": means}
        return _decided("platform.prefer-ht", "kept", 1, inputs, **values)
    memory = format_gib(worker.memory_bytes)
    return _decided("platform.fits-numa-node", "local", 1, inputs, vcpus=vcpus, memory=memory)


def _slots(key: str, group: HostGroup, worker: Worker, name: str | None, request: PlanRequest) -> Setting:
    size = Share(worker.per_host, worker.data_disks or 0, worker.vcpus or 0, worker.memory_bytes)
    slots = slots_of(group, request, size)
    tasks = key.removeprefix("worker.").removesuffix("_slots")
    per_core = tasks_per_core(group, request)
    cores = "1 core" if slots.cores == 1 else f"each of {slots.cores:g} cores"
    because = f"{per_core:g} for {cores} make {slots.by_cores}"
    if request.hbase_used:
        because += ", of the half of the worker that HBase leaves"
    if slots.by_demand > slots.by_cores:
        because += f", raised to {slots.by_demand} for {format_counted(slots.spindles, 'spinning disk')}"
    if slots.tasks < slots.by_demand:
        limit = "threads" if slots.by_threads <= slots.by_memory else "memory"
        because += f", limited to {slots.tasks} by its {limit}"
    inputs = inputs_of(
        ("cores of the worker", slots.cores),
        ("spinning disks of the worker", slots.spindles),
        ("most by threads", slots.by_threads),
        ("most by memory", slots.by_memory),
    )
    setting = rules["platform.slots"].setting(
        key, Decision(slots.tasks, f"{tasks} tasks at once: {because}", inputs), worker=name, group=group.name
    )
    if request.slots is None:
        return setting
    return with_user_value(setting, request.slots, tuple(_breaches(request.slots, slots)))


def _breaches(planned: int, slots: Slots) -> Iterator[Breach]:
    """What the user's own number of slots breaks."""
    if planned > slots.by_memory:
        yield Breach(rule="memory.enough", says=rules.text("memory.enough", "slots", slots=slots.by_memory))
    if planned > slots.by_threads:
        says = rules.text("platform.slots", "threads", threads=slots.by_threads)
        yield Breach(rule="platform.slots", says=says)
    if planned < slots.cores:
        yield Breach(rule="platform.slots", says=rules.text("platform.slots", "cores", cores=slots.cores))
