"""Replays of imported jobs: earlier runs of the same job show how much it varies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from howdah.jobs.store import JobStore, applications
from howdah.model.application import Application
from howdah.session.jobs import import_jobs
from howdah.session.replaying import Request, replay
from support.spark_logs import SPARK_EVENTS

JOB = "application_1795899041776_0002"


@pytest.fixture
def imported(tmp_path: Path) -> tuple[JobStore, Application]:
    """A store with a real application."""
    import_jobs([str(SPARK_EVENTS / f"eventlog_v2_{JOB}")], tmp_path, None, lambda done, of: None)
    store = JobStore(tmp_path)
    [application] = applications(store.read())
    return store, application


def runs(application: Application, *factors: float, **changes: object) -> list[Application]:
    """More runs of an application, so many times as long."""
    return [
        replace(
            application,
            id=f"application_1795899041776_9{number:03}",
            end_s=application.submit_s + factor * application.elapsed_s,
            **changes,  # type: ignore[arg-type]
        )
        for number, factor in enumerate(factors)
    ]


def test_four_runs_of_the_same_job_replace_the_assumed_spread(
    imported: tuple[JobStore, Application],
) -> None:
    store, application = imported
    alone = replay(store.directory, Request(JOB, ("hosts=8",)))
    assert alone.repeats == 1
    assert any("is assumed to vary" in line for line in alone.assumptions)
    store.add(runs(application, 1.01, 0.99, 1.0))
    steady = replay(store.directory, Request(JOB, ("hosts=8",)))
    assert steady.repeats == 4
    assert steady.run_spread < alone.run_spread
    assert not any("is assumed to vary" in line for line in steady.assumptions)
    [before], [after] = alone.times, steady.times
    assert after.elapsed_s == before.elapsed_s
    assert after.high_s - after.low_s < before.high_s - before.low_s


@pytest.mark.parametrize(
    "changes", [{"name": "another"}, {"outcome": "failed"}, {"containers": 9}, {"hosts": ()}]
)
def test_runs_that_differ_do_not_count(
    imported: tuple[JobStore, Application], changes: dict[str, object]
) -> None:
    store, application = imported
    store.add(runs(application, 1.0, 2.0, 3.0, **changes))
    assert replay(store.directory, Request(JOB)).repeats == 1


def test_the_same_seed_gives_the_same_replay(imported: tuple[JobStore, Application]) -> None:
    store, _ = imported
    assert replay(store.directory, Request(JOB)) == replay(store.directory, Request(JOB))
    other = replay(store.directory, Request(JOB, seed=7))
    assert other.seed == 7
