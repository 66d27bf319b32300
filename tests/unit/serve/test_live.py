"""A run under way as its page sees it: growing, ended, killed, removed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from howdah.model.run import Outcome
from howdah.model.tables import Progress
from howdah.serve.live import FollowedRun
from howdah.serve.places import NotServed
from howdah.store.writer import RunWriter
from support import records
from support.stored import as_begun, sample_ticks, task_rows


def test_a_run_grows_and_ends(tmp_path: Path) -> None:
    data = records.terasuite()
    ticks = list(sample_ticks(data.samples))
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        followed = FollowedRun(tmp_path, data.record.id)
        for tick in ticks[:20]:
            writer.samples(tick)
        writer.progress(Progress("terasort", "map-shuffle", 25, 100, "B", 5.0, "3 of 8 maps"))
        state = followed.refresh()
        assert state.outcome == "running"
        assert state.planned == ("teragen", "terasort", "teravalidate")
        assert state.progress is not None
        assert state.progress.tasks == "3 of 8 maps"
        assert state.left_s == pytest.approx(15.0)
        assert "begins" in followed.log
        before = len(followed.figures.points)
        assert before > 0
        for tick in ticks[20:30]:
            writer.samples(tick)
        writer.tasks(task_rows(data.tasks)[:5])
        state = followed.refresh()
        assert followed.added is not None
        assert len(followed.figures.points) == before + len(followed.added.points)
        assert sum(state.tasks.values()) == 5
        assert len(state.last_tasks) == 5
        writer.finish(data.record)
    assert followed.refresh().outcome == "succeeded"
    assert followed.over
    assert not (tmp_path / data.record.id / ".progress.json").exists()


def test_a_run_that_was_killed_says_so(tmp_path: Path) -> None:
    data = records.terasuite()
    writer = RunWriter(tmp_path, as_begun(data.record))
    followed = FollowedRun(tmp_path, data.record.id)
    assert followed.refresh().outcome == "running"
    # What a kill leaves: the lock goes with the process.
    writer.__exit__(None, None, None)
    state = followed.refresh()
    assert (state.outcome, state.error) == (Outcome.ABORTED, "its process has ended before it did")


def test_a_run_that_is_removed_while_it_is_watched_is_gone(tmp_path: Path) -> None:
    data = records.terasuite()
    with RunWriter(tmp_path, as_begun(data.record)):
        followed = FollowedRun(tmp_path, data.record.id)
        followed.refresh()
        shutil.rmtree(tmp_path / data.record.id)
        assert followed.refresh().outcome == "gone"
    with pytest.raises(NotServed):
        FollowedRun(tmp_path, data.record.id)


def test_a_record_that_becomes_unreadable_is_told(tmp_path: Path) -> None:
    data = records.terasuite()
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        followed = FollowedRun(tmp_path, data.record.id)
        followed.refresh()
        (writer.path / "run.json").write_text('{"schema_version": 99}')
        state = followed.refresh()
        assert state.outcome == "unreadable"
        assert "newer" in state.error
        assert str(tmp_path) not in state.error
