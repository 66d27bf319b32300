"""The heaps of daemons, as options of Java."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from howdah.model.plan import Master, Role, Value, Worker
from howdah.model.request import PlanRequest
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB, format_memory

PARALLEL_REFERENCES_FROM = 17  # The Java since which G1 processes references on several threads by default.
_FEW_CPUS = 8
_COLLECTORS_LEAST, _COLLECTORS_MOST = 2, 8
COMPRESSED_MOST = 31 * GIB  # Above it Java's pointers double in size ...
UNCOMPRESSED_LEAST = 48 * GIB  # ... and below this a heap holds less than one of 31 GiB.
SYSTEM_BYTES = 2 * GIB  # What an operating system for masters alone keeps of its memory.
HEAP_OF_MEMORY = 0.75  # Java takes about a third more than its heap: threads, code, buffers.
WORKERS_PER_GIB = 250
CONTAINERS_PER_GIB = 50_000
"""NodeManagers, and concurrent containers, for each further GiB of a ResourceManager's heap."""
CLIENTS_PER_GIB = 500
"""Workers for which ZooKeeper has one GiB more: each keeps connections, and what it watches."""
HEAP_PER_TASK = 12_000  # 1.2 GB of the JobHistoryServer's for 100,000 tasks in its cache (MAPREDUCE-6622).
HISTORY_LEAST = 512 * MIB  # What a JobHistoryServer needs without any job loaded.
TASKS_LEAST = 40_000
REGIONS = 100  # Of a RegionServer; 20 to 200 are what HBase's guide recommends.
_SPARE_TASKS = 1.2  # The cache holds a fifth more than the largest job (mapred-default.xml).
_STEP_TASKS = 10_000
_WAVES = 2  # Waves of map tasks of the largest job, where jobs are not known (howdah).
_BLOCK_BYTES = 128 * MIB
_STEP = 64 * MIB
_OF_REGIONS = ((10_000, 300, 12 * GIB), (10_000, 200, 8 * GIB), (100, 0, 4 * GIB))
"""An HMaster's heap from so many regions and RegionServers on (Cloudera: hardware requirements, HBase)."""
_SMALL = {
    Role.RESOURCEMANAGER: 2 * GIB,
    Role.JOB_HISTORY: GIB,
    Role.HMASTER: 2 * GIB,
    Role.ZOOKEEPER: GIB,
    Role.JOURNALNODE: GIB,
    Role.FAILOVER_CONTROLLER: 256 * MIB,
}
"""In a small cluster, and the least in any."""


class ClusterSize(NamedTuple):
    """What masters' heaps depend on: workers, tasks at once, tasks of the largest job, regions."""

    workers: int
    containers: int
    job_tasks: int
    regions: int


def heap_options(size_bytes: int, *more: str) -> str:
    """Options for a heap of one fixed size, in whole MiB, and the daemon's further options."""
    size_mb = size_bytes // MIB
    return " ".join([f"-Xms{size_mb}m", f"-Xmx{size_mb}m", *more])


def collector(java: int) -> tuple[str, ...]:
    """G1, told what this major of Java does not do by itself.

    Its young generation is left to it: one of a fixed size (-Xmn, -XX:NewSize) ends its goal for pauses.
    """
    options = () if java >= PARALLEL_REFERENCES_FROM else ("-XX:+ParallelRefProcEnabled",)
    return ("-XX:+UseG1GC", *options)


def collector_threads(workers: Iterable[Worker]) -> int | None:
    """Threads with which each task's Java should collect garbage; None where its own choice is small.

    By itself Java takes five for every eight CPUs of the host, as if no other Java ran there.
    """
    cpus = [(worker.vcpus or 0, worker.map_slots + worker.reduce_slots) for worker in workers]
    if max((many for many, _ in cpus), default=0) <= _FEW_CPUS:
        return None
    fair = min(math.ceil(2 * many / max(1, tasks)) for many, tasks in cpus)
    return max(_COLLECTORS_LEAST, min(_COLLECTORS_MOST, fair))


def whole_heap(needed_bytes: int) -> int:
    """At least so many bytes in whole GiB, and never where pointers are too large for their use."""
    whole = math.ceil(needed_bytes / GIB) * GIB
    return UNCOMPRESSED_LEAST if COMPRESSED_MOST < whole < UNCOMPRESSED_LEAST else whole


