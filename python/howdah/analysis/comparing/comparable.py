"""Which runs and groups can be held against a baseline, and why others cannot."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.comparison import Refused, RunFigures, RunGroup
from howdah.model.run import Outcome

_ENDED = {
    Outcome.FAILED: "it failed",
    Outcome.ABORTED: "it was aborted",
    Outcome.RUNNING: "it is still running",
}


def finished(groups: Sequence[RunGroup]) -> tuple[tuple[RunGroup, ...], tuple[Refused, ...]]:
    """The groups without the runs that did not succeed, and these."""
    refused = [
        Refused(what=run.run, why=why_unfinished(run))
        for group in groups
        for run in group.runs
        if run.outcome is not Outcome.SUCCEEDED
    ]
    left = [
        group.model_copy(
            update={"runs": tuple(run for run in group.runs if run.outcome is Outcome.SUCCEEDED)}
        )
        for group in groups
    ]
    return tuple(group for group in left if group.runs), tuple(refused)


def why_unfinished(run: RunFigures) -> str:
    """How a run ended that did not succeed."""
    return _ENDED[run.outcome] + (f": {run.error}" if run.error else "")


def why_not(base: RunGroup, other: RunGroup) -> str | None:
    """Why a group cannot be held against the baseline; None if it can."""
    mine, theirs = base.runs[0], other.runs[0]
    if mine.suite != theirs.suite:
        return f"it ran {theirs.suite}, the baseline {mine.suite}"
    different = _amounts(mine, theirs)
    return f"different dataset size: {'; '.join(different)}" if different else None


def _amounts(mine: RunFigures, theirs: RunFigures) -> list[str]:
    """Every size that differs; said once where it is the same in all workloads."""
    sizes = {amount.workload: amount.size for amount in mine.amounts}
    others = {amount.workload: amount.size for amount in theirs.amounts}
    pairs = {
        workload: (others.get(workload, "nothing"), sizes.get(workload, "nothing"))
        for workload in dict.fromkeys([*sizes, *others])
    }
    if len(set(pairs.values())) == 1:
        pairs = {"all": next(iter(pairs.values()))}
    return [
        f"{other} in {workload}, the baseline has {size}"
        for workload, (other, size) in pairs.items()
        if size != other
    ]
