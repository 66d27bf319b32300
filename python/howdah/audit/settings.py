"""Setting rules held against the values that exist."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from howdah.audit.existing import HOST_FILES, Existing, correction, existing, is_there
from howdah.audit.subject import Subject
from howdah.audit.text import Misfit, read_like
from howdah.audit.verdicts import cannot_tell, verdict
from howdah.errors import UserError
from howdah.model.check import Check
from howdah.model.value import value_text
from howdah.planner.facts import CannotTell
from howdah.planner.rule import Decision, FamilyRule, SettingRule


def check_settings(
    rules: Iterable[SettingRule | FamilyRule], subject: Subject, spared: Collection[str] = ()
) -> Iterator[Check]:
    """Every setting rule that is about something that was found, but for the keys that are spared."""
    for rule in rules:
        if not is_there(rule.file, subject) or (isinstance(rule, SettingRule) and rule.key in spared):
            continue
        try:
            if rule.holds(subject.facts):
                yield from (_one(rule, subject) if isinstance(rule, SettingRule) else _family(rule, subject))
        except (CannotTell, UserError) as missing:
            about = rule.key if isinstance(rule, SettingRule) else rule.family
            yield cannot_tell(rule, str(missing), about=about, where=rule.file)


def _one(rule: SettingRule, subject: Subject) -> Iterator[Check]:
    found = existing(rule.key, rule.file, subject)
    if found is None:
        raise CannotTell(f"{rule.key} of {subject.host_name}, which its probe does not say")
    if found.text is None and not rule.written:
        return
    decision = rule.decide(subject.facts)
    try:
        accepted = _accepted(rule, found, decision, subject)
    except Misfit:
        # The rule about types says this, in words that fit the key.
        return
    yield _said(rule, rule.key, found, decision, accepted=accepted)


def _family(rule: FamilyRule, subject: Subject) -> Iterator[Check]:
    for key, decision in rule.members(subject.facts).items():
        found = existing(key, rule.file, subject)
        if found is not None:
            yield _said(rule, key, found, decision, accepted=found.value(decision.value) == decision.value)


def _accepted(rule: SettingRule, found: Existing, decision: Decision, subject: Subject) -> bool:
    if rule.file in HOST_FILES:
        return rule.accepts(subject.host_values[rule.key], decision, subject.facts)
    if found.text is None:
        # No value is an empty text, and nothing else.
        return isinstance(decision.value, str) and rule.accepts("", decision, subject.facts)
    if "${" in found.text and not isinstance(decision.value, str | tuple):
        raise CannotTell(f"what {found.text} stands for on the host itself")
    return rule.accepts(read_like(found.text, decision.value, found.kind), decision, subject.facts)


def _said(
    rule: SettingRule | FamilyRule, key: str, found: Existing, decision: Decision, *, accepted: bool
) -> Check:
    return Check(
        rule=rule.id,
        verdict=verdict(rule, accepted),
        about=key,
        where=found.place or rule.file,
        found=found.shown,
        expected=value_text(decision.value),
        why=f"{rule.says} Here: {decision.because}",
        fix="" if accepted else correction(key, rule.file, decision.value, found),
        source=rule.source,
        inputs=decision.inputs,
    )
