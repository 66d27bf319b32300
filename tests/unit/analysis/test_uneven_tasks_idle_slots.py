"""Slots that stood empty while tasks waited, and what gave them out too late."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from howdah.analysis.uneven_tasks import empty_s
from howdah.engines.sim.engine import SimTarget
from howdah.model.plan import ClusterPlan, Setting, Value
from howdah.model.tables import RunData
from support.findings import found
from support.sim_plans import slots_plan, small_plan, suite_on
from support.sim_runs import sim_job, simulated

ASYNCHRONOUS = "yarn.scheduler.capacity.schedule-asynchronously.enable"
BEAT = "yarn.scheduler.capacity.per-node-heartbeat"
OFF_SWITCH = f"{BEAT}.maximum-offswitch-assignments"
AT_ONCE = f"{BEAT}.maximum-container-assignments"
SEVERAL = f"{BEAT}.multiple-assignments-enabled"
FAIR = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"
QUICK = {"container_s": 1e-4}
"""A scheduler that does not hold up tasks by itself."""


def setting(key: str, value: Value) -> Setting:
    return Setting(key=key, value=value, reason="a test's", source="command line", origin="user")


@cache
def run(*changes: tuple[str, Value], container_s: float = 1e-4) -> RunData:
    """TeraGen with a map for each slot of seven hosts, scheduled as these settings say."""
    plan: ClusterPlan = small_plan()
    changed = dict(changes)
    settings = [one for one in plan.settings if one.key not in changed]
    plan = plan.model_copy(update={"settings": (*settings, *(setting(key, value) for key, value in changes))})
    suite = suite_on(plan, "teragen", rows=100_000_000)
    return simulated(sim_job(plan, suite), SimTarget({"container_s": container_s}))


def test_a_limit_for_each_heartbeat_is_named_with_what_would_be_right() -> None:
    (finding,) = found(run((ASYNCHRONOUS, False), (OFF_SWITCH, 1)), "starved-slots")
    assert finding.severity == "warning"
    assert "while map tasks waited" in finding.text
    assert f"raise {OFF_SWITCH} (1 here)" in finding.text
    (finding,) = found(run((ASYNCHRONOUS, False), (AT_ONCE, 1)), "starved-slots")
    assert f"raise {AT_ONCE} (1 here)" in finding.text
    given = {one.name: one.value for one in finding.numbers}
    assert given["tasks begun by a worker in each heartbeat"] == pytest.approx(1.1, abs=0.2)


def test_one_container_at_a_time_is_named_as_what_it_is() -> None:
    (finding,) = found(run((ASYNCHRONOUS, False), (SEVERAL, False)), "starved-slots")
    assert f"set {SEVERAL} to true" in finding.text
    fair = (("yarn.resourcemanager.scheduler.class", FAIR), ("yarn.scheduler.fair.assignmultiple", False))
    (finding,) = found(run(*fair), "starved-slots")
    assert "set yarn.scheduler.fair.assignmultiple to true" in finding.text


def test_what_the_plan_sets_starves_nobody() -> None:
    assert found(run(), "starved-slots") == []
    assert found(run((ASYNCHRONOUS, False)), "starved-slots") == []


def test_a_slow_scheduler_is_not_laid_to_the_heartbeats() -> None:
    (finding,) = found(run(container_s=0.2), "starved-slots")
    assert "the ResourceManager, the application master or a queue's limit" in finding.text
    assert "heartbeats" in finding.text


def test_slots_of_a_study_are_left_alone() -> None:
    plan = slots_plan()
    data = simulated(sim_job(plan, suite_on(plan, "teragen", rows=100_000_000)))
    assert found(data, "starved-slots") == []


def test_a_slot_is_starved_while_it_is_free_and_a_task_waits() -> None:
    # Two slots and three tasks: the second slot stands empty for 4 s, and then the last task waits for none.
    starts, ends = np.array([0.0, 4.0, 6.0]), np.array([6.0, 10.0, 12.0])
    assert empty_s(starts, ends, starts, slots=2) == pytest.approx(4.0)
    # With four slots three stand empty, of which two have a task for 4 s, one for another two.
    assert empty_s(starts, ends, starts, slots=4) == pytest.approx(2 * 4.0 + 1 * 2.0)
    # Nothing was given out for a second of an outage, which is no matter of the scheduler's.
    assert empty_s(starts, ends, starts, 2, [(0.0, 1.0)]) < empty_s(starts, ends, starts, 2)
