"""Setting rules held against the values that exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from howdah.audit.subject import Subject
from howdah.audit.text import Misfit, read_like
from howdah.audit.verdicts import cannot_tell, verdict
from howdah.errors import UserError
from howdah.model.check import Check
from howdah.model.plan import Value
from howdah.planner.facts import CannotTell
from howdah.planner.rule import Decision, FamilyRule, SettingRule
from howdah.planner.rules.release import place

_HOST_FILES = frozenset({"sysctl.conf", "limits.conf", "thp", "java"})
"""What one value of a host answers; disks and ports differ from one another and are inspected."""

_NEEDED_WITH = {
    "yarn-site.xml": "yarn-site.xml",
    "capacity-scheduler.xml": "yarn-site.xml",
    "mapred-site.xml": "mapred-site.xml",
    "hbase-site.xml": "hbase-site.xml",
    "hdfs-site.xml": "hdfs-site.xml",
    "core-site.xml": "core-site.xml",
}
"""Rules about a file are asked where the other exists: a folder of HBase says nothing of YARN."""


class _Existing(NamedTuple):
    """A value that exists as it is written, None for none at all, and its place, empty for a default."""

    text: str | None
    place: str
    kind: str

    @property
    def shown(self) -> str:
        """The value as a report names it."""
        if self.text is None:
            return "not set"
        text = self.text or "nothing"
        return text if self.place else f"{text} (default)"


def check_settings(rules: Iterable[SettingRule | FamilyRule], subject: Subject) -> Iterator[Check]:
    """Every setting rule that is about something that was found, with its verdict."""
    for rule in rules:
        if not _is_about(rule.file, subject):
            continue
        about = rule.key if isinstance(rule, SettingRule) else rule.family
        try:
            if rule.holds(subject.facts):
                yield from (
                    _check(rule, subject) if isinstance(rule, SettingRule) else _check_family(rule, subject)
                )
        except CannotTell as missing:
            yield cannot_tell(rule, missing, about=about, where=rule.file)
        except UserError as refusal:
            yield cannot_tell(rule, CannotTell(str(refusal)), about=about, where=rule.file)


def _is_about(file: str, subject: Subject) -> bool:
    if file in _HOST_FILES:
        return subject.found.host is not None
    config = subject.found.config
    if config is None:
        return False
    return _NEEDED_WITH.get(file, file) in {PurePosixPath(one).name for one in config.files}


def _check(rule: SettingRule, subject: Subject) -> Iterator[Check]:
    existing = _existing(rule.key, rule.file, subject)
    if existing.text is None and not rule.written:
        return
    decision = rule.decide(subject.facts)
    try:
        accepted = _accepted(rule, existing, decision, subject)
    except Misfit:
        # The rule about types says this, in words that fit the key.
        return
    yield _said(rule, rule.key, existing, decision, accepted=accepted)


def _check_family(rule: FamilyRule, subject: Subject) -> Iterator[Check]:
    for key, decision in rule.members(subject.facts).items():
        existing = _existing(key, rule.file, subject)
        yield _said(rule, key, existing, decision, accepted=existing.text == show(decision.value))


def _said(
    rule: SettingRule | FamilyRule, key: str, existing: _Existing, decision: Decision, *, accepted: bool
) -> Check:
    wanted = show(decision.value)
    return Check(
        rule=rule.id,
        verdict=verdict(rule, accepted),
        about=key,
        where=existing.place or rule.file,
        found=existing.shown,
        expected=wanted,
        why=f"{rule.says} Here: {decision.because}",
        fix="" if accepted else _fix(key, rule.file, wanted, existing),
        source=rule.source,
        inputs=decision.inputs,
    )


def _accepted(rule: SettingRule, existing: _Existing, decision: Decision, subject: Subject) -> bool:
    if rule.file in _HOST_FILES:
        return rule.accepts(subject.host_values[rule.key], decision, subject.facts)
    if existing.text is None:
        # No value is an empty text, and nothing else.
        return isinstance(decision.value, str) and rule.accepts("", decision, subject.facts)
    if "${" in existing.text and not isinstance(decision.value, str | tuple):
        raise CannotTell(f"what {existing.text} stands for on the host itself")
    return rule.accepts(read_like(existing.text, decision.value, existing.kind), decision, subject.facts)


def show(value: Value) -> str:
    """A value as a configuration file writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value)


def _fix(key: str, file: str, wanted: str, existing: _Existing) -> str:
    if file in _HOST_FILES:
        return f"set {key} to {wanted} on {existing.place}"
    if existing.place:
        return f"set {key} to {wanted} in {existing.place}"
    return f"add {key} = {wanted} to {file}"


def _existing(key: str, file: str, subject: Subject) -> _Existing:
    """What there is of a key; raise CannotTell where a probe leaves it out."""
    if file in _HOST_FILES:
        if key not in subject.host_values:
            raise CannotTell(f"{key} of {subject.host_name}, which its probe does not say")
        return _Existing(show(subject.host_values[key]), subject.host_name, "text")
    if file.endswith(".sh"):
        variables = subject.found.config.environment if subject.found.config else ()
        variable = next((one for one in reversed(variables) if one.name == key), None)
        return _Existing(variable.text if variable else None, place(variable) if variable else "", "text")
    reading = subject.values.read(key, file) if subject.values is not None else None
    if subject.values is None or reading is None:
        return _Existing(None, "", "text")
    return _Existing(reading.text, place(reading.given) if reading.given else "", subject.values.kind(key))
