"""Measured costs of Hadoop's own tasks become a calibration."""

from __future__ import annotations

import math

import pytest

from howdah.calibrate.calibrate import of_this_machine
from howdah.calibrate.uncertainty import draws
from howdah.model.calibration import Calibration
from howdah.model.measured import StepCost, TaskCosts
from howdah.simulation.calibrations import PUBLISHED, default_values, load_calibration

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
    assert values["task_start_cpu_s"] == pytest.approx(2.5)
    # A slow machine starts jobs slowly too: its client and the application master compute.
    assert values["job_start_s"] == pytest.approx(4.5 + 2.0)
    assert values["job_start_cpu_s"] == pytest.approx(3.3 * 2.0)
    assert "core_speed" not in values


def test_a_step_scales_its_own_costs_and_widens_those_that_none_contains() -> None:
    same, odd = _made(_costs()), _made(_costs(reduce=3.0))
    assert odd.values["reduce_s_per_byte"] == pytest.approx(3 * DEFAULTS["reduce_s_per_byte"])
    assert odd.values["map_s_per_byte"] == pytest.approx(DEFAULTS["map_s_per_byte"])

    def width(calibration: Calibration, name: str) -> float:
        value = next(value for value in calibration.parameters if value.name == name)
        return value.high / value.low

    assert width(odd, "write_s_per_byte") > width(same, "write_s_per_byte")
    # What is not measured is less sure than what is, and a noisy measurement less than a calm one.
    assert width(same, "write_s_per_byte") > width(same, "map_s_per_byte")
    assert width(_made(_costs(apart=0.3)), "map_s_per_byte") > width(same, "map_s_per_byte")


def test_the_simulators_own_error_and_reach_are_those_of_the_published_runs() -> None:
    made, published = _made(_costs()), load_calibration(PUBLISHED)
    assert made.residuals == published.residuals
    assert made.extents == published.extents
    assert made.best_of == 1
    assert all(value.origin in {"measured", "given"} for value in made.parameters)
    names = set(DEFAULTS) | {"job_start_cpu_s"}
    assert {value.name for value in made.parameters} <= names
    assert len(draws(made, 5, seed=1)) == 5
