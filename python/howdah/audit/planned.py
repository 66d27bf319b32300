"""A plan held against the rules that a check applies: what its files would be faulted for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.audit.audit import audit_part
from howdah.audit.folder import Releases
from howdah.audit.workers import Part, settings_for
from howdah.model.check import Check, CheckVerdict
from howdah.model.found import FoundConfig, FoundProperty
from howdah.model.placement import placed_workers
from howdah.model.plan import Cluster, Plan, Setting
from howdah.model.value import value_text
from howdah.services.secrets import shown_value

_WORKERS = "workers"
_READ = re.compile(
    r"(.*-site|capacity-scheduler|hadoop-policy|ssl-(client|server))\.xml|zoo\.cfg|spark-defaults\.conf"
)
"""Files of properties that a check reads."""


def plan_faults(plan: Plan) -> tuple[Check, ...]:
    """What a check would fail or warn of in the files of a plan, worst first; no host is looked at.

    Every kind of worker is looked at with its own settings; what holds for several is said once.
    """
    if plan.cluster is None:
        return ()
    faults = dict.fromkeys(
        check
        for part in _parts(plan, plan.cluster)
        for check in audit_part(_files_of(plan, plan.cluster, part), plan, part, _releases(plan.cluster))
        if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN)
    )
    return tuple(sorted(faults, key=lambda check: check.verdict is not CheckVerdict.FAIL))


def _parts(plan: Plan, cluster: Cluster) -> Iterator[Part]:
    groups = {group.name: group for group in cluster.inventory.groups}
    for kind in plan.workers:
        if kind.group in groups:
            yield Part(kind, groups[kind.group])


def _releases(cluster: Cluster) -> Releases:
    return Releases(cluster.request.hadoop, cluster.request.hbase, "plan")


def _files_of(plan: Plan, cluster: Cluster, part: Part) -> FoundConfig:
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
        workers=tuple(worker.name for worker in placed_workers(cluster)),
    )


def _property(setting: Setting) -> FoundProperty:
    text = shown_value(setting.key, value_text(setting.value).strip())
    return FoundProperty(name=setting.key, text=text, file=setting.file or "", line=0)
