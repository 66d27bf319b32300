"""How the memory of a worker is shared out between the system, daemons, HBase, tasks and the page cache.

What is left over is the page cache, from which map output is served (D0 24).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from howdah.model.plan import Master, Worker
from howdah.model.request import PlanRequest, Profile
from howdah.planner.capacity import BLOCK_BYTES, FILL_LIMIT, blocks_of, file_bytes
from howdah.planner.facts import Facts, required
from howdah.planner.heap import size_of
from howdah.units import GIB, MIB

_DAEMON_LEAST = 512 * MIB
_DAEMON_MOST = 2 * GIB  # A DataNode takes about 2 GB (D3 122).
_DATANODE_ROOMY, _ROOMY_SHARE = 5 * GIB, 32
"""For a heap of 4 GiB, Cloudera's least, where that is no more than a part in 32 of the worker."""
_ROOMY_DAEMONS = 16  # A worker of so many times a daemon's memory has room for a NodeManager twice as large.
_DAEMON_SHARE = 8  # Small workers give a daemon an eighth of their memory.
_BYTES_PER_REPLICA = 1024  # Heap that a DataNode needs for one replica: 1 GiB for a million.
_DAEMON_HEAP_SHARE = 0.8  # Of a daemon's memory; the rest is code, threads and buffers of the Java machine.
HEAP_SHARE = 25 / 32  # Of a task's container: 800 MiB in 1024 MB.
_CONTAINER_SHARE = 0.625
"""Containers whose heaps are under half of memory (D0 25), heaps being 78 % of containers."""
_HBASE_SHARE = 0.25  # What HBase gets of a worker that also runs tasks, at least.
_HBASE_SHARE_OF_MIX = 0.5  # The part of the remaining memory next to unknown jobs (howdah).
_HBASE_CACHE_SHARE = 0.05  # The part that HBase leaves to the page cache: it has its own caches.
_MIX_CACHE_SHARE = 0.1  # What a mix leaves to the page cache.
_STEP = 64 * MIB
LEAST_PAIR_MB = (1024, 1536)
"""Containers of a map and of a reduce task whose heaps are 800 and 1200 MiB (D0 25)."""
_PAIRS_MB = ((2048, 3072), (1536, 2560), LEAST_PAIR_MB)
"""Largest first. A sort needs no more, and page cache serves it better; all are multiples of 512 MB."""
_LARGE_PAIRS_MB = tuple((map_mb, math.ceil(1.5 * map_mb / 512) * 512) for map_mb in range(8192, 2048, -512))
"""For jobs that are not known: the more memory a host has, the more a task of them gets."""
CONTAINERS_OF_ROOM = 0.85
"""What containers get of that which system, daemons and HBase leave, where not only TeraSort runs: jobs fail
or spill for want of memory, and files are read ahead within the rest."""
_CONTAINER_KEYS = {
    "map_mb": "mapreduce.map.memory.mb",
    "reduce_mb": "mapreduce.reduce.memory.mb",
    "master_mb": "yarn.app.mapreduce.am.resource.mb",
}
_LEAST_MASTER_MB = 1536  # The release's default.
MASTER_BYTES_PER_TASK = 25_000  # What an application master's heap keeps of each task (howdah).
MASTER_HEAP_SHARE = 2 / 3  # Of an application master's container; the release's default is 1024 of 1536 MB.
_MASTER_SHARE = 4  # An application master gets no more than a quarter of the smallest worker.


class MemoryBudget(NamedTuple):
    """Shares of a worker's memory, bytes.

    A daemon's share includes what its Java machine needs beside the heap.
    """

    memory: int
    system: int
    masters: int
    datanode: int
    nodemanager: int
    regionserver: int

    @property
    def room(self) -> int:
        """What is left for containers and the page cache."""
        return self.memory - self.system - self.masters - self.datanode - self.nodemanager - self.regionserver


class TaskSizes(NamedTuple):
    """Containers of a map task, a reduce task and an application master, MB."""

    map_mb: int
    reduce_mb: int
    master_mb: int

    def tasks_mb(self, worker: Worker) -> int:
        """What all tasks of a worker take together."""
        return worker.map_slots * self.map_mb + worker.reduce_slots * self.reduce_mb


