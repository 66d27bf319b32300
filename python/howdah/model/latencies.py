"""How long operations took, as HdrHistograms: made, kept as text, merged and read, never averaged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

_MICROSECONDS = 1_000_000
_MOST_S = 3600
_DIGITS = 3
"""Significant digits that a histogram keeps: a time is known to a thousandth of itself."""
_HALF = 10
"""Half of the places that are of one width, as a power of two: the least that keeps three digits."""


class LatencyHistogram(NamedTuple):
    """One row of the ``latencies`` table: how long each operation of one kind took in one interval."""

    workload: str
    """Kind of the workload it belongs to."""
    operation: str
    """What was timed: ``round trip, idle``, ``read``, ``update``."""
    host: str
    """Machine that asked."""
    peer: str | None
    """Machine that was asked; none where it was the cluster as a whole."""
    start_s: float
    """Seconds since the start of the run."""
    end_s: float
    """Seconds since the start of the run."""
    operations: int
    """How many ended in the interval."""
    histogram: str
    """Their times in microseconds, as HdrHistogram's own compressed form (V2) in base64."""


class LatencySummary(NamedTuple):
    """What many operations' times come to, in seconds."""

    operations: int
    """How many."""
    shares: tuple[tuple[float, float], ...]
    """Shares of all operations, 0 to 1, each with the time within which so many ended."""
    longest_s: float
    """The time of the slowest one."""

    def within_s(self, share: float) -> float:
        """The time within which a share of the operations ended; raises KeyError for one not asked for."""
        return dict(self.shares)[share]


SHARES = (0.5, 0.9, 0.99, 0.999)
"""The shares that are reported."""


def encoded(times_s: Iterable[float]) -> str:
    """Times in seconds as one histogram's text; longer ones than an hour count as an hour."""
    histogram = _empty()
    for time_s in times_s:
        histogram.record_value(min(_MOST_S * _MICROSECONDS, max(1, round(time_s * _MICROSECONDS))))
    text: bytes = histogram.encode()
    return text.decode("ascii")


def summary(histograms: Iterable[str], shares: Iterable[float] = SHARES) -> LatencySummary | None:
    """What histograms come to together; None where they hold no operation."""
    merged = _empty()
    for text in histograms:
        merged.decode_and_add(text)
    if not merged.total_count:
        return None
    within = tuple((share, merged.get_value_at_percentile(100 * share) / _MICROSECONDS) for share in shares)
    return LatencySummary(merged.total_count, within, merged.get_max_value() / _MICROSECONDS)


def _empty() -> Any:
    return HdrHistogram(1, _MOST_S * _MICROSECONDS, _DIGITS)


def counted(histograms: Iterable[str]) -> NDArray[np.int64]:
    """Histograms together as how many operations took how long: one count for each place of ``up_to_s``.

    What lies beyond the slowest operation is left out, so that many of them take little room.
    """
    merged = _empty()
    for text in histograms:
        merged.decode_and_add(text)
    counts = np.frombuffer(merged.counts, dtype=np.uint64)
    used = np.flatnonzero(counts)
    return counts[: used[-1] + 1 if len(used) else 0].astype(np.int64)


def up_to_s(places: int) -> NDArray[np.float64]:
    """The longest time that each of a histogram's first places stands for, seconds.

    HdrHistogram.java's ``valueFromIndex`` and ``highestEquivalentValue`` for three digits: the first 2048
    places are a microsecond wide each, and every 1024 after them twice as wide as those before.
    """
    at = np.arange(places, dtype=np.int64)
    doubled = np.maximum((at >> _HALF) - 1, 0)
    within = np.where(at >> _HALF, (at & ((1 << _HALF) - 1)) + (1 << _HALF), at)
    highest: NDArray[np.int64] = (within << doubled) + (1 << doubled) - 1
    return highest / _MICROSECONDS
