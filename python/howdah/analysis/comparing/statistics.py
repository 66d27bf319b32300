"""Verdicts on differences between few repeats, and straight lines through measurements."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from math import hypot
from statistics import NormalDist, fmean, geometric_mean, stdev
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from howdah.analysis.evidence.use import FloatArray
from howdah.analysis.wording import percent, probability
from howdah.extras import extra
from howdah.model.comparison import Contrast, Judged, Measure, RunGroup, SignificanceTest, Verdict

LEAST_POINTS = 4  # With fewer a straight line has no interval to speak of.


class Estimate(NamedTuple):
    """A number, and how far it may be off either way with 95 % confidence."""

    value: float
    half: float

    @property
    def certain(self) -> bool:
        return self.value > self.half

    def times(self, other: Estimate) -> Estimate:
        """The product of two that have nothing to do with one another, both above 0."""
        value = self.value * other.value
        return Estimate(value, value * hypot(self.half / self.value, other.half / other.value))


class LoadLine(NamedTuple):
    """What there is without any, and how much more for each."""

    idle: float
    per_unit: Estimate


def load_line(numbers: Sequence[float], loads: Sequence[float]) -> LoadLine | None:
    """The least-squares line of loads over numbers of something; None for too few or all alike."""
    if len(numbers) < LEAST_POINTS or np.ptp(numbers) == 0:
        return None
    fit = _scipy("stats").linregress(numbers, loads)
    half = _quantile(len(numbers) - 2) * float(fit.stderr)
    return LoadLine(idle=float(fit.intercept), per_unit=Estimate(float(fit.slope), half))


def mean_of(values: Sequence[float]) -> Estimate | None:
    """The mean of several; None where there are fewer than two."""
    if len(values) < 2:
        return None
    half = _quantile(len(values) - 1) * stdev(values) / len(values) ** 0.5
    return Estimate(fmean(values), half)


def full_at(room: float, per_unit: Estimate) -> tuple[float, float, float]:
    """How many fill the room: the fewest, the likeliest, the most; for what is certain."""
    return (
        room / (per_unit.value + per_unit.half),
        room / per_unit.value,
        room / (per_unit.value - per_unit.half),
    )


def _quantile(freedom: int) -> float:
    return float(_scipy("stats").t.ppf((1 + CONFIDENCE) / 2, freedom))


CONFIDENCE = 0.95

POWER = 0.9  # A difference counts as detectable if nine of ten comparisons would find it.
MOST_REPEATS = 100  # More repeats are not practical.
MOST_TIMES = 100.0  # A detectable difference beyond this factor is not shown as a number.
_FAR = 1e4  # Standard errors beyond which the distribution takes long to invert, and nothing would ever show.


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
    with warnings.catch_warnings():
        # scipy warns of a side without noise, as a simulator's may be; the other side's noise is used then.
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
        test = _scipy("stats").ttest_ind(other, base, axis=-1, equal_var=False)
    interval = test.confidence_interval(CONFIDENCE)
    difference = other.mean(axis=-1) - base.mean(axis=-1)
    noise, effect = _effect(base, other, difference)
    low, high, p = (np.asarray(result) for result in (interval.low, interval.high, test.pvalue))
    return Tested(difference, low, high, p, noise, effect)


def one_noise(base: FloatArray, other: FloatArray) -> Tested:
    """Student's t-test of a single run against repeats, taking the one to be as noisy as the others."""
    many_base, many_other = base.shape[-1], other.shape[-1]
    difference = other.mean(axis=-1) - base.mean(axis=-1)
    noise, effect = _effect(base, other, difference)
    freedom = many_base + many_other - 2
    error = noise * np.sqrt(1 / many_base + 1 / many_other)
    half = _scipy("stats").t.ppf((1 + CONFIDENCE) / 2, freedom) * error
    p = 2 * _scipy("stats").t.sf(np.abs(difference) / error, freedom)
    return Tested(difference, difference - half, difference + half, p, noise, effect)


def widened(test: Tested, unexplained: float) -> Tested:
    """The same test where the difference has another part that repeats do not show, a standard deviation.

    The half widths of both parts' intervals are added as squares; the probability is that of a normal
    distribution with this interval.
    """
    normal = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    half = np.hypot((test.high - test.low) / 2, normal * unexplained)
    p = 2 * _scipy("special").ndtr(-np.abs(test.difference) * normal / half)
    return test._replace(low=test.difference - half, high=test.difference + half, p=p)


def _scipy(module: str) -> Any:
    """A module of scipy; raises MissingExtra where it is not installed."""
    with extra("statistics", "a comparison"):
        import scipy.stats  # noqa: PLC0415

    return getattr(scipy, module)


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
    bound = np.asarray(_scipy("stats").t.isf(level / 2, freedom))
    shift = np.full(len(freedom), np.inf)
    near = bound < _FAR
    shift[near] = _scipy("special").nctdtrinc(freedom[near], 1 - POWER, bound[near])
    return shift


LEVEL = 0.05  # The most that the chance of calling any difference where there is none may be, in all tests.
ALIKE = 0.02  # Ratios that surely lie so close to 1 are equal: no choice depends on so little.


UNCALIBRATED = 0.07
"""Standard deviation of a ratio's logarithm that even the published calibration leaves unexplained of runs on
the same hosts and data (docs/accuracy.md): of a simulator that nothing was fitted to no less is known."""

