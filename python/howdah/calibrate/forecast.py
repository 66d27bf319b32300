"""From times that were simulated again and again to what a run will take, with an honest interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from howdah.calibrate.case import metric_kind
from howdah.calibrate.extents import PER_DISTANCE
from howdah.calibrate.leave_out import half_width
from howdah.calibrate.noise import typical
from howdah.model.calibration import Calibration
from howdah.model.prediction import Forecast, Interval
from howdah.model.workloads.ycsb import THROUGHPUT


class ForecastStretch(NamedTuple):
    """A workload, one of its phases or its metrics as one simulation has it."""

    workload: str
    phase: str | None
    value: float
    """Seconds, or what the metric is counted in."""
    metric: str | None = None
    """The metric, by name; None for the elapsed time."""
    most: float = math.inf
    """No more can it be, however unsure it is: what is asked for in a second."""


def forecasts(
    simulations: Sequence[Sequence[ForecastStretch]],
    calibration: Calibration | None,
    distance: float = 0.0,
) -> tuple[Forecast, ...]:
    """The median and the 90 % interval of every stretch, in the first simulation's order.

    Without a calibration there is no interval: seeds alone say nothing of how far off times are.
    The simulations differ by seeds and by parameters drawn from the calibration; what both leave
    unexplained of figures that were left out is added, and what grows with the distance of the run from those
    that the calibration was made from. A calibration from the best of several runs is
    turned to a run as it typically is. A phase that some simulation has no time for is left out.
    """
    result = []
    for alike in zip(*simulations, strict=True):
        values = [stretch.value for stretch in alike]
        if min(values) > 0:
            result.append(_forecast(alike[0], values, calibration, distance))
    return tuple(result)


def unexplained(calibration: Calibration | None, workload: str, elapsed_s: float) -> float:
    """Standard deviation of a time's logarithm that parameters and seeds do not explain.

    ``workload`` is a workload's name, or a kind of metrics. That of those known least well for one that the
    calibration says nothing of.
    """
    if calibration is None:
        return 0.0
    known = {residual.quantity: residual.of(elapsed_s) for residual in calibration.residuals}
    return known.get(workload, max(known.values(), default=0.0))


def _forecast(
    stretch: ForecastStretch, values: Sequence[float], calibration: Calibration | None, distance: float
) -> Forecast:
    logarithms = np.log(values)
    explained = float(np.std(logarithms, ddof=1)) if len(values) > 1 else 0.0
    median = float(np.exp(np.median(logarithms)))
    if calibration is None:
        return _of(stretch, min(median, stretch.most), None)
    kind = stretch.workload if stretch.metric is None else metric_kind(stretch.metric)
    rest = math.hypot(unexplained(calibration, kind, median), PER_DISTANCE * distance)
    reach = math.exp(half_width(explained, rest))
    if stretch.metric is None:
        median = typical(median, stretch.workload, calibration.best_of)
    ends = Interval(min(median / reach, stretch.most), min(median * reach, stretch.most))
    return _of(stretch, min(median, stretch.most), ends)


def _of(stretch: ForecastStretch, median: float, interval: Interval | None) -> Forecast:
    return Forecast(
        workload=stretch.workload,
        phase=stretch.phase,
        metric=stretch.metric,
        unit="1/s" if stretch.metric == THROUGHPUT else "s",
        low=interval.low if interval else None,
        median=median,
        high=interval.high if interval else None,
    )
