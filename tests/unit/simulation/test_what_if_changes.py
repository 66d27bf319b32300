"""A change that leads beyond what the calibration was made from is less certain."""

from __future__ import annotations

import math

import pytest

from howdah.calibrate.fit import NINETY
from howdah.calibrate.uncertainty import PER_DISTANCE
from howdah.model.calibration import Calibration, Extent
from howdah.model.prediction import Effect
from howdah.simulation.what_if import Repetition, simulate_changes
from support.requests import run_request
from support.sim_plans import slots_plan, small_suite


def _effect(*extents: Extent) -> Effect:
    plan = slots_plan()
    calibration = Calibration(name="mine", parameters=(), extents=extents)
    repetition = Repetition(calibration, 2, 3, lambda done: None)
    request = run_request("terasuite")
    (effect,) = simulate_changes(plan, small_suite(plan), request, ["nic-speed=100Gb/s"], repetition).effects
    return effect


def test_an_effect_beyond_the_range_of_the_calibration_has_a_wider_interval() -> None:
    unlimited, limited = _effect(), _effect(Extent(name="network of a host", low=1e9, high=1e10))
    assert limited.share == unlimited.share
    reaches = []
    for effect in (unlimited, limited):
        assert effect.low is not None
        reaches.append(math.log((1 + effect.share) / (1 + effect.low)) / NINETY)
    assert math.sqrt(reaches[1] ** 2 - reaches[0] ** 2) == pytest.approx(PER_DISTANCE * math.log(10))
