"""How well the time of a cell is known."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, log, sqrt
from statistics import stdev

from scipy.stats import t as student

from howdah.model.run import Outcome
from howdah.model.study_run import StudyRun

CONFIDENCE = 0.95


def elapsed_s(run: StudyRun) -> float:
    """The time of all its workloads together, seconds."""
    return sum(
        one.value for one in run.figures.readings if one.measure.kind == "time" and one.measure.phase is None
    )


def half_width(times_s: Sequence[float]) -> float | None:
    """Half the confidence interval of the mean of so many times, as a share of it; None for fewer than two.

    Student's t on logarithms, as times of repeats are spread.
    """
    if len(times_s) < 2 or min(times_s) <= 0:
        return None
    spread = stdev(map(log, times_s)) / sqrt(len(times_s))
    return expm1(float(student.ppf((1 + CONFIDENCE) / 2, len(times_s) - 1)) * spread)


def precise(runs: Sequence[StudyRun], until: float) -> bool:
    """Whether the mean is known to within the share ``until``."""
    times = [elapsed_s(run) for run in runs if run.figures.outcome is Outcome.SUCCEEDED]
    width = half_width(times)
    return width is not None and width <= until
