"""What each of something takes, as a straight line through what was measured, and how many fill it."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np

from howdah.analysis.comparing.statistics import CONFIDENCE, needs_statistics

LEAST_POINTS = 4
"""With fewer a straight line has no interval to speak of."""


class Estimate(NamedTuple):
    """A number, and how far it may be off either way with 95 % confidence."""

    value: float
    half: float

    @property
    def certain(self) -> bool:
        """Whether it is above 0 for certain."""
        return self.value > self.half

    def times(self, other: Estimate) -> Estimate:
        """The product of two that have nothing to do with one another, both above 0."""
        value = self.value * other.value
        return Estimate(value, value * hypot(self.half / self.value, other.half / other.value))


class LoadLine(NamedTuple):
    """What there is without any, and how much more for each."""

    idle: float
    each: Estimate


def load_line(numbers: Sequence[float], loads: Sequence[float]) -> LoadLine | None:
    """The least-squares line of loads over numbers of something; None for too few or all alike."""
    if len(numbers) < LEAST_POINTS or np.ptp(numbers) == 0:
        return None
    with needs_statistics():
        from scipy import stats  # noqa: PLC0415

    fit = stats.linregress(numbers, loads)
    half = _quantile(len(numbers) - 2) * float(fit.stderr)
    return LoadLine(idle=float(fit.intercept), each=Estimate(float(fit.slope), half))


def mean_of(values: Sequence[float]) -> Estimate | None:
    """The mean of several; None where there are fewer than two."""
    if len(values) < 2:
        return None
    half = _quantile(len(values) - 1) * stdev(values) / len(values) ** 0.5
    return Estimate(fmean(values), half)


def full_at(room: float, each: Estimate) -> tuple[float, float, float]:
    """How many fill the room: the fewest, the likeliest, the most; for what is certain."""
    return room / (each.value + each.half), room / each.value, room / (each.value - each.half)


def _quantile(freedom: int) -> float:
    with needs_statistics():
        from scipy import stats  # noqa: PLC0415

    return float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom))
