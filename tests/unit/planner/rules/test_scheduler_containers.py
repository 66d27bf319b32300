"""How many containers a node is given at once, and whether heartbeats decide it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest

from howdah.model.plan import Value
from howdah.model.request import PlanRequest, Profile
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.rule import SettingRule
from support.facts import HADOOP_RULES, a_worker, facts_of, rules_of, values_of

ASYNCHRONOUS = "yarn.scheduler.capacity.schedule-asynchronously.enable"
BEAT = "yarn.scheduler.capacity.per-node-heartbeat"
OFF_SWITCH = f"{BEAT}.maximum-offswitch-assignments"
SEVERAL = f"{BEAT}.multiple-assignments-enabled"
AT_ONCE = f"{BEAT}.maximum-container-assignments"
DELAY = "yarn.scheduler.capacity.node-locality-delay"
RACK_DELAY = "yarn.scheduler.capacity.rack-locality-additional-delay"
FAIR_SEVERAL = "yarn.scheduler.fair.assignmultiple"
FAIR = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"
BY_HEARTBEAT = "3.4.2"


def found(release: str = BY_HEARTBEAT, more: Mapping[str, Value] = MappingProxyType({})) -> Facts:
    """A configuration whose workers run 70 containers of 2 GiB, as a check knows it."""
    return Facts(
        request=PlanRequest(hadoop=release),
        decided={
            "yarn.nodemanager.resource.memory-mb": 143_360,
            "yarn.nodemanager.resource.cpu-vcores": 80,
            "mapreduce.map.memory.mb": 2048,
            **more,
        },
    )


def rule(key: str) -> SettingRule:
    (one,) = [one for one in rules_of("containers") if isinstance(one, SettingRule) and one.key == key]
    return one


def accepted(facts: Facts, key: str, value: Value) -> bool:
    return rule(key).accepts(value, rule(key).decide(facts), facts)


def test_containers_are_given_out_as_the_release_does_by_itself() -> None:
    assert rule(ASYNCHRONOUS).decide(found("3.5.0")).value is True
    before = rule(ASYNCHRONOUS).decide(found(BY_HEARTBEAT))
    assert before.value is False
    assert "YARN-10058" in before.because


def test_heartbeats_fill_small_workers_evenly() -> None:
    five = found("3.5.0", {"yarn.nodemanager.resource.memory-mb": 5 * 2048})
    decision = rule(ASYNCHRONOUS).decide(five)
    assert decision.value is False
    assert "a worker with 5 containers" in decision.because
    six = found("3.5.0", {"yarn.nodemanager.resource.memory-mb": 6 * 2048})
    slow = {"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": 2000}
    assert rule(ASYNCHRONOUS).decide(six).value is True
    assert rule(ASYNCHRONOUS).decide(replace(five, decided={**five.decided, **slow})).value is True


def test_a_heartbeat_brings_a_small_worker_one_container() -> None:
    small: dict[str, Value] = {"yarn.nodemanager.resource.memory-mb": 5 * 2048}
    assert rule(AT_ONCE).decide(found(BY_HEARTBEAT, small)).value == 1
    assert rule(AT_ONCE).decide(found("3.5.0", {**small, ASYNCHRONOUS: False})).value == 1
    assert rule(AT_ONCE).decide(found("3.5.0", {**small, ASYNCHRONOUS: True})).value == 100


@pytest.mark.parametrize(("memory_gib", "wanted"), [(8, 1), (10, 1), (24, 3), (140, 14)])
def test_a_worker_is_full_within_five_seconds(memory_gib: int, wanted: int) -> None:
    facts = found(more={"yarn.nodemanager.resource.memory-mb": memory_gib * 1024})
    assert rule(OFF_SWITCH).decide(facts).value == wanted


def test_longer_heartbeats_bring_more_containers_each() -> None:
    slow = found(more={"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": 3000})
    assert rule(OFF_SWITCH).decide(slow).value == 42


def test_vcores_count_only_where_the_scheduler_counts_them() -> None:
    few: dict[str, Value] = {"yarn.nodemanager.resource.cpu-vcores": 20}
    calculator = "yarn.scheduler.capacity.resource-calculator"
    dominant = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
    assert rule(OFF_SWITCH).decide(found(more=few)).value == 14
    assert rule(OFF_SWITCH).decide(found(more={**few, calculator: dominant})).value == 4


def test_the_largest_kind_of_worker_decides() -> None:
    small, large = a_worker(slots=6), a_worker(memory_gib=300, slots=40).model_copy(update={"name": "large"})
    facts = facts_of(kinds=((small, 4), (large, 4)), request=PlanRequest(hadoop=BY_HEARTBEAT))
    assert values_of(HADOOP_RULES, facts)[OFF_SWITCH] == 16


@pytest.mark.parametrize(
    ("key", "value", "well"),
    [
        (OFF_SWITCH, 1, False),
        (OFF_SWITCH, 4, False),
        (OFF_SWITCH, 5, True),
        (OFF_SWITCH, 70, True),
        (SEVERAL, False, False),
        (SEVERAL, True, True),
        (AT_ONCE, -1, True),
        (AT_ONCE, 100, True),
        (AT_ONCE, 2, False),
    ],
)
def test_what_starves_a_worker_is_found_where_heartbeats_decide_and_only_there(
    key: str, value: Value, well: bool
) -> None:
    assert accepted(found(BY_HEARTBEAT, {ASYNCHRONOUS: False}), key, value) is well
    assert accepted(found("3.5.0", {ASYNCHRONOUS: False}), key, value) is well
    assert accepted(found("3.5.0"), key, value)
    assert accepted(found(BY_HEARTBEAT, {ASYNCHRONOUS: True}), key, value)


def test_small_workers_do_well_with_the_release_s_defaults() -> None:
    facts = found(more={"yarn.nodemanager.resource.memory-mb": 15 * 2048})
    assert accepted(facts, OFF_SWITCH, 1)


def test_what_is_not_known_is_not_guessed_and_not_missed_where_nobody_reads_it() -> None:
    unset: dict[str, Value] = {"yarn.nodemanager.resource.memory-mb": -1}
    with pytest.raises(MissingFact, match="memory-mb"):
        rule(OFF_SWITCH).decide(found(BY_HEARTBEAT, unset))
    assert rule(OFF_SWITCH).decide(found("3.5.0", unset)).value == 1


def test_a_plan_says_that_the_limit_is_not_read_where_scheduling_is_asynchronous() -> None:
    assert "not read" in rule(OFF_SWITCH).decide(found("3.5.0")).because
    assert "not read" not in rule(OFF_SWITCH).decide(found(BY_HEARTBEAT)).because


def test_a_worker_with_more_containers_than_the_release_s_limit_gets_them_all() -> None:
    assert rule(AT_ONCE).decide(found()).value == 100
    assert rule(AT_ONCE).decide(found(more={"mapreduce.map.memory.mb": 1024})).value == 140


def test_every_worker_is_asked_before_a_task_leaves_its_data() -> None:
    assert rule(DELAY).decide(facts_of()).value == 126
    assert rule(RACK_DELAY).decide(facts_of()).value == -1
    assert [accepted(facts_of(), DELAY, delay) for delay in (-1, 0, 40, 500)] == [True, False, True, True]


def test_the_fair_scheduler_gives_more_than_one_container_at_a_time() -> None:
    study = facts_of(request=PlanRequest(profile=Profile.PAPER))
    values = values_of(HADOOP_RULES, study)
    assert values[FAIR_SEVERAL] is True
    assert OFF_SWITCH not in values
    assert FAIR_SEVERAL not in values_of(HADOOP_RULES, facts_of())
    fair = replace(found(), decided={"yarn.resourcemanager.scheduler.class": FAIR})
    assert rule(FAIR_SEVERAL).holds(fair)
    assert not accepted(fair, FAIR_SEVERAL, False)
