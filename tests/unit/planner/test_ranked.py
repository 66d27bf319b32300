"""Platforms ranked by a prediction: the faster where it can tell, the rules where it cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.documents.files import read_inventory
from howdah.errors import UserError
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile
from howdah.planner.cluster import plan_cluster
from howdah.planner.ranked import Predicted, lag, plan_by_prediction

HOSTS = read_inventory(Path(__file__).parents[3] / "examples/hosts-32.yaml")
REQUEST = PlanRequest(
    weigh_virtual=True,
    profile=Profile.PAPER,
    workloads=(Demand(kind="terasuite", dataset_bytes=30 * 10**12),),
)
TIMES = st.lists(st.floats(min_value=1, max_value=1e5), min_size=2, max_size=6).map(tuple)


class Told:
    """A predictor that knows the time of every platform, and of what is tried on one."""

    about = "a test's"

    def __init__(
        self,
        times: Mapping[str, float],
        unexplained: float = 0.01,
        factor: Callable[[ClusterPlan], float] = lambda plan: 1.0,
    ) -> None:
        self.times, self.unexplained, self.factor = times, unexplained, factor
        self.asked: list[str] = []

    def __call__(self, plans: Sequence[ClusterPlan]) -> list[Predicted]:
        self.asked += [plan.platform for plan in plans]
        times = [self.times.get(plan.platform, 200.0) * self.factor(plan) for plan in plans]
        return [
            Predicted((time, time * 1.1, time * 0.9), self.unexplained, self.unexplained) for time in times
        ]


def _candidates(plan: ClusterPlan) -> dict[str, str]:
    return {one.platform: one.judgements[0].text for one in plan.cluster.candidates}


def _advice(plan: ClusterPlan) -> list[str]:
    return [one.text for one in plan.cluster.advice if one.rule == "platform.simulated"]


@given(TIMES, st.floats(min_value=0, max_value=0.2), st.floats(min_value=0.2, max_value=5))
def test_what_a_draw_makes_of_both_cancels_out(
    times: tuple[float, ...], unexplained: float, factor: float
) -> None:
    one = Predicted(times, unexplained, unexplained)
    other = Predicted(tuple(factor * time for time in times), unexplained, unexplained)
    behind = lag(other, one)
    assert behind.share == pytest.approx(factor - 1)
    assert behind.low <= behind.share <= behind.high
    ahead = lag(one, other)
    assert (1 + ahead.low) * (1 + behind.high) == pytest.approx(1)
    assert ahead.is_clear == behind.is_clear
    assert not lag(one, one).is_clear


@given(TIMES, TIMES, st.floats(min_value=0, max_value=0.2), st.floats(min_value=0, max_value=0.2))
def test_a_plan_is_told_apart_the_sooner_the_less_is_its_own(
    times: tuple[float, ...], others: tuple[float, ...], more: float, less: float
) -> None:
    less, more = sorted((more, less))
    draws = min(len(times), len(others))
    one, other = (Predicted(drawn[:draws], more, less) for drawn in (times, others))
    assert not lag(one, one).is_clear
    near, far = lag(one, other), lag(one.apart, other.apart)
    assert near.share == far.share
    assert far.low <= near.low <= near.high <= far.high
    assert near.is_clear or not far.is_clear


@given(TIMES, st.floats(0, 0.2), st.floats(1, 3), st.floats(1, 3))
def test_what_is_told_of_a_small_distance_is_told_of_a_larger_one(
    times: tuple[float, ...], own: float, near: float, far: float
) -> None:
    near, far = sorted((near, far))
    one = Predicted(times, own, own)
    nearer, farther = (one._replace(elapsed_s=tuple(by * time for time in times)) for by in (near, far))
    assert lag(farther, one).low >= lag(nearer, one).low * (1 - 1e-9) - 1e-9
    assert lag(farther, one).is_clear or not lag(nearer, one).is_clear


def test_the_faster_platform_is_planned_against_what_rules_would_have_chosen() -> None:
    by_rules = plan_cluster(HOSTS, REQUEST)
    plan = plan_by_prediction(HOSTS, REQUEST, Told({"native": 100.0}))
    assert (by_rules.platform, plan.platform) == ("4 per host", "native")
    best, second, *_ = plan.cluster.candidates
    assert (best.platform, best.verdict, best.score) == ("native", "recommended", 0.0)
    assert second.verdict == "possible"
    assert second.score == pytest.approx(-1.0)
    assert best.judgements[0].text == "simulated fastest, in 1 min 40 s: a test's"
    assert _candidates(plan)["4 per host"].startswith("simulated 100 % slower than native (")
    refused = [one for one in plan.cluster.candidates if one.verdict == "refused"]
    assert refused == [
        one for one in (by_rules.cluster.candidates if by_rules.cluster else ()) if one.verdict == "refused"
    ]


def test_where_it_cannot_tell_the_rules_decide_and_it_is_said() -> None:
    plan = plan_by_prediction(HOSTS, REQUEST, Told({"native": 195.0}, unexplained=0.03))
    assert plan.platform == "4 per host"
    said = _candidates(plan)
    assert said["4 per host"] == (
        "simulated 2.6 % slower than native (4.3 % faster to 10 % slower): they cannot be distinguished"
    )
    assert said["native"].endswith("it cannot be distinguished from 4 per host, which the rules prefer")


def test_a_platform_is_told_apart_by_as_much_as_the_simulator_is_off() -> None:
    times = {"native": 185.0}
    assert plan_by_prediction(HOSTS, REQUEST, Told(times, unexplained=0.01)).platform == "native"
    assert plan_by_prediction(HOSTS, REQUEST, Told(times, unexplained=0.05)).platform == "4 per host"


def test_refused_platforms_are_never_tried() -> None:
    told = Told({"3 per host": 1.0, "20 per host": 100.0})
    plan = plan_by_prediction(HOSTS, REQUEST.model_copy(update={"hypervisor": Hypervisor.VSPHERE}), told)
    assert plan.platform == "20 per host"
    assert "3 per host" not in told.asked
    # A hypervisor was asked for, so that hosts without one are not weighed.
    assert "native" not in told.asked


def test_what_was_insisted_on_is_kept() -> None:
    told = Told({"native": 1.0})
    asked = REQUEST.model_copy(update={"workers_per_host": 2, "slots": 7})
    plan = plan_by_prediction(HOSTS, asked, told)
    assert plan.platform == "2 per host"
    assert {one.map_slots for one in plan.workers} == {7}
    assert set(told.asked) == {"2 per host"}
    assert not any("--slots" in text for text in _advice(plan))


def test_other_numbers_of_tasks_and_block_sizes_become_advice() -> None:
    def factor(plan: ClusterPlan) -> float:
        blocks = next(one.value for one in plan.settings if one.key == "dfs.blocksize")
        return (0.8 if plan.workers[0].map_slots == 8 else 1.0) * (0.9 if blocks == 64 << 20 else 1.0)

    plan = plan_by_prediction(HOSTS, REQUEST, Told({"4 per host": 100.0}, factor=factor))
    assert plan.workers[0].map_slots == 6
    faster, others = _advice(plan)
    assert faster.startswith("--slots 8 is simulated faster: as planned, work takes 25.0 % (")
    assert "--slots 4" in others
    assert "--set dfs.blocksize=128MiB" in others


def test_what_breaks_a_rule_is_not_recommended_without_saying_so() -> None:
    def factor(plan: ClusterPlan) -> float:
        return (
            0.5 if next(one.value for one in plan.settings if one.key == "dfs.blocksize") == 128 << 20 else 1
        )

    plan = plan_by_prediction(HOSTS, REQUEST, Told({"4 per host": 100.0}, factor=factor))
    faster = next(text for text in _advice(plan) if "dfs.blocksize=128MiB is simulated faster" in text)
    assert " It breaks hdfs.block-size: Blocks of 256 MiB" in faster
    assert plan.workers[0].map_slots == 6


def test_what_cannot_be_simulated_is_not_ranked() -> None:
    hbase = PlanRequest(workloads=(Demand(kind="ycsb", records=10**6),))
    with pytest.raises(UserError, match="HBase is not simulated"):
        plan_by_prediction(HOSTS, hbase, Told({}))
    mixed = read_inventory(Path(__file__).parents[3] / "examples/hosts-mixed.yaml")
    with pytest.raises(UserError, match="several kinds"):
        plan_by_prediction(mixed, REQUEST, Told({}))
