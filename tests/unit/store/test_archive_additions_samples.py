"""Samples of others in a record: added whole or not at all, never mixed with its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from howdah.errors import RecordError, RunFailed, UserError
from howdah.model.run import Outcome, RunWarning, Sample
from howdah.store import archive as attaching
from howdah.store.archive import attach_samples, export_run, import_run
from howdah.store.reader import read_run
from howdah.store.writer import RunWriter
from support import records
from support.stored import as_begun, write_killed_run, write_run

NOTE = "samples were attached from w1.json"
FOREIGN = [Sample(time_s, "w1", "disk/sda/read_bytes", 100.0 * time_s) for time_s in (0.0, 0.5, 1.0)]


def contents(path: Path) -> dict[str, bytes]:
    """Every file of a run directory."""
    return {file.name: file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_samples_are_added_with_a_note(tmp_path: Path) -> None:
    data = records.terasuite()
    path = write_run(tmp_path, data)
    added = attach_samples(path, FOREIGN, NOTE)
    read = read_run(path)
    assert added.new == (("w1", "disk/sda/read_bytes"),)
    assert added.kept == ()
    assert read.record.warnings == (RunWarning(code="attached-samples", text=NOTE),)
    assert read.record.model_copy(update={"warnings": ()}) == data.record
    assert read.tasks.equals(data.tasks)
    rows = [Sample(**row) for row in read.samples.to_pylist()]
    assert [row for row in rows if row.host == "w1"] == FOREIGN
    assert sorted(rows) == sorted([*FOREIGN, *(Sample(**row) for row in data.samples.to_pylist())])
    assert [row.time_s for row in rows] == sorted(row.time_s for row in rows)
    assert {file.name for file in path.iterdir()} == {
        *("run.json", "logs"),
        *("tasks.parquet", "samples.parquet", "latencies.parquet", "server_events.parquet"),
    }


def test_what_the_record_has_already_stays_as_it_is(tmp_path: Path) -> None:
    data = records.terasuite()
    path = write_run(tmp_path, data)
    measured = Sample(**data.samples.to_pylist()[0])
    other = measured._replace(value=12345.0)
    added = attach_samples(path, [other, *FOREIGN], NOTE)
    assert added.new == (("w1", "disk/sda/read_bytes"),)
    assert added.kept == ((measured.host, measured.metric),)
    assert other not in {Sample(**row) for row in read_run(path).samples.to_pylist()}


def test_the_same_file_twice_changes_nothing(tmp_path: Path) -> None:
    path = write_run(tmp_path, records.terasuite())
    attach_samples(path, FOREIGN, NOTE)
    before = contents(path)
    added = attach_samples(path, FOREIGN, NOTE)
    assert added.new == ()
    assert contents(path) == before


def test_a_run_that_goes_on_or_was_killed_is_refused(tmp_path: Path) -> None:
    data = records.terasuite()
    with RunWriter(tmp_path / "going", as_begun(data.record)) as writer:
        with pytest.raises(UserError, match="this run is still being written"):
            attach_samples(writer.path, FOREIGN, NOTE)
        writer.finish(data.record.model_copy(update={"outcome": Outcome.FAILED}))
    attach_samples(writer.path, FOREIGN, NOTE)
    killed = write_killed_run(tmp_path / "killed", data)
    before = contents(killed)
    with pytest.raises(UserError, match="this run was killed before its end"):
        attach_samples(killed, FOREIGN, NOTE)
    assert contents(killed) == before


def test_a_directory_that_holds_no_run(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(RecordError, match=r"no run\.json in it"):
        attach_samples(tmp_path / "x", FOREIGN, NOTE)


def test_a_full_disk_leaves_a_record_that_a_second_try_completes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note is there before its samples, and once."""
    path = write_run(tmp_path, records.terasuite())
    before = read_run(path).samples

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(attaching, "write_parquet", full)
        with pytest.raises(RunFailed, match="cannot be written") as caught:
            attach_samples(path, FOREIGN, NOTE)
    assert "attach again" in caught.value.hint
    assert read_run(path).samples.equals(before)
    attach_samples(path, FOREIGN, NOTE)
    read = read_run(path)
    assert read.samples.num_rows == before.num_rows + len(FOREIGN)
    assert [warning.text for warning in read.record.warnings] == [NOTE]


def test_two_who_attach_at_once_lose_nothing(tmp_path: Path) -> None:
    path = write_run(tmp_path, records.pi())
    machines = [f"w{number}" for number in range(8)]

    def attach(machine: str) -> None:
        attach_samples(path, [row._replace(host=machine) for row in FOREIGN], f"from {machine}")

    with ThreadPoolExecutor(len(machines)) as pool:
        list(pool.map(attach, machines))
    read = read_run(path)
    assert set(machines) <= set(read.samples.column("host").to_pylist())
    assert {warning.text for warning in read.record.warnings} == {f"from {machine}" for machine in machines}


def test_an_export_holds_what_was_attached(tmp_path: Path) -> None:
    path = write_run(tmp_path, records.pi())
    attach_samples(path, FOREIGN, NOTE)
    export_run(path, tmp_path / "run.howdah")
    elsewhere = import_run(tmp_path / "run.howdah", tmp_path / "elsewhere")
    assert read_run(elsewhere).samples.equals(read_run(path).samples)
