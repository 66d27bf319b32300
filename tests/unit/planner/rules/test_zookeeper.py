"""Rules about ZooKeeper."""

from __future__ import annotations

import pytest

from howdah.model.request import PlanRequest
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, SettingRule
from howdah.planner.rules.catalogue import find_rule


@pytest.mark.parametrize(
    ("address", "accepted"),
    [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False), ("10.0.0.1", False)],
)
def test_commands_are_taken_from_the_own_host_alone(address: str, accepted: bool) -> None:
    rule = find_rule("zookeeper.admin-address")
    assert isinstance(rule, SettingRule)
    assert rule.accepts(address, Decision("127.0.0.1", ""), Facts(request=PlanRequest())) is accepted
