"""Whether two sets of repeats differ by more than they scatter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, variance
from typing import Any

_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Student's t of 95 %, two-sided, for 1 to 10 degrees of freedom."""


def compare(these: Sequence[float], those: Sequence[float]) -> dict[str, Any]:
    """How many times as much these are as those, with Welch's interval of 95 % on the logarithms.

    Fewer than two repeats of either tell nothing of their scatter.
    """
    if not (these and those):
        return {"ratio": None, "low": None, "high": None, "verdict": "not measured"}
    ratio = _geometric_mean(these) / _geometric_mean(those)
    if min(len(these), len(those)) < 2:
        return {"ratio": ratio, "low": None, "high": None, "verdict": "cannot tell: not repeated"}
    parts = [variance([math.log(value) for value in values]) / len(values) for values in (these, those)]
    spread = math.sqrt(sum(parts))
    divisor = sum(part**2 / (len(values) - 1) for part, values in zip(parts, (these, those), strict=True))
    freedom = min(max(int(sum(parts) ** 2 / divisor), 1), len(_STUDENT)) if divisor else 1
    reach = math.exp(_STUDENT[freedom - 1] * spread)
    low, high = ratio / reach, ratio * reach
    verdict = "cannot tell" if low <= 1 <= high else "more" if ratio > 1 else "less"
    return {"ratio": ratio, "low": low, "high": high, "verdict": verdict}


def by_chance(hits: int, of: int, others: int, of_others: int) -> float:
    """Fisher's probability that at least so many hits fall to the first of two sets, were both alike."""
    total = hits + others
    ways = math.comb(of + of_others, total)
    return sum(
        math.comb(of, k) * math.comb(of_others, total - k) / ways
        for k in range(hits, min(of, total) + 1)
        if total - k <= of_others
    )


def _geometric_mean(values: Sequence[float]) -> float:
    return math.exp(fmean(math.log(value) for value in values))
