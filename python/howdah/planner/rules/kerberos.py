"""Kerberos principals and keytabs of every service.

Principals are named after the users that daemons run as (``hdfs/_HOST@REALM``), so that Hadoop's
default mapping of principals to users needs no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from howdah.model.plan import Value
from howdah.planner.conditions import secure_rule, secured, secured_hbase, secured_mapreduce, secured_pair
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, SettingRule, Severity
from howdah.planner.rules.security.settings import KEYTABS, realm
from howdah.planner.values import fixed, set_at_all

_SECONDARY = "dfs.namenode.secondary.http-address"


def _has_secondary(facts: Facts) -> bool:
    """Whether the cluster is planned with one, or an existing one names its host."""
    planned = facts.known_cluster is not None
    return planned or not str(facts.decided.get(_SECONDARY, "0.0.0.0")).startswith("0.0.0.0")


Condition = tuple[str, Callable[[Facts], bool]]
_ALWAYS: Condition = ("with --secure", secured)
_YARN: Condition = ("with --secure and MapReduce", secured_mapreduce)
_PAIR: Condition = ("with --secure and ha", secured_pair)
_SINGLE: Condition = (
    "with --secure, without ha, where a SecondaryNameNode has a host",
    lambda facts: secured(facts) and not secured_pair(facts) and _has_secondary(facts),
)
_HBASE: Condition = ("with --secure and HBase", secured_hbase)


class Service(NamedTuple):
    """A daemon, the keys of its principal and keytab, and the user it runs as."""

    name: str
    file: str
    user: str
    principal: str
    keytab: str | None
    condition: Condition


_SERVICES = (
    Service(
        "namenode",
        "hdfs-site.xml",
        "hdfs",
        "dfs.namenode.kerberos.principal",
        "dfs.namenode.keytab.file",
        _ALWAYS,
    ),
    Service(
        "secondary",
        "hdfs-site.xml",
        "hdfs",
        "dfs.secondary.namenode.kerberos.principal",
        "dfs.secondary.namenode.keytab.file",
        _SINGLE,
    ),
    Service(
        "datanode",
        "hdfs-site.xml",
        "hdfs",
        "dfs.datanode.kerberos.principal",
        "dfs.datanode.keytab.file",
        _ALWAYS,
    ),
    Service(
        "journalnode",
        "hdfs-site.xml",
        "hdfs",
        "dfs.journalnode.kerberos.principal",
        "dfs.journalnode.keytab.file",
        _PAIR,
    ),
    Service(
        "journalnode-web",
        "hdfs-site.xml",
        "HTTP",
        "dfs.journalnode.kerberos.internal.spnego.principal",
        None,
        _PAIR,
    ),
    Service(
        "hdfs-web",
        "hdfs-site.xml",
        "HTTP",
        "dfs.web.authentication.kerberos.principal",
        "dfs.web.authentication.kerberos.keytab",
        _ALWAYS,
    ),
    Service(
        "web",
        "core-site.xml",
        "HTTP",
        "hadoop.http.authentication.kerberos.principal",
        "hadoop.http.authentication.kerberos.keytab",
        _ALWAYS,
    ),
    Service(
        "resourcemanager",
        "yarn-site.xml",
        "yarn",
        "yarn.resourcemanager.principal",
        "yarn.resourcemanager.keytab",
        _YARN,
    ),
    Service(
        "resourcemanager-web",
        "yarn-site.xml",
        "HTTP",
        "yarn.resourcemanager.webapp.spnego-principal",
        "yarn.resourcemanager.webapp.spnego-keytab-file",
        _YARN,
    ),
    Service(
        "nodemanager", "yarn-site.xml", "yarn", "yarn.nodemanager.principal", "yarn.nodemanager.keytab", _YARN
    ),
    Service(
        "nodemanager-web",
        "yarn-site.xml",
        "HTTP",
        "yarn.nodemanager.webapp.spnego-principal",
        "yarn.nodemanager.webapp.spnego-keytab-file",
        _YARN,
    ),
    Service(
        "history",
        "mapred-site.xml",
        "mapred",
        "mapreduce.jobhistory.principal",
        "mapreduce.jobhistory.keytab",
        _YARN,
    ),
    Service(
        "history-web",
        "mapred-site.xml",
        "HTTP",
        "mapreduce.jobhistory.webapp.spnego-principal",
        "mapreduce.jobhistory.webapp.spnego-keytab-file",
        _YARN,
    ),
    Service(
        "hmaster",
        "hbase-site.xml",
        "hbase",
        "hbase.master.kerberos.principal",
        "hbase.master.keytab.file",
        _HBASE,
    ),
    Service(
        "regionserver",
        "hbase-site.xml",
        "hbase",
        "hbase.regionserver.kerberos.principal",
        "hbase.regionserver.keytab.file",
        _HBASE,
    ),
    Service(
        "hbase-web",
        "hbase-site.xml",
        "HTTP",
        "hbase.security.authentication.spnego.kerberos.principal",
        "hbase.security.authentication.spnego.kerberos.keytab",
        _HBASE,
    ),
)


_PAGES = ("resourcemanager-web", "nodemanager-web", "history-web", "hbase-web")


def _own_realm(value: Value, decision: Decision, facts: Facts) -> bool:
    """A principal of the service's own: ``hdfs/_HOST@REALM``."""
    return "/" in str(value) and "@" in str(value)


def _principal(service: Service) -> SettingRule:
    condition, applies = service.condition
    user = service.user
    return secure_rule(
        id=f"kerberos.{service.name}-principal",
        file=service.file,
        key=service.principal,
        says=f"The principal is {user}/_HOST.",
        decide=lambda facts: Decision(
            f"{user}/_HOST@{realm(facts)}",
            "every host puts its own name for _HOST; the first part is the user",
        ),
        accepts=_own_realm,
        applies=applies,
        condition=condition,
        severity=Severity.SHOULD if service.name in _PAGES else Severity.MUST,
    )


def _keytab(service: Service, key: str) -> SettingRule:
    condition, applies = service.condition
    name = "spnego" if service.user == "HTTP" else service.user
    return secure_rule(
        id=f"kerberos.{service.name}-keytab",
        file=service.file,
        key=key,
        says=f"The keytab is {KEYTABS}/{name}.service.keytab.",
        decide=fixed(f"{KEYTABS}/{name}.service.keytab", "readable by its service only"),
        accepts=set_at_all,
        applies=applies,
        condition=condition,
        # A daemon whose pages ask for nothing starts without, and HDFS's take the daemon's own keytab instead
        # (DFSUtil.getSpnegoKeytabKey).
        severity=Severity.SHOULD if service.name in (*_PAGES, "hdfs-web") else Severity.MUST,
    )


def _services() -> Iterator[Rule]:
    for service in _SERVICES:
        yield _principal(service)
        if service.keytab is not None:
            yield _keytab(service, service.keytab)


RULES: tuple[Rule, ...] = (*_services(),)
