"""The search for a job's properties, as far as it needs no cluster."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path

from howdah.model.tuning import RaceRequest, RaceTarget
from howdah.model.user_job import CONFIGURED_NAME, JobTuning, JobTuningRequest
from howdah.session.job_tuning import RESULT, find_job, properties_text, start_job, tune_job
from howdah.session.study_running import StudyObserver
from howdah.store.predictions import search_path, searches


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
    assert "<name>mapreduce.job.reduces</name>" in properties_text(tuning)


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
