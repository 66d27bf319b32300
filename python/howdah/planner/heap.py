"""The heaps of daemons, as options of Java."""

from __future__ import annotations

import math
from collections.abc import Iterable

from howdah.model.heap import heap_bytes
from howdah.model.plan import Value, Worker
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision
from howdah.units import GIB, MIB


def heap_options(size_bytes: int, *more: str) -> str:
    """Options for a heap of one fixed size, whole MiB, and whatever else the daemon wants."""
    size_mb = size_bytes // MIB
    return " ".join([f"-Xms{size_mb}m", f"-Xmx{size_mb}m", *more])


PARALLEL_REFERENCES_FROM = 17
"""The Java from which G1 looks at references on several threads without being told."""


def collector(java: int) -> tuple[str, ...]:
    """G1, told what this major of Java does not do by itself.

    Its young generation is left to it: one of a fixed size (-Xmn, -XX:NewSize) ends its goal for pauses.
    """
    if java >= PARALLEL_REFERENCES_FROM:
        return ("-XX:+UseG1GC",)
    return ("-XX:+UseG1GC", "-XX:+ParallelRefProcEnabled")


_FEW_CPUS = 8
_COLLECTORS_LEAST, _COLLECTORS_MOST = 2, 8


def collector_threads(workers: Iterable[Worker]) -> int | None:
    """Threads with which each task's Java should collect garbage; None where its own choice is small.

    By itself Java takes five for every eight CPUs of the host, as if no other Java ran there.
    """
    cpus = [(worker.vcpus or 0, worker.map_slots + worker.reduce_slots) for worker in workers]
    if max((many for many, _ in cpus), default=0) <= _FEW_CPUS:
        return None
    fair = min(math.ceil(2 * many / max(1, tasks)) for many, tasks in cpus)
    return max(_COLLECTORS_LEAST, min(_COLLECTORS_MOST, fair))


COMPRESSED_MOST = 31 * GIB
"""Above it Java's pointers double in size ..."""
UNCOMPRESSED_LEAST = 48 * GIB
"""... and below this a heap holds less than one of 31 GiB."""


def whole_heap(needed_bytes: int) -> int:
    """At least so many bytes in whole GiB, and never where pointers are too large for their use."""
    whole = math.ceil(needed_bytes / GIB) * GIB
    return UNCOMPRESSED_LEAST if COMPRESSED_MOST < whole < UNCOMPRESSED_LEAST else whole


def heap_enough(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept options whose heap is three quarters of the one decided on or larger."""
    have, want = heap_bytes(str(value)), heap_bytes(str(decision.value))
    return have is not None and want is not None and have >= 0.75 * want
