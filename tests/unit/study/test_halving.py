"""Which plans of a race are repeated no more, after which round, and which one is the fastest."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from howdah.model.run import Outcome
from howdah.model.study import Study, StudyRun
from howdah.study.halving import (
    compared,
    comparison_rounds,
    fastest_contender,
    last_rounds,
    level_of,
    times_of,
)
from howdah.study.matrix import cells_of
from howdah.study.schedule import Due, due
from support.comparing import elapsed, run_figures
from support.studies import ended, runs_of, study

RULES, TUNED, SECOND, THIRD, DEFAULTS = range(5)


def race(**changes: object) -> Study:
    """Three candidates, the rules' plan and the defaults, at most 24 rounds."""
    names = ("rules", "tuned", "tuned-2", "tuned-3", "defaults")
    levels = [{"label": name, "codec": "lz4"} for name in names]
    said = {
        "factors": [{"vary": "plan", "levels": levels}],
        "baseline": {"plan": "rules"},
        "contenders": [{"plan": name} for name in names if name.startswith("tuned")],
        "repeats": {"least": 3, "most": 24},
    }
    return study(**(said | changes))


def ran(whole: Study, end: Callable[[Due], StudyRun]) -> Counter[int]:
    """How many runs of each plan a race makes."""
    cells, done = cells_of(whole), list[StudyRun]()
    while left := list(due(whole, cells, done)):
        done.append(end(left[0]))
    return Counter(run.cell for run in done)


def timed(means: tuple[float, ...], noise: float, seed: int = 1) -> Callable[[Due], StudyRun]:
    chance = random.Random(seed)
    return lambda one: ended(one, means[one.cell.number] * (1 + chance.gauss(0, noise)))


def test_plans_that_surely_differ_are_decided_after_the_least_rounds() -> None:
    runs = ran(race(), timed((100, 80, 130, 140, 200), 0.005))
    assert runs == dict.fromkeys((RULES, TUNED, SECOND, THIRD, DEFAULTS), 3)


def test_the_slower_half_of_the_candidates_leaves_and_what_is_open_is_repeated() -> None:
    runs = ran(race(), timed((100, 97, 97.5, 99, 200), 0.02))
    assert runs[DEFAULTS] == 3
    assert runs[THIRD] == 3 or runs[SECOND] == 3 or runs[TUNED] == 3
    assert runs[RULES] > 3
    assert max(runs[TUNED], runs[SECOND], runs[THIRD]) == runs[RULES]


def test_equal_plans_are_declared_equal_before_the_last_round() -> None:
    runs = ran(race(), timed((100, 100, 100, 100, 100), 0.002))
    assert max(runs.values()) <= 6


def test_the_rules_plan_can_win() -> None:
    runs = ran(race(), timed((100, 130, 140, 150, 200), 0.01))
    assert runs[RULES] == 3


def test_a_candidate_whose_runs_fail_is_out_after_two_and_the_others_go_on() -> None:
    times = timed((100, 80, 90, 95, 200), 0.005)

    def end(one: Due) -> StudyRun:
        return ended(one, outcome=Outcome.FAILED) if one.cell.number == TUNED else times(one)

    runs = ran(race(), end)
    assert runs[TUNED] == 2
    assert runs[SECOND] == runs[RULES] == 3


def test_several_looks_see_no_more_differences_that_are_none_than_one_would() -> None:
    whole = race(repeats={"least": 3, "most": 12})
    cells = cells_of(whole)
    wrong = 0
    for seed in range(20):
        end = timed((100, 100, 100, 100, 100), 0.05, seed)
        done = [end(Due(cell, repeat, 0)) for repeat in range(1, 13) for cell in cells]
        wrong += last_rounds(whole, cells, done).get(RULES, 12) < 12
    assert wrong <= 3


@pytest.mark.parametrize(
    ("repeats", "expected"),
    [
        ({"least": 3, "most": 24}, [3, 6, 12, 24]),
        ({"least": 5, "most": 5}, [5]),
        ({"least": 2, "most": 5}, [2, 4, 5]),
    ],
)
def test_plans_are_compared_after_the_least_rounds_and_each_doubling(
    repeats: dict[str, int], expected: list[int]
) -> None:
    assert list(comparison_rounds(race(repeats=repeats))) == expected


def test_a_study_without_contenders_is_no_race() -> None:
    whole = study()
    assert last_rounds(whole, cells_of(whole), []) == {}


def test_of_operations_only_their_own_time_counts() -> None:
    whole, counting = race(), elapsed("ycsb-b")
    cells = cells_of(whole)
    (first, *_) = due(whole, cells, ())
    readings = {counting: 90.0, elapsed("ycsb-b", "run"): 20.0, elapsed("terasort"): 5.0}
    figures = run_figures(first.run_id, readings)
    run = StudyRun(cell=first.cell.number, repeat=1, took_s=95, figures=figures)
    assert times_of(cells, [run])[first.cell.number] == {1: 25.0}


def test_the_last_verdict_is_as_strict_as_each_one_before() -> None:
    assert level_of(race()) == pytest.approx(0.05 / 4)


THREE_ROUNDS = {
    "rules": (103, 113, 108),
    "tuned": (100, 110, 105),
    "tuned-2": (101, 111, 106),
    "tuned-3": (102, 112, 107),
    "defaults": (200, 210, 205),
}
"""The defaults are surely slower and the last candidate is among the slower half; all else is open."""


def test_a_candidate_that_fails_twice_later_leads_no_more() -> None:
    whole = race()
    more = {"rules": (103, 113, 108), "tuned": (None, None), "tuned-2": (101, 111, 106)}
    done = runs_of(whole, {name: (*times, *more.get(name, ())) for name, times in THREE_ROUNDS.items()})
    cells = cells_of(whole)
    assert last_rounds(whole, cells, done) == {THIRD: 3, DEFAULTS: 3, TUNED: 6}
    assert fastest_contender(whole, cells, done) == SECOND


def test_a_machine_that_becomes_slower_does_not_favour_a_candidate_that_was_dropped() -> None:
    whole = race()
    more = {"rules": (133, 143, 138), "tuned": (130, 140, 135), "tuned-2": (131, 141, 136)}
    done = runs_of(whole, {name: (*times, *more.get(name, ())) for name, times in THREE_ROUNDS.items()})
    cells = cells_of(whole)
    assert fastest_contender(whole, cells, done) == TUNED
    # The rules' plan ran three times more, when all runs took longer.
    judged = compared(times_of(cells, done), RULES, [THIRD], level_of(whole))[THIRD]
    assert (judged.base, judged.other) == (THREE_ROUNDS["rules"], THREE_ROUNDS["tuned-3"])


def test_without_a_successful_run_no_candidate_is_the_fastest() -> None:
    whole = race()
    done = runs_of(whole, {"rules": (100, 101, 99), "tuned": (None, None), "tuned-2": (None,)})
    assert fastest_contender(whole, cells_of(whole), done) is None
