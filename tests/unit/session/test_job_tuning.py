"""The search for a job's properties, as far as it needs no cluster."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from howdah.errors import RunFailed, UserError
from howdah.model.run import Outcome
from howdah.model.study import StudyRun
from howdah.model.tuning import RaceRequest, RaceTarget, TuneParameter
from howdah.model.user_job import CONFIGURED_NAME, JobTuning, JobTuningRequest
from howdah.session import job_tuning
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
from howdah.session.studies import GivenStudy
from howdah.session.study_paper import Paper
from howdah.session.study_running import StudyObserver
from howdah.store.predictions import search_path, searches
from howdah.study.directory import StudyDirectory
from howdah.study.matrix import cells_of
from howdah.study.schedule import due
from support.studies import Nobody, ended


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


def test_more_time_is_for_values_alone_until_candidates_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hours: list[float | None] = []

    def make_runs(
        requested: GivenStudy, directory: StudyDirectory, observer: StudyObserver
    ) -> tuple[StudyRun, ...]:
        directory.begin(requested.study, requested.text)
        hours.append(requested.study.budget.hours)
        return ()

    monkeypatch.setattr(job_tuning, "make_runs", make_runs)
    monkeypatch.setattr(job_tuning, "spent_s", lambda directory, done: 60.0)
    monkeypatch.setattr(job_tuning, "write_study_paper", lambda directory: Paper(tmp_path, ()))
    request = job_to_tune("tested-alone")
    path = start_job(request, tmp_path / "tune", "search")
    unused = nullcontext[StudyObserver](Nobody())
    tune_job(path, lambda: unused)
    tune_job(path, lambda: unused, 1200)
    (path / "race").mkdir()
    (path / "race" / "study.yaml").write_text((path / "alone" / "study.yaml").read_text())
    tune_job(path, lambda: unused, 2400)
    assert hours == pytest.approx([0.1, 0.2, 0.2])


def test_a_job_that_fails_as_it_is_configured_ends_the_search_after_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_runs(
        requested: GivenStudy, directory: StudyDirectory, observer: StudyObserver
    ) -> tuple[StudyRun, ...]:
        first = next(due(requested.study, cells_of(requested.study), ()))
        assert (first.cell.name, first.repeat) == (CONFIGURED_NAME, 0)
        observer.ended(first, ended(first, outcome=Outcome.FAILED))
        raise AssertionError

    monkeypatch.setattr(job_tuning, "make_runs", make_runs)
    path = start_job(job_to_tune("tested-failing"), tmp_path, "search")
    with pytest.raises(RunFailed, match="fails as it is configured"):
        tune_job(path, lambda: nullcontext[StudyObserver](Nobody()))


def test_a_search_has_no_name_that_leaves_its_directory(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a valid name of a search"):
        start_job(job_to_tune("x"), tmp_path / "tune", "../x")
