"""What the runs of a race decide for the tuned plan. The runs are simulated, which costs no cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from howdah.documents.files import read_inventory, read_plan, write_plan
from howdah.errors import UserError
from howdah.model.engines import HBASE
from howdah.model.request import Demand, PlanRequest
from howdah.model.study import Budget, Study
from howdah.model.tuning import Goal, KeptRules, Narrowing, RaceRequest, RaceTarget, TuningRequest
from howdah.model.workloads.hadoop_programs import OPERATIONS
from howdah.planner.cluster import plan_cluster
from howdah.planner.suite.request import requested_programs
from howdah.report.document import Figure
from howdah.report.prediction.tuned import tuned as page_of
from howdah.session import study_running
from howdah.session.laboratories import fits_here
from howdah.session.racing import change_race, plan_to_tune, race_request, run_race
from howdah.session.study_cells import filling_cell, plan_path, prepare_cell, run_request, write_inputs
from howdah.session.tuning import TuningWork, race_study, search, start
from howdah.store.predictions import TuningFolder, open_tuning
from howdah.study.directory import StudyDirectory
from howdah.study.matrix import cells_of
from howdah.study.schedule import Due
from howdah.tune.candidates import PlannedCandidate
from support.sim_plans import small_plan
from support.studies import EXAMPLES, Nobody

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


@pytest.fixture(autouse=True)
def large_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labs of seven hosts with 16 threads each fit here."""
    monkeypatch.setattr("howdah.session.tuning.fits_here", lambda plan, directory: True)
    monkeypatch.setattr("howdah.session.racing.fits_here", lambda plan, directory: True)


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
    # A line at 0 % shows nothing.
    with open_tuning(tmp_path, "t") as again:
        tuning = again.result()
    assert tuning is not None
    (course,) = (section for section in page_of(tuning, None).sections if section.id == "course")
    assert not any(isinstance(block, Figure) for block in course.blocks)


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
        plan_to_tune(tmp_path / "plan.yaml", lab, tmp_path)
    with pytest.raises(UserError, match="needs a plan"):
        plan_to_tune(None, None, tmp_path)


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


def test_more_time_is_for_the_plans_that_race_already(tmp_path: Path) -> None:
    with start(request(on_labs()), tmp_path, "t") as folder:
        tuned = search(folder, lambda progress: None)
        study = in_simulator(race_study(folder, tuned.tuning))
        run_race(folder, tuned, study.model_copy(update={"budget": Budget(hours=0.5)}), Nobody())
        (factor,) = study.factors
        more = factor.levels[1].model_copy(update={"label": "tuned-9"})
        factors = (factor.model_copy(update={"levels": (*factor.levels, more)}),)
        longer = study.model_copy(update={"factors": factors, "budget": Budget(hours=2)})
        race = run_race(folder, tuned, longer, Nobody())[0].tuning.race
    assert race is not None
    assert {plan.name for plan in race.plans} == {level.label for level in factor.levels}


def test_a_candidate_that_is_refused_has_failed_and_the_race_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = prepare_cell

    def refusing(study: Study, directory: StudyDirectory, due: Due, *rest: Any, **options: Any) -> Any:
        if due.cell.name == "tuned":
            raise UserError("mapreduce.map.memory.mb", "is more than any node has", "give less")
        return prepared(study, directory, due, *rest, **options)

    monkeypatch.setattr(study_running, "prepare_cell", refusing)
    with start(request(on_labs()), tmp_path, "t") as folder:
        tuned = search(folder, lambda progress: None)
        race = run_race(folder, tuned, in_simulator(race_study(folder, tuned.tuning)), Nobody())[
            0
        ].tuning.race
    assert race is not None
    assert {plan.name: plan.failed for plan in race.plans if plan.failed} == {"tuned": 2}
    assert race.winner != "tuned"
    assert {"rules", "defaults"} < {plan.name for plan in race.plans if plan.runs == 3}


def test_a_plan_that_labs_here_cannot_have_is_not_raced_on_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start(request(on_labs()), tmp_path, "t") as folder:
        tuned = search(folder, lambda progress: None)
        monkeypatch.setattr("howdah.session.tuning.fits_here", lambda plan, directory: False)
        assert race_study(folder, tuned.tuning).contenders == ({"plan": "rules"},)
    monkeypatch.setattr("howdah.session.racing.fits_here", lambda plan, directory: False)
    with start(request(None), tmp_path, "large") as large, pytest.raises(UserError, match="smaller ones"):
        change_race(large, on_labs(), None)


def test_a_race_on_labs_searches_hosts_as_small_as_labs_have(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(write_plan(small_plan()))
    start_of = plan_to_tune(file, on_labs(), tmp_path)
    assert start_of.laboratory is not None
    assert fits_here(start_of.plan, tmp_path)
    assert plan_to_tune(file, None, tmp_path).plan == small_plan()


def test_every_candidate_does_the_same_work_also_without_a_planned_dataset() -> None:
    work = TuningWork(request(None).model_copy(update={"rows": None}))
    fewer = work.candidates.planned({"slots": "2"})
    planned = work.candidates.planned({})
    assert isinstance(fewer, PlannedCandidate)
    assert isinstance(planned, PlannedCandidate)
    assert fewer.plan.workers[0].map_slots < planned.plan.workers[0].map_slots
    assert [program.rows for program in fewer.scenarios[0].workloads] == [
        program.rows for program in planned.scenarios[0].workloads
    ]


def test_operations_have_no_containers_to_limit() -> None:
    hosts = read_inventory(EXAMPLES / "hosts-lab-hbase.yaml")
    plan = plan_cluster(hosts, PlanRequest(replication=2, workloads=(Demand(kind="ycsb", records=20_000),)))
    update = {"plan": plan, "suite": "ycsb-b", "rows": None, "goals": (Goal.MEMORY,)}
    with pytest.raises(UserError, match="--goal memory: limits the containers of jobs"):
        TuningWork(request(None, {}).model_copy(update=update))


def test_a_race_of_operations_has_all_files_that_its_labs_are_built_of(tmp_path: Path) -> None:
    hosts = read_inventory(EXAMPLES / "hosts-lab-hbase.yaml")
    plan = plan_cluster(hosts, PlanRequest(replication=2, workloads=(Demand(kind="ycsb", records=20_000),)))
    handlers = Narrowing(
        parameters={"hbase.regionserver.handler.count": ("planned", "64", "128")}, others="planned"
    )
    update = {"plan": plan, "suite": "ycsb-b", "rows": None, "narrowing": handlers}
    with start(request(on_labs()).model_copy(update=update), tmp_path, "t") as folder:
        tuned = search(folder, lambda progress: None)
        study = race_study(folder, tuned.tuning)
        directory = StudyDirectory(tmp_path / "race")
        write_inputs(study, directory, cells_of(study), folder.path)
        rules = read_plan(plan_path(directory, cells_of(study)[0]))
    assert rules == plan
    assert study.settings.of(OPERATIONS) == 200_000
    # The suite that fills a lab has no operations of its own.
    filling = study.model_copy(update={"suite": study.fill})
    fill = run_request(filling, filling_cell(filling, cells_of(study)[0]).settings)
    assert set(fill.given) == {"records", "threads", "clients"}
    requested_programs(fill, HBASE)
