"""Settings with which Kerberos names every user, and what must be prepared for them."""

from __future__ import annotations

from howdah.errors import UserError
from howdah.model.plan import Value
from howdah.planner.conditions import (
    secure_mapreduce_rule,
    secure_rule,
    secured,
    secured_hbase,
    secured_mapreduce,
    secured_pair,
)
from howdah.planner.facts import Facts
from howdah.planner.rule import Counsel, Decision, Rule, Severity
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


def protected(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept what encrypts, and what at least keeps messages from being changed."""
    return str(value).lower() in {"privacy", "integrity", "integrity,privacy", "privacy,integrity"}


def _checks_yarn_lists(facts: Facts) -> bool:
    """Whether YARN checks lists at all: that it does not is a rule of its own."""
    planned = facts.known_cluster is not None
    return secured_mapreduce(facts) and (planned or facts.decided.get("yarn.acl.enable") is True)


def _trusted_network(facts: Facts) -> str | None:
    return (
        "Without --secure every user is who they say they are, and anybody who reaches a port can read and "
        "delete everything: keep the cluster on a network of its own, let nothing but gateways through a "
        "firewall, or plan with --secure."
    )


def _preparations(facts: Facts) -> str | None:
    return (
        f"Before the first start: a Kerberos realm {realm(facts)} with a principal for each service on each "
        f"host; keytabs in {KEYTABS}, readable by their service only; a key and a certificate for each host "
        "in /etc/security/tls; passwords of key stores in a credential store (`hadoop credential create "
        "ssl.server.keystore.password -provider localjceks://file/etc/security/tls/hadoop.jceks`), never in "
        f"a file of the configuration; {WEB_SECRET}, the same on all hosts; login configurations "
        "for ZooKeeper and for those who write to it; "
        "container-executor.cfg as it is rendered, owned by root."
    )


RULES: tuple[Rule, ...] = (
    secure_rule(
        id="security.authentication",
        file="core-site.xml",
        key="hadoop.security.authentication",
        says="Users and services prove who they are.",
        decide=fixed("kerberos", "a secure cluster was asked for"),
    ),
    secure_rule(
        id="security.authorization",
        file="core-site.xml",
        key="hadoop.security.authorization",
        says="Services check who may call them.",
        decide=fixed(True, "a secure cluster was asked for; hadoop-policy.xml says who may"),
    ),
    secure_rule(
        id="security.rpc",
        default_harms=True,
        file="core-site.xml",
        key="hadoop.rpc.protection",
        says="Calls are encrypted.",
        severity=Severity.SHOULD,
        decide=fixed("privacy", "integrity alone leaves names and tokens readable on the wire"),
        accepts=protected,
    ),
    secure_rule(
        id="security.block-tokens",
        file="hdfs-site.xml",
        key="dfs.block.access.token.enable",
        says="DataNodes serve a block only to those the NameNode let have it.",
        decide=fixed(True, "otherwise anybody who knows a block's number can read it"),
    ),
    secure_rule(
        id="security.data-transfer",
        file="hdfs-site.xml",
        key="dfs.data.transfer.protection",
        says="Blocks are encrypted on the wire.",
        severity=Severity.SHOULD,
        decide=fixed("privacy", "it also lets DataNodes run without root's ports"),
        # A DataNode that is told to encrypt does so whatever the protection is (SaslDataTransferServer).
        accepts=lambda value, decision, facts: (
            protected(value, decision, facts) or facts.decided.get("dfs.encrypt.data.transfer") is True
        ),
    ),
    secure_rule(
        id="security.data-cipher",
        file="hdfs-site.xml",
        key="dfs.encrypt.data.transfer.cipher.suites",
        says="Blocks are encrypted by AES.",
        decide=fixed(
            "AES/CTR/NoPadding", "processors have instructions for it; the default negotiates slow ciphers"
        ),
        severity=Severity.SHOULD,
    ),
    secure_mapreduce_rule(
        id="security.container-executor",
        file="yarn-site.xml",
        key="yarn.nodemanager.container-executor.class",
        says="Tasks run as the users who submitted them.",
        decide=fixed(_EXECUTOR, "the default runs every task as the NodeManager's own user"),
    ),
    secure_mapreduce_rule(
        id="security.yarn-lists",
        file="yarn-site.xml",
        key="yarn.acl.enable",
        says="Jobs are seen and stopped by their owners and administrators only.",
        decide=fixed(
            True,
            "the default lets everybody; yarn.admin.acl names administrators, who are all users otherwise",
        ),
    ),
    secure_mapreduce_rule(
        id="security.yarn-administrators",
        file="yarn-site.xml",
        key="yarn.admin.acl",
        says="YARN has administrators of its own.",
        decide=fixed("yarn", "the default, *, makes everybody one"),
        accepts=lambda value, decision, facts: bool(str(value).strip()) and "*" not in str(value),
        applies=_checks_yarn_lists,
        condition="with --secure and MapReduce, where lists are checked",
    ),
    secure_mapreduce_rule(
        id="security.job-lists",
        file="mapred-site.xml",
        key="mapreduce.cluster.acls.enabled",
        says="What jobs report of themselves can be read by their owners only.",
        decide=fixed(True, "counters and configurations may hold what is not for all"),
        severity=Severity.SHOULD,
    ),
    secure_rule(
        id="security.web",
        severity=Severity.SHOULD,
        file="core-site.xml",
        key="hadoop.http.authentication.type",
        says="Web pages ask users to identify themselves.",
        decide=fixed("kerberos", "the default trusts a name in the address"),
    ),
    secure_rule(
        id="security.web-anonymous",
        severity=Severity.SHOULD,
        file="core-site.xml",
        key="hadoop.http.authentication.simple.anonymous.allowed",
        says="Nobody gets in without a name.",
        decide=fixed(False, "with the filter on, only those with a name"),
    ),
    secure_rule(
        id="security.web-filter",
        severity=Severity.SHOULD,
        file="core-site.xml",
        key="hadoop.http.filter.initializers",
        says="The filter that asks is in place on every page.",
        decide=fixed((_FILTER,), "without it hadoop.http.authentication.type has no effect"),
        accepts=lambda value, decision, facts: _FILTER in str(value),
    ),
    secure_rule(
        id="security.web-secret",
        file="core-site.xml",
        key="hadoop.http.authentication.signature.secret.file",
        says="All hosts sign web sessions with one secret.",
        decide=web_secret,
        accepts=set_at_all,
        severity=Severity.SHOULD,
    ),
    Counsel(
        id="security.trusted-network",
        says="A cluster without Kerberos lives on a trusted network.",
        sources=("D3 125", "howdah"),
        severity=Severity.MUST,
        applies=lambda facts: not facts.request.secure,
        condition="without --secure",
        tell=_trusted_network,
    ),
    Counsel(
        id="security.preparations",
        says="What must be there before a secure cluster starts.",
        sources=("Hadoop 3.5.0: secure mode", "howdah"),
        severity=Severity.MUST,
        applies=secured,
        condition="with --secure",
        tell=_preparations,
    ),
)
