"""What one setting needs of another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.found import Found
from howdah.planner.facts import Facts
from howdah.planner.reading import ConfigurationReading
from howdah.planner.rule import Inspection, Observation, Rule, Severity


class _Need(NamedTuple):
    """Where ``key`` is ``when``, ``other``, which ``file`` has, must be ``wanted``."""

    key: str
    when: str
    file: str
    other: str
    wanted: str
    fix: str
    otherwise: str
    instead: tuple[str, ...] = ()
    """Keys that do as well as ``other``."""


_STARTS_NOT = "the daemon does not start"
_NEEDS = (
    _Need(
        "yarn.resourcemanager.store.class",
        r".*\.ZKRMStateStore",
        "core-site.xml",
        "hadoop.zk.address",
        r".+",
        "set hadoop.zk.address to the ZooKeepers, host:2181 of each with commas, in core-site.xml",
        _STARTS_NOT,
        ("yarn.resourcemanager.zk-address",),
    ),
    _Need(
        "yarn.nodemanager.linux-container-executor.resources-handler.class",
        r".*\.CgroupsLCEResourcesHandler",
        "yarn-site.xml",
        "yarn.nodemanager.container-executor.class",
        r".*\.LinuxContainerExecutor",
        "set yarn.nodemanager.container-executor.class to "
        "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor",
        "no container is put into a control group",
    ),
    _Need(
        "hadoop.security.group.mapping",
        r".*\.(JniBased)?LdapGroupsMapping",
        "core-site.xml",
        "hadoop.security.group.mapping.ldap.url",
        r".+",
        "set hadoop.security.group.mapping.ldap.url to the directory's ldaps:// address in core-site.xml",
        "no user has a group, and daemons that look groups up end",
        ("hadoop.security.group.mapping.ldap.url.list",),
    ),
    _Need(
        "hadoop.security.group.mapping",
        r".*\.CompositeGroupsMapping",
        "core-site.xml",
        "hadoop.security.group.mapping.providers",
        r".+",
        "set hadoop.security.group.mapping.providers to the names of the mappings in core-site.xml",
        "no user has a group",
    ),
    _Need(
        "yarn.nodemanager.runtime.linux.allowed-runtimes",
        r".*(docker|runc).*",
        "yarn-site.xml",
        "yarn.nodemanager.container-executor.class",
        r".*\.LinuxContainerExecutor",
        "set yarn.nodemanager.container-executor.class to "
        "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor",
        "every container runs without an image",
    ),
    _Need(
        "yarn.nodemanager.resource-plugins",
        r".*yarn\.io/gpu.*",
        "yarn-site.xml",
        "yarn.resource-types",
        r".*yarn\.io/gpu.*",
        "set yarn.resource-types to yarn.io/gpu in resource-types.xml on all hosts",
        "NodeManagers do not start",
    ),
    _Need(
        "hbase.bucketcache.ioengine",
        r".+",
        "hbase-site.xml",
        "hbase.bucketcache.size",
        r"0*[1-9].*|0?\.\d*[1-9].*",
        "set hbase.bucketcache.size to the cache's size in MB in hbase-site.xml",
        "RegionServers do not start",
    ),
    _Need(
        "hbase.security.authorization",
        r"true",
        "hbase-site.xml",
        "hbase.coprocessor.region.classes",
        r".*(AccessController|Ranger).*",
        "add org.apache.hadoop.hbase.security.access.AccessController to hbase.coprocessor.region.classes, "
        "and to those of masters and RegionServers",
        "no right is checked",
    ),
    _Need(
        "hbase.security.authentication",
        r"kerberos",
        "core-site.xml",
        "hadoop.security.authentication",
        r"kerberos",
        "set hadoop.security.authentication to kerberos in core-site.xml",
        "HBase's daemons do not start: nobody can log in to Hadoop with a keytab",
    ),
)


def _needs(found: Found, facts: Facts) -> Iterator[Observation]:
    reading = ConfigurationReading(found)
    for need in _NEEDS:
        text = reading.text(need.key)
        if text is None or re.fullmatch(need.when, text) is None or not reading.has(need.file):
            # HBase's folder alone says nothing of Hadoop's.
            continue
        other = next(filter(None, map(reading.text, (need.other, *need.instead))), None)
        known = str(other if other is not None else facts.decided.get(need.other) or "")
        yield Observation(
            ok=re.fullmatch(need.wanted, known) is not None,
            about=need.other,
            found=f"{known or 'not set'}, and {need.key} is {text}",
            expected=f"what {need.key} needs: else {need.otherwise}",
            fix=need.fix,
            where=reading.where(need.other) or reading.where(need.key),
        )


def _waiting(found: Found, facts: Facts) -> Iterator[Observation]:
    """Whether a client waits for a call at least as long as a RegionServer keeps its scanner."""
    reading = ConfigurationReading(found)
    call, scanner = "hbase.rpc.timeout", "hbase.client.scanner.timeout.period"
    given = [key for key in (call, scanner) if reading.text(key)]
    waits = {key: reading.number(key) or facts.number(key) for key in (call, scanner)} if given else {}
    if given:
        yield Observation(
            ok=waits[call] >= waits[scanner],
            about=call,
            found=f"{waits[call]:.15g} ms, and scanners are kept for {waits[scanner]:.15g} ms",
            expected="at least as long: a client asks again before it is answered, and finds its lease gone",
            fix=f"set {call} to {waits[scanner]:.15g} in {reading.where(given[0])}",
            where=reading.where(given[0]),
        )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="consistency.needs",
        says="What a setting needs of another is set as well.",
        sources=("Hadoop 3.5.0", "HBase 2.6.4: reference guide"),
        severity=Severity.MUST,
        inspect=_needs,
    ),
    Inspection(
        id="consistency.waiting-clients",
        says="HBase's clients wait for a call as long as their scanners are kept.",
        sources=("HBase 2.6.4: reference guide",),
        condition="where either time is set",
        inspect=_waiting,
    ),
)
