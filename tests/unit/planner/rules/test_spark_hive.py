"""Hive and Spark on a secure cluster: their principals, and whom Hive may act for."""

from __future__ import annotations

import pytest

from howdah.model.plan import Value
from howdah.model.request import Demand
from howdah.planner.rule import SettingRule
from howdah.planner.rules.catalogue import find_rule
from support.facts import asking, facts_of, rules_of, values_of

SECURED_SPARK = [rule for rule in rules_of("spark") if rule.condition == "with --secure and Spark"]
HIVE, SPARK = (Demand(kind="tez"),), (Demand(kind="spark"),)


def test_with_kerberos_hive_has_principals_and_acts_for_people() -> None:
    values = values_of([rules_of("hive")], facts_of(request=asking(HIVE, secure=True)))
    assert values["hive.server2.authentication"] == "KERBEROS"
    assert values["hive.metastore.sasl.enabled"] is True
    assert values["hive.metastore.kerberos.principal"] == "hive/_HOST@EXAMPLE.COM"
    assert values["hadoop.proxyuser.hive.hosts"] == ("m1.example.com",)
    assert values["hadoop.proxyuser.hive.groups"] == ("users",)


def test_with_kerberos_sparks_history_server_logs_in() -> None:
    values = values_of([SECURED_SPARK], facts_of(request=asking(SPARK, secure=True)))
    assert values["spark.history.kerberos.enabled"] is True
    assert values["spark.history.kerberos.principal"] == "spark@EXAMPLE.COM"
    assert values["spark.acls.enable"] is True


@pytest.mark.parametrize("kinds", [HIVE, SPARK])
def test_without_kerberos_neither_is_told_of_it(kinds: tuple[Demand, ...]) -> None:
    assert values_of([rules_of("hive"), SECURED_SPARK], facts_of(request=asking(kinds))) == {}


@pytest.mark.parametrize(
    ("rule_id", "value", "well"),
    [
        ("hive.proxy-hosts", "*", False),
        ("hive.proxy-hosts", "hs1.example.com,hs2.example.com", True),
        ("hive.proxy-hosts", "", False),
        ("hive.proxy-groups", "analysts", True),
        ("hive.authentication", "NONE", False),
        ("hive.authentication", "LDAP", True),
        ("spark.history-principal", "spark/_HOST@EXAMPLE.COM", False),
        ("spark.history-principal", "spark/h1.example.com@EXAMPLE.COM", True),
    ],
)
def test_what_exists_is_judged(rule_id: str, value: Value, well: bool) -> None:
    rule = find_rule(rule_id)
    assert isinstance(rule, SettingRule)
    facts = facts_of(request=asking((*HIVE, *SPARK), secure=True))
    assert rule.accepts(value, rule.decide(facts), facts) is well
