"""The points of a front, on a cluster whose times follow a formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.tuning import FrontPoint, Goal, KeptRules, Trial, TuneParameter
from howdah.tune.finalists import TunedSearch, front
from howdah.tune.parameters import HOSTS, SLOTS

HOSTS_OF_RULES = 20
_SLOTS = tuple(str(count) for count in range(1, 13))
SPACE = (
    TuneParameter(name=SLOTS, unit="", levels=_SLOTS, ordered=True, planned="6", about=""),
    TuneParameter(name="c", unit="", levels=("0", "1", "2"), ordered=True, planned="0", about=""),
)


def attempt(several: Sequence[Mapping[str, str]], /) -> list[Trial]:
    """Time falls with slots up to ten, with hosts, and with ``c``; each slot of each host takes 1 GB."""
    trials = []
    for values in several:
        slots, hosts = int(values.get(SLOTS, "6")), int(values.get(HOSTS, HOSTS_OF_RULES))
        work = 1000 * (1 - 0.1 * int(values.get("c", "0"))) / hosts
        slow = 1 / min(slots, 10) + 0.02 * max(0, slots - 10)
        trials.append(Trial(values=values, elapsed_s=work * slow, memory_bytes=1e9 * slots * hosts))
    return trials


def points(goal: Goal, trials: int = 300) -> tuple[FrontPoint, ...]:
    """The front of the goal around the best candidate."""
    rules, tuned = attempt([{}, {SLOTS: "10", "c": "2"}])
    ended = TunedSearch(SPACE, attempt, rules, tuned, KeptRules.RULES, trials, 1)
    return front(goal, ended, HOSTS_OF_RULES, fresh)


def fresh(several: Sequence[Mapping[str, str]]) -> list[float]:
    """Twice the times of the search."""
    return [2 * (trial.elapsed_s or 0.0) for trial in attempt(several)]


def test_each_number_of_hosts_has_the_fastest_candidate_and_the_time_of_the_rules_plan() -> None:
    found = points(Goal.HOSTS)
    assert [point.amount for point in found] == [20, 18, 15, 12, 10]
    for point in found:
        best, rules = attempt(
            [{SLOTS: "10", "c": "2", HOSTS: f"{point.amount:.0f}"}, {HOSTS: f"{point.amount:.0f}"}]
        )
        assert point.elapsed_s == 2 * (best.elapsed_s or 0.0)
        assert point.planned_s == 2 * (rules.elapsed_s or 0.0)
        assert point.values == {SLOTS: "10", "c": "2"}


def test_less_memory_leaves_fewer_slots() -> None:
    found = points(Goal.MEMORY)
    # Of the 120 GB of the rules' plan: the tuned plan takes 200, the others at most 90, 75, 60 and 50 %.
    assert [point.amount for point in found] == [200e9, 100e9, 80e9, 60e9]
    assert [point.values[SLOTS] for point in found] == ["10", "5", "4", "3"]


@pytest.mark.parametrize("goal", list(Goal))
@given(trials=st.integers(min_value=20, max_value=2000))
def test_no_point_of_a_front_is_slower_than_one_with_less(goal: Goal, trials: int) -> None:
    found = points(goal, trials)
    amounts, times = [point.amount for point in found], [point.elapsed_s for point in found]
    assert amounts == sorted(amounts, reverse=True)
    assert times == sorted(times)
