"""The scheduler as a plan sets it up: with or without waiting for heartbeats, and how much at once."""

from __future__ import annotations

import pytest

from howdah.model.plan import ClusterPlan, Setting
from howdah.model.request import Hadoop1
from howdah.simulation.scenario import Scheduling
from howdah.simulation.translate import translate
from support.sim_plans import slots_plan, small_plan, suite_on

ASYNCHRONOUS = "yarn.scheduler.capacity.schedule-asynchronously.enable"
EVERY_MS = "yarn.scheduler.capacity.schedule-asynchronously.scheduling-interval-ms"
BEAT = "yarn.scheduler.capacity.per-node-heartbeat"
DELAY = "yarn.scheduler.capacity.node-locality-delay"
INPUT_BUFFER = "mapreduce.reduce.shuffle.input.buffer.percent"
KEPT = "mapreduce.reduce.input.buffer.percent"
FAIR = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"


def scheduling(plan: ClusterPlan) -> Scheduling:
    return translate(plan, suite_on(plan, rows=10**6), {}, seed=7).scenario.scheduling


def having(plan: ClusterPlan, values: dict[str, int | str | bool]) -> ClusterPlan:
    others = [one for one in plan.settings if one.key not in values]
    changed = [
        Setting(key=key, value=value, reason="a test's", source="command line", origin="user")
        for key, value in values.items()
    ]
    return plan.model_copy(update={"settings": (*others, *changed)})


def test_asynchronous_scheduling_goes_round_and_needs_no_heartbeat() -> None:
    planned = scheduling(small_plan())
    assert planned.round_s == 0.005
    slower = scheduling(having(small_plan(), {EVERY_MS: 100}))
    assert slower.round_s == 0.1
    assert slower.locality_delay_s == pytest.approx(20 * planned.locality_delay_s)


def test_heartbeats_give_out_what_is_set() -> None:
    by_beat = having(small_plan(), {ASYNCHRONOUS: False})
    limits = scheduling(having(by_beat, {f"{BEAT}.maximum-offswitch-assignments": 7}))
    assert (limits.round_s, limits.off_switch_per_beat, limits.containers_per_beat) == (None, 7, 100)
    one = scheduling(having(by_beat, {f"{BEAT}.multiple-assignments-enabled": False}))
    assert one.containers_per_beat == 1
    unlimited = scheduling(having(by_beat, {f"{BEAT}.maximum-container-assignments": -1}))
    assert unlimited.containers_per_beat is None


def test_a_plan_that_says_nothing_has_the_release_s_defaults() -> None:
    silent = small_plan()
    silent = silent.model_copy(
        update={
            "settings": tuple(one for one in silent.settings if not one.rule or "containers." not in one.rule)
        }
    )
    assert scheduling(silent).round_s == 0.005
    before = scheduling(having(silent, {ASYNCHRONOUS: False}))
    assert (before.off_switch_per_beat, before.containers_per_beat) == (1, 100)


def test_a_job_lets_no_more_offers_pass_than_there_are_workers() -> None:
    by_beat = having(small_plan(), {ASYNCHRONOUS: False})
    assert scheduling(having(by_beat, {DELAY: 1000})).locality_delay_s == 1.0
    assert scheduling(having(by_beat, {DELAY: -1})).locality_delay_s == 0.0


def test_the_fair_scheduler_gives_one_or_all_at_a_heartbeat() -> None:
    fair = having(small_plan(), {"yarn.resourcemanager.scheduler.class": FAIR})
    assert (scheduling(fair).round_s, scheduling(fair).containers_per_beat) == (None, 1)
    several = scheduling(having(fair, {"yarn.scheduler.fair.assignmultiple": True}))
    assert (several.containers_per_beat, several.off_switch_per_beat) == (None, None)


def test_slots_of_a_study_know_no_limits() -> None:
    slots = scheduling(slots_plan())
    assert (slots.round_s, slots.containers_per_beat, slots.off_switch_per_beat) == (None, None, None)


def test_a_study_may_have_had_hadoop_1_s_default_scheduler() -> None:
    assert not scheduling(slots_plan()).job_queue
    slots = slots_plan()
    hadoop1 = Hadoop1(heartbeat_s=3, job_queue=True)
    request = slots.cluster.request.model_copy(update={"hadoop1": hadoop1})
    cluster = slots.cluster.model_copy(update={"request": request})
    assert scheduling(slots.model_copy(update={"cluster": cluster})).job_queue


def test_what_a_reduce_keeps_is_a_share_of_the_heap_in_hadoop_1_and_of_its_memory_for_map_output_since() -> (
    None
):
    def kept(plan: ClusterPlan) -> float:
        values: dict[str, int | str | bool] = {INPUT_BUFFER: "0.6", KEPT: "0.5"}
        return translate(
            having(plan, values), suite_on(plan, rows=10**6), {}, seed=7
        ).scenario.job.reduce_input_buffer

    assert kept(slots_plan()) == 0.5
    assert kept(small_plan()) == pytest.approx(0.3)
