"""What is shown of a search's course."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from howdah.model.tuning import KeptRules, Trial, TuneParameter
from howdah.planner.ranked import lag
from howdah.tune.candidates import Candidates
from howdah.tune.finalists import course, fastest
from howdah.tune.parameters import base_of
from howdah.tune.search import Search
from support.requests import run_request
from support.sim_plans import small_plan

FEWER = {"mapreduce.job.reduces": "70"}


def trial(elapsed_s: float, values: dict[str, str], *breaks: str) -> Trial:
    return Trial(values=values, elapsed_s=elapsed_s, breaks=breaks)


def test_a_candidate_that_was_only_lucky_is_shown_as_slow_as_it_is() -> None:
    plan = small_plan()
    candidates = Candidates(base_of(plan), run_request("terasuite", rows=100_000_000), None, seed=1)
    trials = [
        trial(100, {}),
        trial(50, FEWER),
        trial(49.9, {"mapreduce.job.reduces": "56"}),
        trial(10, {"dfs.blocksize": "64MiB"}, "hdfs.block-size"),
    ]
    planned, fewer = candidates.predicted([{}, FEWER], 3)
    share = lag(fewer, planned).share
    # What saves next to nothing, or breaks a rule, is no step.
    assert course(trials, candidates, 3) == ((0, 0.0), (2, share), (4, share))
    assert share > -0.4


def test_a_search_that_finds_nothing_stays_where_it_was() -> None:
    plan = small_plan()
    candidates = Candidates(base_of(plan), run_request("terasuite", rows=100_000_000), None, seed=1)
    assert course([trial(100, {}), trial(120, FEWER)], candidates, 3) == ((0, 0.0), (2, 0.0))


def test_candidates_that_differ_in_trifles_are_compared_once() -> None:
    planned = TuneParameter(
        name="a", unit="", levels=("1", "2", "3", "4"), ordered=True, planned="1", about=""
    )
    trifle = TuneParameter(name="b", unit="", levels=("1", "2"), ordered=True, planned="1", about="")

    def attempt(several: Sequence[Mapping[str, str]], /) -> list[Trial]:
        times = {"1": 100.0, "2": 80.0, "3": 85.0, "4": 90.0}
        trifles = {"1": 0.0, "2": 0.01}
        return [
            trial(times[values.get("a", "1")] - trifles[values.get("b", "1")], dict(values))
            for values in several
        ]

    search = Search((planned, trifle), attempt, kept=KeptRules.RULES, budget=8, seed=1)
    best = search.best_from({})
    compared = fastest(search, best, tuple(search.trials), draws=2)
    assert [dict(one.values) for one in compared] == [{"a": "2"}, {"a": "3"}, {"a": "4"}, {}, {}]
