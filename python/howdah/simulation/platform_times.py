"""The simulator as what predicts the planner's platforms: one TeraSort on each, on fewer hosts if many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from howdah.calibrate.apart import own_part
from howdah.calibrate.forecast import unexplained
from howdah.model.at_once import at_once
from howdah.model.calibration import Calibration
from howdah.model.engine_names import SIM
from howdah.model.plan import ClusterPlan
from howdah.model.workloads.terasort import ROW_BYTES, ROWS, TERASORT
from howdah.planner.predictor import Predicted
from howdah.planner.suite.cluster import size_suite
from howdah.planner.suite.request import RunRequest
from howdah.simulation.cases import shrunk
from howdah.simulation.replications import Done, scenarios, simulate
from howdah.simulation.settings import PlannedSettings
from howdah.units import format_bytes, format_counted

_HOSTS = 8
"""As many hosts show what platforms differ by; more cost time."""
_WAVES = 40
"""So many tasks one after the other in each slot show what a task costs."""
_DRAWS = 5
_SEED = 1
_NS_PER_S = 1e9


class PlatformTimes:
    """Simulates one TeraSort on every plan, each time with the same draws of parameters."""

    def __init__(self, calibration: Calibration, tell: Callable[[Done], None]) -> None:
        self._calibration = calibration
        self._tell = tell
        self._rows: int | None = None
        self._share = 1.0
        self.about = ""

    def __call__(self, plans: Sequence[ClusterPlan]) -> list[Predicted]:
        """The elapsed times on every plan, all simulated beside one another."""
        if not plans:
            return []
        rows = self._sized(plans[0]) if self._rows is None else self._rows
        several = [
            shrunk(scenario, self._share)
            for plan in plans
            for scenario in scenarios(
                plan,
                size_suite(
                    RunRequest(suite=TERASORT, given={ROWS.name: rows}), at_once(plan), engine=SIM
                ).suite,
                self._calibration,
                count=_DRAWS,
                seed=_SEED,
            )
        ]
        ended = [summary.workloads[0] for summary in simulate(several, self._tell)]
        elapsed_s = [(outcome.end_ns - outcome.start_ns) / _NS_PER_S for outcome in ended]
        return [
            self._predicted(elapsed_s[place * _DRAWS : (place + 1) * _DRAWS]) for place in range(len(plans))
        ]

    def _predicted(self, elapsed_s: Sequence[float]) -> Predicted:
        middle_s = median(elapsed_s)
        return Predicted(
            tuple(elapsed_s),
            unexplained(self._calibration, TERASORT, middle_s),
            own_part(self._calibration, TERASORT, middle_s),
        )

    def _sized(self, plan: ClusterPlan) -> int:
        """How many rows are sorted, the same on every plan: what the cluster is for, or as much as tells."""
        cluster = plan.cluster
        hosts = cluster.inventory.host_count
        self._share = min(1.0, _HOSTS / hosts)
        block_bytes = PlannedSettings(plan, cluster, plan.workers[0]).size("dfs.blocksize")
        most = max(1, _WAVES * at_once(plan).maps * block_bytes // ROW_BYTES)
        wanted = cluster.request.dataset_bytes
        self._rows = most if wanted is None else min(most, max(1, wanted // ROW_BYTES))
        where = (
            f" on {_HOSTS} of {hosts:,} hosts" if self._share < 1 else f" on {format_counted(hosts, 'host')}"
        )
        sorted_bytes = self._share * self._rows * ROW_BYTES
        self.about = (
            f"TeraSort of {format_bytes(sorted_bytes)}{where}, {_DRAWS} simulations of each platform, "
            f"calibrated by {self._calibration.name}"
        )
        return self._rows
