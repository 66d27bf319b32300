"""The time that a study may take."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from howdah.model.run import RunWarning
from howdah.model.workloads.hadoop_programs import APPLICATION_FAILED
from howdah.study.directory import KEPT, BudgetClock, StudyDirectory, spent_s
from howdah.study.matrix import cells_of
from howdah.study.schedule import Due
from support.records import terasuite
from support.stored import write_run
from support.studies import ended, study


def clock(folder: Path, seconds: float | None, **runs: float) -> BudgetClock:
    whole = study(budget={} if seconds is None else {"hours": seconds / 3600})
    done = [ended(Due(cells_of(whole)[0], 1, 0), time_s) for time_s in runs.values()]
    return BudgetClock(whole, StudyDirectory(folder), done, labs=False)


def test_a_run_that_takes_longer_than_is_left_is_stopped_and_its_time_counts(tmp_path: Path) -> None:
    # All but 0.3 seconds are kept back to end jobs.
    timed = clock(tmp_path, 20.3)
    began_s = time.monotonic()
    with pytest.raises(KeyboardInterrupt), timed.run():
        time.sleep(30)
    assert time.monotonic() - began_s < 5
    assert timed.rang
    assert not timed.has_room()
    assert spent_s(StudyDirectory(tmp_path), []) >= 0.3


def test_a_process_that_was_killed_spent_its_part_of_the_budget(tmp_path: Path) -> None:
    first = clock(tmp_path, 60)
    with first.run():
        time.sleep(0.1)
    assert clock(tmp_path, 60).spent_s >= 0.1
    # Where the file is lost, at least the runs count.
    assert clock(tmp_path / "elsewhere", 60, first=40.0).spent_s >= 40


def test_no_run_starts_that_would_not_end_in_time(tmp_path: Path) -> None:
    timed = clock(tmp_path, 22)
    assert timed.has_room()
    with timed.run():
        time.sleep(1.2)
    assert not timed.has_room()
    assert not timed.rang


def test_without_a_budget_there_is_always_room(tmp_path: Path) -> None:
    timed = clock(tmp_path, None)
    with timed.run():
        pass
    assert timed.has_room()
    assert list(tmp_path.iterdir()) == []


def test_a_study_that_continues_knows_how_long_its_runs_take(tmp_path: Path) -> None:
    # 20 seconds of all are kept back.
    assert not clock(tmp_path, 80, first=40.0).has_room()
    assert clock(tmp_path, 80, first=20.0).has_room()


def test_applications_that_failed_although_the_command_succeeded_are_kept(tmp_path: Path) -> None:
    directory, due = StudyDirectory(tmp_path), Due(cells_of(study())[0], 1, 0)
    texts = ("application 1 failed", "application 2 failed")
    warnings = (
        *(RunWarning(code=APPLICATION_FAILED, text=text) for text in texts),
        RunWarning(code="no-tasks", text="application 3"),
    )
    data = terasuite(20_000_000)
    record = data.record.model_copy(update={"id": due.run_id, "warnings": warnings})
    path = write_run(directory.runs, data._replace(record=record))
    kept = directory.keep(due, 1.0, caches_dropped=True)
    assert (kept.failed_applications, kept.caches_dropped) == (2, True)
    assert directory.done() == (kept,)
    (path / KEPT).unlink()
    assert [run.failed_applications for run in directory.done()] == [2], "read from the record again"
    directory.remove(directory.done())
    assert directory.done() == ()
