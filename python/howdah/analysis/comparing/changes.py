"""What is different about a group: the facts in which it differs from the baseline, and only these."""

from __future__ import annotations

from howdah.model.comparison import Aspect, Change, RunGroup

_Facts = dict[tuple[Aspect, str], str]


def changes(base: RunGroup, other: RunGroup) -> tuple[Change, ...]:
    """Every fact that is not the same, aspect by aspect."""
    before, after = _facts(base), _facts(other)
    found = [
        Change(aspect=aspect, name=name, base=before.get((aspect, name)), other=after.get((aspect, name)))
        for aspect, name in dict.fromkeys([*before, *after])
        if before.get((aspect, name)) != after.get((aspect, name))
    ]
    order = list(Aspect)
    return tuple(sorted(found, key=lambda change: order.index(change.aspect)))


def _facts(group: RunGroup) -> _Facts:
    """A group's facts; one in which its runs differ, as those of a study's cell may, has all their values."""
    values: dict[tuple[Aspect, str], list[str]] = {}
    for run in group.runs:
        for fact in run.facts:
            known = values.setdefault((fact.aspect, fact.name), [])
            if fact.value not in known:
                known.append(fact.value)
    return {key: " or ".join(sorted(several)) for key, several in values.items()}
