"""Masters that everything waits for are told of."""

from __future__ import annotations

from howdah.engines.sim.engine import SimTarget
from howdah.model.run import RunRecord
from howdah.units import MIB
from support.sim_plans import slots_plan, suite_on
from support.sim_runs import sim_job, simulated


def _record(scheduler_task_s: float) -> RunRecord:
    plan = slots_plan()
    suite = suite_on(plan, rows=10_000_000, maps=7, reduces=4, block_bytes=4 * MIB)
    target = SimTarget({"scheduler_task_s": scheduler_task_s})
    return simulated(sim_job(plan, suite), target).record


def test_a_scheduler_that_every_task_waits_for_is_told_of_with_its_phase() -> None:
    found = [one.text for one in _record(1.0).warnings if one.code == "master-saturated"]
    assert len(found) == 1
    assert found[0].startswith("the scheduler is busy for ")
    assert "in terasort's map-shuffle, which waits for it" in found[0]


def test_masters_with_time_to_spare_are_not_told_of() -> None:
    assert "master-saturated" not in {one.code for one in _record(0.001).warnings}
