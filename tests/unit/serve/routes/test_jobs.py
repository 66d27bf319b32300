"""The pages of imported applications: every attempt in the ranking leads to its page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from howdah.jobs.spark import spark_application
from howdah.jobs.store import JobStore
from howdah.serve.routes.jobs import linked_jobs
from howdah.services.event_log import read_event_log
from support.served import client_of
from support.spark_logs import SPARK_EVENTS


def test_every_attempt_has_a_page(tmp_path: Path) -> None:
    log = read_event_log(SPARK_EVENTS / "application_1656321732247_0006_2.gz")
    application = spark_application(log, "/logs/example", 1)
    jobs = tmp_path / "jobs"
    JobStore(jobs).add([replace(application, attempt=attempt) for attempt in ("1", "2")])
    assert linked_jobs(jobs) == [f"{application.id}_1", f"{application.id}_2"]
    with client_of(tmp_path, jobs_dir=jobs) as client:
        ranking = client.get("/jobs/").text
        for name in linked_jobs(jobs):
            assert f'href="{name}/"' in ranking
            assert client.get(f"/jobs/{name}/").status_code == 200
        assert client.get(f"/jobs/{application.id}/").status_code == 200
        assert client.get(f"/jobs/{application.id}_3/").status_code == 404
