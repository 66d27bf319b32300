"""Drawn parameters lie apart as a calibration says that they may."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.calibrate.uncertainty import draws
from howdah.model.calibration import CalibratedValue, Calibration

VALUES = (
    CalibratedValue(name="a", value=2.0, low=1.0, high=4.0),
    CalibratedValue(name="b", value=10.0, low=8.0, high=12.5),
    CalibratedValue(name="c", value=3.0, low=3.0, high=3.0, origin="given"),
    CalibratedValue(name="d", value=0.0, low=0.0, high=1.0, origin="given"),
)


def _calibration(correlation: float) -> Calibration:
    return Calibration(name="a test", parameters=VALUES, correlations=(correlation,))


def test_nine_of_ten_lie_within_the_interval() -> None:
    found = np.array([[one["a"], one["b"]] for one in draws(_calibration(0.0), 4001, 5)[1:]])
    for column, value in zip(found.T, VALUES, strict=False):
        inside = np.mean((value.low <= column) & (column <= value.high))
        assert 0.88 <= inside <= 0.92
        assert np.median(column) == pytest.approx(value.value, rel=0.03)


@pytest.mark.parametrize("correlation", [-0.9, 0.0, 0.7])
def test_they_lie_apart_together(correlation: float) -> None:
    found = np.log([[one["a"], one["b"]] for one in draws(_calibration(correlation), 4001, 5)[1:]])
    assert np.corrcoef(found.T)[0, 1] == pytest.approx(correlation, abs=0.05)


def test_what_is_given_or_not_positive_stays() -> None:
    assert {(one["c"], one["d"]) for one in draws(_calibration(0.5), 50, 1)} == {(3.0, 0.0)}


@given(count=st.integers(0, 20), seed=st.integers(0, 2**32 - 1))
def test_the_first_is_the_calibrations_own_and_a_seed_gives_the_same(count: int, seed: int) -> None:
    calibration = _calibration(0.5)
    found = draws(calibration, count, seed)
    assert len(found) == count
    assert found[:1] == (calibration.values,)[:count]
    assert found == draws(calibration, count, seed)
    assert draws(calibration, count + 3, seed)[:count] == found


def test_what_was_fitted_to_one_studys_hosts_is_drawn_for_no_other() -> None:
    own = CalibratedValue(name="a-study/core_speed", value=0.7, low=0.6, high=0.8)
    calibration = Calibration(name="a test", parameters=(*VALUES[:2], own), correlations=(0.0, 0.0, 0.0))
    assert {name for one in draws(calibration, 3, 1) for name in one} == {"a", "b"}
