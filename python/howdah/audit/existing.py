"""The subject of a check: a configuration, a host or both, with the value of each key, and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from howdah.audit.values import Misfit, Values, read_like
from howdah.model.existing import Check, CheckVerdict, ExistingSystem
from howdah.model.host import Host
from howdah.model.plan import Input, Value, value_text
from howdah.planner.facts import Facts
from howdah.planner.rule import Rule, Severity

HOST_FILES = frozenset({"sysctl.conf", "limits.conf", "thp", "java"})
"""Files with one value for a host; disks and ports, which have several, are inspected."""

_QUEUES = "capacity-scheduler.xml"


@dataclass(frozen=True, slots=True)
class Subject:
    """One configuration on one host, or either of them."""

    system: ExistingSystem
    facts: Facts
    """The facts for the rules."""
    values: Values | None
    """The configuration as daemons read it."""
    host_values: Mapping[str, Value] = field(default_factory=dict)
    """The host's values of keys of the operating system."""

    @property
    def host_name(self) -> str:
        """The host's name; empty where there is none."""
        return self.system.host.name if self.system.host else ""


_BROKEN = {
    Severity.MUST: CheckVerdict.FAIL,
    Severity.SHOULD: CheckVerdict.WARN,
    Severity.MAY: CheckVerdict.PASS,
}


def verdict(rule: Rule, ok: bool | None, *, default: bool = False) -> CheckVerdict:
    """The verdict: a broken MUST fails, a broken SHOULD warns, and a MAY is only mentioned.

    With ``default``, the release's own value is in use: then a better value is only advice.
    """
    if ok is None:
        return CheckVerdict.UNKNOWN
    if not ok and default and rule.severity is Severity.SHOULD:
        return CheckVerdict.ADVICE
    return CheckVerdict.PASS if ok else _BROKEN[rule.severity]


def rule_check(
    rule: Rule,
    verdict: CheckVerdict,
    about: str,
    where: str,
    *,
    actual: str,
    expected: str,
    fix: str = "",
    why: str = "",
    damage: str = "",
    inputs: tuple[Input, ...] = (),
) -> Check:
    """The result of a rule; ``why`` defaults to the rule's sentence."""
    return Check(
        rule=rule.id,
        verdict=verdict,
        about=about,
        where=where,
        found=actual,
        expected=expected,
        why=why or rule.says,
        fix=fix,
        source=rule.source,
        damage=damage,
        inputs=inputs,
    )


def cannot_tell(rule: Rule, missing: str, *, about: str, where: str = "") -> Check:
    """The result of a rule that needs an unknown fact."""
    return rule_check(rule, CheckVerdict.UNKNOWN, about, where, actual="", expected=missing)


class Existing(NamedTuple):
    """A value as it is written, None for none at all, its place, empty for a default, and its kind."""

    text: str | None
    place: str = ""
    kind: str = "text"

    @property
    def shown(self) -> str:
        """The value as reports show it."""
        if self.text is None:
            return "not set"
        text = self.text or "nothing"
        return text if self.place else f"{text} (default)"

    def value(self, like: Value) -> Value | None:
        """The value as one of the type of ``like``; None if there is none, or none of that type."""
        try:
            return None if self.text is None else read_like(self.text, like, self.kind)
        except Misfit:
            return None


def is_there(file: str, subject: Subject) -> bool:
    """Whether a file is part of the subject; a missing file may exist elsewhere."""
    if file in HOST_FILES:
        return subject.system.host is not None
    config = subject.system.config
    if file == _QUEUES and not _has_queues(subject):
        return False
    return config is not None and any(path.rpartition("/")[2] == file for path in config.files)


def _has_queues(subject: Subject) -> bool:
    """Whether the scheduler reads ``capacity-scheduler.xml``, as the release's own does."""
    scheduler = subject.values.read("yarn.resourcemanager.scheduler.class") if subject.values else None
    return scheduler is None or "CapacityScheduler" in scheduler.text


def existing(key: str, file: str, subject: Subject) -> Existing | None:
    """The existing value of a key; None if the probe does not report it."""
    if file in HOST_FILES:
        value = subject.host_values.get(key)
        return None if value is None else Existing(value_text(value), subject.host_name)
    if file.endswith(".sh"):
        variables = subject.system.config.environment if subject.system.config else ()
        variable = next((candidate for candidate in reversed(variables) if candidate.name == key), None)
        return Existing(variable.text, variable.place) if variable else Existing(None)
    reading = subject.values.read(key, file) if subject.values is not None else None
    if subject.values is None or reading is None:
        return Existing(None)
    return Existing(reading.text, reading.source.place if reading.source else "", subject.values.kind(key))


def correction(key: str, file: str, planned: Value, current: Existing) -> str:
    """The step that gives a key this value."""
    if file in HOST_FILES:
        return f"set {key} to {value_text(planned)} on {current.place}"
    if current.place:
        return f"set {key} to {value_text(planned)} in {current.place}"
    return f"add {key} = {value_text(planned)} to {file}"


def host_values(host: Host) -> Mapping[str, Value]:
    """The value of every key that the probe could read."""
    memory, network, limits = host.memory, host.network, host.limits
    read: dict[str, Value | None] = {
        "vm.swappiness": memory.swappiness,
        "vm.overcommit_memory": memory.overcommit_memory,
        "vm.dirty_ratio": memory.dirty_ratio,
        "vm.dirty_background_ratio": memory.dirty_background_ratio,
        "vm.dirty_bytes": memory.dirty_bytes,
        "vm.dirty_background_bytes": memory.dirty_background_bytes,
        "transparent_hugepage.enabled": memory.transparent_huge_pages,
        "transparent_hugepage.defrag": memory.transparent_huge_pages_defrag,
        "net.core.rmem_max": network.rmem_max_bytes,
        "net.core.wmem_max": network.wmem_max_bytes,
        "net.core.somaxconn": network.somaxconn,
        "net.ipv4.tcp_mtu_probing": network.tcp_mtu_probing,
        "net.ipv4.conf.all.arp_filter": network.arp_filter,
        "nofile": limits.open_files,
        "nproc": limits.processes,
        "memlock": limits.locked_memory_bytes,
        "java.version": host.software.java,
    }
    return {key: value for key, value in read.items() if value is not None}
