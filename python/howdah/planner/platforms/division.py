"""One host divided into workers: disks, threads and memory in whole numbers, or why it cannot be.

Everything here is arithmetic on one host, however many there are. NUMA nodes are alike, so a host
is cut into as many alike parts as it has nodes (or into the workers, where these are fewer and each
has several nodes to itself), and each part is divided in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.inventory import DiskRole, HostGroup
from howdah.model.plan import Judgement
from howdah.model.request import PlanRequest
from howdah.planner.platforms.workers import least_worker, memory_for_workers, whole_mib
from howdah.planner.rules import memory as memory_rules
from howdah.planner.rules import platform as rules
from howdah.units import format_counted, format_gib

MOST_MIXED_PER_SOCKET = 5
"""Ten workers on two sockets are the most that is advised (RULES 1); unlike ones are not weighed beyond."""


class Share(NamedTuple):
    """What every worker of one kind gets, and how many of that kind one host carries."""

    per_host: int
    disks: int
    vcpus: int
    memory_bytes: int


class Division(NamedTuple):
    """A host divided into workers all alike, or into small ones and large ones with one disk more.

    ``numa_nodes`` is how many nodes every worker's CPUs and memory come from.
    """

    virtual: bool
    shares: tuple[Share, ...]
    numa_nodes: int

    @property
    def per_host(self) -> int:
        """Workers on one host."""
        return sum(share.per_host for share in self.shares)

    @property
    def platform(self) -> str:
        """``native``, ``4 per host``, ``2 small + 2 large per host``."""
        if not self.virtual:
            return "native"
        if len(self.shares) == 1:
            return f"{self.per_host} per host"
        small, large = self.shares
        return f"{small.per_host} small + {large.per_host} large per host"


class _Part(NamedTuple):
    """One of the alike parts a host is cut into: its own NUMA node, or several for its only worker."""

    parts: int
    workers: int
    disks: int
    threads: int
    memory_bytes: float
    threads_per_core: int


def undivided(group: HostGroup) -> Division:
    """The host as its own and only worker."""
    cpu = group.cpu
    share = Share(1, group.data_disks, cpu.threads, group.memory_bytes)
    return Division(virtual=False, shares=(share,), numa_nodes=cpu.numa_nodes)


def divide(group: HostGroup, request: PlanRequest, per_host: int) -> Division | Judgement:
    """The host in ``per_host`` virtual machines, or the rule that refuses it and why."""
    refused = next(_objections(group, request, per_host), None)
    if refused is not None:
        return refused
    cpu, given = group.cpu, memory_for_workers(group.memory_bytes)
    parts = min(per_host, cpu.numa_nodes)
    part = _Part(
        parts=parts,
        workers=per_host // parts,
        disks=group.data_disks // parts,
        threads=(cpu.threads - (cpu.threads_per_core if request.hbase_used else 0)) // parts,
        memory_bytes=given / parts,
        threads_per_core=cpu.threads_per_core,
    )
    uneven = cpu.threads % parts > 0 and not (request.hbase_used or request.overcommit)
    if uneven:
        shares: tuple[Share, ...] = ()
    elif group.data_disks % parts == 0 and not _disks_divide(group, per_host):
        shares = _in_proportion(part, request)
    else:
        shares = _alike(part, request, group.data_disks)
    if not shares:
        return rules.THREADS_COMMITTED.refuses(
            f"{format_counted(cpu.threads, 'thread')} do not divide exactly among the workers"
            + (f" of {cpu.numa_nodes} NUMA nodes" if cpu.numa_nodes > 1 else "")
        )
    if min(share.vcpus for share in shares) < cpu.threads_per_core:
        return _too_little_cpu(group, request)
    least = least_worker(request)
    if min(share.memory_bytes for share in shares) < least:
        return memory_rules.ENOUGH.refuses(
            f"of the {format_gib(given)} for workers, the smallest would have less than the "
            f"{format_gib(least)} it needs"
        )
    return Division(virtual=True, shares=shares, numa_nodes=max(1, cpu.numa_nodes // per_host))


def _objections(group: HostGroup, request: PlanRequest, per_host: int) -> Iterator[Judgement]:
    """Why a division into so many workers need not be tried."""
    cpu, sets = group.cpu, _data_sets(group)
    disks = format_counted(group.data_disks, "data disk")
    if per_host > group.data_disks:
        yield rules.DISK_EACH.refuses(f"{disks}: less than one each")
    if per_host > cpu.cores and not request.overcommit:
        yield _too_little_cpu(group, request)
    if per_host % cpu.numa_nodes and cpu.numa_nodes % per_host:
        yield rules.NUMA_DIVIDE.refuses(
            f"the {cpu.numa_nodes} NUMA nodes cannot carry equally many: a worker would straddle two of them"
        )
    if _disks_divide(group, per_host):
        return
    if len(sets) > 1:
        kinds = " and ".join(f"{count} {kind.upper()}" for (kind, _), count in sets.items())
        yield rules.DISKS_DIVIDE.refuses(f"data disks of different kinds or sizes, {kinds}, do not divide")
    most = MOST_MIXED_PER_SOCKET * cpu.sockets
    if per_host > most and per_host != request.workers_per_host:
        yield rules.DISKS_DIVIDE.refuses(
            f"{disks} do not divide, and small and large workers are not weighed beyond {most}"
        )
    if request.hbase_used:
        yield rules.DISKS_DIVIDE.refuses(
            f"{disks} do not divide, and HBase spreads its regions evenly, which unlike workers cannot serve"
        )


def _too_little_cpu(group: HostGroup, request: PlanRequest) -> Judgement:
    left = ", one of them left to the hypervisor" if request.hbase_used else ""
    return rules.CORE_EACH.refuses(f"{format_counted(group.cpu.cores, 'core')}{left}: less than one each")


def _data_sets(group: HostGroup) -> Counter[tuple[str, int]]:
    """Data disks by kind and size."""
    sets: Counter[tuple[str, int]] = Counter()
    for disk in group.disks:
        if disk.role is DiskRole.DATA:
            sets[disk.kind.value, disk.size_bytes] += disk.count
    return sets


def _disks_divide(group: HostGroup, per_host: int) -> bool:
    return all(count % per_host == 0 for count in _data_sets(group).values())


def _alike(part: _Part, request: PlanRequest, disks: int) -> tuple[Share, ...]:
    """Workers of one size; where disks do not divide over NUMA nodes, some have one disk more."""
    vcpus, per_host = _vcpus_alike(part, request), part.parts * part.workers
    if vcpus is None:
        return ()
    fewer, larger = divmod(disks, per_host)
    memory = whole_mib(part.memory_bytes / part.workers)
    shares = Share(per_host - larger, fewer, vcpus, memory), Share(larger, fewer + 1, vcpus, memory)
    return shares if larger else shares[:1]


def _vcpus_alike(part: _Part, request: PlanRequest) -> int | None:
    """Virtual CPUs of each worker; None where the part's threads cannot be committed exactly.

    With HBase a thread or two may be left over beside the spare core, and none is given out twice.
    """
    vcpus, rest = divmod(part.threads, part.workers)
    if request.hbase_used:
        return vcpus
    if not request.overcommit:
        return vcpus if rest == 0 else None
    vcpus = max(vcpus + (rest > 0), part.threads_per_core)
    # One virtual CPU more than a core has threads served single-replica writes (RULES 21).
    one_more = request.replication == 1 and vcpus == part.threads_per_core < part.threads
    return vcpus + one_more


def _in_proportion(part: _Part, request: PlanRequest) -> tuple[Share, ...]:
    """Small and large workers, threads and memory as their disks; none where threads do not divide.

    Of all pairs of whole numbers that commit the threads exactly, the one nearest to the disks' proportion.
    """
    fewer, large = divmod(part.disks, part.workers)
    small = part.workers - large
    pairs = [
        (vcpus, (part.threads - small * vcpus) // large)
        for vcpus in range(part.threads_per_core, part.threads // part.workers + 1)
        if (part.threads - small * vcpus) % large == 0
    ]
    if request.overcommit and not pairs:
        rounded_up = [-(-part.threads * disks // part.disks) for disks in (fewer, fewer + 1)]
        pairs = [(max(part.threads_per_core, rounded_up[0]), max(part.threads_per_core, rounded_up[1]))]
    if not pairs:
        return ()
    low, high = min(pairs, key=lambda pair: (abs(pair[0] * part.disks - part.threads * fewer), pair))
    memory = part.memory_bytes / part.disks
    return (
        Share(small * part.parts, fewer, low, whole_mib(memory * fewer)),
        Share(large * part.parts, fewer + 1, high, whole_mib(memory * (fewer + 1))),
    )
