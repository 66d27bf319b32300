"""A record is written as the run goes and reads back as it was."""

from __future__ import annotations

import logging
import os
import resource
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from howdah.errors import RunFailed, UserError
from howdah.model.reported import LatencyHistogram, encoded
from howdah.model.run import Outcome, Sample
from howdah.model.tables import Progress, RunData, SampleSink, ServerEvent
from howdah.store.layout import PROGRESS
from howdah.store.reader import read_record, read_run
from howdah.store.writer import RunWriter
from support import records
from support.stored import as_begun, sample_ticks, task_rows, write_run


@pytest.mark.parametrize(
    "run", [records.terasuite, records.failed, records.aborted, records.dfsio, records.storage, records.pi]
)
def test_what_is_written_reads_back_the_same(tmp_path: Path, run: Callable[[], RunData]) -> None:
    data = run()
    path = write_run(tmp_path, data)
    assert path == tmp_path / data.record.id
    read = read_run(path)
    assert read.record == data.record
    assert read.tasks.equals(data.tasks)
    assert read.samples.equals(data.samples)


def test_tables_are_appended_as_columns_too(tmp_path: Path) -> None:
    data = records.terasuite()
    half = data.samples.num_rows // 2
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        writer.task_table(data.tasks)
        writer.sample_table(data.samples.slice(0, half))
        writer.sample_table(data.samples.slice(half))
        writer.finish(data.record)
    read = read_run(writer.path)
    assert read.tasks.equals(data.tasks)
    assert read.samples.equals(data.samples)


def test_columns_of_another_table_are_refused_before_they_spoil_the_stream(tmp_path: Path) -> None:
    data = records.terasuite()
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        with pytest.raises(ValueError, match="do not belong in tasks"):
            writer.task_table(data.samples)
        writer.task_table(data.tasks)
        writer.finish(data.record)
    assert read_run(writer.path).tasks.equals(data.tasks)


def test_a_finished_run_keeps_only_the_files_of_its_record(tmp_path: Path) -> None:
    path = write_run(tmp_path, records.terasuite())
    files = {file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()}
    assert files == {
        *("run.json", "logs/howdah.log"),
        *("tasks.parquet", "samples.parquet", "latencies.parquet", "server_events.parquet"),
    }


def test_a_run_can_be_read_while_it_goes(tmp_path: Path) -> None:
    data = records.terasuite()
    ticks = list(sample_ticks(data.samples))
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        assert read_run(writer.path).samples.num_rows == 0
        writer.samples(ticks[0])
        writer.samples(ticks[1])
        writer.tasks(task_rows(data.tasks)[:3])
        writer.update(as_begun(data.record, elapsed_s=1.5))
        read = read_run(writer.path)
    # The record itself was last written at 1.5 s; its third task ended later.
    last_s = max(task.end_s for task in task_rows(data.tasks)[:3])
    assert last_s > 1.5
    assert read.record == as_begun(data.record, elapsed_s=last_s)
    assert read.samples.to_pylist() == [row._asdict() for row in ticks[0] + ticks[1]]
    assert read.tasks.equals(data.tasks.slice(0, 3))


def test_a_run_left_without_its_end_reads_as_aborted(tmp_path: Path) -> None:
    data = records.terasuite()
    begun = as_begun(
        data.record,
        workloads=(data.record.workloads[0].model_copy(update={"outcome": Outcome.RUNNING}),),
    )
    with RunWriter(tmp_path, begun) as writer:
        writer.tasks(task_rows(data.tasks)[:1])
    read = read_run(tmp_path / begun.id)
    assert read.record.outcome is Outcome.ABORTED
    assert read.record.workloads[0].outcome is Outcome.ABORTED
    assert read.record.error is not None
    assert read.record.warnings == begun.warnings
    assert read.tasks.num_rows == 1
    assert read_record(tmp_path / begun.id) == read.record


