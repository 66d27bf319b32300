"""Setting rules held against the values that exist."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from howdah.audit.subject import Subject
from howdah.audit.text import Misfit, read_like
from howdah.audit.verdicts import cannot_tell, verdict
from howdah.errors import UserError
from howdah.model.check import Check, Verdict
from howdah.model.plan import Value
from howdah.planner.facts import CannotTell, Facts
from howdah.planner.rule import Decision, SettingRule
from howdah.planner.rules.release import place

_HOST_FILES = frozenset({"sysctl.conf", "limits.conf", "thp", "disks", "network", "java"})
"""What is read from a host; the hypervisor's and the firmware's settings are read from nowhere."""

_NEEDED_WITH = {
    "yarn-site.xml": "yarn-site.xml",
    "capacity-scheduler.xml": "yarn-site.xml",
    "mapred-site.xml": "mapred-site.xml",
    "hbase-site.xml": "hbase-site.xml",
    "hdfs-site.xml": "hdfs-site.xml",
    "core-site.xml": "core-site.xml",
}
"""A rule about one file is asked where the configuration has the other: a folder of HBase says nothing of YARN."""


class _Existing(NamedTuple):
    """A value that exists: as it is written, None for none at all, and the place that gives it, none for a default."""

    text: str | None
    place: str
    kind: str

    @property
    def shown(self) -> str:
        """The value as a report names it."""
        if self.text is None:
            return "not set"
        return f"{self.text} (default)" if not self.place else self.text


def check_settings(rules: tuple[SettingRule, ...], subject: Subject) -> Iterator[Check]:
    """Every setting rule that is about something that was found, with its verdict."""
    for rule in rules:
        if not _is_about(rule, subject):
            continue
        try:
            if rule.holds(subject.facts):
                yield from _check(rule, subject)
        except CannotTell as missing:
            yield cannot_tell(rule, missing, about=rule.key, where=rule.file)
        except UserError as refusal:
            yield cannot_tell(rule, CannotTell(str(refusal)), about=rule.key, where=rule.file)


def _is_about(rule: SettingRule, subject: Subject) -> bool:
    if rule.file in _HOST_FILES:
        return subject.found.host is not None
    config = subject.found.config
    if config is None:
        return False
    return _NEEDED_WITH.get(rule.file, rule.file) in {PurePosixPath(file).name for file in config.files}


def _check(rule: SettingRule, subject: Subject) -> Iterator[Check]:
    existing = _existing(rule, subject)
    if existing.text is None and not rule.written:
        return
    decision = rule.decide(subject.facts)
    try:
        accepted = _accepted(rule, existing, decision, subject.facts)
    except Misfit:
        # The rule about types says this, in words that fit the key.
        return
    result = verdict(rule, accepted)
    wanted = show(decision.value)
    yield Check(
        rule=rule.id,
        verdict=result,
        about=rule.key,
        where=existing.place or rule.file,
        found=existing.shown,
        expected=wanted,
        why=f"{rule.says} Here: {decision.because}",
        fix="" if accepted else _fix(rule, wanted, existing),
        source=rule.source,
        inputs=decision.inputs,
    )


def _accepted(rule: SettingRule, existing: _Existing, decision: Decision, facts: Facts) -> bool:
    if existing.text is None:
        # No value is an empty text, and nothing else.
        return isinstance(decision.value, str) and rule.accepts("", decision, facts)
    if "${" in existing.text:
        raise CannotTell(f"what {existing.text} stands for on the host itself")
    return rule.accepts(read_like(existing.text, decision.value, existing.kind), decision, facts)


def show(value: Value) -> str:
    """A value as a configuration file writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value)


def _fix(rule: SettingRule, wanted: str, existing: _Existing) -> str:
    if rule.file in _HOST_FILES:
        return f"set {rule.key} to {wanted} on {existing.place}"
    if existing.place:
        return f"set {rule.key} to {wanted} in {existing.place}"
    return f"add {rule.key} = {wanted} to {rule.file}"


def _existing(rule: SettingRule, subject: Subject) -> _Existing:
    """The value that the rule is about; raise CannotTell where a probe leaves it out."""
    if rule.file in _HOST_FILES:
        if rule.key not in subject.host_values:
            raise CannotTell(f"{rule.key} of {subject.host_name}, which its probe does not say")
        return _Existing(show(subject.host_values[rule.key]), subject.host_name, "text")
    if rule.file.endswith(".sh"):
        variables = subject.found.config.environment if subject.found.config else ()
        variable = next((one for one in reversed(variables) if one.name == rule.key), None)
        return _Existing(variable.text if variable else None, place(variable) if variable else "", "text")
    reading = subject.values.read(rule.key, rule.file) if subject.values is not None else None
    if subject.values is None or reading is None:
        return _Existing(None, "", "text")
    return _Existing(
        reading.text, place(reading.given) if reading.given else "", subject.values.kind(rule.key)
    )
