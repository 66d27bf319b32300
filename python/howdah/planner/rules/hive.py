"""Hive with Kerberos: who its servers are, and on whose behalf they may act."""

from __future__ import annotations

from howdah.model.plan import Role
from howdah.planner.conditions import secured, with_tez
from howdah.planner.facts import Facts
from howdah.planner.rule import MUST, SHOULD, Decision
from howdah.planner.rules.declare import Condition, Rules, set_at_all
from howdah.planner.rules.kerberos import is_principal
from howdah.planner.rules.security import KEYTABS, realm

_FILE = "hive-site.xml"
_PRINCIPAL = "each host replaces _HOST by its own name"
rules = Rules()


def _with_kerberos(facts: Facts) -> bool:
    return with_tez(facts) and secured(facts)


_rule = rules.under(
    when=Condition("with --secure and Hive", _with_kerberos),
    file=_FILE,
    sources="Hive: configuration properties",
    severity=MUST,
)
proxy = rules.under(
    when=Condition("with --secure and Hive", _with_kerberos),
    file="core-site.xml",
    sources="Hadoop 3.5.0: Superusers, Hive: configuration properties",
    severity=MUST,
)

_rule.fixed(
    "hive.authentication",
    "hive.server2.authentication",
    "KERBEROS",
    accepts=lambda value, decision, facts: str(value).upper() in ("KERBEROS", "LDAP", "SAML", "JWT"),
).text("HiveServer2 authenticates its users.", "by default it is NONE: HiveServer2 accepts any name")


def _principal(facts: Facts) -> Decision:
    return Decision(f"hive/_HOST@{realm(facts)}", _PRINCIPAL)


_rule.setting("hive.principal", "hive.server2.authentication.kerberos.principal", accepts=is_principal).by(
    "HiveServer2 has a principal.", _principal
)


_KEYTAB, _OF_KEYTAB = f"{KEYTABS}/hive.service.keytab", "readable only by the user hive"
_rule.fixed("hive.keytab", "hive.server2.authentication.kerberos.keytab", _KEYTAB, accepts=set_at_all).text(
    "HiveServer2 has its key.", _OF_KEYTAB
)
_rule.fixed("hive.metastore-authentication", "hive.metastore.sasl.enabled", True).text(
    "The metastore authenticates its clients.", "otherwise anyone who can reach its port can change tables"
)
_rule.setting("hive.metastore-principal", "hive.metastore.kerberos.principal", accepts=is_principal).by(
    "The metastore has a principal.", _principal
)
_rule.fixed("hive.metastore-keytab", "hive.metastore.kerberos.keytab.file", _KEYTAB, accepts=set_at_all).text(
    "The metastore has its key.", _OF_KEYTAB
)


@proxy.setting(
    "hive.proxy-hosts",
    "hadoop.proxyuser.hive.hosts",
    accepts=lambda value, decision, facts: bool(value) and "*" not in str(value),
)
def _hosts(facts: Facts) -> Decision:
    """Hive acts for its users from its own hosts alone."""
    return Decision(
        facts.cluster.addresses(Role.RESOURCEMANAGER),
        "the assumed host of HiveServer2: list the hosts where it runs, never *. It runs queries as the "
        "users who submit them; without this HDFS and YARN refuse all of them",
    )


proxy.fixed("hive.proxy-groups", "hadoop.proxyuser.hive.groups", ("users",), SHOULD, accepts=set_at_all).text(
    "Hive impersonates people, not daemons.",
    "list the groups of users who run queries: with * Hive may act as hdfs, the superuser",
)
