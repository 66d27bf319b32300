"""Which runs are repeats of one another, and which groups can be compared with a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from statistics import stdev

from howdah.analysis.wording import percent
from howdah.model.comparison import Aspect, Change, Refused, RunFigures, RunGroup, WorkloadAmount
from howdah.model.run import Origin, Outcome, WorkloadResult
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
            present = values.setdefault((fact.aspect, fact.name), [])
            if fact.value not in present:
                present.append(fact.value)
    return {key: " or ".join(sorted(several)) for key, several in values.items()}


MOST_NAMED = 2
"""More changes than this make no name."""

LONGEST = 40
"""A name longer than this fits no axis."""

_TELLING = (Aspect.WORKLOAD, Aspect.PLAN)
"""What users change on purpose, one of which stands for what follows from it."""


PLATFORM = "platform"
"""The fact that most others follow from."""

NOISY = 0.1
"""Repeats whose times deviate by more than this share were disturbed by something."""


def group_repeats(runs: Sequence[RunFigures]) -> tuple[RunGroup, ...]:
    """Repeats put together, in the order in which the first of each group was given."""
    alike: dict[object, list[RunFigures]] = {}
    for run in runs:
        # A failed run may not have come to its last workloads: it stays by itself.
        alike.setdefault((run.suite, run.outcome, run.amounts, run.facts), []).append(run)
    groups = [
        RunGroup(name=several[0].run, runs=tuple(sorted(several, key=lambda run: (run.created, run.run))))
        for several in alike.values()
    ]
    return _named(groups)


def _named(groups: Sequence[RunGroup]) -> tuple[RunGroup, ...]:
    """Groups called after what tells them apart, where that is little; else after their first run.

    Those that cannot be compared with the first keep their run's name: what tells them apart is another
    thing, and the same settings may be among them.
    """
    peers = [group for group in groups if _succeeded(group) and why_not(groups[0], group) is None]
    names = next((names for names in _proposed(peers) if _fit(names)), None)
    if names is None:
        return tuple(groups)
    called = {group.name: name for group, name in zip(peers, names, strict=True)}
    return tuple(group.model_copy(update={"name": called.get(group.name, group.name)}) for group in groups)


def _succeeded(group: RunGroup) -> bool:
    return group.runs[0].outcome is Outcome.SUCCEEDED


def _fit(names: list[str]) -> bool:
    return len(set(names)) == len(names) and all(len(name) <= LONGEST for name in names)


def _proposed(groups: Sequence[RunGroup]) -> Iterator[list[str]]:
    """Names for all groups: by all that changes, if that is little, else by one thing users change."""
    if len(groups) < 2:
        return
    base, *others = groups
    differences = [
        {(change.aspect, change.name): change for change in differing_facts(base, other)} for other in others
    ]
    keys = list(dict.fromkeys(key for difference in differences for key in difference))
    if len({_short(name) for _, name in keys}) <= MOST_NAMED:
        yield _names(keys, differences)
    telling = [key for key in keys if key[0] in _TELLING]
    yield from (_names([key], differences) for key in sorted(telling, key=lambda key: key[1] != PLATFORM))


def _names(keys: list[tuple[Aspect, str]], differences: list[dict[tuple[Aspect, str], Change]]) -> list[str]:
    first = {
        key: next(difference[key].base for difference in differences if key in difference) for key in keys
    }
    return [
        _name(first),
        *(
            _name({key: difference[key].other if key in difference else first[key] for key in keys})
            for difference in differences
        ),
    ]


def _name(values: dict[tuple[Aspect, str], str | None]) -> str:
    """``4 per host`` says it all of a platform; everything else is told with its name, ``codec lz4``."""
    parts = [
        value or "none" if name == PLATFORM else f"{_short(name)} {value or 'none'}"
        for (_, name), value in values.items()
    ]
    return ", ".join(dict.fromkeys(parts))


def _short(name: str) -> str:
    """A fact's name without the workload or the kind of worker it is of."""
    return name.partition(" of ")[0]


def remarks(groups: Sequence[RunGroup]) -> Iterator[str]:
    """What befell single runs, and the repeats that lie farthest apart, if that is far."""
    for group in groups:
        for run in group.runs:
            yield from (f"{run.run}: {remark}" for remark in run.remarks)
    noise = [
        (deviation, workload, group)
        for group in groups
        for workload, deviation in _noise(group).items()
        if deviation > NOISY
    ]
    if noise:
        deviation, workload, group = max(noise, key=lambda remark: remark[0])
        simulated = all(run.origin is Origin.SIMULATED for run in group.runs)
        yield (
            f"repeats deviate by as much as {percent(deviation)} ({workload} of {group.name}): "
            + (
                "this is the effect of seeds alone, and more repeats would show more"
                if simulated
                else "a quieter machine would help more than more repeats"
            )
        )


def _noise(group: RunGroup) -> dict[str, float]:
    """The deviation of the logarithms of a workload's times, by its name."""
    times: dict[str, list[float]] = {}
    for run in group.runs:
        for reading in run.readings:
            if reading.measure.kind == "time" and reading.measure.phase is None and reading.value > 0:
                times.setdefault(reading.measure.workload, []).append(log(reading.value))
    return {name: stdev(some) for name, some in times.items() if len(some) > 1}
