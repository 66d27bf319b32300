"""What the runs of a race decide for the tuned plan. The runs are simulated, which costs no cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.model.study import Study
from howdah.model.tuning import KeptRules, Narrowing, RaceRequest, RaceTarget, TuningRequest
from howdah.report.prediction.tuned import tuned as page_of
from howdah.session.racing import change_race, plan_to_tune, race_request, run_race
from howdah.session.tuning import race_study, search, start
from howdah.store.predictions import TuningFolder, open_tuning
from support.sim_plans import small_plan
from support.studies import Nobody

SPACE = {
    "mapreduce.job.reduces": ("planned", "56", "70"),
    "mapreduce.job.reduce.slowstart.completedmaps": ("planned", "0"),
}
"""Two values that save some percent on seven hosts."""
ROWS = 50_000_000


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Locks of races are one for the machine, on which other tests may race, too."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def request(race: RaceRequest | None, space: Mapping[str, tuple[str, ...]] | None = None) -> TuningRequest:
    return TuningRequest(
        plan_file="plan.yaml", plan=small_plan(), suite="terasuite", rows=ROWS, calibration=None,
        narrowing=Narrowing(parameters=space or SPACE, others="planned"), space_file="space.yaml", allowed=(),
        keep=KeptRules.RULES, trials=20, replications=3, seed=1, race=race,
    )  # fmt: skip


def on_labs(budget_s: float = 3600) -> RaceRequest:
    return RaceRequest(target=RaceTarget.LABS, name="", budget_s=budget_s)


def in_simulator(study: Study) -> Study:
    """A race's study in the simulator, where runs need no rest and no empty page cache."""
    settings = study.settings.model_copy(update={"engine": "sim"})
    [factor] = study.factors
    # The simulator has no properties of programs.
    levels = tuple(level.model_copy(update={"job_settings": None}) for level in factor.levels)
    factors = (factor.model_copy(update={"levels": levels}),)
    changes = {"settings": settings, "factors": factors, "drop_caches": False, "settle_s": 0.0}
    return study.model_copy(update=changes)


def raced_in_simulator(folder: TuningFolder) -> tuple[str, dict[str, str], str]:
    """The winner of a folder's race, the reasons of its values by key, and the answer of its page."""
    tuned = search(folder, lambda progress: None)
    result, _ = run_race(folder, tuned, in_simulator(race_study(folder, tuned.tuning)), Nobody())
    assert result.tuning.race is not None
    assert result.tuning.race.decided
    for plan in result.tuning.race.plans:
        finalist = result.tuning.contenders.get(plan.name)
        assert plan.simulated == (finalist.share if finalist else None)
    reasons = {
        setting.key: setting.reason for setting in result.plan.settings if "howdah tune" in setting.source
    }
    return result.tuning.race.winner, reasons, page_of(result.tuning, None).answer


def test_a_faster_candidate_is_the_tuned_plan_with_what_was_measured(tmp_path: Path) -> None:
    with start(request(on_labs()), tmp_path, "t") as folder:
        winner, reasons, answer = raced_in_simulator(folder)
    assert winner == "tuned"
    assert reasons
    assert all(reason.startswith("measured with the other tuned values, ") for reason in reasons.values())
    assert all(" % faster in " in reason for reason in reasons.values())
    assert answer.startswith("Measured: tuned takes ")
    assert "less time than the rules' plan" in answer
    # The search is over and its race is known: nothing runs again, and nothing changes.
    with open_tuning(tmp_path, "t") as again:
        change_race(again, None, None)
        assert raced_in_simulator(again) == (winner, reasons, answer)


def test_a_race_without_a_better_candidate_keeps_the_rules_plan(tmp_path: Path) -> None:
    space = {"mapreduce.job.reduces": ("planned", "7")}
    with start(request(on_labs(), space), tmp_path, "t") as folder:
        winner, reasons, _ = raced_in_simulator(folder)
    assert winner == "rules"
    assert not reasons


def test_a_race_that_leaves_candidates_out_for_lack_of_time_is_decided_among_the_others(
    tmp_path: Path,
) -> None:
    with start(request(on_labs()), tmp_path, "t") as folder:
        tuned = search(folder, lambda progress: None)
        first, *rest = tuned.tuning.finalists
        left_out = first.model_copy(update={"values": {"mapreduce.job.reduces": "70"}})
        more = tuned.tuning.model_copy(update={"finalists": (first, *rest, left_out)})
        study = in_simulator(race_study(folder, tuned.tuning))
        race = run_race(folder, tuned._replace(tuning=more), study, Nobody())[0].tuning.race
    assert race is not None
    assert set(more.contenders) - {plan.name for plan in race.plans}
    assert race.winner == "tuned"


def test_a_race_continues_with_more_time_but_nowhere_else(tmp_path: Path) -> None:
    start(request(None), tmp_path, "t").__exit__()
    with open_tuning(tmp_path, "t") as folder:
        change_race(folder, on_labs(600), None)
    with open_tuning(tmp_path, "t") as folder:
        assert folder.request.race == on_labs(600)
        change_race(folder, None, 1200)
        assert folder.request.race == on_labs(1200)
        with pytest.raises(UserError, match="too short for a race"):
            change_race(folder, None, 0.04)
        elsewhere = RaceRequest(target=RaceTarget.LAB, name="x", budget_s=600)
        with pytest.raises(UserError, match="differs from the search's race on a lab for each plan"):
            change_race(folder, elsewhere, None)


def test_a_search_of_more_than_jobs_cannot_race_on_a_cluster_that_is_up(tmp_path: Path) -> None:
    with start(request(None), tmp_path, "t") as folder, pytest.raises(UserError, match="takes a restart"):
        change_race(folder, RaceRequest(target=RaceTarget.LAB, name="x", budget_s=600), None)


def test_mistakes_about_races_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="too short for a race"):
        race_request("labs", 10.0)
    with pytest.raises(UserError, match="--race nowhere: no such lab is up"):
        race_request("nowhere", None)
    lab = RaceRequest(target=RaceTarget.LAB, name="x", budget_s=600)
    with pytest.raises(UserError, match="tunes the plan of that lab"):
        plan_to_tune(tmp_path / "plan.yaml", lab)
    with pytest.raises(UserError, match="needs a plan"):
        plan_to_tune(None, None)


def test_two_races_on_one_target_are_refused(tmp_path: Path) -> None:
    class Second(Nobody):
        """Starts a second race while the first runs."""

        def begins(self, *args: object) -> None:
            if not refused:
                with (
                    start(request(on_labs()), tmp_path, "second") as other,
                    pytest.raises(UserError, match="another race runs there") as error,
                ):
                    run_race(other, tuned, study, Nobody())
                refused.append(str(error.value))

    refused: list[str] = []
    with start(request(on_labs()), tmp_path, "first") as folder:
        tuned = search(folder, lambda progress: None)
        study = in_simulator(race_study(folder, tuned.tuning))
        run_race(folder, tuned, study, Second())
    assert len(refused) == 1
