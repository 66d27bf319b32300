"""Measured costs of Hadoop's own tasks become a calibration."""

from __future__ import annotations

import math

import pytest

from howdah.calibrate.calibrate import of_this_machine
from howdah.calibrate.uncertainty import distance, draws, for_release
from howdah.model.calibration import Calibration
from howdah.model.measured import StepCost, TaskCosts
from howdah.simulation.calibrations import PUBLISHED, default_values, load_calibration
from support.sim_plans import small_plan, suite_on

DEFAULTS = default_values()
ROWS = 4_000_000


def _costs(scale: float = 1.0, *, apart: float = 0.0, reduce: float = 1.0) -> TaskCosts:
    """What the simulator's defaults cost, times ``scale``, in rounds that differ by a share ``apart``."""
    d = DEFAULTS
    half_read = d["read_s_per_byte"] / 2

    def step(cost: float) -> StepCost:
        return StepCost(tuple(cost * scale * (1 + off) for off in (-apart, 0.0, apart)))

    return TaskCosts(
        generate=step(d["generate_s_per_byte"] + d["stream_s_per_byte"]),
        sort=step(d["map_s_per_byte"] + d["compare_s"] * math.log2(ROWS) / 100 + half_read),
        reduce=step(reduce * (d["reduce_s_per_byte"] + d["shuffle_s_per_byte"] / 2 + d["stream_s_per_byte"])),
        validate=step(d["validate_s_per_byte"] + half_read),
        start_s=StepCost((2.0, 2.5, 3.0)),
        client_s=StepCost((1.5, 2.0, 2.5)),
        sorted_rows=ROWS,
    )


def _made(costs: TaskCosts) -> Calibration:
    return of_this_machine(costs, DEFAULTS, load_calibration(PUBLISHED), "mine")


def test_costs_of_a_machine_of_half_the_speed_are_twice_the_simulators() -> None:
    values = _made(_costs(2.0)).values
    for name, default in DEFAULTS.items():
        if name.endswith("_s_per_byte") or name == "compare_s":
            assert values[name] == pytest.approx(2 * default), name
    # The simulator adds setup and commit to the start of a JVM; what was measured contains both.
    assert values["task_start_cpu_s"] + values["task_cpu_s"] == pytest.approx(2.5)
    assert values["task_cpu_s"] == pytest.approx(load_calibration(PUBLISHED).values["task_cpu_s"])
    # A slow machine starts jobs slowly too: its client and the application master compute.
    assert values["job_start_s"] == pytest.approx(4.5 + 2.0)
    assert values["job_start_cpu_s"] == pytest.approx(3.3 * 2.0)
    assert "core_speed" not in values


def test_a_step_scales_its_own_costs_and_widens_those_that_none_contains() -> None:
    same, odd = _made(_costs()), _made(_costs(reduce=3.0))
    # The stream is as cheap as TeraGen shows it, so all of the excess is the reduce's own.
    stream, own = (
        DEFAULTS["stream_s_per_byte"],
        DEFAULTS["reduce_s_per_byte"] + DEFAULTS["shuffle_s_per_byte"] / 2,
    )
    factor = (3 * (own + stream) - stream) / own
    assert odd.values["reduce_s_per_byte"] == pytest.approx(factor * DEFAULTS["reduce_s_per_byte"])
    assert odd.values["map_s_per_byte"] == pytest.approx(DEFAULTS["map_s_per_byte"])

    def width(calibration: Calibration, name: str) -> float:
        value = next(value for value in calibration.parameters if value.name == name)
        return value.high / value.low

    assert width(odd, "write_s_per_byte") > width(same, "write_s_per_byte")
    # What is not measured is less sure than what is, and a noisy measurement less than a calm one.
    assert width(same, "write_s_per_byte") > width(same, "map_s_per_byte")
    assert width(_made(_costs(apart=0.3)), "map_s_per_byte") > width(same, "map_s_per_byte")


def test_the_simulators_own_error_and_what_tasks_share_are_those_of_the_published_runs() -> None:
    made, published = _made(_costs()), load_calibration(PUBLISHED)
    assert made.residuals == published.residuals
    # Costs are measured here, whatever the size: only how tasks share a host rests on the published runs.
    assert [extent.name for extent in made.extents] == [
        "maps at once on a data disk",
        "maps at once on a thread",
        "network of a data disk",
    ]
    assert set(made.extents) < set(published.extents)
    assert made.best_of == 1
    assert all(value.origin in {"measured", "given"} for value in made.parameters)
    names = set(DEFAULTS) | {"job_start_cpu_s"}
    assert {value.name for value in made.parameters} <= names
    assert len(draws(made, 5, seed=1)) == 5


def test_a_measured_step_is_simulated_as_long_as_it_was_measured() -> None:
    costs = _costs(reduce=3.0)
    values = _made(costs).values
    simulated = values["reduce_s_per_byte"] + values["shuffle_s_per_byte"] / 2 + values["stream_s_per_byte"]
    assert simulated == pytest.approx(costs.reduce.rounds[0])


def test_a_step_that_is_shorter_than_what_it_shares_keeps_a_part_of_its_own() -> None:
    costs = _costs(reduce=0.1)
    assert 0 < _made(costs).values["reduce_s_per_byte"] < DEFAULTS["reduce_s_per_byte"]


def test_a_small_run_is_hardly_far_from_costs_of_this_machine() -> None:
    plan, made = small_plan(), _made(_costs())
    sizes = [distance(made, plan, suite_on(plan, rows=rows)) for rows in (10**6, 10**10)]
    assert sizes[0] == sizes[1]
    assert for_release(made, plan) is made
