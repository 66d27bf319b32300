"""Who may do what: with --secure Kerberos names every user, without it the network must be trusted."""

from __future__ import annotations

from collections.abc import Callable

from howdah.errors import UserError
from howdah.model.plan import Value
from howdah.model.request import Protection
from howdah.planner.facts import Facts
from howdah.planner.inspecting import exposure
from howdah.planner.rule import Counsel, Decision, Rule, SettingRule, Severity, equal
from howdah.planner.values import Accepts, fixed, set_at_all

KEYTABS = "/etc/security/keytabs"
_EXECUTOR = "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor"
_FILTER = "org.apache.hadoop.security.AuthenticationFilterInitializer"


def secured(facts: Facts) -> bool:
    """Whether the cluster was asked to be secure."""
    return facts.request.secure


def secured_mapreduce(facts: Facts) -> bool:
    """Whether MapReduce runs on a cluster that was asked to be secure."""
    return secured(facts) and facts.request.mapreduce


def secured_hbase(facts: Facts) -> bool:
    """Whether HBase runs on a cluster that was asked to be secure."""
    return secured(facts) and facts.request.hbase_used


def secured_pair(facts: Facts) -> bool:
    """Whether masters come in pairs on a cluster that was asked to be secure."""
    return secured(facts) and facts.request.protection is Protection.HA


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


def secure_rule(
    rule_id: str,
    file: str,
    key: str,
    says: str,
    *,
    decide: Callable[[Facts], Decision],
    accepts: Accepts = equal,
    severity: Severity = Severity.MUST,
    applies: Callable[[Facts], bool] = secured,
    condition: str = "with --secure",
    today: str = "",
) -> SettingRule:
    """A rule that holds where the cluster was asked to be secure."""
    return SettingRule(
        id=rule_id,
        says=says,
        sources=("Hadoop 3.5.0: secure mode", "howdah"),
        severity=severity,
        applies=applies,
        condition=condition,
        key=key,
        file=file,
        decide=decide,
        accepts=accepts,
        today=today,
    )


def protected(found: Value, decision: Decision, facts: Facts) -> bool:
    """Accept what encrypts, and what at least keeps messages from being changed."""
    return str(found).lower() in {"privacy", "integrity", "integrity,privacy", "privacy,integrity"}


def _trusted_network(facts: Facts) -> str | None:
    return (
        "Without --secure every user is who they say they are, and whoever reaches a port can read and "
        "delete everything: keep the cluster on a network of its own, let nothing but gateways through a "
        "firewall, or plan with --secure."
    )


def _preparations(facts: Facts) -> str | None:
    return (
        f"Before the first start: a Kerberos realm {realm(facts)} with a principal for each service on each "
        f"host; keytabs in {KEYTABS}, readable by their service only; a key and a certificate for each host "
        "in /etc/security/tls; passwords of key stores in a credential store (`hadoop credential create "
        "ssl.server.keystore.password -provider localjceks://file/etc/security/tls/hadoop.jceks`), never in "
        "a file of the configuration; /etc/security/http_secret, the same on all hosts; login configurations "
        "for ZooKeeper and for those who write to it; "
        "container-executor.cfg as it is rendered, owned by root."
    )


RULES: tuple[Rule, ...] = (
    secure_rule(
        "security.authentication",
        "core-site.xml",
        "hadoop.security.authentication",
        "Users and services prove who they are.",
        decide=fixed("kerberos", "a secure cluster was asked for"),
    ),
    secure_rule(
        "security.authorization",
        "core-site.xml",
        "hadoop.security.authorization",
        "Services check who may call them.",
        decide=fixed(True, "a secure cluster was asked for; hadoop-policy.xml says who may"),
    ),
    secure_rule(
        "security.rpc",
        "core-site.xml",
        "hadoop.rpc.protection",
        "Calls are encrypted.",
        decide=fixed("privacy", "integrity alone leaves names and tokens readable on the wire"),
        accepts=protected,
    ),
    secure_rule(
        "security.block-tokens",
        "hdfs-site.xml",
        "dfs.block.access.token.enable",
        "DataNodes serve a block only to those the NameNode let have it.",
        decide=fixed(True, "otherwise whoever knows a block's number reads it"),
    ),
    secure_rule(
        "security.data-transfer",
        "hdfs-site.xml",
        "dfs.data.transfer.protection",
        "Blocks are encrypted on the wire.",
        decide=fixed("privacy", "it also lets DataNodes run without root's ports"),
        accepts=protected,
    ),
    secure_rule(
        "security.data-cipher",
        "hdfs-site.xml",
        "dfs.encrypt.data.transfer.cipher.suites",
        "Blocks are encrypted by AES.",
        decide=fixed(
            "AES/CTR/NoPadding", "processors have instructions for it; the default negotiates slow ciphers"
        ),
        severity=Severity.SHOULD,
    ),
    secure_rule(
        "security.container-executor",
        "yarn-site.xml",
        "yarn.nodemanager.container-executor.class",
        "Tasks run as the users who submitted them.",
        decide=fixed(_EXECUTOR, "the default runs every task as the NodeManager's own user"),
        applies=secured_mapreduce,
        condition="with --secure and MapReduce",
    ),
    secure_rule(
        "security.yarn-lists",
        "yarn-site.xml",
        "yarn.acl.enable",
        "Jobs are seen and stopped by their owners and administrators only.",
        decide=fixed(True, "the default lets everybody"),
        applies=secured_mapreduce,
        condition="with --secure and MapReduce",
    ),
    secure_rule(
        "security.yarn-administrators",
        "yarn-site.xml",
        "yarn.admin.acl",
        "YARN has administrators of its own.",
        decide=fixed("yarn", "the default, *, makes everybody one"),
        accepts=lambda found, decision, facts: bool(str(found).strip()) and "*" not in str(found),
        applies=secured_mapreduce,
        condition="with --secure and MapReduce",
    ),
    secure_rule(
        "security.job-lists",
        "mapred-site.xml",
        "mapreduce.cluster.acls.enabled",
        "What jobs tell of themselves is for their owners.",
        decide=fixed(True, "counters and configurations may hold what is not for all"),
        applies=secured_mapreduce,
        condition="with --secure and MapReduce",
        severity=Severity.SHOULD,
    ),
    secure_rule(
        "security.web",
        "core-site.xml",
        "hadoop.http.authentication.type",
        "Web pages ask who is there.",
        decide=fixed("kerberos", "the default believes a name in the address"),
    ),
    secure_rule(
        "security.web-anonymous",
        "core-site.xml",
        "hadoop.http.authentication.simple.anonymous.allowed",
        "Nobody is let in without a name.",
        decide=fixed(False, "with the filter on, only those with a name"),
    ),
    secure_rule(
        "security.web-filter",
        "core-site.xml",
        "hadoop.http.filter.initializers",
        "The filter that asks is in place on every page.",
        decide=fixed((_FILTER,), "without it hadoop.http.authentication.type has no effect"),
        accepts=lambda found, decision, facts: _FILTER in str(found),
    ),
    secure_rule(
        "security.web-secret",
        "core-site.xml",
        "hadoop.http.authentication.signature.secret.file",
        "All hosts sign web sessions with one secret.",
        decide=fixed(
            "/etc/security/http_secret", "a file that only Hadoop's users can read, the same on all hosts"
        ),
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
    *exposure.RULES,
)
