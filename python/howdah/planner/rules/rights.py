"""Who may do what in ZooKeeper and in HBase."""

from __future__ import annotations

from functools import partial

from howdah.model.plan import Role
from howdah.planner.conditions import (
    in_pair,
    secure_hbase_rule,
    secure_rule,
    secured_hbase,
    secured_pair,
)
from howdah.planner.facts import Facts
from howdah.planner.rule import Rule, Severity
from howdah.planner.rules.security.settings import protected, web_secret
from howdah.planner.values import Accepts, fixed, set_at_all

_COPROCESSORS = "org.apache.hadoop.hbase.security"
_ACCESS = f"{_COPROCESSORS}.access.AccessController"
_TOKENS = f"{_COPROCESSORS}.token.TokenProvider"


_QUORUM = (
    ("quorum", "enableSasl", True, "ZooKeeper's servers prove to one another who they are."),
    ("quorum-servers", "serverRequireSasl", True, "A server of ZooKeeper's lets no other in without proof."),
    ("quorum-learners", "learnerRequireSasl", True, "A server of ZooKeeper's follows none without proof."),
    (
        "quorum-principal",
        "kerberos.servicePrincipal",
        "zookeeper/_HOST",
        "ZooKeeper's servers know one another by their hosts' names.",
    ),
)


def _has(name: str) -> Accepts:
    return lambda value, decision, facts: name in str(value)


def _yarn_in_zookeeper(facts: Facts) -> bool:
    """Whether ResourceManagers are a pair, or keep their state in ZooKeeper."""
    if not (secured_pair(facts) and facts.request.mapreduce):
        return False
    if facts.known_cluster is not None:
        return True
    store = str(facts.decided.get("yarn.resourcemanager.store.class") or "")
    return in_pair(Role.RESOURCEMANAGER)(facts) or "ZKRMStateStore" in store


def _checks_rights(facts: Facts) -> bool:
    """Whether HBase checks rights at all: that it does not is a rule of its own."""
    planned = facts.known_cluster is not None
    return secured_hbase(facts) and (
        planned or str(facts.decided.get("hbase.security.authorization")).lower() == "true"
    )


_lists_rule = partial(
    secure_hbase_rule, applies=_checks_rights, condition="with --secure and HBase, where rights are checked"
)

RULES: tuple[Rule, ...] = (
    secure_rule(
        id="rights.failover-acl",
        file="core-site.xml",
        key="ha.zookeeper.acl",
        says="Only HDFS may write what decides which NameNode is active.",
        decide=fixed("sasl:hdfs:rwcda", "the default lets everybody who reaches ZooKeeper"),
        accepts=lambda value, decision, facts: bool(value) and "world:" not in str(value),
        applies=secured_pair,
        condition="with --secure and ha",
    ),
    secure_rule(
        id="rights.yarn-acl",
        file="core-site.xml",
        key="hadoop.zk.acl",
        says="Only YARN may write what it keeps in ZooKeeper.",
        decide=fixed("sasl:yarn:rwcda", "the default lets everybody who reaches ZooKeeper"),
        accepts=lambda value, decision, facts: bool(value) and "world:" not in str(value),
        applies=_yarn_in_zookeeper,
        condition="with --secure, MapReduce and ha",
    ),
    secure_rule(
        id="rights.zookeeper",
        file="zoo.cfg",
        key="authProvider.sasl",
        says="ZooKeeper's clients prove who they are.",
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
            id=f"rights.zookeeper-{part}",
            file="zoo.cfg",
            key=f"kerberos.remove{part.capitalize()}FromPrincipal",
            says=says,
            decide=fixed(True, "with it the daemon on each host would be somebody else"),
            applies=lambda facts: secured_pair(facts) or secured_hbase(facts),
            condition="with --secure and ha or HBase",
        )
        for part, says in (
            ("host", "ZooKeeper knows a daemon by its user, not by its host: hdfs, yarn, hbase."),
            ("realm", "ZooKeeper knows a daemon by its user, without the realm: hdfs, yarn, hbase."),
        )
    ),
    *(
        secure_rule(
            id=f"rights.zookeeper-{name}",
            file="zoo.cfg",
            key=f"quorum.auth.{key}",
            says=says,
            decide=fixed(value, "else whoever reaches their ports could join them, and write what they keep"),
            applies=lambda facts: secured_pair(facts) or secured_hbase(facts),
            condition="with --secure and ha or HBase",
            severity=Severity.SHOULD,
        )
        for name, key, value, says in _QUORUM
    ),
    secure_rule(
        id="rights.zookeeper-sessions",
        file="zoo.cfg",
        key="sessionRequireClientSASLAuth",
        says="ZooKeeper serves nobody who has not proved who they are.",
        decide=fixed(True, "else anybody who reaches it may fill it, and read what is not closed to all"),
        # HBase's clients ask ZooKeeper where tables are, and few of them log in there.
        applies=lambda facts: secured_pair(facts) and not secured_hbase(facts),
        condition="with --secure and ha, without HBase",
        severity=Severity.SHOULD,
    ),
    secure_hbase_rule(
        id="rights.hbase-authentication",
        file="hbase-site.xml",
        key="hbase.security.authentication",
        says="HBase's users prove who they are.",
        decide=fixed("kerberos", "a secure cluster was asked for"),
    ),
    secure_hbase_rule(
        id="rights.hbase-authorization",
        file="hbase-site.xml",
        key="hbase.security.authorization",
        says="HBase checks who may read and write.",
        decide=fixed(True, "a secure cluster was asked for"),
    ),
    secure_hbase_rule(
        id="rights.hbase-rpc",
        file="hbase-site.xml",
        key="hbase.rpc.protection",
        says="HBase's calls are encrypted.",
        severity=Severity.SHOULD,
        decide=fixed("privacy", "integrity alone leaves rows readable on the wire"),
        accepts=protected,
    ),
    secure_hbase_rule(
        id="rights.hbase-web",
        file="hbase-site.xml",
        key="hbase.security.authentication.ui",
        says="HBase's web pages ask users to identify themselves.",
        decide=fixed("kerberos", "by default they ask nobody: Hadoop's filter is not theirs"),
        severity=Severity.SHOULD,
    ),
    secure_hbase_rule(
        id="rights.hbase-web-secret",
        file="hbase-site.xml",
        key="hbase.security.authentication.signature.secret.file",
        says="HBase's pages sign web sessions with the secret of all hosts.",
        decide=web_secret,
        accepts=set_at_all,
        severity=Severity.SHOULD,
    ),
    _lists_rule(
        id="rights.hbase-regions",
        file="hbase-site.xml",
        key="hbase.coprocessor.region.classes",
        says="Regions check rights and give out tokens.",
        decide=fixed((_TOKENS, _ACCESS), "rights are checked where the rows are"),
        accepts=_has(_ACCESS),
    ),
    _lists_rule(
        id="rights.hbase-masters",
        file="hbase-site.xml",
        key="hbase.coprocessor.master.classes",
        says="The HMaster checks rights.",
        decide=fixed((_ACCESS,), "who may make and drop tables"),
        accepts=_has(_ACCESS),
    ),
    _lists_rule(
        id="rights.hbase-regionservers",
        file="hbase-site.xml",
        key="hbase.coprocessor.regionserver.classes",
        says="RegionServers check rights.",
        decide=fixed((_ACCESS,), "who may stop one, or roll its log"),
        accepts=_has(_ACCESS),
    ),
)
