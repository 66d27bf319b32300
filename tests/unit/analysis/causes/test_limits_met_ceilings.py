"""What a limit holds moves at one rate; what follows demand does not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.analysis.causes.limits_met import Ceiling, Peers, ceiling_of
from howdah.analysis.machines import Timeline
from howdah.model.tables import SAMPLES_SCHEMA

METRIC = "nic/eth0/rx_bytes"
Rates = st.lists(st.floats(0, 1e9, allow_subnormal=False), min_size=6, max_size=60)


def use_of(rates: Sequence[float], step_s: float = 1.0) -> Ceiling | None:
    """A counter that grew at these rates, one after another."""
    times = step_s * np.arange(len(rates) + 1)
    values = np.concatenate([[0.0], np.cumsum(np.array(rates) * step_s)])
    columns = {"time_s": times, "host": ["w1"] * len(times), "metric": [METRIC] * len(times), "value": values}
    timeline = Timeline(pa.table(columns, schema=SAMPLES_SCHEMA))
    return ceiling_of(timeline, "w1", [METRIC], (0.0, float(times[-1])))


@settings(max_examples=50, deadline=None)
@given(st.floats(1, 1e9), st.integers(6, 60), st.integers(0, 40))
def test_a_limit_shows_as_the_one_rate_and_its_time(rate: float, full: int, idle: int) -> None:
    use = use_of([rate] * full + [0.0] * idle)
    assert use is not None
    assert use.level == pytest.approx(rate)
    assert use.time_share == pytest.approx(full / (full + idle))
    assert use.amount_share == pytest.approx(1)


@settings(max_examples=50, deadline=None)
@given(Rates, st.floats(0.01, 100))
def test_shares_do_not_depend_on_units_or_on_order(rates: list[float], factor: float) -> None:
    one = use_of(rates)
    for other in (use_of([factor * rate for rate in rates]), use_of(rates[::-1])):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert other.time_share == pytest.approx(one.time_share)
            assert other.amount_share == pytest.approx(one.amount_share)


@settings(max_examples=50, deadline=None)
@given(Rates)
def test_shares_are_shares(rates: list[float]) -> None:
    use = use_of(rates)
    if use is None:
        assert sum(rates) == 0
    else:
        assert 0 < use.time_share <= 1
        assert 0 < use.amount_share <= 1
        assert 0 < use.level <= max(rates) * (1 + 1e-9)


def test_demand_that_comes_and_goes_is_not_held() -> None:
    use = use_of([10.0 * step for step in range(1, 21)])
    assert use is not None
    assert use.amount_share < 0.5


def test_a_sample_that_was_read_late_is_no_burst() -> None:
    """The sampler stamped its sixth sample in time, read it three seconds later and lost three."""
    times = np.array([0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13], dtype=float)
    values = 10 * times
    values[5] = 80
    columns = {"time_s": times, "host": ["w1"] * len(times), "metric": [METRIC] * len(times), "value": values}
    timeline = Timeline(pa.table(columns, schema=SAMPLES_SCHEMA))
    use = ceiling_of(timeline, "w1", [METRIC], (0.0, 13.0))
    assert use is not None
    assert use.level == pytest.approx(10)
    assert use.time_share == pytest.approx(1)


def test_what_moved_while_nobody_looked_did_not_move_slowly() -> None:
    """A busy machine leaves the sampler no time; what a disk read meanwhile, it may have read in a moment."""
    times = np.array([0, 1, 2, 3, 4, 5, 6, 7, 18, 19, 20, 21, 22], dtype=float)
    values = np.where(times < 18, 0.0, 100.0)
    columns = {"time_s": times, "host": ["w1"] * len(times), "metric": [METRIC] * len(times), "value": values}
    timeline = Timeline(pa.table(columns, schema=SAMPLES_SCHEMA))
    assert ceiling_of(timeline, "w1", [METRIC], (0.0, 22.0)) is None


def test_too_few_samples_tell_nothing() -> None:
    assert use_of([5.0, 5.0, 5.0]) is None


def test_a_short_burst_is_the_top_only_if_it_moved_enough() -> None:
    use = use_of([10.0] * 40 + [15.0])
    assert use is not None
    assert use.level == pytest.approx(10.0)


def test_many_peers_count_by_the_better_of_them_and_few_by_the_plan() -> None:
    rates = {"a": 10.0, "b": 100.0, "c": 120.0, "d": 40.0}
    many = Peers(rates).capable("a", planned=500.0)
    assert many is not None
    assert many.against == "peers"
    assert 100 <= many.value <= 120
    assert Peers({"a": 10.0, "b": 100.0}).capable("a", planned=50.0) == (50.0, "plan")
    assert Peers({"a": 10.0, "b": 20.0}).capable("a", planned=50.0) == (20.0, "peers")
    assert Peers({"a": 10.0}).capable("a", planned=50.0) == (50.0, "plan")
    assert Peers({"a": 10.0}).capable("a", planned=None) is None


def test_what_a_healthy_worker_has_little_of_is_held_against_the_median() -> None:
    assert Peers({"a": 0.5, "b": 0.01, "c": 0.02, "d": 0.4}).usual("a") == (0.02, "peers")
    assert Peers({"a": 0.5}).usual("a") == (0.0, "plan")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1e9), min_size=3, max_size=30))
def test_peers_are_all_the_others(values: list[float]) -> None:
    peers = Peers(dict(enumerate(values)))
    assert peers.usual(0).value == pytest.approx(float(np.median(values[1:])))
    best = peers.capable(0, planned=None)
    assert best is not None
    assert best.value == pytest.approx(float(np.quantile(values[1:], 0.75)))
