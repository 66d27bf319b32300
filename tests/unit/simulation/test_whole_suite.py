"""The time of a whole suite: its workloads', as a run typically takes, with what is unexplained of each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.calibration import Calibration
from howdah.planner.ranked import Predicted
from howdah.simulation.calibrations import load_calibration
from howdah.simulation.outcome import Summary
from howdah.simulation.replications import scenarios, simulate
from howdah.simulation.whole_suite import suite_time, suite_times, typical_time
from support.sim_plans import slots_plan, small_suite


@pytest.fixture(scope="module")
def summaries() -> list[Summary]:
    """A small suite, simulated three times."""
    plan = slots_plan()
    several = list(scenarios(plan, small_suite(plan), None, count=3, seed=7))
    return simulate(several, lambda done: None)


def test_a_suite_takes_as_long_as_its_workloads(summaries: list[Summary]) -> None:
    told = suite_times(summaries, None)
    assert told.unexplained == told.own == 0
    for elapsed_s, summary in zip(told.elapsed_s, summaries, strict=True):
        assert elapsed_s == pytest.approx(
            sum(one.end_ns - one.start_ns for one in summary.workloads) / 1e9, rel=1e-9
        )


def test_the_best_of_several_runs_is_turned_to_a_typical_one(summaries: list[Summary]) -> None:
    published = load_calibration("published")
    assert published.best_of > 1
    typical, best = suite_times(summaries, published), suite_times(summaries, _best_of_one(published))
    for mine, theirs in zip(typical.elapsed_s, best.elapsed_s, strict=True):
        assert 1.005 < mine / theirs < 1.05
    shortest_s = min((one.end_ns - one.start_ns) / 1e9 for one in summaries[0].workloads)
    least = min(one.relative for one in published.residuals)
    most = max(one.of(shortest_s) for one in published.residuals)
    assert least * (1 - 1e-9) <= typical.unexplained <= most * (1 + 1e-9)
    assert 0 < typical.own < typical.unexplained


def _best_of_one(calibration: Calibration) -> Calibration:
    return calibration.model_copy(update={"best_of": 1})


@given(
    st.lists(st.floats(1.0, 1e6), min_size=1, max_size=9),
    st.floats(0.0, 0.5),
    st.floats(0.0, 0.5),
)
def test_an_interval_holds_its_median_and_grows_with_what_is_unexplained(
    times: list[float], less: float, more: float
) -> None:
    some, other = sorted((less, more))
    narrow, wide = (typical_time(Predicted(tuple(times), one, one)) for one in (some, other))
    assert narrow.interval is not None
    assert wide.interval is not None
    assert wide.interval.low <= narrow.interval.low <= narrow.median_s
    assert narrow.median_s <= narrow.interval.high <= wide.interval.high
    assert narrow.median_s == wide.median_s
    assert min(times) * (1 - 1e-9) <= narrow.median_s <= max(times) * (1 + 1e-9)


def test_without_a_calibration_a_suite_has_a_median_and_no_interval(summaries: list[Summary]) -> None:
    guessed, known = suite_time(summaries, None), suite_time(summaries, load_calibration("published"))
    assert guessed.interval is None
    assert known.interval is not None
    assert known.interval.low < known.median_s < known.interval.high
