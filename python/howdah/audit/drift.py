"""A configuration, its lists of workers, and virtual machines, compared with a plan."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from howdah.audit.existing import (
    HOST_FILES,
    OR_PLAN,
    Subject,
    correction,
    existing,
    is_there,
    rule_check,
    verdict,
)
from howdah.audit.values import Values
from howdah.model.existing import Check, CheckVerdict, ExistingSystem
from howdah.model.inventory import HostGroup
from howdah.model.machines import Doing, ProvisionChange, Provisioning
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan, Setting, Worker, value_text
from howdah.planner.rule import Decision, SettingRule
from howdah.planner.rules.catalogue import SETTING_RULES, find_rule
from howdah.units import format_memory, format_names


def _drift(rule_id: str, about: str, where: str, **fields: Any) -> Check:
    """A difference from the plan."""
    rule = find_rule(rule_id)
    return rule_check(rule, verdict(rule, ok=False), about, where, **fields)


def check_machines(provisioning: Provisioning) -> Iterator[Check]:
    """A result for every machine, rule and group of a hypervisor, as planned or not."""
    for change in provisioning.changes:
        report = partial(_drift, "drift.machines", change.what, change.name)
        if change.doing is Doing.LEAVE:
            as_planned = {"found": "as planned", "expected": "as planned"}
            rule = find_rule("drift.machines")
            yield rule_check(rule, CheckVerdict.PASS, change.what, change.name, **as_planned)
        elif change.doing is Doing.EXTRA:
            fix = "remove it by hand once its data is elsewhere"
            yield report(found="created by howdah", expected="not in the plan", fix=fix)
        elif change.doing is Doing.MAKE:
            yield report(found="is missing", expected="exists", fix=_FIX)
        else:
            yield from _differences(change)


_FIX = "howdah provision"


def _differences(change: ProvisionChange) -> Iterator[Check]:
    fix = f"{_FIX} (shuts it down and starts it again)" if change.restarts else _FIX
    for difference in change.differences:
        values = {"found": difference.found or "none", "expected": difference.planned or "none"}
        yield _drift("drift.machines", difference.what, change.name, **values, fix=change.refused or fix)


_FILE = "workers"


class Part(NamedTuple):
    """A kind of worker and the group of hosts that it lives on."""

    kind: Worker
    group: HostGroup


_AS_GOOD = frozenset({"limits.conf", "java"})
"""Values of a host that may exceed the plan: a higher limit, and any patch release of the planned Java."""
_MEMORY_SLACK = 0.06  # The part of the installed memory that firmware and kernel reserve.


def check_workers(plan: ClusterPlan, subject: Subject) -> Iterator[Check]:
    """Workers that only the plan or only the files have.

    Only Hadoop's own file lists every worker; HBase's lists those with a RegionServer.
    """
    config = subject.system.config
    if config is None or not config.workers:
        return
    planned = [worker.name for worker in placed_workers(plan.cluster)]
    listed = frozenset(config.workers)
    report = partial(_drift, "drift.workers", _FILE, _FILE)
    has_list = _FILE in {PurePosixPath(file).name for file in config.files}
    if names := format_names([name for name in planned if has_list and name not in listed]):
        fix = f"add {names} to the file workers, or plan without"
        yield report(found=f"{names} not listed", expected="every worker of the plan", fix=fix)
    if names := format_names(sorted(listed.difference(planned))):
        fix = f"remove {names} from the workers file, or add the hosts to the inventory and plan again"
        yield report(found=names, expected="workers of the plan only", fix=fix)


def parts_of(plan: ClusterPlan) -> list[Part]:
    """Every kind of worker with its group."""
    groups = {group.name: group for group in plan.cluster.inventory.groups}
    return [Part(kind, groups[kind.group]) for kind in plan.workers if kind.group in groups]


def part_of(plan: ClusterPlan | None, system: ExistingSystem, values: Values | None) -> Part | None:
    """The part that fits best: by the host's name, then by the configuration, then by hardware.

    None without a plan.
    """
    if plan is None:
        return None
    host = system.host

    def likeness(part: Part) -> tuple[bool, int, bool]:
        named = host is not None and host.name in part.group.names
        alike = host is not None and host.cpu.threads == part.group.cpu.threads
        return named, _agreements(part.kind, plan, system, values), alike

    return max(parts_of(plan), key=likeness, default=None)


def settings_for(plan: ClusterPlan, part: Part) -> tuple[Setting, ...]:
    """The plan's settings for one part."""
    own = (setting for setting in plan.settings if setting.worker in (None, part.kind.name))
    return tuple(setting for setting in own if setting.group in (None, part.group.name))


