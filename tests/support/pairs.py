"""Configurations of pairs of masters that are sound, and what inspections have against others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType

from howdah.model.existing import ExistingSystem, FoundConfig, FoundProperty
from howdah.model.host import Host
from howdah.model.plan import Value
from howdah.model.request import PlanRequest, Protection
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Inspection, Rule
from howdah.planner.rules.catalogue import RULES

NAMENODES = {
    "fs.defaultFS": "hdfs://ns",
    "dfs.nameservices": "ns",
    "dfs.ha.namenodes.ns": "nn1,nn2",
    "dfs.namenode.rpc-address.ns.nn1": "h1:8020",
    "dfs.namenode.rpc-address.ns.nn2": "h2:8020",
    "dfs.namenode.shared.edits.dir": "qjournal://h1:8485;h2:8485;h3:8485/ns",
    "dfs.journalnode.edits.dir": "/var/lib/hadoop/journal",
    "dfs.client.failover.proxy.provider.ns": "x.ConfiguredFailoverProxyProvider",
    "dfs.ha.fencing.methods": "shell(/bin/true)",
    "dfs.ha.automatic-failover.enabled": "true",
    "ha.zookeeper.quorum": "h1:2181,h2:2181,h3:2181",
}
"""A pair of NameNodes that fails over by itself."""

MANAGERS = {
    "yarn.resourcemanager.ha.enabled": "true",
    "yarn.resourcemanager.ha.rm-ids": "rm1,rm2",
    "yarn.resourcemanager.cluster-id": "c",
    "yarn.resourcemanager.zk-address": "h1:2181,h2:2181,h3:2181",
    "yarn.resourcemanager.recovery.enabled": "true",
    "yarn.resourcemanager.store.class": (
        "org.apache.hadoop.yarn.server.resourcemanager.recovery.ZKRMStateStore"
    ),
    "yarn.resourcemanager.hostname.rm1": "h1",
    "yarn.resourcemanager.hostname.rm2": "h2",
    "yarn.resourcemanager.webapp.address.rm1": "h1:8088",
    "yarn.resourcemanager.webapp.address.rm2": "h2:8088",
}
"""Two ResourceManagers with all that they and their jobs need."""

WAITS: Mapping[str, Value] = {
    "ha.zookeeper.session-timeout.ms": 10_000,
    "ha.failover-controller.graceful-fence.connection.retries": 1,
    "ipc.client.connect.timeout": 20_000,
    "dfs.ha.fencing.ssh.connect-timeout": 30_000,
    "dfs.ha.fencing.methods": "sshfence",
    "dfs.client.failover.max.attempts": 15,
    "dfs.client.failover.sleep.base.millis": 500,
    "dfs.client.failover.sleep.max.millis": 15_000,
    "yarn.resourcemanager.connect.retry-interval.ms": 30_000,
    "hadoop.zk.timeout-ms": 10_000,
}
"""Hadoop's own values for how long who waits for whom."""


def without(properties: Mapping[str, str], *keys: str) -> dict[str, str]:
    """The properties but some."""
    return {name: text for name, text in properties.items() if name not in keys}


def found_with(
    properties: Mapping[str, str],
    *,
    file: str = "hdfs-site.xml",
    files: Sequence[str] = (),
    workers: Sequence[str] = (),
    backup_masters: Sequence[str] = (),
    mapped: Mapping[str, str] | None = None,
    host: Host | None = None,
) -> ExistingSystem:
    """A directory with these properties in one file, and what else lies there."""
    return ExistingSystem(
        config=FoundConfig(
            folder="conf",
            files=(file, *files),
            properties=tuple(
                FoundProperty(name=name, text=text, file=file, line=line)
                for line, (name, text) in enumerate(properties.items(), start=1)
            ),
            workers=tuple(workers),
            backup_masters=tuple(backup_masters),
            mapped=mapped,
        ),
        host=host,
    )


def rules_in(module: ModuleType) -> list[Inspection]:
    """The inspections with a function in this module."""
    inspections = (rule for rule in RULES if isinstance(rule, Inspection))
    return [rule for rule in inspections if rule.inspect.__module__ == module.__name__]


def complaints_about(
    rules: Iterable[Rule], found: ExistingSystem, decided: Mapping[str, Value] | None = None
) -> list[tuple[str, Observation]]:
    """What these rules' inspections have against a configuration."""
    facts = Facts(request=PlanRequest(protection=Protection.HA), decided=decided or WAITS)
    return [
        (rule.id, one)
        for rule in rules
        if isinstance(rule, Inspection)
        for one in rule.inspect(Inspected(found), facts)
        if not one.ok
    ]
