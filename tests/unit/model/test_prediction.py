"""What is predicted, and what was kept of it before metrics were."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from howdah.model.prediction import Forecast, Score

OLD = {"workload": "terasort", "phase": None, "low_s": 90.0, "median_s": 100.0, "high_s": 110.0}


def test_a_time_that_was_kept_before_is_still_read() -> None:
    forecast = Forecast.model_validate_json(json.dumps(OLD))
    assert (forecast.low, forecast.median, forecast.high) == (90, 100, 110)
    assert (forecast.metric, forecast.unit, forecast.part) == (None, "s", None)
    score = Score.model_validate(
        {
            **{"prediction": "first", "run": "run", "engine": "hadoop", "calibration": "mine"},
            **{"forecast": OLD, "measured_s": 105.0},
        }
    )
    assert (score.measured, score.inside) == (105, True)
    # Seeds alone once made intervals where nothing was calibrated.
    bare = Score.model_validate({**json.loads(score.model_dump_json()), "calibration": None})
    assert (bare.measured, bare.forecast.interval, bare.inside) == (105, None, None)
    # What is written now is read again, too.
    assert Score.model_validate_json(score.model_dump_json()) == score


def test_a_metric_is_said_in_its_own_unit() -> None:
    rate = Forecast(workload="ycsb-b", metric="throughput", unit="1/s", low=900, median=1000, high=1100)
    tail = Forecast(workload="ycsb-b", metric="read, 99 % within", low=0.03, median=0.045, high=0.06)
    assert (rate.text_of(rate.median), tail.text_of(tail.median)) == ("1,000/s", "45 ms")
    assert tail.part == "read, 99 % within"
    assert Forecast(workload="terasort", phase="map-shuffle", low=1, median=2, high=3).part == "map-shuffle"


def test_nothing_is_predicted_to_be_nothing() -> None:
    with pytest.raises(ValidationError):
        Forecast(workload="ycsb-b", metric="throughput", unit="1/s", low=0, median=1, high=2)
