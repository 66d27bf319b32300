"""Which runs are repeats of one another, and what a group of them is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from statistics import stdev

from howdah.analysis.comparing.comparable import differing_facts, why_not
from howdah.analysis.wording import percent
from howdah.model.comparison import Aspect, Change, RunFigures, RunGroup
from howdah.model.run import Origin, Outcome

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