def test_a_run_killed_after_its_outcome_was_known_but_before_its_tables_were_whole_is_aborted(
    tmp_path: Path,
) -> None:
    data = records.terasuite()
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        writer.samples(next(iter(sample_ticks(data.samples))))
        writer.update(data.record)
    read = read_run(writer.path)
    assert data.record.outcome is Outcome.SUCCEEDED
    assert read.record.outcome is Outcome.ABORTED
    assert read.record.workloads == data.record.workloads


def test_the_writer_is_a_sink_whose_record_keeps_no_progress(tmp_path: Path) -> None:
    data = records.terasuite()
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        sink: SampleSink = writer
        before = {file: file.read_bytes() for file in writer.path.rglob("*") if file.is_file()}
        sink.progress(Progress("terasort", "map-shuffle", 1, 2, "B", 0.5))
        after = {file: file.read_bytes() for file in writer.path.rglob("*") if file.is_file()}
        assert after.pop(writer.path / PROGRESS)
        assert after == before
        writer.finish(data.record)
    assert not (writer.path / PROGRESS).exists()


def test_any_thread_may_write(tmp_path: Path) -> None:
    data = records.terasuite()
    row = task_rows(data.tasks)[0]

    def write(thread: int) -> None:
        for number in range(50):
            writer.samples(
                [Sample(float(number), "host1", f"cpu/{thread}/user_s", value) for value in (1, 2)]
            )
            writer.tasks([row._replace(task=thread, attempt=number)])
            writer.update(as_begun(data.record, elapsed_s=float(number)))

    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))
        writer.finish(data.record)
    read = read_run(writer.path)
    pairs = read.samples.column("metric").to_pylist()
    assert len(pairs) == 800
    # The two rows of a batch stay together, whichever thread wrote between.
    assert pairs[::2] == pairs[1::2]
    attempts = {(one.task, one.attempt) for one in task_rows(read.tasks)}
    assert attempts == {(thread, number) for thread in range(8) for number in range(50)}


def test_nothing_can_follow_the_end(tmp_path: Path) -> None:
    data = records.terasuite()
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        with pytest.raises(ValueError, match="running"):
            writer.finish(as_begun(data.record))
        writer.finish(data.record)
        with pytest.raises(RuntimeError, match="finished"):
            writer.samples([Sample(0.0, "host1", "cpu/0/user_s", 0.0)])
        with pytest.raises(RuntimeError, match="finished"):
            writer.finish(data.record)
    assert read_record(writer.path) == data.record


def test_an_id_that_is_there_already_is_refused_and_left_alone(tmp_path: Path) -> None:
    data = records.terasuite()
    path = write_run(tmp_path, data)
    with pytest.raises(UserError, match=data.record.id):
        RunWriter(tmp_path, as_begun(data.record))
    assert read_run(path).record == data.record
    assert [entry.name for entry in tmp_path.iterdir() if not entry.name.startswith(".")] == [path.name]


@pytest.mark.parametrize("run_id", ["", ".hidden", "../elsewhere", "a/b", "a b", "x" * 129])
def test_an_id_must_be_able_to_name_a_directory(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(UserError, match="is not a valid run id"):
        RunWriter(tmp_path / "runs", as_begun(records.pi().record, id=run_id))
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_hold_runs_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(UserError) as error:
        RunWriter(tmp_path / "runs", as_begun(records.pi().record))
    assert error.value.where == str(tmp_path / "runs")


def test_a_disk_full_at_the_start_leaves_nothing(tmp_path: Path) -> None:
    data = records.pi()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for room in (0, 300, 1000, 2000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
        try:
            with pytest.raises(RunFailed, match="cannot be written"):
                RunWriter(tmp_path / "runs", as_begun(data.record))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert [path.name for path in (tmp_path / "runs").iterdir()] == [".lock"]


def test_what_a_killed_writer_half_made_is_cleared_away(tmp_path: Path) -> None:
    stale = tmp_path / ".new-20261120-1714-pi"
    stale.mkdir()
    (stale / "run.json").write_text("{")
    path = write_run(tmp_path, records.terasuite())
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".lock", path.name]


def test_a_full_disk_loses_one_batch_and_no_more(tmp_path: Path) -> None:
    data = records.terasuite()
    ticks = list(sample_ticks(data.samples))
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        writer.samples(ticks[0])
        size = (writer.path / "samples.arrow").stat().st_size
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))
        try:
            with pytest.raises(RunFailed) as error:
                writer.samples(ticks[1])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert error.value.where == str(writer.path / "samples.arrow")
        assert (writer.path / "samples.arrow").stat().st_size == size
        writer.samples(ticks[2])
        writer.finish(data.record)
    rows = [row._asdict() for row in ticks[0] + ticks[2]]
    assert read_run(writer.path).samples.to_pylist() == rows


