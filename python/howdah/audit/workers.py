"""The workers that files list against those of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from howdah.audit.subject import Subject
from howdah.audit.values import Values
from howdah.audit.verdicts import verdict
from howdah.model.check import Check
from howdah.model.found import Found
from howdah.model.inventory import HostGroup
from howdah.model.placement import placed_workers
from howdah.model.plan import Plan, Setting, Worker
from howdah.model.value import value_text
from howdah.planner.rules.drift import WORKERS

_FILE = "workers"
_SHOWN = 5


def check_workers(plan: Plan, subject: Subject) -> Iterator[Check]:
    """Workers that the plan has and the files do not, and the other way round.

    Only Hadoop's own file lists every worker; HBase's lists those with a RegionServer.
    """
    config = subject.found.config
    if config is None or plan.cluster is None or not config.workers:
        return
    planned = [worker.name for worker in placed_workers(plan.cluster)]
    listed = frozenset(config.workers)
    if _FILE in {PurePosixPath(file).name for file in config.files}:
        missing = [name for name in planned if name not in listed]
        if missing:
            yield _check(
                f"{_few(missing)} not listed",
                "every worker of the plan",
                f"add {_few(missing)} to the file workers, or plan without",
            )
    strange = sorted(listed.difference(planned))
    if strange:
        yield _check(
            _few(strange),
            "workers of the plan only",
            f"remove {_few(strange)} from the workers file, or add the hosts to the inventory and plan again",
        )


def _few(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + rest


def _check(found: str, expected: str, fix: str) -> Check:
    return Check(
        rule=WORKERS.id,
        verdict=verdict(WORKERS, ok=False),
        about=_FILE,
        where=_FILE,
        found=found,
        expected=expected,
        why=WORKERS.says,
        fix=fix,
        source=WORKERS.source,
    )


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
    variables = {variable.name: variable.text for variable in found.config.environment}
    own = (setting for setting in plan.settings if setting.worker == kind.name and setting.file)
    return sum(1 for setting in own if _text(setting, variables, values) == value_text(setting.value))


def _text(setting: Setting, variables: Mapping[str, str], values: Values) -> str | None:
    """What the configuration itself says for a setting, in a script or in a file of properties."""
    if (setting.file or "").endswith(".sh"):
        return variables.get(setting.key)
    reading = values.read(setting.key, setting.file or "")
    return reading.text if reading and reading.given else None
