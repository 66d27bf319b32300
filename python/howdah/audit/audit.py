"""Existing systems compared with every rule: one report, the worst first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from howdah.audit.detect import detect
from howdah.audit.drift import Part, check_drift, part_of, parts_of, settings_for
from howdah.audit.existing import (
    HOST_FILES,
    Existing,
    Subject,
    cannot_tell,
    correction,
    existing,
    folded,
    host_values,
    in_its_file,
    is_there,
    one_cause,
    rule_check,
    verdict,
)
from howdah.audit.facts import ReadByClients, concerns, found_facts, planned_facts, role_of
from howdah.audit.folder import Releases
from howdah.audit.values import Layers, Values, derived, is_read, read_kind
from howdah.errors import UserError
from howdah.hadoop.config_files import shown_value
from howdah.model.existing import (
    Check,
    CheckReport,
    CheckVerdict,
    ExistingSystem,
    FoundConfig,
    FoundProperty,
    HostRole,
)
from howdah.model.host import Host
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan, Setting, Value, value_text
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.reading import Inspected, Observation, data_dirs
from howdah.planner.rule import Damage, Decision, FamilyRule, Inspection, Rule, SettingRule
from howdah.planner.rules.catalogue import INSPECTIONS, SETTING_RULES
from howdah.releases.catalogue import hadoop, hbase

_BLOCKS = "dfs.datanode.data.dir"
_OF_JOBS = ("mapreduce.", "yarn.app.mapreduce.")


def check_inspections(rules: tuple[Inspection, ...], subject: Subject) -> Iterator[Check]:
    """The results of every inspection that applies; one without observations has none."""
    reading = Inspected(subject.system)
    for rule in rules:
        try:
            if not rule.holds(subject.facts):
                continue
            for observation in rule.inspect(reading, subject.facts):
                yield _check(rule, observation, subject)
        except MissingFact as missing:
            yield cannot_tell(rule, str(missing), about=rule.id, where=subject.host_name)


def _check(rule: Inspection, seen: Observation, subject: Subject) -> Check:
    file = subject.values.file(seen.about) if subject.values is not None else None
    where = seen.where or file or subject.host_name
    fields = {"found": seen.found, "expected": seen.expected, "fix": "" if seen.ok else seen.fix}
    judged = verdict(rule, seen.ok)
    return rule_check(rule, judged, seen.about, where, **fields, damage=rule.damage, inputs=seen.inputs)


def check_settings(
    rules: Iterable[SettingRule | FamilyRule], subject: Subject, spared: Collection[str] = ()
) -> Iterator[Check]:
    """The results of every setting rule that applies, except for ``spared`` keys."""
    for rule in rules:
        if not is_there(rule.file, subject) or (isinstance(rule, SettingRule) and rule.key in spared):
            continue
        # A property that the release of Hadoop or HBase does not have.
        values = subject.values if isinstance(rule, SettingRule) and is_read(rule.file) else None
        if isinstance(rule, SettingRule) and values is not None and values.is_unknown(rule.key):
            continue
        try:
            if rule.holds(subject.facts):
                yield from (
                    _check_setting(rule, subject) if isinstance(rule, SettingRule) else _family(rule, subject)
                )
        except (MissingFact, UserError) as missing:
            about = rule.key if isinstance(rule, SettingRule) else rule.family
            yield cannot_tell(rule, str(missing), about=about, where=rule.file)


def _check_setting(rule: SettingRule, subject: Subject) -> Iterator[Check]:
    current = existing(rule.key, rule.file, subject)
    if current is None:
        raise MissingFact(f"{rule.key} of {subject.host_name}, which its probe does not report")
    if current.text is None and not rule.written:
        return
    decision = rule.decide(subject.facts)
    accepted = _accepted(rule, current, decision, subject)
    # The rule about types reports a value of another type, in words that fit the key.
    if accepted is not None:
        yield _setting_result(rule, rule.key, current, decision, subject, accepted=accepted)


def _family(rule: FamilyRule, subject: Subject) -> Iterator[Check]:
    for key, decision in rule.members(subject.facts).items():
        current = existing(key, rule.file, subject)
        if current is not None:
            accepted = current.value(decision.value) == decision.value
            yield _setting_result(rule, key, current, decision, subject, accepted=accepted)


def _accepted(rule: SettingRule, current: Existing, decision: Decision, subject: Subject) -> bool | None:
    if rule.file in HOST_FILES:
        return rule.accepts(subject.host_values[rule.key], decision, subject.facts)
    if current.text is None:
        # No value is an empty text, and nothing else.
        return isinstance(decision.value, str) and rule.accepts("", decision, subject.facts)
    if "${" in current.text and not isinstance(decision.value, str | tuple):
        raise MissingFact(f"what {current.text} means on the host itself")
    value = current.value(decision.value)
    return None if value is None else rule.accepts(value, decision, subject.facts)


def _setting_result(
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
        # The DataNode owns the disk: only its administrator knows where else a directory may be.
        expected = f"a directory on every data disk, not below {_BLOCKS}"
        fix = f"list one directory on each data disk in {key}, next to those of {_BLOCKS} and not below them"
    default = not rule.default_harms and _is_default(rule, key, current, subject)
    why = f"{rule.says} Here: {decision.because}"
    fields = {"found": current.shown, "expected": expected, "fix": "" if accepted else fix, "why": why}
    judged, where = verdict(rule, accepted, default=default), current.place or rule.file
    return rule_check(rule, judged, key, where, **fields, damage=rule.damage, inputs=decision.inputs)


def _is_default(rule: Rule, key: str, current: Existing, subject: Subject) -> bool:
    """Whether a value is the release's default: not set, or set to the same value."""
    default = subject.values.default(key) if subject.values is not None else None
    if not current.place or current.text is None or default is None or not rule.default_will_do:
        return not current.place
    return read_kind(current.text, current.kind) == read_kind(default, current.kind)