YARN = "Spark: running on YARN"
CONFIGURATION = "Spark: configuration"
CORES = (5, 4)
"""More tasks at once in one executor wait for one another's collections and for one HDFS client; fewer
repeat what executors keep once, broadcast tables for instance."""
LEAST_OVERHEAD_MB = 384
OVERHEAD = 0.1  # Of the heap: the release's default, and what it is at the least.
_HEAP_MOST_MB = 31 * 1024  # Beyond this Java's pointers take twice the room.
STEP_MB = 512


class Executor(NamedTuple):
    """One executor: tasks at once, its container and its heap, MB; how many are on a worker and in all."""

    cores: int
    container_mb: int
    heap_mb: int
    per_worker: int
    in_all: int


class WorkerRoom(NamedTuple):
    """What one kind of worker gives to containers, MB and vcores, and how many such workers there are."""

    memory_mb: int
    vcores: int
    workers: int


def heap_of(share_bytes: int) -> int:
    """The heap of a daemon with that much memory, in steps of 64 MiB."""
    return int(share_bytes * _DAEMON_HEAP_SHARE) // _STEP * _STEP


def kinds_of(facts: Facts) -> tuple[Worker, ...]:
    """Every kind of worker, the one in question where the cluster is not known; raises MissingFact."""
    return tuple(kind for kind, _ in facts.cluster.kinds) if facts.planned else (facts.worker,)


