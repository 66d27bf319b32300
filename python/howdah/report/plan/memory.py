"""What a worker's memory goes to, read from the plan's own settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.heap import heap_bytes
from howdah.model.plan import Plan, Value, Worker
from howdah.units import MIB

TASKS = ("map tasks", "reduce tasks")
"""The shares that run the work of jobs."""


class MemoryShare(NamedTuple):
    """One share of a worker's memory, bytes, and its colour; ``heap_bytes`` is what Java heaps take of it."""

    name: str
    token: str
    size_bytes: int
    heap_bytes: int = 0


def shares(plan: Plan, kind: Worker) -> tuple[MemoryShare, ...]:
    """What is set aside on a worker of this kind, then what is left for the page cache and the system."""
    taken = [share for share in _taken(plan, kind) if share.size_bytes > 0]
    left = kind.memory_bytes - sum(share.size_bytes for share in taken)
    return (*taken, MemoryShare("page cache and system", "memory-cached", max(0, left)))


def _taken(plan: Plan, kind: Worker) -> Iterator[MemoryShare]:
    values = {one.key: one.value for one in plan.settings if one.worker in (None, kind.name)}
    maps, reduces = kind.map_slots, kind.reduce_slots
    map_bytes = maps * MIB * _number(values.get("mapreduce.map.memory.mb"))
    reduce_bytes = reduces * MIB * _number(values.get("mapreduce.reduce.memory.mb"))
    yield MemoryShare(TASKS[0], "cpu-user", map_bytes, maps * _heap(values.get("mapreduce.map.java.opts")))
    yield MemoryShare(
        TASKS[1], "cpu-system", reduce_bytes, reduces * _heap(values.get("mapreduce.reduce.java.opts"))
    )
    containers = MIB * _number(values.get("yarn.nodemanager.resource.memory-mb"))
    master_heap = _heap(values.get("yarn.app.mapreduce.am.command-opts"))
    yield MemoryShare("application master", "phase-2", containers - map_bytes - reduce_bytes, master_heap)
    for name, token, key in (
        ("NodeManager", "net-send", "YARN_NODEMANAGER_OPTS"),
        ("DataNode", "disk-read", "HDFS_DATANODE_OPTS"),
        ("RegionServer", "disk-write", "HBASE_REGIONSERVER_OPTS"),
    ):
        heap = _heap(values.get(key))
        yield MemoryShare(name, token, heap, heap)
    yield MemoryShare("off-heap cache", "net-receive", MIB * _number(values.get("hbase.bucketcache.size")))


def _number(value: Value | None) -> int:
    """A setting's whole number; nothing where it is not set or no number."""
    try:
        return 0 if value is None or isinstance(value, tuple) else int(float(value))
    except ValueError:
        return 0


def _heap(options: Value | None) -> int:
    """The largest heap that Java options allow, bytes; nothing where none does."""
    return heap_bytes(str(options or "")) or 0
