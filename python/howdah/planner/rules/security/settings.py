"""Settings with which Kerberos names every user, and what must be prepared for them."""

from __future__ import annotations

from howdah.errors import UserError
from howdah.model.plan import Value
from howdah.planner.conditions import (
    SECURE_MODE,
    SECURED,
    SECURED_MAPREDUCE,
    secured_hbase,
    secured_mapreduce,
    secured_pair,
)
from howdah.planner.facts import Facts
from howdah.planner.rule import MUST, SHOULD, Decision
from howdah.planner.rules.declare import Condition, Rules
from howdah.planner.values import fixed, set_at_all

KEYTABS = "/etc/security/keytabs"
WEB_SECRET = "/etc/security/http_secret"
web_secret = fixed(WEB_SECRET, "a file that only Hadoop's users can read, the same on all hosts")
"""What all hosts sign web sessions with."""
_EXECUTOR = "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor"
_FILTER = "org.apache.hadoop.security.AuthenticationFilterInitializer"


def login(user: str, facts: Facts) -> tuple[str, ...]:
    """The option by which a daemon of this user proves to ZooKeeper who it is, on a secure cluster."""
    if not secured_pair(facts) and not secured_hbase(facts):
        return ()
    return (f"-Djava.security.auth.login.config=/etc/security/jaas/{user}.conf",)


rules = Rules(file="core-site.xml")
secure = rules.under(when=SECURED, sources=SECURE_MODE, severity=MUST)
secure_mapreduce = rules.under(when=SECURED_MAPREDUCE, sources=SECURE_MODE, severity=MUST)

secure.fixed("security.authentication", "hadoop.security.authentication", "kerberos").text(
    "Users and services prove who they are.", "a secure cluster was asked for"
)
secure.fixed("security.authorization", "hadoop.security.authorization", True).text(
    "Services check who may call them.", "a secure cluster was asked for; hadoop-policy.xml says who may"
)


def protected(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept what encrypts, and what at least keeps messages from being changed."""
    return str(value).lower() in {"privacy", "integrity", "integrity,privacy", "privacy,integrity"}


secure.fixed(
    "security.rpc", "hadoop.rpc.protection", "privacy", SHOULD, default_harms=True, accepts=protected
).text("Calls are encrypted.", "integrity alone leaves names and tokens readable on the wire")
secure.fixed("security.block-tokens", "dfs.block.access.token.enable", True, file="hdfs-site.xml").text(
    "DataNodes serve a block only to those the NameNode let have it.",
    "otherwise anybody who knows a block's number can read it",
)
# A DataNode that is told to encrypt does so whatever the protection is (SaslDataTransferServer).
secure.fixed(
    "security.data-transfer",
    "dfs.data.transfer.protection",
    "privacy",
    SHOULD,
    file="hdfs-site.xml",
    accepts=lambda value, decision, facts: (
        protected(value, decision, facts) or facts.decided.get("dfs.encrypt.data.transfer") is True
    ),
).text("Blocks are encrypted on the wire.", "it also lets DataNodes run without root's ports")
secure.fixed(
    "security.data-cipher",
    "dfs.encrypt.data.transfer.cipher.suites",
    "AES/CTR/NoPadding",
    SHOULD,
    file="hdfs-site.xml",
).text(
    "Blocks are encrypted by AES.", "processors have instructions for it; the default negotiates slow ciphers"
)
secure_mapreduce.fixed(
    "security.container-executor",
    "yarn.nodemanager.container-executor.class",
    _EXECUTOR,
    file="yarn-site.xml",
).text(
    "Tasks run as the users who submitted them.", "the default runs every task as the NodeManager's own user"
)
secure_mapreduce.fixed("security.yarn-lists", "yarn.acl.enable", True, file="yarn-site.xml").text(
    "Jobs are seen and stopped by their owners and administrators only.",
    "the default lets everybody; yarn.admin.acl names administrators, who are all users otherwise",
)


def _checks_yarn_lists(facts: Facts) -> bool:
    """Whether YARN checks lists at all: that it does not is a rule of its own."""
    planned = facts.known_cluster is not None
    return secured_mapreduce(facts) and (planned or facts.decided.get("yarn.acl.enable") is True)


secure_mapreduce.fixed(
    "security.yarn-administrators",
    "yarn.admin.acl",
    "yarn",
    when=Condition("with --secure and MapReduce, where lists are checked", _checks_yarn_lists),
    file="yarn-site.xml",
    accepts=lambda value, decision, facts: bool(str(value).strip()) and "*" not in str(value),
).text("YARN has administrators of its own.", "the default, *, makes everybody one")
secure_mapreduce.fixed(
    "security.job-lists", "mapreduce.cluster.acls.enabled", True, SHOULD, file="mapred-site.xml"
).text(
    "What jobs report of themselves can be read by their owners only.",
    "counters and configurations may hold what is not for all",
)
secure.fixed("security.web", "hadoop.http.authentication.type", "kerberos", SHOULD).text(
    "Web pages ask users to identify themselves.", "the default trusts a name in the address"
)
secure.fixed(
    "security.web-anonymous", "hadoop.http.authentication.simple.anonymous.allowed", False, SHOULD
).text("Nobody gets in without a name.", "with the filter on, only those with a name")
secure.fixed(
    "security.web-filter",
    "hadoop.http.filter.initializers",
    (_FILTER,),
    SHOULD,
    accepts=lambda value, decision, facts: _FILTER in str(value),
).text(
    "The filter that asks is in place on every page.",
    "without it hadoop.http.authentication.type has no effect",
)
secure.setting(
    "security.web-secret", "hadoop.http.authentication.signature.secret.file", SHOULD, accepts=set_at_all
).by("All hosts sign web sessions with one secret.", web_secret)


@rules.advice(
    "security.trusted-network",
    MUST,
    sources="D3 125, howdah",
    when=Condition("without --secure", lambda facts: not facts.request.secure),
)
def _trusted_network(facts: Facts) -> str | None:
    """A cluster without Kerberos lives on a trusted network."""
    return (
        "Without --secure every user is who they say they are, and anybody who reaches a port can read and "
        "delete everything: keep the cluster on a network of its own, let nothing but gateways through a "
        "firewall, or plan with --secure."
    )


def realm(facts: Facts) -> str:
    """The Kerberos realm: the one asked for, or the hosts' domain in capitals; raises UserError."""
    if facts.request.realm:
        return facts.request.realm
    domain = facts.cluster.domain
    if not domain:
        raise UserError(
            "--realm",
            "the hosts share no domain that a Kerberos realm could be named after",
            "give the realm, for instance --realm EXAMPLE.COM",
        )
    return domain.upper()


@rules.advice("security.preparations", MUST, sources="Hadoop 3.5.0: secure mode, howdah", when=SECURED)
def _preparations(facts: Facts) -> str | None:
    """What must be there before a secure cluster starts."""
    return (
        f"Before the first start: a Kerberos realm {realm(facts)} with a principal for each service on each "
        f"host; keytabs in {KEYTABS}, readable by their service only; a key and a certificate for each host "
        "in /etc/security/tls; passwords of key stores in a credential store (`hadoop credential create "
        "ssl.server.keystore.password -provider localjceks://file/etc/security/tls/hadoop.jceks`), never in "
        f"a file of the configuration; {WEB_SECRET}, the same on all hosts; login configurations "
        "for ZooKeeper and for those who write to it; "
        "container-executor.cfg as it is rendered, owned by root."
    )
