"""How well is known what a cell comes to."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, log, sqrt
from statistics import stdev

from howdah.extras import extra
from howdah.model.comparison import Measure
from howdah.model.run import Outcome
from howdah.model.study_run import StudyRun

CONFIDENCE = 0.95


def elapsed_s(run: StudyRun) -> float:
    """The time of all its workloads together, seconds."""
    return sum(
        reading.value
        for reading in run.figures.readings
        if reading.measure.kind == "time" and reading.measure.phase is None
    )


def half_width(times_s: Sequence[float]) -> float | None:
    """Half the confidence interval of the mean of so many times, as a share of it; None for fewer than two.

    Student's t on logarithms, as times of repeats are spread.
    """
    if len(times_s) < 2 or min(times_s) <= 0:
        return None
    with extra("statistics", "a study"):
        from scipy.special import stdtrit  # noqa: PLC0415

    spread = stdev(map(log, times_s)) / sqrt(len(times_s))
    return expm1(float(stdtrit(len(times_s) - 1, (1 + CONFIDENCE) / 2)) * spread)


def precise(runs: Sequence[StudyRun], until: float) -> bool:
    """Whether the mean time, and that of every metric that a workload is run for, is known to ``until``."""
    good = [run for run in runs if run.figures.outcome is Outcome.SUCCEEDED]
    known: dict[Measure, list[float]] = {}
    for run in good:
        for reading in run.figures.readings:
            if reading.measure.primary:
                known.setdefault(reading.measure, []).append(reading.value)
    widths = [half_width(some) for some in ([elapsed_s(run) for run in good], *known.values())]
    return all(width is not None and width <= until for width in widths)