def _below_blocks(decision: Decision, subject: Subject) -> bool:
    """Whether decided directories are below those of a DataNode."""
    config = subject.system.config
    if config is None or not isinstance(decision.value, tuple):
        return False
    paths = [PurePosixPath(path) for path in decision.value if path.startswith("/")]
    return any(path.is_relative_to(folder) for path in paths for folder in data_dirs(config))


def spared_keys(settings: Iterable[Setting], subject: Subject) -> frozenset[str]:
    """The keys of a kind of worker, if the folder has none of them: then it is not a worker's.

    Settings of jobs are not among them, because clients have them, too. There are none without a
    configuration, and if all workers are identical and share a folder with masters.
    """
    of_worker = (setting for setting in settings if setting.worker is not None and setting.file)
    own = [setting for setting in of_worker if not setting.key.startswith(_OF_JOBS)]
    states = (existing(setting.key, setting.file or "", subject) for setting in own)
    if subject.system.config is None or any(state is not None and state.place for state in states):
        return frozenset()
    return frozenset(setting.key for setting in own)


_WORST_FIRST = (
    CheckVerdict.FAIL, CheckVerdict.WARN, CheckVerdict.ADVICE, CheckVerdict.UNKNOWN, CheckVerdict.PASS,
)  # fmt: skip
_READ = re.compile(
    r"(.*-site|capacity-scheduler|hadoop-policy|ssl-(client|server))\.xml|zoo\.cfg|spark-defaults\.conf"
)
"""Files of properties that a check reads."""


def audit(
    config: FoundConfig | None,
    hosts: Sequence[Host],
    plan: ClusterPlan | None,
    releases: Releases,
    role: HostRole | None = None,
) -> CheckReport:
    """Check a configuration, hosts or both; raises UserError for an unknown release.

    ``role`` leaves out keys that only other roles read; without role, host and plan, the files may show it.
    """
    if role is None and config is not None and not hosts and plan is None:
        role = role_of(config)
    if releases.hadoop_from == "default":
        detected = detect(config, hosts, releases.hadoop)
        if detected.because:
            releases = releases._replace(hadoop=detected.hadoop, hadoop_from=detected.because)
    values = None
    if config is not None:
        values = Values(config, (hadoop(releases.hadoop), hbase(releases.hbase)))
        config = config.model_copy(update={"effective": values.effective()})
    checks: dict[Check, None] = {}
    for host in hosts or ((None,) if config is not None else ()):
        evidence = ExistingSystem(config=config, host=host)
        part = part_of(plan, evidence, values)
        # Results of the configuration alone are the same for every host, and are reported once.
        for check in _checks(evidence, values, plan, releases, part, role=role):
            if role is None or concerns(role, check.about, config):
                checks[check] = None
    files = () if config is None else tuple(f"{config.folder}/{file}" for file in config.files)
    return CheckReport(
        scope="host" if config is None else "all" if hosts else "configuration",
        looked_at=(*files, *(host.name for host in hosts)),
        **releases._asdict(),
        ignored=config.ignored if config is not None else (),
        role=role,
        checks=tuple(sorted(checks, key=_order)),
    )


