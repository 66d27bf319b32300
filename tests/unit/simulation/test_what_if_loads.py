"""More and more is asked of a planned HBase, until it does no more."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.prediction import NEARLY, LoadSweep
from howdah.report.prediction.words import load_text
from howdah.simulation.what_if import Repetition, simulate_loads, sweeps_load
from support.sim_hbase import hbase_plan
from support.sim_plans import suite_on


def _swept(asked: str, suite: str = "ycsb-a", **more: object) -> LoadSweep:
    plan = hbase_plan()
    wanted = suite_on(plan, suite, operations=10_000, **more)
    return simulate_loads(plan, wanted, asked, Repetition(None, 2, 3, lambda done: None))


def test_threads_help_until_something_is_full() -> None:
    sweep = _swept("threads=1..512")
    rates = [point.throughput_per_s for point in sweep.points]
    assert [point.asked for point in sweep.points] == [1, 2, 5, 10, 23, 49, 108, 235, 512]
    assert rates[0] < rates[3] < rates[5]
    full = sweep.saturated
    assert full is not None
    assert full.throughput_per_s >= NEARLY * max(rates)
    assert load_text(sweep).startswith(f"More than {full.asked} threads hardly help")
    assert sweep.points[-1].busy > 0.9
    # Little's law: what no longer grows in rate grows in time.
    times = {one.metric: one.median for one in sweep.points[-1].forecasts}
    before = {one.metric: one.median for one in sweep.points[-2].forecasts}
    assert times["update, 50 % within"] > 1.3 * before["update, 50 % within"]


def test_a_rate_is_done_until_it_is_more_than_can_be() -> None:
    sweep = _swept("target=2000..200000", threads=512)
    full = sweep.saturated
    assert full is not None
    for point in sweep.points:
        if point.asked < full.asked:
            assert point.throughput_per_s == pytest.approx(point.asked, rel=0.05)
        assert point.forecasts[0].interval is None
    assert full.throughput_per_s < NEARLY * full.asked
    assert "only" in load_text(sweep)


def test_what_is_never_full_is_said_to_be_so() -> None:
    sweep = _swept("target=100..200", "ycsb-c")
    assert sweep.saturated is None
    assert load_text(sweep).startswith("Nothing is saturated: with 200/s requested all of it is done")


@pytest.mark.parametrize(
    ("asked", "suite", "said"),
    [
        ("threads=8", "ycsb-a", "is not a sweep"),
        ("threads=8..4", "ycsb-a", "does not ascend"),
        ("threads=8..100000", "ycsb-a", "is too large"),
        ("threads=1..8", "ycsb", "is not one mix of operations"),
        ("target=1..8", "terasuite", "is not one mix of operations"),
    ],
)
def test_what_is_no_sweep_is_refused(asked: str, suite: str, said: str) -> None:
    plan = hbase_plan()
    with pytest.raises(UserError, match=said):
        simulate_loads(plan, suite_on(plan, suite), asked, Repetition(None, 1, 1, lambda done: None))


def test_hosts_and_data_are_swept_elsewhere() -> None:
    assert sweeps_load("threads=1..8")
    assert sweeps_load("target=1..8")
    assert not sweeps_load("hosts=1..8")
