"""Inspections put to work: what each of them sees, as checks."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.audit.subject import Subject
from howdah.audit.verdicts import cannot_tell, verdict
from howdah.model.check import Check
from howdah.planner.facts import CannotTell
from howdah.planner.rule import Inspection, Observation


def check_inspections(rules: tuple[Inspection, ...], subject: Subject) -> Iterator[Check]:
    """Every inspection that is about what was found; one that sees nothing says nothing."""
    for rule in rules:
        try:
            if not rule.holds(subject.facts):
                continue
            for observation in rule.inspect(subject.found, subject.facts):
                yield _check(rule, observation, subject)
        except CannotTell as missing:
            yield cannot_tell(rule, str(missing), about=rule.id, where=subject.host_name)


def _check(rule: Inspection, seen: Observation, subject: Subject) -> Check:
    return Check(
        rule=rule.id,
        verdict=verdict(rule, seen.ok),
        about=seen.about,
        where=seen.where or _home(seen.about, subject),
        found=seen.found,
        expected=seen.expected,
        why=rule.says,
        fix="" if seen.ok else seen.fix,
        source=rule.source,
        inputs=seen.inputs,
    )


def _home(about: str, subject: Subject) -> str:
    """Where something without a place belongs: a property to its file, all else to the host."""
    file = subject.values.file(about) if subject.values is not None else None
    return file or subject.host_name