def _checks(
    system: ExistingSystem,
    values: Values | None,
    plan: ClusterPlan | None,
    releases: Releases,
    part: Part | None,
    *,
    role: HostRole | None = None,
) -> Iterator[Check]:
    read = host_values(system.host) if system.host is not None else {}
    variables = {entry.name: entry.text for entry in system.config.environment} if system.config else {}
    of_files = (derived(values), values) if values is not None else ()
    values_by_key: Mapping[str, Value] = Layers(read, *of_files, variables)
    if role is HostRole.CLIENT and system.config is not None:
        values_by_key = ReadByClients(values_by_key, system.config)
    facts: Facts = found_facts(system, values, values_by_key, releases)
    subject = Subject(system=system, facts=facts, values=values, host_values=read)
    spared: frozenset[str] = frozenset()
    drifted: Iterable[Check] = ()
    if plan is not None and part is not None:
        settings = settings_for(plan, part)
        subject = replace(subject, facts=planned_facts(plan, part, values_by_key, releases))
        spared = spared_keys(settings, subject)
        drifted = check_drift(plan, settings, part, subject, spared)
    checks = check_settings(SETTING_RULES, subject, spared)
    for check in folded(one_cause(checks, check_inspections(INSPECTIONS, subject), drifted)):
        yield in_its_file(check, system.config)


def _order(check: Check) -> tuple[int, int, str, int, str]:
    """The worst first, of these what stops a daemon before what costs time, then by place."""
    damage = next((place for place, damage in enumerate(Damage) if damage == check.damage), len(Damage))
    return _WORST_FIRST.index(check.verdict), damage, *check.line, check.about


def plan_faults(plan: ClusterPlan) -> tuple[Check, ...]:
    """The failures and warnings of a check of a plan's files, the worst first; no host is checked.

    Every kind of worker is checked with its own settings; results of several kinds are reported once.
    """
    request = plan.cluster.request
    releases = Releases(request.hadoop, request.hbase, "plan")
    faults: dict[Check, None] = {}
    for part in parts_of(plan):
        config = _files_of(plan, part)
        values = Values(config, (hadoop(releases.hadoop), hbase(releases.hbase)))
        system = ExistingSystem(config=config.model_copy(update={"effective": values.effective()}))
        for check in _checks(system, values, plan, releases, part):
            if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN):
                faults[check] = None
    return tuple(sorted(faults, key=lambda check: check.verdict is not CheckVerdict.FAIL))


def _files_of(plan: ClusterPlan, part: Part) -> FoundConfig:
    """The plan's files for one kind of worker as a check would read them, without lines."""
    settings = settings_for(plan, part)
    properties = [_property(setting) for setting in settings if _READ.fullmatch(setting.file or "")]
    environment = [_property(setting) for setting in settings if (setting.file or "").endswith("-env.sh")]
    files = dict.fromkeys(entry.file for entry in (*properties, *environment))
    return FoundConfig(
        folder="plan",
        properties=tuple(properties),
        files=(*files, "workers"),
        environment=tuple(environment),
        workers=tuple(worker.name for worker in placed_workers(plan.cluster)),
    )


def _property(setting: Setting) -> FoundProperty:
    text = shown_value(setting.key, value_text(setting.value).strip())
    return FoundProperty(name=setting.key, text=text, file=setting.file or "", line=0)
