"""Run records as cases: what was measured, on the plan it was measured on."""

from __future__ import annotations

from collections.abc import Mapping

from howdah.calibrate.case import Case, Work
from howdah.errors import UserError
from howdah.model.run import Outcome, RunRecord, WorkloadResult

_PHASES = ("map-shuffle", "reduce-merge")


def case_of_record(record: RunRecord) -> Case:
    """The run as a case; raises UserError for one that did not end well."""
    if record.outcome is not Outcome.SUCCEEDED:
        raise UserError(
            f"run {record.id}", f"{record.outcome}: what it took says nothing", "give runs that succeeded"
        )
    known = {
        name: seconds
        for result in record.workloads
        for name, seconds in _times(result).items()
        if seconds > 0
    }
    return Case(
        name=f"run {record.id}",
        study=record.engine,
        work=Work(plan=record.plan, suite=record.suite),
        known=known,
    )


def _times(result: WorkloadResult) -> Mapping[str, float]:
    kind = result.workload.kind.value
    phases = {
        f"{kind}/{phase.name}": phase.end_s - phase.start_s
        for phase in result.phases
        if phase.name in _PHASES
    }
    return {kind: result.elapsed_s} | phases
