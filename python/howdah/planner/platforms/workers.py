"""What a worker is sized by: how hosts' memory is shared, the least that will do, and tasks at once."""

from __future__ import annotations

import math
from typing import NamedTuple

from howdah.model.inventory import DiskKind, DiskRole, HostGroup
from howdah.model.plan import Worker
from howdah.model.request import PlanRequest
from howdah.planner.budget import CONTAINERS_OF_ROOM, LEAST_PAIR_MB
from howdah.units import GIB, MIB

HELD_BACK_BYTES = 1.7 * GIB
HELD_BACK_SHARE = 0.052
"""A line through the published shares (RULES X8): 241 of 256 GiB, 74 of 80, within 2 points of all."""

PAIR_BYTES = sum(LEAST_PAIR_MB) * MIB
"""The least containers of a map and a reduce task together."""

HEAPS_SHARE = 0.5
"""Task heaps take less than half of a worker's memory: the rest caches map output (RULES 24, 25)."""

HEAP_OF_CONTAINER = 0.8
"""Of a container's memory, the part that Hadoop gives to the heap (mapreduce.job.heap.memory-mb.ratio)."""

DAEMONS_BYTES = 4 * GIB
"""Operating system, DataNode, NodeManager and an application master, about 1 GiB each (howdah)."""

STORAGE_LEAST_BYTES = 4 * GIB
"""Operating system 2 GiB and DataNode 2 GiB (RULES 122)."""

HBASE_LEAST_BYTES = 8 * GIB
"""Operating system 2 GiB, DataNode 2 GiB (RULES 122) and the least RegionServer of use, 4 GiB (howdah)."""

LAB_HBASE_LEAST_BYTES = 2 * GIB
"""Operating system and DataNode half a GiB each, and a RegionServer that starts, serves and moves regions of
little data, with a heap of 768 MiB (howdah)."""

MIX_SHARE = 0.5
"""Where MapReduce and HBase share workers, each is planned with half of them (howdah)."""

PER_CORE = 1.1
"""Of each kind: 22 for the 20 cores of a vSphere 6 host, 11 for half of one, 6 for a quarter (RULES 50)."""

LEAST_PER_CORE = 1.5
"""Tasks of jobs that are not known for each core that has one thread: some of them always wait (howdah)."""


def memory_for_workers(host_bytes: int) -> int:
    """What the hypervisor leaves of a host's memory, in whole GiB (rule memory.held-back)."""
    left = host_bytes * (1 - HELD_BACK_SHARE) - HELD_BACK_BYTES
    return max(0, math.floor(left / GIB + 0.5)) * GIB


def memory_of_host(workers_bytes: int) -> int:
    """The memory of a host whose hypervisor leaves so much to workers, in whole MiB."""
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
    """Slots of each kind that a worker's memory allows: heaps under half, containers beside daemons."""
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


class Slots(NamedTuple):
    """How many of each kind, what asks for them, and what allows them.

    ``cores`` are those of the worker; ``wanted`` is what its cores ask for and, where only TeraSort runs,
    its spinning disks if they are more; threads and memory allow ``by_threads`` and ``by_memory``.
    """

    cores: float
    spindles: int
    by_cores: int
    wanted: int
    by_threads: int
    by_memory: int

    @property
    def each(self) -> int:
        """Map tasks at once, and as many reduce tasks."""
        return min(self.wanted, self.by_threads, self.by_memory)


def tasks_per_core(group: HostGroup, request: PlanRequest) -> float:
    """Tasks of each kind for a core: a sort's, or half of what its threads run of jobs not known."""
    if request.sorts_only:
        return PER_CORE
    return max(LEAST_PER_CORE, group.cpu.threads_per_core) / 2


def spinning_disks(group: HostGroup) -> int:
    """Data disks of one host that turn."""
    return sum(disk.count for disk in group.disks if disk.role is DiskRole.DATA and disk.kind is DiskKind.HDD)


def slots_of(group: HostGroup, request: PlanRequest, *, vcpus: int, disks: int, memory_bytes: int) -> Slots:
    """The slots of a worker of that size; where MapReduce shares it with HBase, of MapReduce's share."""
    share = mapreduce_share(request)
    cores = vcpus / group.cpu.threads_per_core
    spindles = spinning_disks(group) * disks // max(1, group.data_disks)
    by_cores = max(1, math.floor(tasks_per_core(group, request) * cores * share + 0.5))
    return Slots(
        cores=cores,
        spindles=spindles,
        by_cores=by_cores,
        wanted=max(by_cores, math.ceil(spindles * share)) if request.sorts_only else by_cores,
        by_threads=max(1, math.floor(vcpus * share)),
        by_memory=slots_in(memory_bytes, request),
    )


def slots_of_worker(group: HostGroup, request: PlanRequest, worker: Worker) -> Slots:
    """The slots that the rules give a worker, whatever it was given."""
    return slots_of(
        group,
        request,
        vcpus=worker.vcpus or 0,
        disks=worker.data_disks or 0,
        memory_bytes=worker.memory_bytes,
    )
