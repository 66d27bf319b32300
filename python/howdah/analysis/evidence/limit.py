"""How close a workload or phase came to the raw limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Bound = Literal["reading", "writing", "disk", "memory", "CPU", "waiting", "unknown"]
"""What a phase was limited by: ``disk`` is reading as much as writing, ``waiting`` means that no resource
was near its limit, ``unknown`` that the samples do not tell."""


@dataclass(frozen=True)
class LimitShare:
    """How close a workload (``phase`` None) or phase came to the raw limits of this host.

    ``disk_s`` is the time the data disks need at their raw rates for the bytes that must move: each
    byte that can be paired (one read, one written) at the copy rate, the rest at the read or write
    rate. ``memory_s`` is one memcpy of the larger of the two directions. ``limit_s`` is the larger of
    both. ``cpu_busy`` and ``disk_busy`` are measured shares (None: no samples, or too few).
    ``name`` is what the disk limit amounts to in words, ``the disk's own copy``.
    """

    workload: str
    phase: str | None
    elapsed_s: float
    read_bytes: float
    write_bytes: float
    disk_s: float
    memory_s: float
    cpu_busy: float | None
    disk_busy: float | None
    bound: Bound
    name: str

    @property
    def limit_s(self) -> float:
        """The least time the raw hardware needs for the same bytes."""
        return max(self.disk_s, self.memory_s)

    @property
    def times_limit(self) -> float:
        """Measured time over the limit (1: as fast as the raw hardware)."""
        return self.elapsed_s / self.limit_s if self.limit_s > 0 else 0.0
