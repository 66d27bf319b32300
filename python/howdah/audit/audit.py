"""Everything that was found, compared with every rule: one report, worst first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from howdah.audit.causes import folded, in_its_file, one_cause
from howdah.audit.detect import detect
from howdah.audit.drift import Part, check_drift, part_of, settings_for
from howdah.audit.existing import Subject, host_values
from howdah.audit.facts import found_facts, planned_facts
from howdah.audit.folder import Releases
from howdah.audit.inspections import check_inspections, check_settings, spared_keys
from howdah.audit.roles import ReadByClients, concerns, role_of
from howdah.audit.values import Layers, Values, derived
from howdah.model.check import Check, CheckReport, CheckVerdict, HostRole
from howdah.model.found import Found, FoundConfig, FoundProperty
from howdah.model.host import Host
from howdah.model.placement import placed_workers
from howdah.model.plan import Cluster, ClusterPlan, Setting, Value
from howdah.model.value import value_text
from howdah.planner.facts import Facts
from howdah.planner.rule import Damage
from howdah.planner.rules.catalogue import INSPECTIONS, SETTING_RULES
from howdah.releases import hadoop, hbase
from howdah.services.secrets import shown_value

_WORST_FIRST = (
    CheckVerdict.FAIL,
    CheckVerdict.WARN,
    CheckVerdict.ADVICE,
    CheckVerdict.UNKNOWN,
    CheckVerdict.PASS,
)
_WORKERS = "workers"
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

    ``role`` leaves out what only others read; without it, and without a host and a plan, the files may tell.
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
        evidence = Found(config=config, host=host)
        part = part_of(plan, evidence, values)
        # What a configuration alone comes to is the same on every host, and is said once.
        made = _checks(evidence, values, plan, releases, part, role=role)
        checks.update(
            dict.fromkeys(check for check in made if role is None or concerns(role, check.about, config))
        )
    return CheckReport(
        scope=_scope(config, hosts),
        looked_at=(*_files(config), *(host.name for host in hosts)),
        hadoop=releases.hadoop,
        hadoop_from=releases.hadoop_from,
        hbase=releases.hbase,
        ignored=config.ignored if config is not None else (),
        role=role,
        checks=tuple(_ordered(checks)),
    )


def audit_part(config: FoundConfig, plan: ClusterPlan, part: Part, releases: Releases) -> Iterator[Check]:
    """Check a configuration as that of one part of a plan; raises UserError for an unknown release."""
    values = Values(config, (hadoop(releases.hadoop), hbase(releases.hbase)))
    found = Found(config=config.model_copy(update={"effective": values.effective()}))
    yield from _checks(found, values, plan, releases, part)


def _checks(
    found: Found,
    values: Values | None,
    plan: ClusterPlan | None,
    releases: Releases,
    part: Part | None,
    *,
    role: HostRole | None = None,
) -> Iterator[Check]:
    read = host_values(found.host) if found.host is not None else {}
    variables = {entry.name: entry.text for entry in found.config.environment} if found.config else {}
    known: Mapping[str, Value] = Layers(
        read, *((derived(values), values) if values is not None else ()), variables
    )
    if role is HostRole.CLIENT and found.config is not None:
        known = ReadByClients(known, found.config)
    facts: Facts = found_facts(found, values, known, releases)
    if plan is not None and part is not None:
        facts = planned_facts(plan, part, known, releases)
    subject = Subject(found=found, facts=facts, values=values, host_values=read)
    settings = settings_for(plan, part) if plan is not None and part is not None else ()
    spared = spared_keys(settings, subject)
    drifted = (
        check_drift(plan, settings, part, subject, spared) if plan is not None and part is not None else ()
    )
    checks = one_cause(
        check_settings(SETTING_RULES, subject, spared), check_inspections(INSPECTIONS, subject), drifted
    )
    yield from (in_its_file(check, found.config) for check in folded(checks))


def _ordered(checks: Iterable[Check]) -> Iterable[Check]:
    return sorted(
        checks, key=lambda check: (_WORST_FIRST.index(check.verdict), _damage(check), _subject(check))
    )


def _damage(check: Check) -> int:
    """How bad it is: what stops a daemon comes before what costs time."""
    return next((place for place, damage in enumerate(Damage) if damage == check.damage), len(Damage))


def _subject(check: Check) -> tuple[str, int, str]:
    file, _, line = check.where.rpartition(":")
    return (file or check.where, int(line) if line.isdigit() else 0, check.about)


def _files(config: FoundConfig | None) -> tuple[str, ...]:
    return tuple(f"{config.folder}/{file}" for file in config.files) if config is not None else ()


def _scope(config: FoundConfig | None, hosts: Sequence[Host]) -> Literal["configuration", "host", "all"]:
    if config is None:
        return "host"
    return "all" if hosts else "configuration"


def plan_faults(plan: ClusterPlan) -> tuple[Check, ...]:
    """What a check would fail or warn of in the files of a plan, worst first; no host is looked at.

    Every kind of worker is looked at with its own settings; what holds for several is said once.
    """
    faults = dict.fromkeys(
        check
        for part in _parts(plan)
        for check in audit_part(_files_of(plan, part), plan, part, _releases(plan.cluster))
        if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN)
    )
    return tuple(sorted(faults, key=lambda check: check.verdict is not CheckVerdict.FAIL))


def _parts(plan: ClusterPlan) -> Iterator[Part]:
    groups = {group.name: group for group in plan.cluster.inventory.groups}
    for kind in plan.workers:
        if kind.group in groups:
            yield Part(kind, groups[kind.group])


def _releases(cluster: Cluster) -> Releases:
    return Releases(cluster.request.hadoop, cluster.request.hbase, "plan")


def _files_of(plan: ClusterPlan, part: Part) -> FoundConfig:
    """The plan's files for one kind of worker as a check would read them; lines are not known yet."""
    settings = settings_for(plan, part)
    properties = [_property(setting) for setting in settings if _READ.fullmatch(setting.file or "")]
    environment = [_property(setting) for setting in settings if (setting.file or "").endswith("-env.sh")]
    files = dict.fromkeys(entry.file for entry in (*properties, *environment))
    return FoundConfig(
        folder="plan",
        properties=tuple(properties),
        files=(*files, _WORKERS),
        environment=tuple(environment),
        workers=tuple(worker.name for worker in placed_workers(plan.cluster)),
    )


def _property(setting: Setting) -> FoundProperty:
    text = shown_value(setting.key, value_text(setting.value).strip())
    return FoundProperty(name=setting.key, text=text, file=setting.file or "", line=0)
