"""What a worker is sized by: how hosts' memory is shared, the least that will do, and tasks at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.inventory import DiskKind, HostGroup
from howdah.model.plan import Judgement
from howdah.model.request import PlanRequest
from howdah.planner.budget import CONTAINERS_OF_ROOM, LEAST_PAIR_MB
from howdah.planner.rules.platform import rules
from howdah.units import GIB, MIB, format_counted, format_gib, listed

HELD_BACK_BYTES = 1.7 * GIB
HELD_BACK_SHARE = 0.052
"""A line through the published shares (RULES X8): 241 of 256 GiB, 74 of 80, within 2 points of all."""
PAIR_BYTES = sum(LEAST_PAIR_MB) * MIB  # The least containers of a map and a reduce task together.
HEAPS_SHARE = 0.5
"""Task heaps take less than half of a worker's memory: the rest caches map output (RULES 24, 25)."""
HEAP_OF_CONTAINER = 0.8
"""Of a container's memory, the part that Hadoop gives to the heap (mapreduce.job.heap.memory-mb.ratio)."""
DAEMONS_BYTES = 4 * GIB
"""Operating system, DataNode, NodeManager and an application master, about 1 GiB each (howdah)."""
STORAGE_LEAST_BYTES = 4 * GIB  # Operating system 2 GiB and DataNode 2 GiB (RULES 122).
HBASE_LEAST_BYTES = 8 * GIB
"""Operating system 2 GiB, DataNode 2 GiB (RULES 122) and the least RegionServer of use, 4 GiB (howdah)."""
LAB_HBASE_LEAST_BYTES = 2 * GIB
"""Operating system and DataNode half a GiB each, and a RegionServer that starts, serves and moves regions of
little data, with a heap of 768 MiB (howdah)."""
MIX_SHARE = 0.5  # Where MapReduce and HBase share workers, each is planned with half of them (howdah).
PER_CORE = 1.1
"""Of each kind: 22 for the 20 cores of a vSphere 6 host, 11 for half of one, 6 for a quarter (RULES 50)."""
LEAST_PER_CORE = 1.5
"""Tasks of jobs that are not known for each core that has one thread: some of them always wait (howdah)."""


DiskType = tuple[DiskKind, int]  # The type of a data disk: its kind and its size in bytes.


class Slots(NamedTuple):
    """How many of each kind, what asks for them, and what allows them.

    ``cores`` are those of the worker; ``by_demand`` is the number for its cores and, if only TeraSort runs,
    its spinning disks if they are more; threads and memory allow ``by_threads`` and ``by_memory``.
    """

    cores: float
    spindles: int
    by_cores: int
    by_demand: int
    by_threads: int
    by_memory: int

    @property
    def tasks(self) -> int:
        """Map tasks at once, and as many reduce tasks."""
        return min(self.by_demand, self.by_threads, self.by_memory)


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
    """One of the equal parts of a host: its own NUMA node, or several for its only worker."""

    parts: int
    workers: int
    disks: int
    threads: int
    memory_bytes: float
    threads_per_core: int


def memory_for_workers(host_bytes: int) -> int:
    """What the hypervisor leaves of a host's memory, in whole GiB (rule memory.held-back)."""
    remaining = host_bytes * (1 - HELD_BACK_SHARE) - HELD_BACK_BYTES
    return max(0, math.floor(remaining / GIB + 0.5)) * GIB


def memory_of_host(workers_bytes: int) -> int:
    """The memory of a host that leaves so much to workers, in whole MiB."""
    return whole_mib((workers_bytes + HELD_BACK_BYTES) / (1 - HELD_BACK_SHARE))


