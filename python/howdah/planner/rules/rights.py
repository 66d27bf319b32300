"""Who may do what in ZooKeeper and in HBase."""

from __future__ import annotations

from collections.abc import Callable

from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, SettingRule, Severity, equal
from howdah.planner.rules.security import (
    protected,
    secure_rule,
    secured_hbase,
    secured_pair,
)
from howdah.planner.values import Accepts, fixed

_COPROCESSORS = "org.apache.hadoop.hbase.security"
_ACCESS = f"{_COPROCESSORS}.access.AccessController"
_TOKENS = f"{_COPROCESSORS}.token.TokenProvider"


def _has(name: str) -> Accepts:
    return lambda found, decision, facts: name in str(found)


def _hbase_rule(
    name: str, key: str, says: str, *, decide: Callable[[Facts], Decision], accepts: Accepts = equal
) -> SettingRule:
    return secure_rule(
        f"rights.{name}",
        "hbase-site.xml",
        key,
        says,
        decide=decide,
        accepts=accepts,
        applies=secured_hbase,
        condition="with --secure and HBase",
    )


RULES: tuple[Rule, ...] = (
    secure_rule(
        "rights.failover-acl",
        "core-site.xml",
        "ha.zookeeper.acl",
        "Only HDFS may write what decides which NameNode is active.",
        decide=fixed("sasl:hdfs:rwcda", "the default lets everybody who reaches ZooKeeper"),
        accepts=lambda found, decision, facts: bool(found) and "world:" not in str(found),
        applies=secured_pair,
        condition="with --secure and ha",
    ),
    secure_rule(
        "rights.yarn-acl",
        "core-site.xml",
        "hadoop.zk.acl",
        "Only YARN may write what it keeps in ZooKeeper.",
        decide=fixed("sasl:yarn:rwcda", "the default lets everybody who reaches ZooKeeper"),
        accepts=lambda found, decision, facts: bool(found) and "world:" not in str(found),
        applies=lambda facts: secured_pair(facts) and facts.request.mapreduce,
        condition="with --secure, MapReduce and ha",
    ),
    secure_rule(
        "rights.zookeeper",
        "zoo.cfg",
        "authProvider.sasl",
        "ZooKeeper's clients prove who they are.",
        decide=fixed(
            "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
            "with a login configuration for each side, given by -Djava.security.auth.login.config",
        ),
        applies=lambda facts: secured_pair(facts) or secured_hbase(facts),
        condition="with --secure and ha or HBase",
        severity=Severity.SHOULD,
    ),
    *(
        secure_rule(
            f"rights.zookeeper-{part}",
            "zoo.cfg",
            f"kerberos.remove{part.capitalize()}FromPrincipal",
            says,
            decide=fixed(True, "with it the daemon on each host would be somebody else"),
            applies=lambda facts: secured_pair(facts) or secured_hbase(facts),
            condition="with --secure and ha or HBase",
        )
        for part, says in (
            ("host", "ZooKeeper knows a daemon by its user, not by its host: hdfs, yarn, hbase."),
            ("realm", "ZooKeeper knows a daemon by its user, without the realm: hdfs, yarn, hbase."),
        )
    ),
    _hbase_rule(
        "hbase-authentication",
        "hbase.security.authentication",
        "HBase's users prove who they are.",
        decide=fixed("kerberos", "a secure cluster was asked for"),
    ),
    _hbase_rule(
        "hbase-authorization",
        "hbase.security.authorization",
        "HBase checks who may read and write.",
        decide=fixed(True, "a secure cluster was asked for"),
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
