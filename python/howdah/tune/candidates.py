"""From the values of a candidate to its plan, the rules that it breaks and the time that it takes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from howdah.audit.audit import plan_faults
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.check import Check, CheckVerdict
from howdah.model.plan import Plan
from howdah.model.tuning import Trial
from howdah.planner.changes import insisting
from howdah.planner.cluster import plan_cluster
from howdah.planner.predictor import Predicted
from howdah.planner.suite.cluster import size_planned
from howdah.planner.suite.request import RunRequest
from howdah.simulation.outcome import Summary
from howdah.simulation.replications import Done, Simulations, scenarios
from howdah.simulation.scenario import Scenario
from howdah.simulation.whole_suite import suite_times
from howdah.tune.parameters import WORKERS, Base, with_values

Values = Mapping[str, str]
Tell = Callable[[Done], None]


class PlannedCandidate(NamedTuple):
    """A candidate that can be simulated."""

    plan: Plan
    breaks: tuple[str, ...]
    scenarios: tuple[Scenario, ...]


class Candidates:
    """The candidates of one search: all are planned from the same hosts and simulated with the same draws.

    ``allowed`` are ids of rules whose breach refuses no candidate.
    """

    def __init__(
        self,
        base: Base,
        request: RunRequest,
        calibration: Calibration | None,
        *,
        seed: int,
        allowed: Collection[str] = (),
    ) -> None:
        self._base = base
        self._request = request
        self._calibration = calibration
        self._seed = seed
        self._allowed = allowed

    def plan(self, values: Values) -> Plan:
        """The plan with a candidate's values; raises UserError for one that cannot be planned."""
        cluster = self._base.cluster
        asked = cluster.request
        if values and asked.weighs_virtual and self._base.sole_kind:
            # The platform is a value of the candidate, not what the other values happen to lead to.
            asked = insisting(cluster)
            if WORKERS in values:
                asked = asked.model_copy(
                    update={"hypervisor": cluster.request.hypervisor, "weigh_virtual": True}
                )
        return plan_cluster(cluster.inventory, with_values(asked, values))

    def planned(self, values: Values, replications: int = 1) -> PlannedCandidate | Trial:
        """The candidate ready to be simulated, or the trial of one that is refused."""
        try:
            plan = self.plan(values)
            suite = size_planned(self._request, plan).suite
            several = tuple(scenarios(plan, suite, self._calibration, count=replications, seed=self._seed))
        except UserError as error:
            return Trial(values=values, elapsed_s=None, refused=f"{error.where}: {error.what}")
        faults = [fault for fault in plan_faults(plan) if fault.rule not in self._allowed]
        breaks = tuple(dict.fromkeys((*(fault.rule for fault in faults), *_broken(plan))))
        failed = next((fault for fault in faults if fault.verdict is CheckVerdict.FAIL), None)
        if failed is not None:
            return Trial(values=values, elapsed_s=None, breaks=breaks, refused=_why(failed))
        return PlannedCandidate(plan, breaks, several)

    def tried(self, several: Iterable[Values], tell: Tell) -> list[Trial]:
        """A trial of each candidate; those that can be planned are simulated side by side."""
        work = Simulations()
        ready: list[tuple[Values, PlannedCandidate | Trial]] = []
        try:
            for values in several:
                one = self.planned(values)
                ready.append((values, one))
                if isinstance(one, PlannedCandidate):
                    work.add(one.scenarios[0])
        except BaseException:
            work.cancel()
            raise
        times = (self._times([summary]) for summary in _summaries(work, tell))
        return [
            one
            if isinstance(one, Trial)
            else Trial(values=values, elapsed_s=next(times).elapsed_s[0], breaks=one.breaks)
            for values, one in ready
        ]

    def predicted(self, several: Sequence[Values], replications: int, tell: Tell) -> list[Predicted]:
        """The times of candidates that can be simulated, with so many draws, the same for all of them.

        Raises UserError where one is refused.
        """
        ready = [self._ready(values, replications) for values in several]
        work = Simulations([scenario for one in ready for scenario in one.scenarios])
        summaries = _summaries(work, tell)
        return [
            self._times(summaries[place : place + replications])
            for place in range(0, len(summaries), replications)
        ]

    def _ready(self, values: Values, replications: int) -> PlannedCandidate:
        ready = self.planned(values, replications)
        if isinstance(ready, Trial):
            raise UserError("plan", ready.refused or "cannot be simulated", "correct the plan, then tune it")
        return ready

    def _times(self, summaries: Sequence[Summary]) -> Predicted:
        return suite_times(summaries, self._calibration)


def _summaries(work: Simulations, tell: Tell) -> list[Summary]:
    return [Summary.model_validate_json(simulation.summary()) for simulation in work.follow(tell)]


def _broken(plan: Plan) -> tuple[str, ...]:
    """Rules that the values of a candidate break, whatever a check of the files says."""
    return tuple(
        breach.rule for setting in plan.settings for breach in setting.breaks if breach.severity != "may"
    )


def _why(fault: Check) -> str:
    return f"{fault.about} is {fault.found}; {fault.rule} wants {fault.expected}"
