"""Which runs and groups can be compared with a baseline, and why others cannot."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.comparison import Aspect, Change, Refused, RunFigures, RunGroup, WorkloadAmount
from howdah.model.run import Outcome, WorkloadResult
from howdah.units import format_counted, format_memory

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


def comparable(base: RunFigures, other: RunFigures) -> bool:
    """Whether two runs that succeeded did the same work."""
    return base.suite == other.suite and not _amounts(base, other)


def why_not(base: RunGroup, other: RunGroup) -> str | None:
    """Why a group cannot be compared with the baseline; None if it can."""
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


def amount_of(name: str, result: WorkloadResult) -> WorkloadAmount:
    """The amount of one workload, ``name`` being its name in the run."""
    return WorkloadAmount(workload=name, size=_size(result))


def _size(result: WorkloadResult) -> str:
    amount = result.workload.amount(result.counters)
    if amount is None:
        return "an unknown amount"
    return format_memory(amount.number) if amount.unit == "B" else format_counted(*amount)


_Facts = dict[tuple[Aspect, str], str]


def differing_facts(base: RunGroup, other: RunGroup) -> tuple[Change, ...]:
    """Every fact that is not the same, aspect by aspect."""
    before, after = _facts(base), _facts(other)
    differing = [
        Change(aspect=aspect, name=name, base=before.get((aspect, name)), other=after.get((aspect, name)))
        for aspect, name in dict.fromkeys([*before, *after])
        if before.get((aspect, name)) != after.get((aspect, name))
    ]
    order = list(Aspect)
    return tuple(sorted(differing, key=lambda change: order.index(change.aspect)))


def _facts(group: RunGroup) -> _Facts:
    """A group's facts; one in which its runs differ, as those of a study's cell may, has all their values."""
    values: dict[tuple[Aspect, str], list[str]] = {}
    for run in group.runs:
        for fact in run.facts:
            known = values.setdefault((fact.aspect, fact.name), [])
            if fact.value not in known:
                known.append(fact.value)
    return {key: " or ".join(sorted(several)) for key, several in values.items()}
