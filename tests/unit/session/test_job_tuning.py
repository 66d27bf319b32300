"""The search for a job's properties, as far as it needs no cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from howdah.model.job_tuning import CONFIGURED_NAME, JobTuning, JobTuningRequest
from howdah.model.study import Study
from howdah.model.tuning import RaceRequest, RaceTarget
from howdah.session.job_tuning import RESULT, is_job, properties_text, start_job, tune_job
from howdah.session.study.running import StudyObserver


def runs_nothing(study: Study) -> AbstractContextManager[StudyObserver]:
    raise AssertionError(study.study)


def test_a_search_that_has_ended_is_shown_without_its_lab(tmp_path: Path) -> None:
    race = RaceRequest(target=RaceTarget.LAB, name="gone", budget_s=600)
    request = JobTuningRequest(command=("hadoop", "jar", "a.jar"), race=race, space=(), fixed=(), seed=1)
    path = start_job(request, tmp_path, "search")
    assert is_job(tmp_path, "search")
    assert is_job(tmp_path, "last")
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
