"""A run beyond those that a calibration was made from is told as such."""

from __future__ import annotations

import math

import pytest

from howdah.calibrate.uncertainty import PER_DISTANCE, beyond, distance, distance_of, extents
from howdah.model.calibration import Calibration
from support.sim_plans import small_plan, study_plan, suite_on

TB = 10**10


def _calibration() -> Calibration:
    study = study_plan(4)
    works = [(study, suite_on(study, rows=rows)) for rows in (TB, 30 * TB)]
    return Calibration(name="the study", parameters=(), extents=extents(works))


def test_extents_are_the_least_and_the_most_of_all_runs() -> None:
    found = {one.name: (one.low, one.high) for one in _calibration().extents}
    assert found["dataset"] == (1e12, 30e12)
    assert found["hosts"] == (32, 32)
    assert found["threads of a host"] == (40, 40)
    assert found["data disks of a host"] == (20, 20)
    assert found["network of a host"] == (20e9, 20e9)


def test_within_and_a_little_beyond_nothing_is_said() -> None:
    study = study_plan(4)
    for rows in (TB, 10 * TB, 40 * TB):
        assert beyond(_calibration(), study, suite_on(study, rows=rows)) == ()


def test_what_lies_beyond_is_said_with_the_range() -> None:
    study = study_plan(4)
    assert beyond(_calibration(), study, suite_on(study, rows=TB // 100)) == (
        "dataset 10.0 GB, calibrated from 1.00 TB to 30.0 TB",
    )
    other = small_plan()
    said = " ".join(beyond(_calibration(), other, suite_on(other, rows=TB)))
    assert "hosts 7, calibrated at 32" in said
    assert "data disks of a host" in said


def test_a_run_is_the_farther_the_more_lies_beyond() -> None:
    study, known = study_plan(4), _calibration()
    assert distance(None, study, suite_on(study, rows=TB)) == 0
    assert distance(known, study, suite_on(study, rows=10 * TB)) == 0
    ten_times = distance(known, study, suite_on(study, rows=TB // 10))
    assert ten_times == pytest.approx(math.log(10))
    other = small_plan()
    assert distance(known, other, suite_on(other, rows=TB // 10)) > ten_times


def test_a_distance_states_its_quantities_and_what_they_add() -> None:
    study, other, known = study_plan(4), small_plan(), _calibration()
    assert distance_of(None, study, suite_on(study, rows=TB)) is None
    inside = distance_of(known, study, suite_on(study, rows=10 * TB))
    assert inside is not None
    assert (inside.length, inside.deviation, inside.beyond) == (0, 0, ())
    far = distance_of(known, other, suite_on(other, rows=TB // 10))
    assert far is not None
    assert far.deviation == pytest.approx(PER_DISTANCE * far.length)
    factors = {each.name: each.factor for each in far.beyond}
    assert factors["dataset"] == pytest.approx(10)
    assert math.hypot(*map(math.log, factors.values())) == pytest.approx(far.length)
    assert list(factors.values()) == sorted(factors.values(), reverse=True)
