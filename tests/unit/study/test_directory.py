"""The time that a study may take."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from howdah.study.directory import BudgetClock, StudyDirectory, spent_s
from howdah.study.matrix import cells_of
from howdah.study.schedule import Due
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
