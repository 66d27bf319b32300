"""Whether a difference in elapsed time or in a metric is one, or cannot be distinguished from noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean, geometric_mean
from typing import Literal, NamedTuple

import numpy as np

from howdah.analysis.comparing.statistics import (
    FloatArray,
    Tested,
    detectable,
    holm,
    one_noise,
    repeats_needed,
    welch,
    widened,
)
from howdah.analysis.wording import percent, probability
from howdah.model.comparison import Contrast, Judged, Measure, RunGroup, SignificanceTest, Verdict

LEVEL = 0.05
"""The most that the chance of calling any difference where there is none may be, all tests together."""

ALIKE = 0.02
"""Times whose ratio surely lies within this share of 1 are alike: nobody would choose by so little."""


UNCALIBRATED = 0.07
"""Standard deviation of a ratio's logarithm that even the published calibration leaves unexplained of runs on
the same hosts and data (docs/accuracy.md): of a simulator that nothing was fitted to no less is known."""

NO_NOISE = 1e-9
"""Logarithms that lie within this of one another differ by rounding alone."""


class Test(NamedTuple):
    """The test of one contrast."""

    method: Literal["Welch", "one noise"]
    result: Tested


def tested(base: Sequence[float], other: Sequence[float], unexplained: float) -> Test | None:
    """The test that so many repeats allow; None where nothing tells of noise."""
    test = _tested(base, other)
    if test is None or not unexplained:
        return test
    return test._replace(result=widened(test.result, unexplained))


def _tested(base: Sequence[float], other: Sequence[float]) -> Test | None:
    if len(base) + len(other) < 3 or min(*base, *other) <= 0:
        return None
    logs = np.log(base), np.log(other)
    if all(_constant(side) for side in logs):
        return None
    if len(base) > 1 and len(other) > 1:
        return Test("Welch", welch(*logs))
    return Test("one noise", one_noise(*logs))


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
    content = dict(contrast)
    if test is None or adjusted is None:
        return Judged(**content, verdict=Verdict.CANNOT_TELL, why=_untested(contrast))
    result = test.result
    evidence = SignificanceTest(
        method=test.method,
        noise=float(result.noise),
        p=float(result.p),
        p_adjusted=adjusted,
        effect=float(result.effect),
    )
    if adjusted < most:
        verdict = _direction(contrast.measure, more=float(result.difference) > 0)
        return Judged(**content, verdict=verdict, why=_reason(contrast, evidence, tests), evidence=evidence)
    low, high = math.exp(float(result.low)), math.exp(float(result.high))
    if low > 1 - ALIKE and high < 1 + ALIKE:
        why = f"the ratio lies within {percent(ALIKE)} of 1"
        return Judged(**content, verdict=Verdict.ALIKE, why=why, evidence=evidence)
    if contrast.unexplained:
        return Judged(**content, verdict=Verdict.CANNOT_TELL, why=_uncalibrated(contrast), evidence=evidence)
    level = most / tests
    return Judged(
        **content,
        verdict=Verdict.CANNOT_TELL,
        why=_undecided(evidence, tests, most),
        evidence=evidence,
        repeats_needed=repeats_needed(float(result.difference), evidence.noise, level),
        detectable=detectable(len(contrast.base), len(contrast.other), evidence.noise, level),
    )


def _direction(measure: Measure, *, more: bool) -> Verdict:
    """What it is worth that the group has more of something, or less."""
    if measure.kind == "time":
        return Verdict.SLOWER if more else Verdict.FASTER
    return Verdict.BETTER if more == (measure.better == "higher") else Verdict.WORSE


def _constant(values: FloatArray) -> bool:
    return float(np.ptp(values)) < NO_NOISE


def _untested(contrast: Contrast) -> str:
    if len(contrast.base) == len(contrast.other) == 1:
        return "one run on each side does not show how much repeats differ"
    return "repeats that are all equal do not show how much others would differ"


def _reason(contrast: Contrast, evidence: SignificanceTest, tests: int) -> str:
    text = f"p {probability(evidence.p_adjusted)}"
    if tests > 1:
        text += f", corrected for {tests} tests"
    return text + (f"; {_assumed(contrast)}" if evidence.method == "one noise" else "")


def _assumed(contrast: Contrast) -> str:
    single = "the baseline's" if len(contrast.base) == 1 else "its"
    return f"{single} single run is taken to be as noisy as the other side's repeats"


def _uncalibrated(contrast: Contrast) -> str:
    return (
        f"even a calibrated simulator leaves {percent(contrast.unexplained)} of such a ratio unexplained, "
        "which repeats do not show: `howdah calibrate` fits it to your own runs"
    )


def _undecided(evidence: SignificanceTest, tests: int, level: float) -> str:
    if evidence.p < level:
        return f"p {probability(evidence.p)} would be enough for one test, but not for one of {tests}"
    return "the difference is within the noise"


def contrasts(base: RunGroup, other: RunGroup) -> Iterator[Contrast]:
    """Every measure that both groups have, in the baseline's order."""
    values, others = _values(base), _values(other)
    guessed = any(run.uncalibrated for run in (*base.runs, *other.runs))
    for measure, mine in values.items():
        theirs = others.get(measure)
        # What neither side had anything of is no comparison.
        if theirs and any((*mine, *theirs)):
            unexplained = UNCALIBRATED if guessed and measure.is_judged else 0.0
            yield contrast_of(measure, tuple(mine), tuple(theirs), unexplained)


def _values(group: RunGroup) -> dict[Measure, list[float]]:
    result: dict[Measure, list[float]] = {}
    for run in group.runs:
        for reading in run.readings:
            result.setdefault(reading.measure, []).append(reading.value)
    return result


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