def heap_enough(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept options with a heap of at least three quarters of the decided one."""
    have, decided = heap_bytes(str(value)), heap_bytes(str(decision.value))
    return have is not None and decided is not None and have >= 0.75 * decided


def cluster_size(
    request: PlanRequest, kinds: Iterable[tuple[Worker, int]], block_bytes: int = _BLOCK_BYTES
) -> ClusterSize:
    """The size of so many workers of each kind."""
    counted = tuple(kinds)
    workers = sum(count for _, count in counted)
    maps = sum(worker.map_slots * count for worker, count in counted)
    reduces = sum(worker.reduce_slots * count for worker, count in counted)
    blocks = (request.dataset_bytes or 0) // max(MIB, block_bytes)
    unknown = 0 if blocks and request.sorts_only else _WAVES * maps
    return ClusterSize(
        workers=workers,
        containers=maps + reduces,
        job_tasks=max(blocks, unknown) + reduces,
        regions=workers * REGIONS if request.hbase_used else 0,
    )


def size_of(facts: Facts) -> ClusterSize:
    """The size of the cluster in question; raises MissingFact."""
    block = facts.decided.get("dfs.blocksize")
    is_count = isinstance(block, int) and not isinstance(block, bool)
    return cluster_size(facts.request, facts.cluster.kinds, int(str(block)) if is_count else _BLOCK_BYTES)


def cached_tasks(size: ClusterSize) -> int:
    """Tasks that the JobHistoryServer should keep in memory: the largest job's, and a fifth more."""
    spare = math.ceil(size.job_tasks * _SPARE_TASKS / _STEP_TASKS) * _STEP_TASKS
    return max(TASKS_LEAST, min(spare, tasks_in(COMPRESSED_MOST)))


def tasks_in(heap: int) -> int:
    """Tasks that a JobHistoryServer's heap holds, in whole ten thousands."""
    return max(1, (heap - HISTORY_LEAST) // HEAP_PER_TASK // _STEP_TASKS) * _STEP_TASKS


def history_heap(tasks: int) -> int:
    """The heap of a JobHistoryServer that keeps so many tasks in memory."""
    return max(_SMALL[Role.JOB_HISTORY], math.ceil((HISTORY_LEAST + tasks * HEAP_PER_TASK) / _STEP) * _STEP)


def master_heaps(size: ClusterSize) -> dict[Role, int]:
    """The heap of every master except the NameNode, bytes."""
    managed = size.workers / WORKERS_PER_GIB + size.containers / CONTAINERS_PER_GIB
    sizes = {
        Role.RESOURCEMANAGER: (1 + math.ceil(managed)) * GIB,
        Role.JOB_HISTORY: history_heap(cached_tasks(size)),
        Role.ZOOKEEPER: (1 + size.workers // CLIENTS_PER_GIB) * GIB,
    }
    for regions, servers, heap in _OF_REGIONS:
        if size.regions > regions and size.workers >= servers:
            sizes[Role.HMASTER] = max(heap, sizes.get(Role.HMASTER, 0))
    return {role: max(least, sizes.get(role, 0)) for role, least in _SMALL.items()}


def heaps_in(home: Master, sizes: Mapping[Role, int]) -> dict[Role, int]:
    """The heaps of a place's masters beside the NameNode: as wanted, less where the place has less.

    The NameNode keeps half of what the place has for heaps.
    """
    memory = home.memory_bytes if home.shares else home.memory_bytes - SYSTEM_BYTES
    roles = [role for role in home.roles if role in sizes]
    least = sum(_SMALL[role] for role in roles)
    more = sum(sizes[role] for role in roles) - least
    alone = not {Role.NAMENODE, Role.SECONDARY_NAMENODE} & set(home.roles)
    room = memory * HEAP_OF_MEMORY * (1 if alone else 0.5) - least
    share = 1.0 if more <= max(0.0, room) else max(0.0, room) / more
    return {role: _SMALL[role] + int((sizes[role] - _SMALL[role]) * share) // _STEP * _STEP for role in roles}


def master_heap(role: Role, facts: Facts) -> int:
    """The heap of a master other than the NameNode, in the smallest of its places; raises MissingFact."""
    sizes = master_heaps(size_of(facts))
    homes = [master for master in facts.cluster.masters if role in master.roles]
    return min((heaps_in(home, sizes)[role] for home in homes), default=sizes[role])


def sized_heap(role: Role, facts: Facts, *more: str, **values: object) -> Decision:
    """The heap of a master that grows with the cluster, and further options; raises MissingFact."""
    return limited_heap(master_heap(role, facts), *more, **values)


def small_heap(role: Role, *more: str) -> Decision:
    """The heap of a daemon that hardly depends on the cluster, and further options."""
    return limited_heap(_SMALL[role], *more)


def limited_heap(size: int, *more: str, **values: object) -> Decision:
    """A heap of this size and a daemon's usual options; ``values`` go into the rule's reason."""
    options = heap_options(size, "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError", *more)
    return Decision(options, values={"heap": format_memory(size), **values})
