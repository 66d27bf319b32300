"""Measures of a group beside the baseline's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, geometric_mean

from howdah.analysis.comparing.judging import tested
from howdah.model.comparison import Contrast, Measure, RunGroup


def contrasts(base: RunGroup, other: RunGroup) -> Iterator[Contrast]:
    """Every measure that both groups have, in the baseline's order."""
    values, others = _values(base), _values(other)
    for measure, mine in values.items():
        theirs = others.get(measure)
        # What neither side had anything of is no comparison.
        if theirs and any((*mine, *theirs)):
            yield _contrast(measure, tuple(mine), tuple(theirs))


def _values(group: RunGroup) -> dict[Measure, list[float]]:
    found: dict[Measure, list[float]] = {}
    for run in group.runs:
        for reading in run.readings:
            found.setdefault(reading.measure, []).append(reading.value)
    return found


def _contrast(measure: Measure, base: tuple[float, ...], other: tuple[float, ...]) -> Contrast:
    mean = geometric_mean if measure.kind == "time" and min(*base, *other) > 0 else fmean
    base_mean, other_mean = mean(base), mean(other)
    test = tested(base, other)
    return Contrast(
        measure=measure,
        base=base,
        other=other,
        base_mean=base_mean,
        other_mean=other_mean,
        ratio=other_mean / base_mean if base_mean > 0 else None,
        low=math.exp(float(test.result.low)) if test else None,
        high=math.exp(float(test.result.high)) if test else None,
    )
