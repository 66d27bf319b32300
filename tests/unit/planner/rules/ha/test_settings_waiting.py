"""Waits: what a plan gives, what a configuration alone is asked, and what it all comes to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from howdah.model.plan import Role, Value
from howdah.model.request import PlanRequest, Protection
from howdah.planner.facts import Facts
from howdah.planner.rule import AdviceRule, SettingRule
from howdah.planner.rules.catalogue import find_rule
from howdah.planner.rules.ha import settings
from support.facts import a_master, facts_of, rules_of, values_of
from support.pairs import WAITS

PAIR = (a_master(Role.NAMENODE), a_master(Role.NAMENODE, host="h02.example.com"))
FENCED = {"dfs.ha.fencing.methods": "sshfence\nshell(/bin/true)"}


SETTINGS = tuple(rule for rule in rules_of("ha") if isinstance(rule, SettingRule))
KERNEL = [rule for rule in SETTINGS if rule.file == "sysctl.conf"]
WAITING = SETTINGS[[rule.id for rule in SETTINGS].index("ha.session") :]


def in_plan(methods: str = FENCED["dfs.ha.fencing.methods"]) -> Facts:
    return replace(facts_of(masters=PAIR), decided={"dfs.ha.fencing.methods": methods})


def alone(**decided: Value) -> Facts:
    """What a check knows of a configuration of a pair."""
    return Facts(request=PlanRequest(protection=Protection.HA), decided={**WAITS, **decided})


def test_a_plan_gives_every_wait() -> None:
    values = values_of([WAITING], in_plan())
    assert values["ha.zookeeper.session-timeout.ms"] == 10_000
    assert values["dfs.ha.fencing.ssh.connect-timeout"] == 2_000
    assert values["dfs.client.failover.max.attempts"] == values["dfs.client.retry.max.attempts"] == 180
    assert values["ipc.client.rpc-timeout.ms"] == 120_000


def test_a_lost_host_is_missed_for_less_than_twenty_seconds() -> None:
    values = values_of([KERNEL, WAITING], in_plan())
    known = replace(in_plan(), decided={**FENCED, **values})
    pause = known.number("dfs.client.failover.sleep.max.millis") / 1000
    assert settings.lost_host(known).until_active_s + pause < 20
    # A call to a host that was lost before, and one that it had received: 13.4 and 13 s as measured.
    assert settings.retransmission_s(int(known.number("net.ipv4.tcp_retries2"))) == pytest.approx(12.6)
    assert settings.missed_by_tcp_s(known) == 13
    assert settings.retransmission_s(15) == pytest.approx(924.6)


def test_without_sshfence_nobody_waits_for_it() -> None:
    known = in_plan("shell(/bin/true)")
    values = values_of([KERNEL, WAITING], known)
    assert "dfs.ha.fencing.ssh.connect-timeout" not in values
    counsel = find_rule("ha.expected-outage")
    assert isinstance(counsel, AdviceRule)
    rolled = {"dfs.ha.log-roll.period": 120}
    text = counsel.advise(replace(known, decided={**known.decided, **values, **rolled}))
    assert text is not None
    # A standby reads edits of two minutes at a time, and stays in safe mode for half a minute more.
    assert "has left safe mode some 2 min 30 s later" in text
    assert "sshfence" not in text
    assert "for at most 17.0 s" in text


def test_what_is_waited_for_is_counted_as_it_was_measured() -> None:
    lost = settings.lost_host(alone())
    assert (lost.noticed, lost.requested, lost.fenced, lost.until_active_s) == (10, 40, 30, 83)


@pytest.mark.parametrize(
    ("rule_id", "value", "well"),
    [
        ("ha.session", 10_000, True),
        ("ha.session", 60_000, False),
        ("ha.connect-timeout", 60_000, False),
        ("ha.answer-timeout", 0, False),
        ("ha.answer-timeout", 15_000, False),
        ("ha.answer-timeout", 60_000, True),
        ("ha.answer-timeout", 120_000, True),
        ("ha.client-pause", 120_000, False),
        ("ha.client-retries", 10, True),
        ("ha.connection-retries", 45, False),
        ("ha.health-timeout", 1_000, False),
        ("ha.health-timeout", 45_000, True),
        ("ha.journal-timeout", 1_000, False),
        ("ha.graceful-retries", 10, False),
    ],
)
def test_a_configuration_alone_is_judged(rule_id: str, value: Value, well: bool) -> None:
    rule = find_rule(rule_id)
    assert isinstance(rule, SettingRule)
    known = alone()
    assert rule.holds(known)
    assert rule.accepts(value, rule.decide(known), known) is well


def test_ten_retries_are_few_where_pauses_are_short() -> None:
    rule = find_rule("ha.client-retries")
    assert isinstance(rule, SettingRule)
    short = alone(**{"dfs.client.failover.sleep.max.millis": 2_000})
    assert not rule.accepts(10, rule.decide(short), short)


def test_one_name_node_is_not_waited_for() -> None:
    assert not find_rule("ha.session").holds(Facts(request=PlanRequest()))
    assert not find_rule("ha.session").holds(facts_of())
