"""The time of a whole suite over several simulations, as a run of it typically takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median, stdev
from typing import NamedTuple

from howdah.calibrate.apart import own_part
from howdah.calibrate.extents import PER_DISTANCE
from howdah.calibrate.forecast import unexplained
from howdah.calibrate.leave_out import half_width
from howdah.calibrate.noise import typical
from howdah.model.calibration import Calibration
from howdah.model.prediction import Interval
from howdah.model.workloads.ycsb import THROUGHPUT
from howdah.planner.predictor import Predicted
from howdah.simulation.outcome import Summary

_NS_PER_S = 1e9


class SuiteTime(NamedTuple):
    """What a suite takes."""

    median_s: float
    interval: Interval | None
    """The 90 % interval, in seconds; None without a calibration."""


def suite_times(summaries: Sequence[Summary], calibration: Calibration | None) -> Predicted:
    """What the suite takes in each simulation; what is unexplained of its workloads counts by their shares.

    A calibration from the best of several runs is turned to a run as it typically is.
    """
    best_of = calibration.best_of if calibration is not None else 1
    by_workload = [
        [
            (
                workload.kind,
                typical((workload.end_ns - workload.start_ns) / _NS_PER_S, workload.kind, best_of),
            )
            for workload in summary.workloads
        ]
        for summary in summaries
    ]
    elapsed_s = tuple(sum(time_s for _, time_s in each) for each in by_workload)
    asked = {workload.kind for workload in summaries[0].workloads if workload.asked is not None}
    shares = [
        # So many operations take as long as their throughput says.
        (THROUGHPUT if kind in asked else kind, time_s, time_s / elapsed_s[0])
        for kind, time_s in by_workload[0]
    ]
    return Predicted(
        elapsed_s,
        unexplained=sum(share * unexplained(calibration, kind, time_s) for kind, time_s, share in shares),
        own=sum(share * own_part(calibration, kind, time_s) for kind, time_s, share in shares),
    )


def suite_time(
    summaries: Sequence[Summary], calibration: Calibration | None, distance: float = 0.0
) -> SuiteTime:
    """The median of the whole suite; without a calibration there is no interval."""
    predicted = suite_times(summaries, calibration)
    rest = math.hypot(predicted.unexplained, PER_DISTANCE * distance)
    time = typical_time(predicted._replace(unexplained=rest))
    return time if calibration is not None else time._replace(interval=None)


def typical_time(predicted: Predicted) -> SuiteTime:
    """The median and what nine of ten runs lie in: the draws' spread and what they do not explain."""
    logarithms = [math.log(elapsed_s) for elapsed_s in predicted.elapsed_s]
    drawn = stdev(logarithms) if len(logarithms) > 1 else 0.0
    reach = math.exp(half_width(drawn, predicted.unexplained))
    middle = math.exp(median(logarithms))
    return SuiteTime(middle, Interval(middle / reach, middle * reach))
