"""Hive with Kerberos: who its servers are, and on whose behalf they may act."""

from __future__ import annotations

from functools import partial

from howdah.model.plan import Role, Value
from howdah.planner.conditions import secured, tez_rule, with_tez
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, Severity, equal
from howdah.planner.rules.security.settings import KEYTABS, realm
from howdah.planner.values import fixed, set_at_all

_FILE = "hive-site.xml"
_PRINCIPAL = "every host puts its own name for _HOST"


def _with_kerberos(facts: Facts) -> bool:
    return with_tez(facts) and secured(facts)


def _principal(facts: Facts) -> Decision:
    return Decision(f"hive/_HOST@{realm(facts)}", _PRINCIPAL)


def _keytab(facts: Facts) -> Decision:
    return Decision(f"{KEYTABS}/hive.service.keytab", "readable by the user hive alone")


def _own(value: Value, decision: Decision, facts: Facts) -> bool:
    return "/" in str(value) and "@" in str(value)


def _hosts(facts: Facts) -> Decision:
    return Decision(
        facts.cluster.addresses(Role.RESOURCEMANAGER),
        "where HiveServer2 is assumed: name the hosts where it runs, never *. It runs queries as the users "
        "who asked, and without this HDFS and YARN refuse them all",
    )


_rule = partial(
    tez_rule,
    file=_FILE,
    sources=("Hive: configuration properties",),
    severity=Severity.MUST,
    applies=_with_kerberos,
    condition="with --secure and Hive",
)
_proxy_rule = partial(
    _rule, file="core-site.xml", sources=("Hadoop 3.5.0: Superusers", "Hive: configuration properties")
)

RULES: tuple[Rule, ...] = (
    _rule(
        id="hive.authentication",
        key="hive.server2.authentication",
        says="Users of HiveServer2 prove who they are.",
        decide=fixed("KERBEROS", "by itself it is NONE: everybody is who they say"),
        accepts=lambda value, decision, facts: str(value).upper() in ("KERBEROS", "LDAP", "SAML", "JWT"),
    ),
    _rule(
        id="hive.principal",
        key="hive.server2.authentication.kerberos.principal",
        says="HiveServer2 has a principal.",
        decide=_principal,
        accepts=_own,
    ),
    _rule(
        id="hive.keytab",
        key="hive.server2.authentication.kerberos.keytab",
        says="HiveServer2 finds its key.",
        decide=_keytab,
        accepts=set_at_all,
    ),
    _rule(
        id="hive.metastore-authentication",
        key="hive.metastore.sasl.enabled",
        says="Clients of the metastore prove who they are.",
        decide=fixed(True, "otherwise whoever reaches its port changes tables"),
        accepts=equal,
    ),
    _rule(
        id="hive.metastore-principal",
        key="hive.metastore.kerberos.principal",
        says="The metastore has a principal.",
        decide=_principal,
        accepts=_own,
    ),
    _rule(
        id="hive.metastore-keytab",
        key="hive.metastore.kerberos.keytab.file",
        says="The metastore finds its key.",
        decide=_keytab,
        accepts=set_at_all,
    ),
    _proxy_rule(
        id="hive.proxy-hosts",
        key="hadoop.proxyuser.hive.hosts",
        says="Hive acts for its users from its own hosts alone.",
        decide=_hosts,
        accepts=lambda value, decision, facts: bool(value) and "*" not in str(value),
    ),
    _proxy_rule(
        id="hive.proxy-groups",
        key="hadoop.proxyuser.hive.groups",
        says="Hive acts for people, not for daemons.",
        decide=fixed(
            ("users",),
            "name the groups of those who query: with * Hive may act as hdfs, which may do everything",
        ),
        accepts=set_at_all,
        severity=Severity.SHOULD,
    ),
)