def whole_mib(size_bytes: float) -> int:
    """A virtual machine's memory: hypervisors take whole MiB."""
    return int(size_bytes // MIB) * MIB


def mapreduce_share(request: PlanRequest) -> float:
    """The part of a worker that MapReduce may use; 0 where it does not run."""
    if not request.mapreduce:
        return 0.0
    return MIX_SHARE if request.hbase_used else 1.0


def slots_in(memory_bytes: int, request: PlanRequest) -> int:
    """Slots of each kind in a worker's memory: heaps under half, containers next to daemons."""
    usable = memory_bytes * mapreduce_share(request)
    if not request.sorts_only:
        return max(0, int((usable - DAEMONS_BYTES) * CONTAINERS_OF_ROOM // PAIR_BYTES))
    by_heaps = usable * HEAPS_SHARE // (PAIR_BYTES * HEAP_OF_CONTAINER)
    by_containers = (usable - DAEMONS_BYTES) // PAIR_BYTES
    return max(0, int(min(by_heaps, by_containers)))


def least_worker(request: PlanRequest) -> int:
    """The least memory a worker can be planned with, bytes (rule memory.enough)."""
    hbase = LAB_HBASE_LEAST_BYTES if request.laboratory else HBASE_LEAST_BYTES
    if not request.mapreduce:
        return hbase if request.hbase_used else STORAGE_LEAST_BYTES
    mapreduce = math.ceil(DAEMONS_BYTES + PAIR_BYTES / CONTAINERS_OF_ROOM)
    if request.sorts_only:
        mapreduce = max(math.ceil(PAIR_BYTES * HEAP_OF_CONTAINER / HEAPS_SHARE), DAEMONS_BYTES + PAIR_BYTES)
    if not request.hbase_used:
        return mapreduce
    return math.ceil(max(mapreduce, hbase) / MIX_SHARE)


def tasks_per_core(group: HostGroup, request: PlanRequest) -> float:
    """Tasks of each kind for a core: a sort's, or half of what its threads run of jobs not known."""
    if request.sorts_only:
        return PER_CORE
    return max(LEAST_PER_CORE, group.cpu.threads_per_core) / 2


def spinning_disks(group: HostGroup) -> int:
    """Data disks of one host that turn."""
    return sum(disk.count for disk in group.data_disk_sets if disk.kind is DiskKind.HDD)


def slots_of(group: HostGroup, request: PlanRequest, size: Share) -> Slots:
    """The slots of a worker of that size; where MapReduce shares it with HBase, of MapReduce's share."""
    share = mapreduce_share(request)
    cores = size.vcpus / group.cpu.threads_per_core
    spindles = spinning_disks(group) * size.disks // max(1, group.data_disks)
    by_cores = max(1, math.floor(tasks_per_core(group, request) * cores * share + 0.5))
    return Slots(
        cores=cores,
        spindles=spindles,
        by_cores=by_cores,
        by_demand=max(by_cores, math.ceil(spindles * share)) if request.sorts_only else by_cores,
        by_threads=max(1, math.floor(size.vcpus * share)),
        by_memory=slots_in(size.memory_bytes, request),
    )


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
    cpu, memory = group.cpu, memory_for_workers(group.memory_bytes)
    parts = min(per_host, cpu.numa_nodes)
    part = _Part(
        parts=parts,
        workers=per_host // parts,
        disks=group.data_disks // parts,
        threads=(cpu.threads - (cpu.threads_per_core if request.hbase_used else 0)) // parts,
        memory_bytes=memory / parts,
        threads_per_core=cpu.threads_per_core,
    )
    uneven = cpu.threads % parts > 0 and not (request.hbase_used or request.overcommit)
    if uneven:
        shares: tuple[Share, ...] = ()
    elif group.data_disks % parts == 0 and not _disks_divide(group, per_host):
        shares = _in_proportion(part, request)
    else:
        shares = _equal_shares(part, request, group.data_disks)
    if not shares:
        of = f" of {cpu.numa_nodes} NUMA nodes" if cpu.numa_nodes > 1 else ""
        threads = format_counted(cpu.threads, "thread")
        return rules.refuses("platform.threads-committed", "uneven", threads=threads, of=of)
    if min(share.vcpus for share in shares) < cpu.threads_per_core:
        return _too_little_cpu(group, request)
    least = least_worker(request)
    if min(share.memory_bytes for share in shares) < least:
        sizes = {"memory": format_gib(memory), "least": format_gib(least)}
        return rules.refuses("memory.enough", "small", **sizes)
    return Division(virtual=True, shares=shares, numa_nodes=max(1, cpu.numa_nodes // per_host))


def _objections(group: HostGroup, request: PlanRequest, per_host: int) -> Iterator[Judgement]:
    """Why a division into so many workers need not be tried."""
    cpu, sets = group.cpu, data_disks(group)
    disks = format_counted(group.data_disks, "data disk")
    if per_host > group.data_disks:
        yield rules.refuses("platform.disk-each", "fewer", disks=disks)
    if per_host > cpu.cores and not request.overcommit:
        yield _too_little_cpu(group, request)
    if per_host % cpu.numa_nodes and cpu.numa_nodes % per_host:
        yield rules.refuses("platform.numa-divide", "straddle", nodes=cpu.numa_nodes)
    if _disks_divide(group, per_host):
        return
    if len(sets) > 1:
        kinds = listed(f"{count} {kind.upper()}" for (kind, _), count in sets.items())
        yield rules.refuses("platform.disks-divide", "kinds", kinds=kinds)
    most = MOST_MIXED_PER_SOCKET * cpu.sockets
    if per_host > most and per_host != request.workers_per_host:
        yield rules.refuses("platform.disks-divide", "beyond", disks=disks, most=most)
    if request.hbase_used:
        yield rules.refuses("platform.disks-divide", "hbase", disks=disks)


def _too_little_cpu(group: HostGroup, request: PlanRequest) -> Judgement:
    reserve = ", one of them left to the hypervisor" if request.hbase_used else ""
    cores = format_counted(group.cpu.cores, "core")
    return rules.refuses("platform.core-each", "fewer", cores=cores, reserve=reserve)


def data_disks(group: HostGroup) -> Counter[DiskType]:
    """Data disks of one host by what they are made of and their size."""
    counted: Counter[DiskType] = Counter()
    for disk in group.data_disk_sets:
        counted[disk.kind, disk.size_bytes] += disk.count
    return counted


def _disks_divide(group: HostGroup, per_host: int) -> bool:
    return all(count % per_host == 0 for count in data_disks(group).values())


def _equal_shares(part: _Part, request: PlanRequest, disks: int) -> tuple[Share, ...]:
    """Workers of one size; where disks do not divide over NUMA nodes, some have one disk more."""
    vcpus, per_host = _equal_vcpus(part, request), part.parts * part.workers
    if vcpus is None:
        return ()
    fewer, larger = divmod(disks, per_host)
    memory = whole_mib(part.memory_bytes / part.workers)
    shares = Share(per_host - larger, fewer, vcpus, memory), Share(larger, fewer + 1, vcpus, memory)
    return shares if larger else shares[:1]


def _equal_vcpus(part: _Part, request: PlanRequest) -> int | None:
    """Virtual CPUs of each worker; None where the part's threads cannot be committed exactly.

    With HBase a thread or two may be left over beside the spare core, and none is given out twice.
    """
    vcpus, remainder = divmod(part.threads, part.workers)
    if request.hbase_used:
        return vcpus
    if not request.overcommit:
        return vcpus if remainder == 0 else None
    vcpus = max(vcpus + (remainder > 0), part.threads_per_core)
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