def budget(worker: Worker, facts: Facts) -> MemoryBudget:
    """The shares of one worker's memory."""
    memory = worker.memory_bytes
    before = MemoryBudget(
        memory=memory,
        system=max(_DAEMON_LEAST, min(memory // _DAEMON_SHARE, GIB + memory // 64)),
        masters=_shared_masters(worker, facts),
        datanode=_datanode(worker, facts),
        nodemanager=_nodemanager(memory, facts),
        regionserver=0,
    )
    return before._replace(regionserver=_regionserver(worker, before, facts))


def task_sizes(facts: Facts) -> TaskSizes:
    """The containers of the cluster's tasks: the largest pair that fits every kind of worker."""
    master_mb = _master_mb(facts)
    kinds = [kind for kind in kinds_of(facts) if kind.map_slots and kind.reduce_slots]
    kinds = required(kinds, "how many tasks run at once on a worker: give a plan")
    for map_mb, reduce_mb in _pairs_mb(facts.request):
        sizes = TaskSizes(map_mb, reduce_mb, master_mb)
        if all(_fits(sizes, kind, facts) for kind in kinds):
            return sizes
    if facts.request.profile is Profile.PAPER:
        return TaskSizes(*LEAST_PAIR_MB, master_mb)
    # One task beside an application master is the least that gets a job done.
    most_mb = max(512, min(_containers_mb(kind, facts) for kind in kinds) // 2 // 512 * 512)
    return TaskSizes(*(min(size, most_mb) for size in (*LEAST_PAIR_MB, master_mb)))


def chosen_sizes(facts: Facts) -> TaskSizes:
    """The containers that tasks will have: those of the rules, or the user's where given."""
    insisted = {override.key for override in facts.request.overrides}
    values = {size: facts.decided.get(key) for size, key in _CONTAINER_KEYS.items() if key in insisted}
    chosen = {size: value for size, value in values.items() if isinstance(value, int) and value > 0}
    return task_sizes(facts)._replace(**chosen)


def under_half(sizes: TaskSizes, worker: Worker) -> bool:
    """Whether the heaps of all tasks of a worker are under half of its memory (D0 25)."""
    return sizes.tasks_mb(worker) * MIB <= _CONTAINER_SHARE * worker.memory_bytes


def vcores_of(worker: Worker, facts: Facts) -> int:
    """Vcores of a worker for containers: a sort's application master has a separate one next to the tasks."""
    return worker.map_slots + worker.reduce_slots + facts.request.sorts_only


def container_mb(worker: Worker, sizes: TaskSizes, facts: Facts) -> int:
    """What a worker gives to containers, MB: all that is theirs, or just the tasks of a sort.

    A sort's are its tasks and an application master, as far as there is room.
    """
    room_mb = max(512, _containers_mb(worker, facts))
    if not facts.request.sorts_only:
        return room_mb
    return min(max(512, sizes.tasks_mb(worker) + sizes.master_mb), room_mb)


def _containers_mb(worker: Worker, facts: Facts) -> int:
    room = budget(worker, facts).room if facts.request.sorts_only else containers_bytes(worker, facts)
    return room // MIB // 512 * 512


def containers_bytes(worker: Worker, facts: Facts) -> int:
    """The part of a worker's room that is for containers where not only TeraSort runs, bytes."""
    return int(budget(worker, facts).room * CONTAINERS_OF_ROOM)


def _pairs_mb(request: PlanRequest) -> tuple[tuple[int, int], ...]:
    """The containers of map and reduce tasks that may be tried, largest first."""
    if request.profile is Profile.PAPER:
        return ()
    if not request.sorts_only:
        return (*_LARGE_PAIRS_MB, *_PAIRS_MB)
    return () if request.hbase_used else _PAIRS_MB


def _fits(sizes: TaskSizes, worker: Worker, facts: Facts) -> bool:
    whole = (sizes.tasks_mb(worker) + sizes.master_mb) * MIB
    if not facts.request.sorts_only:
        return whole <= containers_bytes(worker, facts)
    return under_half(sizes, worker) and whole <= budget(worker, facts).room


def _daemon(memory: int) -> int:
    return max(_DAEMON_LEAST, min(_DAEMON_MOST, memory // _DAEMON_SHARE))


def _nodemanager(memory: int, facts: Facts) -> int:
    """Spark's shuffle runs within the NodeManager: where there is memory, it gets as much again."""
    if not facts.request.mapreduce:
        return 0
    daemon = _daemon(memory)
    return daemon * 2 if facts.request.spark_used and memory >= _ROOMY_DAEMONS * daemon else daemon


def _master_mb(facts: Facts) -> int:
    if not facts.planned:
        return _LEAST_MASTER_MB
    tasks = size_of(facts).job_tasks
    master_mb = math.ceil(tasks * MASTER_BYTES_PER_TASK / MASTER_HEAP_SHARE / MIB / 512) * 512
    most = min(kind.memory_bytes for kind in kinds_of(facts)) // _MASTER_SHARE // MIB // 512 * 512
    return max(_LEAST_MASTER_MB, min(master_mb, most))


def _replica_heap(worker: Worker, facts: Facts) -> int:
    """Memory that a DataNode needs for its replicas once its disks are full."""
    cluster = facts.known_cluster
    if cluster is None:
        return 0
    own = next((group for group in cluster.groups if group.name == worker.group), None)
    disk = own.data_bytes / own.data_disks if own else cluster.raw_bytes / max(1, cluster.data_disks)
    replicas = blocks_of((worker.data_disks or 0) * disk * FILL_LIMIT, BLOCK_BYTES, file_bytes(facts.request))
    return int(replicas * _BYTES_PER_REPLICA / _DAEMON_HEAP_SHARE)


def least_datanode(worker: Worker, facts: Facts) -> int:
    """The least memory that a DataNode can do with: that of any daemon, and what its replicas take."""
    memory = worker.memory_bytes
    return min(memory // 4, max(_daemon(memory), _replica_heap(worker, facts)))


def _datanode(worker: Worker, facts: Facts) -> int:
    """The least, or 4 GiB if that is little of the worker: copies and reports arrive in bursts."""
    least = least_datanode(worker, facts)
    if facts.request.profile is Profile.PAPER or worker.memory_bytes < _ROOMY_SHARE * _DATANODE_ROOMY:
        return least
    return max(least, _DATANODE_ROOMY)


def _shared_masters(worker: Worker, facts: Facts) -> int:
    """Memory of masters that share a host with a worker's daemons; every worker is set up in the same way."""
    cluster = facts.known_cluster
    if cluster is None:
        return 0
    return min(most_shared(cluster.masters), worker.memory_bytes // 4)


def most_shared(masters: Iterable[Master]) -> int:
    """The most memory that masters take of one host that they share with a worker's daemons, bytes."""
    shared: Counter[str] = Counter()
    for master in masters:
        if master.shares:
            shared[master.host] += master.memory_bytes
    return max(shared.values(), default=0)


def _regionserver(worker: Worker, before: MemoryBudget, facts: Facts) -> int:
    if not facts.request.hbase_used:
        return 0
    memory = worker.memory_bytes
    if not facts.request.mapreduce or not worker.map_slots:
        return before.room - int(memory * _HBASE_CACHE_SHARE)
    if not facts.request.sorts_only:
        return int(before.room * _HBASE_SHARE_OF_MIX)
    tasks = TaskSizes(*LEAST_PAIR_MB, _master_mb(facts)).tasks_mb(worker) + _master_mb(facts)
    remaining = before.room - tasks * MIB - int(memory * _MIX_CACHE_SHARE)
    return max(int(memory * _HBASE_SHARE), remaining)


def executor(facts: Facts) -> Executor:
    """The executor that uses most of all workers together; raises MissingFact where room is not known."""
    memory, vcores = "yarn.nodemanager.resource.memory-mb", "yarn.nodemanager.resource.cpu-vcores"
    own = WorkerRoom(int(facts.number(memory)), max(1, int(facts.number(vcores))), 1)
    rooms: Sequence[WorkerRoom] = (own,)
    if facts.planned and len(facts.cluster.kinds) < 2:
        rooms = (own._replace(workers=facts.cluster.workers),)
    elif facts.planned:
        overridden, sizes = {override.key for override in facts.request.overrides}, chosen_sizes(facts)
        rooms = [
            WorkerRoom(
                own.memory_mb if memory in overridden else container_mb(kind, sizes, facts),
                own.vcores if vcores in overridden else max(1, vcores_of(kind, facts)),
                max(1, count),
            )
            for kind, count in facts.cluster.kinds
        ]
    return best_executor(rooms, int(facts.number("yarn.app.mapreduce.am.resource.mb")))


def best_executor(rooms: Sequence[WorkerRoom], master_mb: int) -> Executor:
    """The executor that uses most of all workers' room, next to an application master of so many MB."""
    tried = {_dividing(room, min(room.vcores, cores), master_mb) for room in rooms for cores in CORES}
    fitting = [size for size in tried if all(_per_worker(size, room) for room in rooms)] or tried
    best = max(fitting, key=lambda size: (_used(size, rooms, master_mb), size.cores, size.container_mb))
    counted = [max(1, _per_worker(best, room)) for room in rooms]
    in_all = sum(many * room.workers for many, room in zip(counted, rooms, strict=True))
    return best._replace(per_worker=counted[0], in_all=in_all)


def _dividing(room: WorkerRoom, cores: int, master_mb: int) -> Executor:
    """The executor of so many cores that divides a kind of worker best."""
    per_worker = max(1, room.vcores // cores)
    # One application master for each job is somewhere beside them.
    container = max(2 * STEP_MB, (room.memory_mb - master_mb) // per_worker // STEP_MB * STEP_MB)
    heap = min(_HEAP_MOST_MB, int(container / (1 + OVERHEAD)), container - LEAST_OVERHEAD_MB) // 64 * 64
    return Executor(cores, container, heap, per_worker, per_worker * room.workers)


def _per_worker(executor: Executor, room: WorkerRoom) -> int:
    return min(room.vcores // executor.cores, room.memory_mb // executor.container_mb)


def _used(executor: Executor, rooms: Iterable[WorkerRoom], master_mb: int) -> float:
    """The parts of all vcores and of all memory that such executors use, multiplied."""
    counted = [(room, _per_worker(executor, room)) for room in rooms]
    vcores = sum(room.vcores * room.workers for room, _ in counted)
    memory = sum((room.memory_mb - master_mb) * room.workers for room, _ in counted)
    executors = sum(many * room.workers for room, many in counted)
    return (executors * executor.cores / max(1, vcores)) * (
        executors * executor.container_mb / max(1, memory)
    )
