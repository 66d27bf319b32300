"""Histograms as plain counts, so that many of them can be added up and read at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howdah.model.latencies import together

_MICROSECONDS: Final = 1_000_000
_HALF: Final = 10
"""Half of the places that are of one width, as a power of two: the least that keeps three digits."""


def counted(histograms: Iterable[str]) -> NDArray[np.int64]:
    """Histograms together as how many operations took how long: one count for each place of ``up_to_s``.

    What lies beyond the slowest operation is left out, so that many of them take little room.
    """
    counts = np.frombuffer(together(histograms).counts, dtype=np.uint64)
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
