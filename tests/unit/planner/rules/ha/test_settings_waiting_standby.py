"""The standby: it takes over by itself, makes checkpoints, and is not far behind."""

from __future__ import annotations

import pytest

from howdah.model.plan import Value
from howdah.model.request import PlanRequest
from howdah.planner.facts import Facts
from howdah.planner.rule import SettingRule
from howdah.planner.rules.catalogue import find_rule
from howdah.planner.rules.ha import settings
from support.pairs import NAMENODES, complaints_about, found_with, rules_in, without

FACTS = Facts(request=PlanRequest())


@pytest.mark.parametrize(
    ("key", "text", "rule"),
    [
        ("dfs.ha.automatic-failover.enabled", "false", "ha.by-itself"),
        ("dfs.ha.namenode.id", "nn1", "ha.own-id"),
        ("dfs.namenode.secondary.http-address", "h3:9868", "ha.no-secondary"),
        ("dfs.namenode.secondary.http-address.ns", "h3:9868", "ha.no-secondary"),
    ],
)
def test_each_is_found(key: str, text: str, rule: str) -> None:
    ((found, one),) = complaints_about(rules_in(settings), found_with({**NAMENODES, key: text}))
    assert (found, one.about) == (rule, key)
    assert key in one.fix


def test_a_secondary_that_is_nowhere_is_none() -> None:
    nowhere = {**NAMENODES, "dfs.namenode.secondary.http-address": "0.0.0.0:9868"}
    assert complaints_about(rules_in(settings), found_with(nowhere)) == []


def test_one_service_may_take_over_by_itself_and_say_so() -> None:
    key = "dfs.ha.automatic-failover.enabled"
    own = {**without(NAMENODES, key), f"{key}.ns": "true"}
    assert complaints_about(rules_in(settings), found_with(own)) == []


def test_of_one_name_node_nothing_is_asked() -> None:
    one = {"dfs.namenode.secondary.http-address": "h3:9868", "dfs.ha.namenode.id": "nn1"}
    assert complaints_about(rules_in(settings), found_with(one)) == []


@pytest.mark.parametrize(
    ("rule_id", "value", "well"),
    [
        ("ha.standby-checkpoints", False, False),
        ("ha.log-roll", 120, True),
        ("ha.log-roll", 86_400, False),
        ("ha.log-roll", -1, False),
    ],
)
def test_what_a_standby_does_is_judged(rule_id: str, value: Value, well: bool) -> None:
    rule = find_rule(rule_id)
    assert isinstance(rule, SettingRule)
    assert not rule.written
    assert rule.accepts(value, rule.decide(FACTS), FACTS) is well
