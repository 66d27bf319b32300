"""Hive with Kerberos: who its servers are, and on whose behalf they may act."""

from __future__ import annotations

from howdah.model.plan import Role
from howdah.planner.conditions import secured, with_tez
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules

rules = read_rules("hive.toml")


@rules.when("with --secure and Hive")
def _with_kerberos(facts: Facts) -> bool:
    return with_tez(facts) and secured(facts)


rules.accepts("authenticates")(
    lambda value, decision, facts: str(value).upper() in ("KERBEROS", "LDAP", "SAML", "JWT")
)


rules.accepts("named hosts")(lambda value, decision, facts: bool(value) and "*" not in str(value))


@rules.decides("hive.proxy-hosts")
def _hosts(facts: Facts) -> Decision:
    return Decision(
        facts.cluster.addresses(Role.RESOURCEMANAGER),
        "the assumed host of HiveServer2: list the hosts where it runs, never *. It runs queries as the "
        "users who submit them; without this HDFS and YARN refuse all of them",
    )
