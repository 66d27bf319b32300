"""Intervals of predicted times: wide enough, never narrower for knowing less, in the right place."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.calibrate.fit import NINETY
from howdah.calibrate.forecast import ForecastStretch, forecasts
from howdah.calibrate.uncertainty import PER_DISTANCE
from howdah.model.calibration import Calibration, Residual

SECONDS = st.floats(min_value=0.1, max_value=1e6)


def _calibration(relative: float, best_of: int = 1, seconds: float = 0.0) -> Calibration:
    residual = Residual(quantity="terasort", relative=relative, seconds=seconds, cells=10)
    return Calibration(name="a test", parameters=(), residuals=(residual,), best_of=best_of)


class Known(NamedTuple):
    """A forecast with its interval."""

    low: float
    median: float
    high: float
    width: float


def _of(times: list[float], calibration: Calibration, workload: str = "terasort") -> Known:
    (forecast,) = forecasts([[ForecastStretch(workload, None, one)] for one in times], calibration)
    assert forecast.interval is not None
    assert forecast.width is not None
    return Known(forecast.interval.low, forecast.median, forecast.interval.high, forecast.width)


@given(st.lists(SECONDS, min_size=2, max_size=12), st.floats(min_value=0, max_value=0.3))
def test_the_median_lies_inside_and_what_is_unexplained_only_widens(
    times: list[float], relative: float
) -> None:
    alone, together = _of(times, _calibration(0.0)), _of(times, _calibration(relative))
    for one in (alone, together):
        assert one.low <= one.median <= one.high
    assert min(times) * (1 - 1e-9) <= together.median <= max(times) * (1 + 1e-9)
    assert together.width >= alone.width - 1e-9


def test_without_a_calibration_no_interval_is_known() -> None:
    (forecast,) = forecasts(
        [[ForecastStretch("terasort", None, time_s)] for time_s in (9.0, 10.0, 11.0)], None
    )
    assert (forecast.low, forecast.high) == (None, None)
    assert forecast.median == pytest.approx(10.0)
    assert (forecast.interval, forecast.width) == (None, None)


def test_equal_simulations_leave_the_residual_alone() -> None:
    found = _of([100.0] * 5, _calibration(0.05))
    # 1.645 standard deviations to either side are nine tenths of a normal distribution.
    assert found.high == pytest.approx(100 * math.exp(1.6449 * 0.05), rel=1e-4)
    assert found.low == pytest.approx(100 / math.exp(1.6449 * 0.05), rel=1e-4)


def test_seconds_that_do_not_grow_widen_short_times_and_not_long_ones() -> None:
    calibration = _calibration(0.03, seconds=4.0)
    found = [_of([time_s] * 3, calibration).width for time_s in (10.0, 100.0, 1e6)]
    assert found == sorted(found, reverse=True)
    # 3 % and 4 s of 100 s make 5 %, nearly: seconds are added, where a share multiplies.
    assert found[1] == pytest.approx(math.expm1(1.6449 * 0.05), rel=0.02)
    assert found[2] == pytest.approx(_of([1e6] * 3, _calibration(0.03)).width, rel=1e-6)


def test_times_shorter_than_any_known_count_as_the_shortest() -> None:
    residual = Residual(quantity="terasort", relative=0.03, seconds=4.0, least_s=20.0, cells=10)
    assert residual.of(1.0) == residual.of(20.0) > residual.of(21.0)


def test_a_workload_without_residuals_is_known_as_badly_as_the_worst() -> None:
    assert _of([100.0] * 3, _calibration(0.05), "teragen").width == pytest.approx(
        math.exp(0.0822) - 1, rel=1e-2
    )


def test_the_best_of_several_runs_is_turned_to_a_typical_one() -> None:
    # The best of three is expected 0.846 standard deviations below the mean; TeraSort's is 1 %.
    assert _of([100.0] * 3, _calibration(0.0, best_of=3)).median == pytest.approx(100.85, abs=0.01)


def test_a_phase_that_took_no_time_in_some_simulation_is_not_predicted() -> None:
    assert (
        forecasts([[ForecastStretch("pi", "reduce", 0.0)], [ForecastStretch("pi", "reduce", 1.0)]], None)
        == ()
    )


def test_the_interval_widens_with_the_distance_from_what_is_known() -> None:
    stretch = ForecastStretch("terasort", None, 100.0)
    near, far = (forecasts([[stretch]], _calibration(0.1), away)[0] for away in (0.0, 3.0))
    assert near.low is not None
    assert far.low is not None
    assert far.median == near.median
    rest = math.hypot(0.1, 3 * PER_DISTANCE)
    assert math.log(near.median / near.low) == pytest.approx(NINETY * 0.1)
    assert math.log(far.median / far.low) == pytest.approx(NINETY * rest)


def _operations(*kinds: str) -> list[ForecastStretch]:
    """A mix of operations, and the next program with its throughput."""
    return [
        ForecastStretch("ycsb-b", None, 100.0, "throughput"),
        *(ForecastStretch("ycsb-b", None, 0.01, f"{kind}, 50 % within") for kind in kinds),
        ForecastStretch("ycsb-c", None, 200.0, "throughput"),
    ]


def test_a_rare_operation_is_predicted_from_the_simulations_that_have_it() -> None:
    several = [_operations("read"), _operations("read", "update"), _operations("read", "update")]
    predicted = forecasts(several, _calibration(0.1))
    assert [(forecast.workload, forecast.metric) for forecast in predicted] == [
        ("ycsb-b", "throughput"),
        ("ycsb-b", "read, 50 % within"),
        ("ycsb-b", "update, 50 % within"),
        ("ycsb-c", "throughput"),
    ]
    assert predicted[2].median == pytest.approx(0.01)


def test_an_operation_that_fewer_than_half_of_the_simulations_have_is_left_out() -> None:
    several = [_operations("read", "update"), _operations("read"), _operations("read")]
    assert "update, 50 % within" not in {forecast.metric for forecast in forecasts(several, None)}