def test_a_record_that_cannot_be_replaced_stays_as_it_was(tmp_path: Path) -> None:
    data = records.terasuite()
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        try:
            with pytest.raises(RunFailed, match=r"run\.json"):
                writer.update(as_begun(data.record, elapsed_s=9.0))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert read_record(writer.path) == as_begun(data.record)
        assert not list(writer.path.glob("*.new")) + list(writer.path.glob(".*.new"))


def test_whatever_the_end_relies_on_is_on_disk_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = records.pi()
    synced: list[str] = []

    def record_name(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)

    monkeypatch.setattr(os, "fsync", record_name)
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        assert synced[-1] == tmp_path.name
        assert ".run.json.new" in synced
        synced.clear()
        writer.samples([Sample(0.0, "host1", "cpu/0/user_s", 0.0)])
        writer.update(as_begun(data.record, elapsed_s=9.0))
        assert synced == [], "that would wait for what the run itself has written"
        assert read_record(writer.path).elapsed_s == 9.0
        writer.finish(data.record)
    run_dir = writer.path.name
    assert synced == [
        *("tasks.arrow", "samples.arrow", "latencies.arrow", "server_events.arrow"),
        *(".run.json.new", run_dir),
        *(".tasks.parquet.new", run_dir),
        *(".samples.parquet.new", run_dir),
        *(".latencies.parquet.new", run_dir),
        *(".server_events.parquet.new", run_dir),
    ]


def test_timed_operations_are_kept_as_they_come_and_read_whatever_becomes_of_the_run(tmp_path: Path) -> None:
    data = records.pi()
    rows = [
        LatencyHistogram("ycsb", "read", "w1", None, at, at + 1, 3, encoded([0.001, 0.002, 0.003]))
        for at in (0.0, 1.0)
    ]
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        writer.latencies(rows[:1])
        goes_on = read_run(writer.path)
        assert [LatencyHistogram(**row) for row in goes_on.latencies.to_pylist()] == rows[:1]
        writer.latencies(rows[1:])
        writer.finish(data.record)
    read = read_run(writer.path)
    assert [LatencyHistogram(**row) for row in read.latencies.to_pylist()] == rows


def test_what_servers_did_is_kept(tmp_path: Path) -> None:
    data = records.pi()
    rows = [
        ServerEvent(1.0, 1.012, "w1", "regionserver", "collection", "Pause Young", None),
        ServerEvent(0.5, 2.0, "w1", "regionserver", "flush", "52a9f2a9", 5_622_000),
    ]
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        writer.server_events(rows)
        writer.finish(data.record)
    assert [ServerEvent(**row) for row in read_run(writer.path).server_events.to_pylist()] == rows


@pytest.mark.parametrize("table", ["latencies", "server_events"])
def test_a_record_of_before_lacks_later_tables(tmp_path: Path, table: str) -> None:
    path = write_run(tmp_path, records.pi())
    (path / f"{table}.parquet").unlink()
    assert getattr(read_run(path), table).num_rows == 0


def test_the_log_holds_what_howdah_said_while_the_run_went(tmp_path: Path) -> None:
    data = records.terasuite()
    logger = logging.getLogger("howdah.engines.test")
    logger.info("before")
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        logger.info("terasort begins")
        writer.finish(data.record)
    logger.info("after")
    log = (writer.path / "logs/howdah.log").read_text()
    assert "INFO howdah.engines.test: terasort begins\n" in log
    assert data.record.id in log
    assert "before" not in log
    assert "after" not in log
    assert logging.getLogger("howdah").handlers == []
