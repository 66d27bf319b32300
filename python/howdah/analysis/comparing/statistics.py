"""Tests of a difference between few repeats, and straight lines through measurements."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from math import hypot
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from howdah.extras import extra

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


FloatArray = NDArray[np.float64]

CONFIDENCE = 0.95
"""Of the intervals."""

POWER = 0.9
"""A difference counts as one that would be told if it is told nine times in ten."""
MOST_REPEATS = 100
"""Nobody makes more."""
MOST_TIMES = 100.0
"""That only a difference beyond this many times would show need not be told by a number."""
_FAR = 1e4
"""Standard errors beyond which the distribution takes long to invert, and nothing would ever show."""


class Tested(NamedTuple):
    """What tests of the differences of logarithms, other less base, come to; one element for each test."""

    difference: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray
    noise: FloatArray
    effect: FloatArray


def welch(base: FloatArray, other: FloatArray) -> Tested:
    """Welch's t-test of two or more repeats on each side, not all of them equal."""
    with needs_statistics():
        from scipy import stats  # noqa: PLC0415

    with warnings.catch_warnings():
        # scipy warns of a side without noise, as a simulator's may be; the other side's noise is used then.
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
        test = stats.ttest_ind(other, base, axis=-1, equal_var=False)
    interval = test.confidence_interval(CONFIDENCE)
    difference = other.mean(axis=-1) - base.mean(axis=-1)
    noise, effect = _effect(base, other, difference)
    low, high, p = (np.asarray(each) for each in (interval.low, interval.high, test.pvalue))
    return Tested(difference, low, high, p, noise, effect)


def one_noise(base: FloatArray, other: FloatArray) -> Tested:
    """Student's t-test of a single run against repeats, taking the one to be as noisy as the others."""
    with needs_statistics():
        from scipy import stats  # noqa: PLC0415

    many_base, many_other = base.shape[-1], other.shape[-1]
    difference = other.mean(axis=-1) - base.mean(axis=-1)
    noise, effect = _effect(base, other, difference)
    freedom = many_base + many_other - 2
    error = noise * np.sqrt(1 / many_base + 1 / many_other)
    half = stats.t.ppf((1 + CONFIDENCE) / 2, freedom) * error
    p = 2 * stats.t.sf(np.abs(difference) / error, freedom)
    return Tested(difference, difference - half, difference + half, p, noise, effect)


def widened(test: Tested, unexplained: float) -> Tested:
    """The same test where the difference has another part that repeats do not show, a standard deviation.

    The half widths of both parts' intervals are added as squares; the probability is that of a normal
    distribution with this interval.
    """
    normal = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    half = np.hypot((test.high - test.low) / 2, normal * unexplained)
    with needs_statistics():
        from scipy import special  # noqa: PLC0415

    p = 2 * special.ndtr(-np.abs(test.difference) * normal / half)
    return test._replace(low=test.difference - half, high=test.difference + half, p=p)


def needs_statistics() -> AbstractContextManager[None]:
    """Import scipy; raises MissingExtra where it is not installed."""
    return extra("statistics", "a comparison")


def holm(p: FloatArray) -> FloatArray:
    """Probabilities corrected for the tests beside them (Holm, Scand. J. Statist. 6, 1979)."""
    order = np.argsort(p, axis=-1)
    many = p.shape[-1]
    stepped = np.take_along_axis(p, order, axis=-1) * np.arange(many, 0, -1)
    stepped = np.minimum(1.0, np.maximum.accumulate(stepped, axis=-1))
    adjusted = np.empty_like(stepped)
    np.put_along_axis(adjusted, order, stepped, axis=-1)
    return adjusted


def _effect(base: FloatArray, other: FloatArray, difference: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The pooled standard deviation, and Hedges' g (J. Educ. Stat. 6, 1981): the difference over it."""
    squares = sum(((side - side.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1) for side in (base, other))
    freedom = base.shape[-1] + other.shape[-1] - 2
    noise = np.sqrt(squares / freedom)
    return noise, (1 - 3 / (4 * freedom - 1)) * difference / noise


def repeats_needed(difference: float, noise: float, level: float) -> int | None:
    """The repeats on each side that tell a difference of logarithms; None for more than MOST_REPEATS."""
    repeats = np.arange(2, MOST_REPEATS + 1, dtype=np.float64)
    least = _shift(2 * repeats - 2, level) * noise * np.sqrt(2 / repeats)
    enough = repeats[least <= abs(difference)]
    return int(enough[0]) if len(enough) else None


def detectable(base: int, other: int, noise: float, level: float) -> float | None:
    """The least ratio above 1 that so many repeats on the two sides tell; None beyond MOST_TIMES."""
    shift = _shift(np.array([_freedom(base, other)]), level)
    difference = float(shift[0]) * noise * math.sqrt(1 / base + 1 / other)
    return math.exp(difference) if difference < math.log(MOST_TIMES) else None


def _freedom(base: int, other: int) -> float:
    """The degrees of freedom of Welch's test where the noise is the same: fewer for unequal sides."""
    if min(base, other) == 1:
        return base + other - 2.0
    parts = sum(1 / (repeats**2 * (repeats - 1)) for repeats in (base, other))
    return (1 / base + 1 / other) ** 2 / parts


def _shift(freedom: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """The standard errors by which two means must differ for a two-sided t-test to tell it.

    That it may tell the difference the wrong way round is left out: with this power, it never does.
    """
    with needs_statistics():
        from scipy import special, stats  # noqa: PLC0415

    bound = np.asarray(stats.t.isf(level / 2, freedom))
    shift = np.full(len(freedom), np.inf)
    near = bound < _FAR
    shift[near] = special.nctdtrinc(freedom[near], 1 - POWER, bound[near])
    return shift
