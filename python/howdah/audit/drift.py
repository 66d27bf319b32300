"""A plan against what exists: values that changed, are missing or were added, and hosts that are others."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.audit.settings import show
from howdah.audit.subject import Subject
from howdah.audit.text import Misfit, read_like
from howdah.audit.verdicts import verdict
from howdah.model.check import Check
from howdah.model.inventory import HostGroup
from howdah.model.plan import Setting
from howdah.planner.rule import Rule, Severity
from howdah.planner.rules.release import base_name, place
from howdah.units import format_memory

CHANGED = Rule(
    id="drift.changed",
    says="A planned value is the one that is in force.",
    sources=("howdah",),
    severity=Severity.MUST,
)
MISSING = Rule(
    id="drift.missing",
    says="A planned value is written down where the release's default is another.",
    sources=("howdah",),
    severity=Severity.MUST,
)
EXTRA = Rule(
    id="drift.extra",
    says="A property that changes a default is in the plan.",
    sources=("howdah",),
)
HARDWARE = Rule(
    id="drift.hardware",
    says="A host has the processors and the memory that the plan was made for.",
    sources=("howdah",),
    severity=Severity.MUST,
)
DRIFT_RULES = (CHANGED, MISSING, EXTRA, HARDWARE)

_MEMORY_SLACK = 0.06
"""What firmware and kernel keep for themselves of the memory that is installed."""


def check_drift(settings: tuple[Setting, ...], subject: Subject) -> Iterator[Check]:
    """Every planned setting against the configuration, then what the plan does not have."""
    config, values = subject.found.config, subject.values
    if config is None or values is None:
        return
    planned = {setting.key: setting for setting in settings if setting.file}
    for setting in planned.values():
        if setting.file is not None and setting.file.endswith(".xml"):
            yield from _check_property(setting, setting.file, subject)
    for one in config.properties:
        if one.name in planned or not base_name(one).endswith("-site.xml"):
            continue
        default = values.default(one.name)
        if default is not None and one.text != default:
            yield _check(
                EXTRA,
                about=one.name,
                where=place(one),
                found=one.text,
                expected=f"{default}, the default, for the plan has no {one.name}",
                fix=f"remove {one.name} from {place(one)}, or plan with --set {one.name}={one.text}",
            )


def _check_property(setting: Setting, file: str, subject: Subject) -> Iterator[Check]:
    values = subject.values
    if values is None:
        return
    reading = values.read(setting.key, file)
    wanted = show(setting.value)
    if reading is not None:
        try:
            same = read_like(reading.text, setting.value, values.kind(setting.key)) == setting.value
        except Misfit:
            same = False
        if same:
            return
    if reading is not None and reading.given is not None:
        where = place(reading.given)
        yield _check(
            CHANGED,
            about=setting.key,
            where=where,
            found=reading.text,
            expected=wanted,
            fix=f"set {setting.key} to {wanted} in {where}, or plan with --set {setting.key}={reading.text}",
            why=setting.reason,
        )
        return
    yield _check(
        MISSING,
        about=setting.key,
        where=file,
        found=f"{reading.text} (default)" if reading is not None else "not set",
        expected=wanted,
        fix=f"add {setting.key} = {wanted} to {file}",
        why=setting.reason,
    )


def check_hardware(planned: HostGroup, subject: Subject) -> Iterator[Check]:
    """The host against the group of hosts that it belongs to in the plan."""
    host = subject.found.host
    if host is None or host.virtualisation.is_virtual:
        return
    threads, memory = host.cpu.threads, host.memory.total_bytes
    for what, is_less, has, wants in (
        ("threads", threads < planned.cpu.threads, str(threads), str(planned.cpu.threads)),
        (
            "memory",
            memory < planned.memory_bytes * (1 - _MEMORY_SLACK),
            format_memory(memory),
            format_memory(planned.memory_bytes),
        ),
    ):
        if is_less:
            yield _check(
                HARDWARE,
                about=what,
                where=host.name,
                found=has,
                expected=f"{wants}, as hosts of group {planned.name} have",
                fix=f"correct {what} of group {planned.name} in the inventory and plan again",
            )


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
