"""A plan against what exists: values that changed, are missing or were added; machines that are smaller."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator

from howdah.audit.existing import HOST_FILES, correction, existing, is_there
from howdah.audit.subject import Subject
from howdah.audit.verdicts import verdict
from howdah.audit.workers import Part, check_workers
from howdah.model.check import Check
from howdah.model.plan import Plan, Setting
from howdah.model.value import value_text
from howdah.planner.rule import Decision, Rule, SettingRule
from howdah.planner.rules.catalogue import SETTING_RULES
from howdah.planner.rules.drift import CHANGED, EXTRA, HARDWARE, MISSING
from howdah.units import format_memory

_AS_GOOD = frozenset({"limits.conf", "java"})
"""Of a host, what may be more than planned: a higher limit, and any patch of the Java that was planned."""

_MEMORY_SLACK = 0.06
"""What firmware and kernel keep for themselves of the memory that is installed."""


def check_drift(
    plan: Plan, settings: tuple[Setting, ...], part: Part, subject: Subject, spared: Collection[str]
) -> Iterator[Check]:
    """Every planned setting against what exists, then what the plan does not have, then the machine.

    ``spared`` are keys that this configuration need not have.
    """
    planned = {(setting.key, setting.file): setting for setting in settings if setting.file}
    for (key, file), setting in planned.items():
        if file is not None and key not in spared and is_there(file, subject):
            yield from _check_setting(setting, file, subject)
    yield from _extras({key for key, _ in planned}, subject)
    yield from check_workers(plan, subject)
    yield from _hardware(part, subject)


def _check_setting(setting: Setting, file: str, subject: Subject) -> Iterator[Check]:
    current = existing(setting.key, file, subject)
    if current is None or current.value(setting.value) == setting.value:
        return
    if file in _AS_GOOD and _will_do(setting, subject):
        return
    fix = correction(setting.key, file, setting.value, current)
    if current.place and file not in HOST_FILES and current.value(setting.value) is not None:
        fix += f", or plan with {_insisting(setting.key, current.text or '')}"
    yield _check(
        CHANGED if current.place else MISSING,
        about=setting.key,
        where=current.place or file,
        found=current.shown,
        expected=value_text(setting.value),
        fix=fix,
        why=setting.reason,
    )


def _will_do(setting: Setting, subject: Subject) -> bool:
    """Whether the rule that planned a host's value is content with the one that is there."""
    decision = Decision(setting.value, setting.reason)
    return any(
        rule.id == setting.rule
        and isinstance(rule, SettingRule)
        and rule.accepts(subject.host_values[setting.key], decision, subject.facts)
        for rule in SETTING_RULES
    )


def _insisting(key: str, text: str) -> str:
    """The flag by which a plan keeps what was found, quoted: it is there to be copied into a shell."""
    if key == "dfs.replication":
        return f"--replication {shlex.quote(text)}"
    return f"--set {shlex.quote(f'{key}={text}')}"


def _extras(planned: set[str], subject: Subject) -> Iterator[Check]:
    config, values = subject.found.config, subject.values
    if config is None or values is None:
        return
    for entry in config.properties:
        if (
            entry.name in planned
            or not entry.base_name.endswith("-site.xml")
            or values.file(entry.name) is None
        ):
            continue
        default = values.default(entry.name)
        if entry.text != default:
            yield _check(
                EXTRA,
                about=entry.name,
                where=entry.place,
                found=entry.text,
                expected=f"{default or 'nothing'}, the default: the plan has no {entry.name}",
                fix=f"remove {entry.name} from {entry.place}, "
                f"or plan with {_insisting(entry.name, entry.text)}",
            )


def _hardware(part: Part, subject: Subject) -> Iterator[Check]:
    """A probed machine against what was planned for: a worker's share where it is virtual, else the host."""
    host = subject.found.host
    if host is None:
        return
    if host.virtualisation.is_virtual:
        what, threads, memory = f"worker {part.kind.name}", part.kind.vcpus or 0, part.kind.memory_bytes
    else:
        what, threads, memory = f"group {part.group.name}", part.group.cpu.threads, part.group.memory_bytes
    fix = f"plan again with {what} as it is, or give it what was planned"
    if host.cpu.threads < threads:
        actual, expected = str(host.cpu.threads), f"{threads} in {what}"
        yield _check(HARDWARE, about="threads", where=host.name, found=actual, expected=expected, fix=fix)
    if host.memory.total_bytes < memory * (1 - _MEMORY_SLACK):
        actual, expected = format_memory(host.memory.total_bytes), f"{format_memory(memory)} in {what}"
        yield _check(HARDWARE, about="memory", where=host.name, found=actual, expected=expected, fix=fix)


def _check(
    rule: Rule, *, about: str, where: str, found: str, expected: str, fix: str, why: str = ""
) -> Check:
    return Check(
        rule=rule.id,
        verdict=verdict(rule, ok=False),
        about=about,
        where=where,
        found=found,
        expected=expected,
        why=why or rule.says,
        fix=fix,
        source=rule.source,
    )
