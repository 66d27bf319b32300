"""The subject of a check: a configuration, a host or both, with the value of each key, and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from howdah.audit.values import Values, read_like
from howdah.model.existing import Check, CheckVerdict, ExistingSystem, FoundConfig
from howdah.model.host import Host
from howdah.model.plan import Value, value_text
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
    values: Values | None  # The configuration as daemons read it.
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


def rule_check(rule: Rule, verdict: CheckVerdict, about: str, where: str, **fields: Any) -> Check:
    """The result of a rule with further fields of a check; without ``why``, the rule's sentence says why."""
    fields = {"why": rule.says, "source": rule.source, **fields}
    return Check(rule=rule.id, verdict=verdict, about=about, where=where, **fields)


def cannot_tell(rule: Rule, missing: str, *, about: str, where: str = "") -> Check:
    """The result of a rule that needs an unknown fact."""
    return rule_check(rule, CheckVerdict.UNKNOWN, about, where, found="", expected=missing)


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
        return None if self.text is None else read_like(self.text, like, self.kind)


def is_there(file: str, subject: Subject) -> bool:
    """Whether a file is part of the subject; a missing file may exist elsewhere."""
    if file in HOST_FILES:
        return subject.system.host is not None
    config = subject.system.config
    scheduler = subject.values.read("yarn.resourcemanager.scheduler.class") if subject.values else None
    if file == _QUEUES and scheduler is not None and "CapacityScheduler" not in scheduler.text:
        # Only the release's own scheduler reads it.
        return False
    return config is not None and any(path.rpartition("/")[2] == file for path in config.files)


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


_PLACEHOLDERS = "consistency.placeholders"
_WRONG = (CheckVerdict.FAIL, CheckVerdict.WARN)
_OF_WRITING = frozenset({
    "consistency.duplicate-property", "consistency.one-value", "consistency.misplaced-property",
    "consistency.final-overridden", "release.deprecated-property",
})  # fmt: skip
"""Rules about where and how often a key is written, not about its value."""

_GENERAL = frozenset({
    "release.value-type", "consistency.bounds", "consistency.fatal-bounds", "consistency.units",
    "consistency.units-too-small", "consistency.threads-for-workers", "consistency.plain-paths",
    "consistency.existing-classes", "consistency.known-words", "consistency.heap-units",
})  # fmt: skip
"""Rules about a value's form or size, left out if another rule reports why the value is wrong."""

_LIMITS = frozenset({"consistency.bounds", "consistency.fatal-bounds"})
_UNITS = frozenset(
    {"consistency.units", "consistency.units-too-small", "spark.units", "spark.units-too-small"}
)
"""Rules about wrong units, left out if a limit of the key is broken."""

_FOLDED = frozenset({
    "release.deprecated-property", "release.gone-property", "release.unknown-property",
    "consistency.duplicate-property", "consistency.former-variables", "ha.manager-pages", "jvm.open-ports",
    "security.daemon-users", "security.proxy-users", "yarn.least-container", "jvm.home-given", _PLACEHOLDERS,
})  # fmt: skip
"""Rules whose findings have one cause: several of one rule are a single one."""


OR_PLAN = ", or plan with "
"""What comes before the second fix of a drifted value: the option that makes a plan keep it."""


def one_cause(
    settings: Iterable[Check], inspections: Iterable[Check], drift: Iterable[Check]
) -> Iterator[Check]:
    """The results without repetitions.

    A rule's preferred value is not reported for a key whose value does at least as much harm, or differs from
    the plan. If a plan has a value, it is the fix of every broken rule about the key; no plan should keep a
    value that breaks a rule.
    """
    seen = _most_specific(tuple(inspections))
    harmful = {check.about for check in seen if check.verdict is CheckVerdict.FAIL}
    drifted = tuple(
        check.model_copy(update={"fix": check.fix.partition(OR_PLAN)[0]}) if check.about in harmful else check
        for check in drift
    )
    templates = {check.about for check in seen if check.rule == _PLACEHOLDERS}
    seen = tuple(check for check in seen if check.about not in templates or check.rule == _PLACEHOLDERS)
    planned = {check.about: check for check in drifted if check.verdict in _WRONG}
    wrong = [check for check in seen if check.verdict in _WRONG and check.rule not in _OF_WRITING]
    failed = {check.about for check in wrong if check.verdict is CheckVerdict.FAIL} | planned.keys()
    warned = {check.about for check in wrong} | planned.keys()
    for check in settings:
        repeated = check.about in (failed if check.verdict is CheckVerdict.FAIL else warned)
        if not repeated or check.verdict not in (*_WRONG, CheckVerdict.ADVICE):
            yield check
    for check in seen:
        if check.verdict in _WRONG and check.about in planned:
            yield check.model_copy(update={"fix": planned[check.about].fix})
        else:
            yield check
    yield from drifted


_CHARACTERS = "consistency.plain-characters"


def _without_echoes(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    """The results without fixes that repeat a strange character, if this character is a finding."""
    if not any(check.rule == _CHARACTERS and check.verdict in _WRONG for check in checks):
        return checks

    def is_plain(check: Check) -> bool:
        if check.rule == _CHARACTERS or check.verdict not in _WRONG:
            return True
        return "…" in check.fix or (check.fix + check.found).isascii()

    return tuple(filter(is_plain, checks))


def _most_specific(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    """The results without general ones about keys with a more specific one of at least this severity."""
    special = [check for check in checks if check.rule not in _GENERAL and check.rule not in _OF_WRITING]
    specific = [check for check in special if check.verdict in _WRONG]
    failed = {check.about for check in specific if check.verdict is CheckVerdict.FAIL}
    warned = {check.about for check in specific}
    checks = _without_echoes(checks)
    limits = {(check.about, check.verdict) for check in checks if check.rule in _LIMITS}
    checks = tuple(
        check for check in checks if check.rule not in _UNITS or (check.about, check.verdict) not in limits
    )
    # What fails for its unit is not warned of for its size.
    warned |= {check.about for check in checks if check.verdict is CheckVerdict.FAIL}
    return tuple(
        check
        for check in checks
        if check.rule not in _GENERAL
        or check.about not in (failed if check.verdict is CheckVerdict.FAIL else warned)
    )


def folded(checks: Iterable[Check]) -> Iterator[Check]:
    """The results, with those of one cause joined to one result for each rule."""
    groups: dict[str, list[Check]] = {}
    for check in checks:
        if check.rule in _FOLDED and check.verdict in _WRONG:
            groups.setdefault(check.rule, []).append(check)
        else:
            yield check
    for group in groups.values():
        first = group[0]
        if len(group) == 1:
            yield first
            continue
        names = ", ".join(dict.fromkeys(check.about for check in group))
        fixes = "; ".join(dict.fromkeys(check.fix for check in group))
        # Existing values once if they are the same, otherwise for each key.
        keys: dict[str, list[str]] = {}
        for check in group:
            keys.setdefault(check.found, []).append(check.about)
        shown = "; ".join(f"{', '.join(about)}: {text}" for text, about in keys.items())
        shown = f"{first.found}, {len(group)} times" if len(keys) == 1 else shown
        yield first.model_copy(update={"about": names, "found": shown, "fix": fixes})


def in_its_file(check: Check, config: FoundConfig | None) -> Check:
    """The result with the path of the file that was read, for keys that are not set."""
    files = config.files if config is not None else ()
    if check.where in files:
        return check
    path = next((file for file in files if file.rpartition("/")[2] == check.where), None)
    return check if path is None else check.model_copy(update={"where": path})
