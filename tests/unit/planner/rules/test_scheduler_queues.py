"""Queues of a secure cluster: who may stop the jobs of others."""

from __future__ import annotations

import pytest

from howdah.planner.rule import AdviceRule, SettingRule
from howdah.planner.rules.catalogue import find_rule
from support.facts import HBASE, asking, facts_of, rules_of, values_of

ADMINISTER = "yarn.scheduler.capacity.root.acl_administer_queue"


def test_with_kerberos_not_everybody_may_stop_every_job() -> None:
    assert values_of([rules_of("queues")], facts_of(request=asking(secure=True)))[ADMINISTER] == "yarn"
    assert ADMINISTER not in values_of([rules_of("queues")], facts_of())
    assert ADMINISTER not in values_of([rules_of("queues")], facts_of(request=asking(HBASE, secure=True)))


@pytest.mark.parametrize(
    ("value", "well"),
    [("*", False), ("yarn,* ", False), ("yarn", True), (" ", True), ("yarn operators", True)],
)
def test_any_list_but_everybody_will_do(value: str, well: bool) -> None:
    rule = find_rule("queues.administrators")
    assert isinstance(rule, SettingRule)
    facts = facts_of(request=asking(secure=True))
    assert rule.accepts(value, rule.decide(facts), facts) is well


def test_who_may_submit_is_left_to_the_administrator_and_said() -> None:
    counsel = find_rule("queues.submitters")
    assert isinstance(counsel, AdviceRule)
    text = counsel.advise(facts_of(request=asking(secure=True)))
    assert text is not None
    assert "acl_submit_applications" in text