NO_NOISE = 1e-9  # Logarithms that lie within this of one another differ by rounding alone.


class Test(NamedTuple):
    method: Literal["Welch", "one noise"]
    result: Tested


def tested(base: Sequence[float], other: Sequence[float], unexplained: float) -> Test | None:
    """The test that so many repeats allow; None where nothing tells of noise."""
    if len(base) + len(other) < 3 or min(*base, *other) <= 0:
        return None
    logs = np.log(base), np.log(other)
    if all(float(np.ptp(side)) < NO_NOISE for side in logs):
        return None
    welch_test = len(base) > 1 and len(other) > 1
    test = Test("Welch", welch(*logs)) if welch_test else Test("one noise", one_noise(*logs))
    return test._replace(result=widened(test.result, unexplained)) if unexplained else test


def judged(contrasts: Sequence[Contrast], level: float = LEVEL) -> tuple[tuple[Judged, ...], int]:
    """A verdict on each of a comparison's times and metrics, and how many tests were made for all of them."""
    tests = [tested(contrast.base, contrast.other, contrast.unexplained) for contrast in contrasts]
    probabilities = np.array([float(test.result.p) for test in tests if test is not None])
    adjusted = iter(holm(probabilities))
    many = len(probabilities)
    verdicts = tuple(
        _verdict(contrast, test, float(next(adjusted)) if test else None, many, level)
        for contrast, test in zip(contrasts, tests, strict=True)
    )
    return verdicts, many


def _verdict(
    contrast: Contrast, test: Test | None, adjusted: float | None, tests: int, most: float
) -> Judged:
    def judgement(verdict: Verdict, why: str, **more: Any) -> Judged:
        return Judged(**dict(contrast), verdict=verdict, why=why, **more)

    if test is None or adjusted is None:
        if len(contrast.base) == len(contrast.other) == 1:
            return judgement(
                Verdict.CANNOT_TELL, "one run on each side does not show how much repeats differ"
            )
        return judgement(
            Verdict.CANNOT_TELL, "repeats that are all equal do not show how much others would differ"
        )
    difference, low, high, p, noise, effect = map(float, test.result)
    evidence = SignificanceTest(method=test.method, noise=noise, p=p, p_adjusted=adjusted, effect=effect)
    if adjusted < most:
        why = f"p {probability(adjusted)}"
        if tests > 1:
            why += f", corrected for {tests} tests"
        if test.method == "one noise":
            owner = "the baseline's" if len(contrast.base) == 1 else "its"
            why += f"; {owner} single run is taken to be as noisy as the other side's repeats"
        return judgement(_direction(contrast.measure, more=difference > 0), why, evidence=evidence)
    if math.exp(low) > 1 - ALIKE and math.exp(high) < 1 + ALIKE:
        return judgement(Verdict.ALIKE, f"the ratio lies within {percent(ALIKE)} of 1", evidence=evidence)
    if contrast.unexplained:
        return judgement(
            Verdict.CANNOT_TELL,
            f"even a calibrated simulator leaves {percent(contrast.unexplained)} of such a ratio "
            "unexplained, which repeats do not show: `howdah calibrate` fits it to your own runs",
            evidence=evidence,
        )
    why = "the difference is within the noise"
    if p < most:
        why = f"p {probability(p)} would be enough for one test, but not for one of {tests}"
    level = most / tests
    return judgement(
        Verdict.CANNOT_TELL,
        why,
        evidence=evidence,
        repeats_needed=repeats_needed(difference, noise, level),
        detectable=detectable(len(contrast.base), len(contrast.other), noise, level),
    )


def _direction(measure: Measure, *, more: bool) -> Verdict:
    """What it is worth that the group has more of something, or less."""
    if measure.kind == "time":
        return Verdict.SLOWER if more else Verdict.FASTER
    return Verdict.BETTER if more == (measure.better == "higher") else Verdict.WORSE


def contrasts(base: RunGroup, other: RunGroup) -> Iterator[Contrast]:
    """Every measure that both groups have, in the baseline's order."""
    others = other.values
    guessed = any(run.uncalibrated for run in (*base.runs, *other.runs))
    for measure, mine in base.values.items():
        theirs = others.get(measure)
        # What neither side had anything of is no comparison.
        if theirs and any((*mine, *theirs)):
            unexplained = UNCALIBRATED if guessed and measure.is_judged else 0.0
            yield contrast_of(measure, tuple(mine), tuple(theirs), unexplained)


def contrast_of(
    measure: Measure, base: tuple[float, ...], other: tuple[float, ...], unexplained: float = 0.0
) -> Contrast:
    """One measure's values of a group against the baseline's."""
    mean = geometric_mean if measure.is_judged and min(*base, *other) > 0 else fmean
    base_mean, other_mean = mean(base), mean(other)
    test = tested(base, other, unexplained)
    return Contrast(
        measure=measure,
        base=base,
        other=other,
        base_mean=base_mean,
        other_mean=other_mean,
        ratio=other_mean / base_mean if base_mean > 0 else None,
        low=math.exp(float(test.result.low)) if test else None,
        high=math.exp(float(test.result.high)) if test else None,
        unexplained=unexplained,
    )
