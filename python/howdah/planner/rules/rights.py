"""Who may do what in ZooKeeper and in HBase."""

from __future__ import annotations

from howdah.model.plan import Role
from howdah.planner.conditions import (
    SECURE_MODE,
    SECURED,
    SECURED_HBASE,
    in_pair,
    secured_hbase,
    secured_pair,
)
from howdah.planner.facts import Facts
from howdah.planner.rule import MUST, SHOULD
from howdah.planner.rules.declare import Accepts, Condition, Rules, set_at_all
from howdah.planner.rules.security import WEB_SECRET, WHY_WEB_SECRET, protected

_COPROCESSORS = "org.apache.hadoop.hbase.security"
_ACCESS = f"{_COPROCESSORS}.access.AccessController"
_TOKENS = f"{_COPROCESSORS}.token.TokenProvider"
_OUTSIDERS = "otherwise anyone who can reach their ports could join them and write their data"
_PAIR_OR_HBASE = Condition(
    "with --secure and ha or HBase", lambda facts: secured_pair(facts) or secured_hbase(facts)
)
rules = Rules(file="hbase-site.xml")
secure = rules.under(when=SECURED, sources=SECURE_MODE, severity=MUST)
secure_hbase = rules.under(when=SECURED_HBASE, sources=SECURE_MODE, severity=MUST)


def _checks_rights(facts: Facts) -> bool:
    """Whether HBase checks rights at all; a separate rule reports that it does not."""
    return secured_hbase(facts) and (
        facts.planned or str(facts.decided.get("hbase.security.authorization")).lower() == "true"
    )


lists = rules.under(
    when=Condition("with --secure and HBase, if rights are checked", _checks_rights),
    sources=SECURE_MODE,
    severity=MUST,
)

secure.fixed(
    "rights.failover-acl",
    "ha.zookeeper.acl",
    "sasl:hdfs:rwcda",
    when=Condition("with --secure and ha", secured_pair),
    file="core-site.xml",
    accepts=lambda value, decision, facts: bool(value) and "world:" not in str(value),
).text(
    "Only HDFS may write the data that decide which NameNode is active.",
    "by default any client of ZooKeeper may write",
)


def _yarn_in_zookeeper(facts: Facts) -> bool:
    """Whether ResourceManagers are a pair, or keep their state in ZooKeeper."""
    if not (secured_pair(facts) and facts.request.mapreduce):
        return False
    if facts.planned:
        return True
    store = str(facts.decided.get("yarn.resourcemanager.store.class") or "")
    return in_pair(Role.RESOURCEMANAGER)(facts) or "ZKRMStateStore" in store


secure.fixed(
    "rights.yarn-acl",
    "hadoop.zk.acl",
    "sasl:yarn:rwcda",
    when=Condition("with --secure, MapReduce and ha", _yarn_in_zookeeper),
    file="core-site.xml",
    accepts=lambda value, decision, facts: bool(value) and "world:" not in str(value),
).text("Only YARN may write its data in ZooKeeper.", "by default any client of ZooKeeper may write")
secure.fixed(
    "rights.zookeeper",
    "authProvider.sasl",
    "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
    SHOULD,
    when=_PAIR_OR_HBASE,
    file="zoo.cfg",
).text(
    "ZooKeeper authenticates its clients.",
    "with a login configuration for each side, given by -Djava.security.auth.login.config",
)

zookeeper = secure.under(file="zoo.cfg", when=_PAIR_OR_HBASE)
zookeeper.fixed("rights.zookeeper-host", "kerberos.removeHostFromPrincipal", True).text(
    "ZooKeeper identifies a daemon by its user, not by its host: hdfs, yarn, hbase.",
    "with it the daemon on each host would be a different user",
)
zookeeper.fixed("rights.zookeeper-realm", "kerberos.removeRealmFromPrincipal", True).text(
    "ZooKeeper identifies a daemon by its user without the realm: hdfs, yarn, hbase.",
    "with it the daemon on each host would be a different user",
)
zookeeper.fixed("rights.zookeeper-quorum", "quorum.auth.enableSasl", True, SHOULD).text(
    "ZooKeeper's servers authenticate each other.", _OUTSIDERS
)
zookeeper.fixed("rights.zookeeper-quorum-servers", "quorum.auth.serverRequireSasl", True, SHOULD).text(
    "A ZooKeeper server accepts only authenticated servers.", _OUTSIDERS
)
zookeeper.fixed("rights.zookeeper-quorum-learners", "quorum.auth.learnerRequireSasl", True, SHOULD).text(
    "A ZooKeeper server follows only authenticated servers.", _OUTSIDERS
)
zookeeper.fixed(
    "rights.zookeeper-quorum-principal", "quorum.auth.kerberos.servicePrincipal", "zookeeper/_HOST", SHOULD
).text("ZooKeeper's servers identify each other by host name.", _OUTSIDERS)
# HBase's clients ask ZooKeeper where tables are, and few of them log in there.
secure.fixed(
    "rights.zookeeper-sessions",
    "sessionRequireClientSASLAuth",
    True,
    SHOULD,
    when=Condition(
        "with --secure and ha, without HBase", lambda facts: secured_pair(facts) and not secured_hbase(facts)
    ),
    file="zoo.cfg",
).text(
    "ZooKeeper serves authenticated clients only.",
    "otherwise any client can fill it, and read data without an access list",
)
secure_hbase.fixed("rights.hbase-authentication", "hbase.security.authentication", "kerberos").text(
    "HBase authenticates its users.", "the request is for a secure cluster"
)
secure_hbase.fixed("rights.hbase-authorization", "hbase.security.authorization", True).text(
    "HBase checks rights to read and write.", "the request is for a secure cluster"
)
secure_hbase.fixed("rights.hbase-rpc", "hbase.rpc.protection", "privacy", SHOULD, accepts=protected).text(
    "HBase's calls are encrypted.", "integrity alone leaves rows readable on the wire"
)
secure_hbase.fixed("rights.hbase-web", "hbase.security.authentication.ui", "kerberos", SHOULD).text(
    "HBase's web pages require users to authenticate.",
    "by default they authenticate no user: Hadoop's filter does not cover them",
)
secure_hbase.fixed(
    "rights.hbase-web-secret",
    "hbase.security.authentication.signature.secret.file",
    WEB_SECRET,
    SHOULD,
    accepts=set_at_all,
).text("HBase's pages sign web sessions with the secret of all hosts.", WHY_WEB_SECRET)


def _has(name: str) -> Accepts:
    return lambda value, decision, facts: name in str(value)


lists.fixed(
    "rights.hbase-regions", "hbase.coprocessor.region.classes", (_TOKENS, _ACCESS), accepts=_has(_ACCESS)
).text("Regions check rights and give out tokens.", "rights are checked at the rows")
lists.fixed(
    "rights.hbase-masters", "hbase.coprocessor.master.classes", (_ACCESS,), accepts=_has(_ACCESS)
).text("The HMaster checks rights.", "rights to create and drop tables")
lists.fixed(
    "rights.hbase-regionservers", "hbase.coprocessor.regionserver.classes", (_ACCESS,), accepts=_has(_ACCESS)
).text("RegionServers check rights.", "rights to stop a RegionServer or roll its log")
