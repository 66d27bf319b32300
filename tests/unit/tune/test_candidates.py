"""Candidates of a real plan: planned, refused, simulated."""

from __future__ import annotations

import pytest

from howdah.model.tuning import Trial
from howdah.releases.values import QUICK_START
from howdah.tune.candidates import Candidates, PlannedCandidate
from howdah.tune.finalists import sensitivities
from howdah.tune.parameters import base_of, parameters
from support.lab_runs import lab_plan, laboratory
from support.requests import run_request
from support.sim_plans import small_plan, study_plan

ROWS = 100_000_000


def candidates(allowed: tuple[str, ...] = ()) -> Candidates:
    """Those of seven native hosts that sort 10 GB."""
    plan = small_plan()
    base = base_of(plan)
    return Candidates(base, run_request("terasuite", rows=ROWS), None, seed=3, allowed=allowed)


def test_the_candidate_without_values_is_the_rules_plan() -> None:
    assert candidates().plan({}) == small_plan()


def test_values_reach_the_plan_and_what_depends_on_them_follows() -> None:
    plan = candidates().plan({"dfs.blocksize": "512MiB", "slots": "6", "mapreduce.job.reduces": "33"})
    settings = {setting.key: setting for setting in plan.settings}
    assert settings["dfs.blocksize"].value == 512 << 20
    assert plan.workers[0].map_slots == 6
    before = {setting.key: setting.value for setting in small_plan().settings}
    # The rule of the sort buffer makes room for the larger block.
    assert settings["mapreduce.task.io.sort.mb"].value != before["mapreduce.task.io.sort.mb"]
    ready = candidates().planned({"mapreduce.job.reduces": "33"})
    assert isinstance(ready, PlannedCandidate)
    assert [program.reduces for program in ready.scenarios[0].workloads] == [None, 33, None]


def test_no_codec_means_no_compression() -> None:
    settings = {
        setting.key: setting.value
        for setting in candidates().plan({"mapreduce.map.output.compress.codec": "none"}).settings
    }
    assert settings["mapreduce.map.output.compress"] is False


def test_a_candidate_whose_tasks_would_fail_is_refused_unless_its_rule_may_be_broken() -> None:
    values = {"mapreduce.task.io.sort.mb": "2000"}
    (refused,) = candidates().tried([values])
    assert refused.elapsed_s is None
    assert "sorting.sort-buffer-in-heap" in (refused.refused or "")
    (tried,) = candidates(allowed=("sorting.sort-buffer-in-heap",)).tried([values])
    assert tried.elapsed_s is not None


def test_a_candidate_that_a_check_warns_of_names_the_rule() -> None:
    (tried,) = candidates().tried([{"mapreduce.map.output.compress.codec": "none"}])
    assert tried.elapsed_s is not None
    assert tried.breaks == ("sorting.compression",)
    assert not tried.within_rules


def test_one_that_cannot_be_planned_says_why() -> None:
    (tried,) = candidates().tried([{"dfs.blocksize": "7"}])
    assert isinstance(tried, Trial)
    assert tried.refused is not None
    assert "dfs.blocksize" in tried.refused


def test_workers_per_host_are_a_candidates_choice() -> None:
    plan = study_plan()
    some = Candidates(base_of(plan), run_request("terasuite", rows=ROWS), None, seed=1)
    assert some.plan({"workers": "2"}).workers[0].per_host == 2


def test_trials_keep_their_order_and_have_the_same_times_one_by_one() -> None:
    several = [{}, {"slots": "1"}, {"mapreduce.task.io.sort.mb": "2000"}, {"mapreduce.job.reduces": "7"}]
    together = candidates().tried(several)
    alone = [candidates().tried([values])[0] for values in several]
    assert together == alone
    assert together[1].elapsed_s > together[0].elapsed_s  # type: ignore[operator]


def test_few_workers_are_simulated_with_several_seeds_and_finalists_with_others() -> None:
    seven = candidates()
    assert seven.draws == 5
    (trial,) = seven.tried([{}])
    (predicted,) = seven.predicted([{}], seven.draws)
    assert len(predicted.elapsed_s) == 5
    assert len(set(predicted.elapsed_s)) > 1
    assert trial.elapsed_s != pytest.approx(sum(predicted.elapsed_s) / 5, rel=1e-9)
    plan = study_plan()
    assert Candidates(base_of(plan), run_request("terasuite"), None, seed=1).draws == 1


def test_what_matters_is_measured_around_the_best_candidate() -> None:
    plan = small_plan()
    base = base_of(plan)
    names = ("dfs.blocksize", "mapreduce.job.reduces")
    space = [parameter for parameter in parameters(base)[0] if parameter.name in names]
    some = candidates()
    (best,) = some.tried([{}])
    decided = {parameter.name: parameter.planned for parameter in space}
    result, pairs = sensitivities(space, best, decided, some.tried)
    assert {one.name for one in result} == set(names)
    assert result[0].cost >= result[1].cost > 0
    for one in result:
        assert one.cost_of(one.best) == pytest.approx(0)
    assert len(pairs) <= 1


def test_a_quick_compiler_is_added_to_the_options_that_the_rules_decide() -> None:
    values = {"jvm": "quick-start", "mapreduce.map.memory.mb": "2048"}
    settings = {setting.key: str(setting.value) for setting in candidates().plan(values).settings}
    larger = candidates().plan({"mapreduce.map.memory.mb": "2048"})
    heap = next(str(one.value) for one in larger.settings if one.key == "mapreduce.map.java.opts")
    assert settings["mapreduce.map.java.opts"] == f"{heap} {QUICK_START}"
    master = "yarn.app.mapreduce.am.command-opts"
    assert not settings[master].endswith(QUICK_START)
    # Settings that the compiler does not change stay.
    assert settings["mapreduce.map.memory.mb"] == "2048"
    of_master = candidates().plan({"am-jvm": "quick-start"}).settings
    changed = {one.key: str(one.value) for one in of_master if str(one.value).endswith(QUICK_START)}
    assert changed == {master: f"{settings[master]} {QUICK_START}"}


def test_a_quick_compiler_pays_for_short_tasks_and_not_for_long_ones() -> None:
    def change(compiler: str, rows: int, block: str) -> float:
        plan = small_plan()
        several = Candidates(
            base_of(plan),
            run_request("terasuite", rows=rows),
            None,
            seed=3,
            lab=laboratory(),
        )
        with_it = {compiler: "quick-start", "dfs.blocksize": block}
        without, quick = several.tried([{"dfs.blocksize": block}, with_it])
        assert quick.elapsed_s is not None
        assert without.elapsed_s is not None
        return quick.elapsed_s / without.elapsed_s - 1

    tasks, master = "jvm", "am-jvm"
    assert change(tasks, 10_000_000, "64MiB") < -0.02
    assert change(tasks, 4_000_000_000, "1GiB") > 0.02
    assert change(master, 10_000_000, "64MiB") < -0.02


def test_in_a_lab_candidates_are_simulated_on_the_cpus_that_it_has() -> None:
    plan = lab_plan()
    base = base_of(plan)
    request = run_request("terasuite", rows=1_000_000)
    times = [
        Candidates(base, request, None, seed=1, lab=laboratory(cpus)).tried([{}])[0].elapsed_s
        for cpus in (2.0, 1.0)
    ]
    whole, half = times
    assert whole is not None
    assert half is not None
    assert half > 1.3 * whole