def _agreements(kind: Worker, plan: ClusterPlan, system: ExistingSystem, values: Values | None) -> int:
    """The number of settings of this kind of worker that the configuration has as planned."""
    if values is None or system.config is None:
        return 0
    variables = {variable.name: variable.text for variable in system.config.environment}
    own = (setting for setting in plan.settings if setting.worker == kind.name and setting.file)
    return sum(1 for setting in own if _text(setting, variables, values) == value_text(setting.value))


def _text(setting: Setting, variables: Mapping[str, str], values: Values) -> str | None:
    """The configuration's own value of a setting, in a script or in a file of properties."""
    if (setting.file or "").endswith(".sh"):
        return variables.get(setting.key)
    reading = values.read(setting.key, setting.file or "")
    return reading.text if reading and reading.source else None


def check_drift(
    plan: ClusterPlan, settings: tuple[Setting, ...], part: Part, subject: Subject, spared: Collection[str]
) -> Iterator[Check]:
    """Planned settings compared with existing ones, then unplanned settings, workers and hardware.

    ``spared`` are keys that this configuration may lack.
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
        fix += f"{OR_PLAN}{_insisting(setting.key, current.text or '')}"
    fields = {"found": current.shown, "expected": value_text(setting.value), "fix": fix}
    if setting.reason:
        fields["why"] = setting.reason
    rule_id = "drift.changed" if current.place else "drift.missing"
    yield _drift(rule_id, setting.key, current.place or file, **fields)


def _will_do(setting: Setting, subject: Subject) -> bool:
    """Whether the rule that planned a host's value accepts the existing one."""
    decision = Decision(setting.value, setting.reason)
    return any(
        rule.id == setting.rule
        and isinstance(rule, SettingRule)
        and rule.accepts(subject.host_values[setting.key], decision, subject.facts)
        for rule in SETTING_RULES
    )


def _insisting(key: str, text: str) -> str:
    """The flag that makes a plan keep the existing value, quoted for a shell."""
    if key == "dfs.replication":
        return f"--replication {shlex.quote(text)}"
    return f"--set {shlex.quote(f'{key}={text}')}"


def _extras(planned: set[str], subject: Subject) -> Iterator[Check]:
    config, values = subject.system.config, subject.values
    if config is None or values is None:
        return
    for entry in config.properties:
        name, default = entry.name, values.default(entry.name)
        if name in planned or not entry.base_name.endswith("-site.xml") or values.file(name) is None:
            continue
        if entry.text != default:
            expected = f"{default or 'nothing'}, the default: the plan has no {name}"
            fix = f"remove {name} from {entry.place}, or plan with {_insisting(name, entry.text)}"
            yield _drift("drift.extra", name, entry.place, found=entry.text, expected=expected, fix=fix)


def _hardware(part: Part, subject: Subject) -> Iterator[Check]:
    """A probed machine compared with the plan: with a worker if it is virtual, otherwise with a host."""
    host = subject.system.host
    if host is None:
        return
    if host.virtualisation.is_virtual:
        name, threads, memory = f"worker {part.kind.name}", part.kind.vcpus or 0, part.kind.memory_bytes
    else:
        name, threads, memory = f"group {part.group.name}", part.group.cpu.threads, part.group.memory_bytes
    fix = f"plan again with {name} as it is, or give it what was planned"
    report = partial(_drift, "drift.hardware", fix=fix)
    if host.cpu.threads < threads:
        actual, expected = str(host.cpu.threads), f"{threads} in {name}"
        yield report("threads", host.name, found=actual, expected=expected)
    if host.memory.total_bytes < memory * (1 - _MEMORY_SLACK):
        actual, expected = format_memory(host.memory.total_bytes), f"{format_memory(memory)} in {name}"
        yield report("memory", host.name, found=actual, expected=expected)
