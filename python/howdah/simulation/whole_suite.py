"""Time of a whole suite over several simulations, and of TeraSort on each of the planner's platforms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median, stdev
from typing import NamedTuple

from howdah.calibrate.case import typical
from howdah.calibrate.fit import half_width
from howdah.calibrate.forecast import own_part, unexplained
from howdah.calibrate.uncertainty import PER_DISTANCE
from howdah.model.calibration import Calibration
from howdah.model.engines import SIM
from howdah.model.placement import at_once
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import Interval
from howdah.model.run_request import RunRequest
from howdah.model.workloads.terasort import ROW_BYTES, ROWS, TERASORT
from howdah.model.workloads.ycsb import THROUGHPUT
from howdah.planner.ranked import Predicted
from howdah.planner.suite.cluster import size_suite
from howdah.simulation.outcome import Summary
from howdah.simulation.published_studies import shrunk
from howdah.simulation.replications import Done, grouped, scenarios, simulate
from howdah.simulation.settings import PlannedSettings
from howdah.units import format_bytes, format_counted

_HOSTS = 8  # As many hosts show what platforms differ by; more cost time.
_WAVES = 40  # So many tasks one after the other in each slot show what a task costs.
_DRAWS = 5
_SEED = 1


class PlatformTimes:
    """Simulates one TeraSort on every plan, each time with the same draws of parameters."""

    def __init__(self, calibration: Calibration, report: Callable[[Done], None]) -> None:
        self._calibration = calibration
        self._report = report
        self._rows: int | None = None
        self._share = 1.0
        self.about = ""

    def __call__(self, plans: Sequence[ClusterPlan]) -> list[Predicted]:
        """The elapsed times on every plan, all simulated at the same time."""
        if not plans:
            return []
        rows = self._sized(plans[0]) if self._rows is None else self._rows
        request, calibration = RunRequest(suite=TERASORT, given={ROWS.name: rows}), self._calibration
        several = []
        for plan in plans:
            suite = size_suite(request, at_once(plan), engine=SIM).suite
            draws = scenarios(plan, suite, calibration, count=_DRAWS, seed=_SEED)
            several += [shrunk(scenario, self._share) for scenario in draws]
        result = []
        for summaries in grouped(simulate(several, self._report), _DRAWS):
            elapsed_s = [summary.workloads[0].elapsed_s for summary in summaries]
            terms = (calibration, TERASORT, median(elapsed_s))
            result.append(Predicted(tuple(elapsed_s), unexplained(*terms), own_part(*terms)))
        return result

    def _sized(self, plan: ClusterPlan) -> int:
        """The rows to sort on every plan: the cluster's dataset, or as many as show differences."""
        cluster = plan.cluster
        hosts = cluster.inventory.host_count
        self._share = min(1.0, _HOSTS / hosts)
        block_bytes = PlannedSettings(plan).size("dfs.blocksize")
        most = max(1, _WAVES * at_once(plan).maps * block_bytes // ROW_BYTES)
        dataset_bytes = cluster.request.dataset_bytes
        self._rows = most if dataset_bytes is None else min(most, max(1, dataset_bytes // ROW_BYTES))
        where = f"{_HOSTS} of {hosts:,} hosts" if self._share < 1 else format_counted(hosts, "host")
        sorted_bytes = self._share * self._rows * ROW_BYTES
        self.about = (
            f"TeraSort of {format_bytes(sorted_bytes)} on {where}, {_DRAWS} simulations of each platform, "
            f"calibrated by {self._calibration.name}"
        )
        return self._rows


class SuiteTime(NamedTuple):
    """The time of a suite."""

    median_s: float
    interval: Interval | None  # The 90 % interval, in seconds; None without a calibration.


def suite_times(summaries: Sequence[Summary], calibration: Calibration | None) -> Predicted:
    """The suite's time in each simulation, of typical, not best, runs; workloads count by their shares."""
    best_of = calibration.best_of if calibration is not None else 1
    by_workload = [
        [(work.kind, typical(work.elapsed_s, work.kind, best_of)) for work in summary.workloads]
        for summary in summaries
    ]
    elapsed_s = tuple(sum(time_s for _, time_s in times) for times in by_workload)
    on_hbase = {workload.kind for workload in summaries[0].workloads if workload.asked is not None}
    shares = [
        # The time of operations follows from their throughput.
        (THROUGHPUT if kind in on_hbase else kind, time_s, time_s / elapsed_s[0])
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
    uncertainty = math.hypot(predicted.unexplained, PER_DISTANCE * distance)
    time = typical_time(predicted._replace(unexplained=uncertainty))
    return time if calibration is not None else time._replace(interval=None)


def typical_time(predicted: Predicted) -> SuiteTime:
    """The median and the interval of nine of ten runs: the draws' spread, and what they do not explain."""
    logarithms = [math.log(elapsed_s) for elapsed_s in predicted.elapsed_s]
    drawn = stdev(logarithms) if len(logarithms) > 1 else 0.0
    reach = math.exp(half_width(drawn, predicted.unexplained))
    middle = math.exp(median(logarithms))
    return SuiteTime(middle, Interval(middle / reach, middle * reach))
