"""One executor of Spark: what divides the smallest worker best, and what it takes in bytes."""

from __future__ import annotations

import re
from typing import NamedTuple

from howdah.planner.facts import Facts
from howdah.units import GIB, KIB, MIB

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
    """One executor: tasks at once, its container and its heap, MB, and how many a worker carries."""

    cores: int
    container_mb: int
    heap_mb: int
    per_worker: int


def executor(facts: Facts) -> Executor:
    """The executor that divides the smallest worker best; raises CannotTell where its room is not known."""
    memory_mb = int(facts.number("yarn.nodemanager.resource.memory-mb"))
    vcores = max(1, int(facts.number("yarn.nodemanager.resource.cpu-vcores")))
    master_mb = int(facts.number("yarn.app.mapreduce.am.resource.mb"))
    cores = min(vcores, min(CORES, key=lambda size: vcores % size))
    per_worker = max(1, vcores // cores)
    # One application master for each job is somewhere beside them.
    container = max(2 * STEP_MB, (memory_mb - master_mb) // per_worker // STEP_MB * STEP_MB)
    heap = min(_HEAP_MOST_MB, int(container / (1 + OVERHEAD)), container - LEAST_OVERHEAD_MB) // 64 * 64
    return Executor(cores, container, heap, per_worker)


def memory_bytes(text: str) -> int | None:
    """A size in bytes, from one in Spark's words: ``4g``, ``4096m``, and without a unit MB."""
    match = re.fullmatch(r"(\d{1,12})([kmgt]?)b?", text.strip().lower())
    return (
        int(match[1]) * {"k": KIB, "m": MIB, "": MIB, "g": GIB, "t": 1024 * GIB}[match[2]] if match else None
    )
