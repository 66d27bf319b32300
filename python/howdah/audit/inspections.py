"""What is being checked: a configuration, a host or both, with what the rules may know about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath

from howdah.audit.existing import (
    HOST_FILES,
    Existing,
    Subject,
    cannot_tell,
    correction,
    existing,
    is_there,
    verdict,
)
from howdah.audit.values import Misfit, is_read, read_kind, read_like
from howdah.errors import UserError
from howdah.model.check import Check
from howdah.model.plan import Setting
from howdah.model.value import value_text
from howdah.planner.facts import MissingFact
from howdah.planner.reading import Inspected, Observation, data_dirs
from howdah.planner.rule import Decision, FamilyRule, Inspection, Rule, SettingRule

_BLOCKS = "dfs.datanode.data.dir"
_OF_JOBS = ("mapreduce.", "yarn.app.mapreduce.")


def check_inspections(rules: tuple[Inspection, ...], subject: Subject) -> Iterator[Check]:
    """Every inspection that is about what was found; one that sees nothing says nothing."""
    reading = Inspected(subject.found)
    for rule in rules:
        try:
            if not rule.holds(subject.facts):
                continue
            for observation in rule.inspect(reading, subject.facts):
                yield _check(rule, observation, subject)
        except MissingFact as missing:
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
        damage=rule.damage,
        inputs=seen.inputs,
    )


def _home(about: str, subject: Subject) -> str:
    """Where something without a place belongs: a property to its file, all else to the host."""
    file = subject.values.file(about) if subject.values is not None else None
    return file or subject.host_name


def check_settings(
    rules: Iterable[SettingRule | FamilyRule], subject: Subject, spared: Collection[str] = ()
) -> Iterator[Check]:
    """Every setting rule that is about something that was found, but for the keys that are spared."""
    for rule in rules:
        if not is_there(rule.file, subject) or (isinstance(rule, SettingRule) and rule.key in spared):
            continue
        if isinstance(rule, SettingRule) and _is_later(rule, subject):
            continue
        try:
            if rule.holds(subject.facts):
                yield from (_one(rule, subject) if isinstance(rule, SettingRule) else _family(rule, subject))
        except (MissingFact, UserError) as missing:
            about = rule.key if isinstance(rule, SettingRule) else rule.family
            yield cannot_tell(rule, str(missing), about=about, where=rule.file)


def _is_later(rule: SettingRule, subject: Subject) -> bool:
    """Whether a rule is about a property of Hadoop's or HBase's that the release has not got."""
    values = subject.values
    return values is not None and is_read(rule.file) and values.is_unknown(rule.key)


def _one(rule: SettingRule, subject: Subject) -> Iterator[Check]:
    current = existing(rule.key, rule.file, subject)
    if current is None:
        raise MissingFact(f"{rule.key} of {subject.host_name}, which its probe does not report")
    if current.text is None and not rule.written:
        return
    decision = rule.decide(subject.facts)
    try:
        accepted = _accepted(rule, current, decision, subject)
    except Misfit:
        # The rule about types says this, in words that fit the key.
        return
    yield _said(rule, rule.key, current, decision, subject, accepted=accepted)


def _family(rule: FamilyRule, subject: Subject) -> Iterator[Check]:
    for key, decision in rule.members(subject.facts).items():
        current = existing(key, rule.file, subject)
        if current is not None:
            yield _said(
                rule,
                key,
                current,
                decision,
                subject,
                accepted=current.value(decision.value) == decision.value,
            )


def _accepted(rule: SettingRule, current: Existing, decision: Decision, subject: Subject) -> bool:
    if rule.file in HOST_FILES:
        return rule.accepts(subject.host_values[rule.key], decision, subject.facts)
    if current.text is None:
        # No value is an empty text, and nothing else.
        return isinstance(decision.value, str) and rule.accepts("", decision, subject.facts)
    if "${" in current.text and not isinstance(decision.value, str | tuple):
        raise MissingFact(f"what {current.text} means on the host itself")
    return rule.accepts(read_like(current.text, decision.value, current.kind), decision, subject.facts)


def _said(
    rule: SettingRule | FamilyRule,
    key: str,
    current: Existing,
    decision: Decision,
    subject: Subject,
    *,
    accepted: bool,
) -> Check:
    expected = value_text(decision.value)
    fix = correction(key, rule.file, decision.value, current)
    if key != _BLOCKS and _below_blocks(decision, subject):
        # The disk is the DataNode's alone: where else on it a directory may go only its owner can say.
        expected = f"a directory on every data disk, not below {_BLOCKS}"
        fix = f"list one directory on each data disk in {key}, next to those of {_BLOCKS} and not below them"
    return Check(
        rule=rule.id,
        verdict=verdict(
            rule, accepted, default=not rule.default_harms and _is_default(rule, key, current, subject)
        ),
        about=key,
        where=current.place or rule.file,
        found=current.shown,
        expected=expected,
        why=f"{rule.says} Here: {decision.because}",
        fix="" if accepted else fix,
        source=rule.source,
        damage=rule.damage,
        inputs=decision.inputs,
    )


def _is_default(rule: Rule, key: str, current: Existing, subject: Subject) -> bool:
    """Whether a value is the release's own: not set, or written down again where that makes no difference."""
    default = subject.values.default(key) if subject.values is not None else None
    if not current.place or current.text is None or default is None or not rule.default_will_do:
        return not current.place
    return read_kind(current.text, current.kind) == read_kind(default, current.kind)


def _below_blocks(decision: Decision, subject: Subject) -> bool:
    """Whether directories that were decided on lie inside of a DataNode's."""
    config = subject.found.config
    if config is None or not isinstance(decision.value, tuple):
        return False
    paths = [PurePosixPath(path) for path in decision.value if path.startswith("/")]
    return any(path.is_relative_to(folder) for path in paths for folder in data_dirs(config))


def spared_keys(settings: Iterable[Setting], subject: Subject) -> frozenset[str]:
    """Keys of one kind of worker's daemons, in a folder that has none of them: it is not a worker's.

    Settings of jobs are not among them: clients have those as well. None are spared where nothing but a
    host was looked at, or where all workers are alike and share one folder with masters.
    """
    own = [
        setting
        for setting in settings
        if setting.worker is not None and setting.file and not setting.key.startswith(_OF_JOBS)
    ]
    states = (existing(setting.key, setting.file or "", subject) for setting in own)
    if subject.found.config is None or any(state is not None and state.place for state in states):
        return frozenset()
    return frozenset(setting.key for setting in own)
