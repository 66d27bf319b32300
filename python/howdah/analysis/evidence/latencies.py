"""Timed operations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OperationLatency:
    """How long one operation of a workload took, over all machines; seconds."""

    workload: str
    """The workload that it is of."""
    operation: str
    """What was timed."""
    count: int
    """How often."""
    within_s: tuple[tuple[float, float], ...]
    """Shares of all operations, 0 to 1, each with the time within which so many ended."""
    longest_s: float
    """The slowest one's time."""
    curve: tuple[tuple[float, float], ...]
    """The same at many shares, as far as so many operations can tell."""
