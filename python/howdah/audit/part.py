"""Which part of a plan something that exists belongs to: a kind of worker on a group of hosts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from howdah.audit.values import Values
from howdah.model.found import Found
from howdah.model.inventory import HostGroup
from howdah.model.plan import Plan, Setting, Worker
from howdah.model.value import value_text


class Part(NamedTuple):
    """A kind of worker and the group of hosts that it lives on."""

    kind: Worker
    group: HostGroup


def part_of(plan: Plan | None, found: Found, values: Values | None) -> Part | None:
    """The part that fits best: by the host's name, then by what the configuration says, then by hardware.

    None for a plan of one machine without Hadoop, or without a plan.
    """
    if plan is None or plan.cluster is None:
        return None
    groups = {group.name: group for group in plan.cluster.inventory.groups}
    parts = [Part(kind, groups[kind.group]) for kind in plan.workers if kind.group in groups]
    return max(parts, key=lambda part: _likeness(part, plan, found, values), default=None)


def settings_for(plan: Plan, part: Part) -> tuple[Setting, ...]:
    """The plan's settings that hold for one part of it."""
    return tuple(
        setting
        for setting in plan.settings
        if setting.worker in (None, part.kind.name) and setting.group in (None, part.group.name)
    )


def _likeness(part: Part, plan: Plan, found: Found, values: Values | None) -> tuple[bool, int, bool]:
    host = found.host
    named = host is not None and host.name in part.group.names
    alike = host is not None and host.cpu.threads == part.group.cpu.threads
    return named, _agreements(part.kind, plan, found, values), alike


def _agreements(kind: Worker, plan: Plan, found: Found, values: Values | None) -> int:
    """Settings of this kind alone that the configuration has as planned."""
    if values is None or found.config is None:
        return 0
    variables = {one.name: one.text for one in found.config.environment}
    own = (setting for setting in plan.settings if setting.worker == kind.name and setting.file)
    return sum(1 for setting in own if _text(setting, variables, values) == value_text(setting.value))


def _text(setting: Setting, variables: Mapping[str, str], values: Values) -> str | None:
    """What the configuration itself says for a setting, in a script or in a file of properties."""
    if (setting.file or "").endswith(".sh"):
        return variables.get(setting.key)
    reading = values.read(setting.key, setting.file or "")
    return reading.text if reading and reading.given else None
