"""One executor of Spark: what uses most of all workers together, and what it takes in bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from howdah.planner.budget import chosen_sizes, container_mb, vcores_of
from howdah.planner.facts import Facts

YARN = "Spark: running on YARN"
CONFIGURATION = "Spark: configuration"

CORES = (5, 4)
"""More tasks at once in one executor wait for one another's collections and for one HDFS client; fewer
repeat what executors keep once, broadcast tables for instance."""
LEAST_OVERHEAD_MB = 384
OVERHEAD = 0.1
"""Of the heap: the release's default, and what it is at the least."""
_HEAP_MOST_MB = 31 * 1024
"""Beyond this Java's pointers take twice the room."""
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


def executor(facts: Facts) -> Executor:
    """The executor that uses most of all workers together; raises CannotTell where room is not known."""
    master_mb = int(facts.number("yarn.app.mapreduce.am.resource.mb"))
    rooms = _rooms(facts)
    tried = {_dividing(room, min(room.vcores, cores), master_mb) for room in rooms for cores in CORES}
    fitting = [one for one in tried if all(_per_worker(one, room) for room in rooms)] or list(tried)
    best = max(fitting, key=lambda one: (_used(one, rooms, master_mb), one.cores, one.container_mb))
    counted = [max(1, _per_worker(best, room)) for room in rooms]
    in_all = sum(many * room.workers for many, room in zip(counted, rooms, strict=True))
    return best._replace(per_worker=counted[0], in_all=in_all)


def _rooms(facts: Facts) -> tuple[WorkerRoom, ...]:
    """Every kind of worker; only the one in question where the cluster is not known."""
    memory, vcores = "yarn.nodemanager.resource.memory-mb", "yarn.nodemanager.resource.cpu-vcores"
    own = WorkerRoom(int(facts.number(memory)), max(1, int(facts.number(vcores))), 1)
    given = {override.key for override in facts.request.overrides}
    if facts.known_cluster is None:
        return (own,)
    if len(facts.known_cluster.kinds) < 2:
        return (own._replace(workers=facts.known_cluster.workers),)
    sizes = chosen_sizes(facts)
    return tuple(
        WorkerRoom(
            own.memory_mb if memory in given else container_mb(kind, sizes, facts),
            own.vcores if vcores in given else max(1, vcores_of(kind, facts)),
            max(1, count),
        )
        for kind, count in facts.known_cluster.kinds
    )


def _dividing(room: WorkerRoom, cores: int, master_mb: int) -> Executor:
    """The executor of so many cores that divides a kind of worker best."""
    per_worker = max(1, room.vcores // cores)
    # One application master for each job is somewhere beside them.
    container = max(2 * STEP_MB, (room.memory_mb - master_mb) // per_worker // STEP_MB * STEP_MB)
    heap = min(_HEAP_MOST_MB, int(container / (1 + OVERHEAD)), container - LEAST_OVERHEAD_MB) // 64 * 64
    return Executor(cores, container, heap, per_worker, per_worker * room.workers)


def _per_worker(one: Executor, room: WorkerRoom) -> int:
    return min(room.vcores // one.cores, room.memory_mb // one.container_mb)


def _used(one: Executor, rooms: Iterable[WorkerRoom], master_mb: int) -> float:
    """The parts of all vcores and of all memory that such executors use, multiplied."""
    counted = [(room, _per_worker(one, room)) for room in rooms]
    vcores = sum(room.vcores * room.workers for room, _ in counted)
    memory = sum((room.memory_mb - master_mb) * room.workers for room, _ in counted)
    executors = sum(many * room.workers for room, many in counted)
    return (executors * one.cores / max(1, vcores)) * (executors * one.container_mb / max(1, memory))
