"""The search for a job's properties, as far as it needs no cluster."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from howdah.errors import RunFailed, UserError
from howdah.model.comparison import Verdict
from howdah.model.run import Outcome, RunWarning
from howdah.model.study import Study, StudyRun
from howdah.model.tables import RunData
from howdah.model.tuning import RaceRequest, RaceTarget, TuneParameter
from howdah.model.user_job import CONFIGURED_NAME, JobTuning, JobTuningRequest
from howdah.model.workloads.hadoop_programs import APPLICATION_FAILED
from howdah.session import job_tuning, study_running
from howdah.session.job_tuning import (
    RESULT,
    check_properties,
    find_job,
    job_request,
    properties_text,
    start_job,
    tune_job,
)
from howdah.session.plans import check_replaceable
from howdah.session.studies import GivenStudy, make_runs
from howdah.session.study_paper import Paper
from howdah.session.study_running import StudyObserver
from howdah.store.predictions import search_path, searches
from howdah.study.directory import BudgetClock, StudyDirectory
from howdah.study.schedule import Due
from support.comparing import stretched
from support.records import terasuite
from support.stored import write_run
from support.studies import Nobody


def runs_nothing() -> AbstractContextManager[StudyObserver]:
    raise AssertionError


def test_a_search_that_has_ended_is_shown_without_its_lab(tmp_path: Path) -> None:
    race = RaceRequest(target=RaceTarget.LAB, name="gone", budget_s=600)
    request = JobTuningRequest(command=("hadoop", "jar", "a.jar"), race=race, space=(), fixed=(), seed=1)
    path = start_job(request, tmp_path, "search")
    assert find_job(tmp_path, "search")
    assert find_job(tmp_path, "last")
    result = JobTuning(
        id="search",
        request=request,
        alone=(),
        values={"mapreduce.job.reduces": "4"},
        winner=CONFIGURED_NAME,
        spent_s=1,
        decided=True,
    )
    (path / RESULT).write_text(result.model_dump_json())
    tuning, papers = tune_job(path, runs_nothing)
    assert (tuning, papers) == (result, ())
    text = properties_text(tuning)
    assert "<name>mapreduce.job.reduces</name>" in text
    # The same search may write its file again, when it is continued; a file of another kind stays.
    output = tmp_path / "tuned-job.xml"
    output.write_text(text)
    check_replaceable(output, check_properties, "file of tuned properties")
    spark = request.model_copy(update={"command": ("spark-submit", "app.py")})
    output.write_text(properties_text(result.model_copy(update={"request": spark})))
    check_replaceable(output, check_properties, "file of tuned properties")
    output.write_text("<configuration/>")
    with pytest.raises(UserError, match="not a file of tuned properties written by howdah"):
        check_replaceable(output, check_properties, "file of tuned properties")


def test_last_is_the_search_that_was_started_last_whatever_its_name(tmp_path: Path) -> None:
    for place, (name, file) in enumerate((("z", "request.json"), ("b", "job.json"), ("a", "request.json"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text("{}")
        os.utime(tmp_path / name / file, (place, place))
    assert search_path(tmp_path, "last") == tmp_path / "a"
    assert not find_job(tmp_path, "last")
    os.utime(tmp_path / "b" / "job.json", (9, 9))
    assert find_job(tmp_path, "last")
    assert search_path(tmp_path, "z") == tmp_path / "z"
    assert [path.name for path in searches(tmp_path, "request.json")] == ["z", "a"]


def test_the_container_of_a_configured_heap_is_as_hadoop_derives_it(tmp_path: Path) -> None:
    text = "<name>mapred.child.java.opts</name><value>-Xmx2048m</value>"
    (tmp_path / "mapred-site.xml").write_text(f"<configuration><property>{text}</property></configuration>")
    (tmp_path / "core-site.xml").write_text(
        "<configuration><property><name>fs.defaultFS</name><value>hdfs://nn:8020</value></property></configuration>"
    )
    race = RaceRequest(target=RaceTarget.CLUSTER, name=str(tmp_path), budget_s=600)
    request = job_request("hadoop jar a.jar", race, None, seed=1)
    levels = {parameter.name: parameter.levels for parameter in request.space}
    assert levels["mapreduce.map.memory.mb"] == ("2560", "1280", "5120")
    assert levels["mapreduce.map.java.opts"][0] == "-Xmx2048m"
    assert request.heaps["mapreduce.map.memory.mb"] == "-Xmx2048m"


def job_to_tune(lab: str) -> JobTuningRequest:
    """A job with one property to vary."""
    race = RaceRequest(target=RaceTarget.LAB, name=lab, budget_s=600)
    reduces = TuneParameter(
        name="mapreduce.job.reduces", unit="", levels=("1", "2"), ordered=False, planned="1", about="reduces"
    )
    command = ("hadoop", "jar", "a.jar")
    return JobTuningRequest(command=command, race=race, space=(reduces,), fixed=(), seed=1)


class End(NamedTuple):
    """How a run of the job ends."""

    seconds: float
    fails: bool = False
    failed_applications: int = 0


VALUE = "mapreduce.job.reduces=2"


def half(folder: str, run: Due) -> End:
    """The value takes half the time."""
    return End(5.0 if run.cell.name == VALUE else 10.0)


@cache
def measured() -> RunData:
    return terasuite(20_000_000)


def job_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: Callable[[str, Due], End] = half
) -> list[str]:
    """Let runs of the job end so, without a lab; the result has their folders and names as they run."""
    names: list[str] = []

    def run_on_lab(study: Study, directory: StudyDirectory, run: Due, *rest: object, races: bool) -> StudyRun:
        assert races
        names.append(f"{directory.path.name}: {run.cell.name}, {run.repeat}")
        ends = end(directory.path.name, run)
        data = stretched(measured(), ends.seconds * (1 + 0.001 * run.repeat) / 10)
        failed = {"outcome": Outcome.FAILED, "error": "output exists"} if ends.fails else {}
        warnings = tuple(
            RunWarning(code=APPLICATION_FAILED, text=f"application {number} failed")
            for number in range(ends.failed_applications)
        )
        record = data.record.model_copy(update={"id": run.run_id, "warnings": warnings, **failed})
        write_run(directory.runs, data._replace(record=record))
        return directory.keep(run, 1.0, caches_dropped=False)

    monkeypatch.setattr(study_running, "_run_on_lab", run_on_lab)
    monkeypatch.setattr(job_tuning, "write_study_paper", lambda directory: Paper(tmp_path, ()))
    return names


def silent() -> AbstractContextManager[StudyObserver]:
    return nullcontext[StudyObserver](Nobody())


def test_more_time_is_for_values_alone_until_candidates_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    budgets: list[tuple[str, float | None]] = []

    def noting(requested: GivenStudy, directory: StudyDirectory, *rest: Any, **options: Any) -> Any:
        budgets.append((directory.path.name, requested.study.budget.hours))
        return make_runs(requested, directory, *rest, **options)

    job_runs(monkeypatch, tmp_path)
    monkeypatch.setattr(job_tuning, "make_runs", noting)
    monkeypatch.setattr(job_tuning, "spent_s", lambda directory, done: 60.0)
    path = start_job(job_to_tune("tested-alone"), tmp_path / "tune", "search")
    with monkeypatch.context() as short:
        short.setattr(BudgetClock, "has_room", lambda clock: False)
        with pytest.raises(RunFailed, match="ended before the job had run as it is configured"):
            tune_job(path, silent)
    tune_job(path, silent, 1200)
    tune_job(path, silent, 2400)
    assert [folder for folder, _ in budgets] == ["alone", "alone", "race", "race"]
    assert [hours for _, hours in budgets] == pytest.approx([0.1, 0.2, 1140 / 3600, 2340 / 3600])


def test_a_job_that_fails_as_it_is_configured_ends_the_search_after_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = start_job(job_to_tune("tested-failing"), tmp_path / "tune", "search")
    names = job_runs(monkeypatch, tmp_path, lambda folder, run: End(10.0, fails=True))
    for _ in range(2):
        with pytest.raises(RunFailed, match="fails as it is configured: output exists"):
            tune_job(path, silent)
    assert names == 2 * ["alone: configured, 0"], "continued, the job is checked again"
    names = job_runs(monkeypatch, tmp_path)
    assert tune_job(path, silent)[0].winner == VALUE
    assert names[0] == "alone: configured, 0"


def test_a_job_that_cannot_run_twice_ends_the_search_and_its_failed_runs_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = start_job(job_to_tune("tested-twice"), tmp_path / "tune", "search")
    first = job_runs(monkeypatch, tmp_path, lambda folder, run: End(10.0, fails=run.repeat > 0))
    with pytest.raises(RunFailed, match="fails as it is configured: output exists"):
        tune_job(path, silent)
    assert first[-1] == "alone: configured, 1"
    second = job_runs(monkeypatch, tmp_path)
    tuning, _ = tune_job(path, silent)
    assert "alone: configured, 0" not in second
    assert set(first[1:]) <= set(second)
    assert [value.failed for value in tuning.alone] == [0]
    assert tuning.winner == VALUE


def test_a_configured_job_that_fails_later_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(folder: str, run: Due) -> End:
        return half(folder, run)._replace(fails=run.cell.name == CONFIGURED_NAME and run.repeat == 2)

    job_runs(monkeypatch, tmp_path, end)
    path = start_job(job_to_tune("tested-later"), tmp_path / "tune", "search")
    tuning, _ = tune_job(path, silent)
    assert next(plan.failed for plan in tuning.plans if plan.name == CONFIGURED_NAME) == 1


def test_a_value_with_which_an_application_fails_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(folder: str, run: Due) -> End:
        return half(folder, run)._replace(failed_applications=int(run.cell.name == VALUE))

    job_runs(monkeypatch, tmp_path, end)
    path = start_job(job_to_tune("tested-applications"), tmp_path / "tune", "search")
    tuning, _ = tune_job(path, silent)
    assert [value.failed for value in tuning.alone] == [2]
    assert (tuning.winner, tuning.values) == (CONFIGURED_NAME, {})


def test_an_application_that_always_fails_is_part_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_runs(monkeypatch, tmp_path, lambda folder, run: half(folder, run)._replace(failed_applications=1))
    path = start_job(job_to_tune("tested-always"), tmp_path / "tune", "search")
    tuning, _ = tune_job(path, silent)
    assert (tuning.winner, tuning.values) == (VALUE, {"mapreduce.job.reduces": "2"})


def test_a_candidate_that_failed_once_in_the_race_does_not_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(folder: str, run: Due) -> End:
        fails = (folder, run.cell.name, run.repeat) == ("race", VALUE, 2)
        return half(folder, run)._replace(fails=fails)

    job_runs(monkeypatch, tmp_path, end)
    path = start_job(job_to_tune("tested-once"), tmp_path / "tune", "search")
    tuning, _ = tune_job(path, silent)
    candidate = next(plan for plan in tuning.plans if plan.name == VALUE)
    assert candidate.failed == 1
    assert candidate.against[CONFIGURED_NAME].verdict is Verdict.FASTER
    assert (tuning.winner, tuning.values) == (CONFIGURED_NAME, {})


def test_once_candidates_race_no_value_runs_alone_and_the_race_has_their_properties(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(folder: str, run: Due) -> End:
        if folder == "race":
            raise KeyboardInterrupt
        return half(folder, run)

    job_runs(monkeypatch, tmp_path, end)
    path = start_job(job_to_tune("tested-stopped"), tmp_path / "tune", "search")
    with pytest.raises(KeyboardInterrupt):
        tune_job(path, silent)
    # As if there had not been the time for these; without them, no candidate would race.
    for run in (path / "alone" / "runs").glob("002-*"):
        shutil.rmtree(run)
    names = job_runs(monkeypatch, tmp_path)
    tuning, _ = tune_job(path, silent)
    assert {name.partition(":")[0] for name in names} == {"race"}
    assert (tuning.winner, tuning.values) == (VALUE, {"mapreduce.job.reduces": "2"})


def test_a_larger_budget_is_kept_and_the_earlier_result_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*rest: object, **options: object) -> None:
        raise KeyboardInterrupt

    job_runs(monkeypatch, tmp_path)
    path = start_job(job_to_tune("tested-budget"), tmp_path / "tune", "search")
    tune_job(path, silent)
    with pytest.raises(UserError, match="too short for a race"):
        tune_job(path, silent, 60)
    assert (path / RESULT).exists()
    with monkeypatch.context() as stopped:
        stopped.setattr(job_tuning, "make_runs", killed)
        with pytest.raises(KeyboardInterrupt):
            tune_job(path, silent, 1200)
    assert not (path / RESULT).exists()
    assert tune_job(path, silent)[0].request.race.budget_s == 1200
    assert (path / RESULT).exists()


def test_a_search_has_no_name_that_leaves_its_directory(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a valid name of a search"):
        start_job(job_to_tune("x"), tmp_path / "tune", "../x")
