"""Kerberos principals and keytabs of every service.

Principals are named after the users that daemons run as (``hdfs/_HOST@REALM``), so that Hadoop's
default mapping of principals to users needs no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from howdah.model.plan import Value
from howdah.model.request import Protection
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, SettingRule, Severity, equal
from howdah.planner.rules.security import KEYTABS, protected, realm, secure_rule, secured
from howdah.planner.values import Accepts, fixed, set_at_all

Condition = tuple[str, Callable[[Facts], bool]]


def _hbase(facts: Facts) -> bool:
    return secured(facts) and facts.request.hbase_used


_ALWAYS: Condition = ("with --secure", secured)
_YARN: Condition = ("with --secure and MapReduce", lambda facts: secured(facts) and facts.request.mapreduce)
_PAIR: Condition = ("with --secure and ha", lambda facts: secured(facts) and _protected(facts))
_SINGLE: Condition = ("with --secure, without ha", lambda facts: secured(facts) and not _protected(facts))
_HBASE: Condition = ("with --secure and HBase", _hbase)
_PAIR_YARN: Condition = (
    "with --secure, MapReduce and ha",
    lambda facts: secured(facts) and facts.request.mapreduce and _protected(facts),
)


def _protected(facts: Facts) -> bool:
    return facts.request.protection is Protection.HA


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
)

_COPROCESSORS = "org.apache.hadoop.hbase.security"
_ACCESS = f"{_COPROCESSORS}.access.AccessController"
_TOKENS = f"{_COPROCESSORS}.token.TokenProvider"


def _own_realm(found: Value, decision: Decision, facts: Facts) -> bool:
    """A principal of the service's own: ``hdfs/_HOST@REALM``."""
    return "/" in str(found) and "@" in str(found)


def _principal(service: Service) -> SettingRule:
    condition, applies = service.condition
    user = service.user
    return secure_rule(
        f"kerberos.{service.name}-principal",
        service.file,
        service.principal,
        f"The principal is {user}/_HOST.",
        decide=lambda facts: Decision(
            f"{user}/_HOST@{realm(facts)}",
            "every host puts its own name for _HOST; the first part is the user",
        ),
        accepts=_own_realm,
        applies=applies,
        condition=condition,
    )


def _keytab(service: Service, key: str) -> SettingRule:
    condition, applies = service.condition
    name = "spnego" if service.user == "HTTP" else service.user
    return secure_rule(
        f"kerberos.{service.name}-keytab",
        service.file,
        key,
        f"The keytab is {KEYTABS}/{name}.service.keytab.",
        decide=fixed(f"{KEYTABS}/{name}.service.keytab", "readable by its service only"),
        accepts=set_at_all,
        applies=applies,
        condition=condition,
    )


def _services() -> Iterator[Rule]:
    for service in _SERVICES:
        yield _principal(service)
        if service.keytab is not None:
            yield _keytab(service, service.keytab)


def _has(name: str) -> Accepts:
    return lambda found, decision, facts: name in str(found)


def _hbase_rule(
    name: str, key: str, says: str, *, decide: Callable[[Facts], Decision], accepts: Accepts = equal
) -> SettingRule:
    return secure_rule(
        f"kerberos.{name}",
        "hbase-site.xml",
        key,
        says,
        decide=decide,
        accepts=accepts,
        applies=_hbase,
        condition="with --secure and HBase",
    )


RULES: tuple[Rule, ...] = (
    *_services(),
    secure_rule(
        "kerberos.failover-acl",
        "core-site.xml",
        "ha.zookeeper.acl",
        "Only HDFS may write what decides which NameNode is active.",
        decide=fixed("sasl:hdfs:rwcda", "the default lets everybody who reaches ZooKeeper"),
        accepts=lambda found, decision, facts: bool(found) and "world:" not in str(found),
        applies=_PAIR[1],
        condition=_PAIR[0],
    ),
    secure_rule(
        "kerberos.yarn-acl",
        "core-site.xml",
        "hadoop.zk.acl",
        "Only YARN may write what it keeps in ZooKeeper.",
        decide=fixed("sasl:yarn:rwcda", "the default lets everybody who reaches ZooKeeper"),
        accepts=lambda found, decision, facts: bool(found) and "world:" not in str(found),
        applies=_PAIR_YARN[1],
        condition=_PAIR_YARN[0],
    ),
    secure_rule(
        "kerberos.zookeeper",
        "zoo.cfg",
        "authProvider.sasl",
        "ZooKeeper's clients prove who they are.",
        decide=fixed(
            "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
            "with a login configuration for each side, given by -Djava.security.auth.login.config",
        ),
        applies=lambda facts: secured(facts) and (_protected(facts) or facts.request.hbase_used),
        condition="with --secure and ha or HBase",
        severity=Severity.SHOULD,
    ),
    _hbase_rule(
        "hbase-authentication",
        "hbase.security.authentication",
        "HBase's users prove who they are.",
        decide=fixed("kerberos", "asked for with --secure"),
    ),
    _hbase_rule(
        "hbase-authorization",
        "hbase.security.authorization",
        "HBase checks who may read and write.",
        decide=fixed(True, "asked for with --secure"),
    ),
    _hbase_rule(
        "hbase-rpc",
        "hbase.rpc.protection",
        "HBase's calls are encrypted.",
        decide=fixed("privacy", "integrity alone leaves rows readable on the wire"),
        accepts=protected,
    ),
    _hbase_rule(
        "hbase-regions",
        "hbase.coprocessor.region.classes",
        "Regions check rights and give out tokens.",
        decide=fixed((_TOKENS, _ACCESS), "rights are checked where the rows are"),
        accepts=_has(_ACCESS),
    ),
    _hbase_rule(
        "hbase-masters",
        "hbase.coprocessor.master.classes",
        "The HMaster checks rights.",
        decide=fixed((_ACCESS,), "who may make and drop tables"),
        accepts=_has(_ACCESS),
    ),
    _hbase_rule(
        "hbase-regionservers",
        "hbase.coprocessor.regionserver.classes",
        "RegionServers check rights.",
        decide=fixed((_ACCESS,), "who may stop one, or roll its log"),
        accepts=_has(_ACCESS),
    ),
)
