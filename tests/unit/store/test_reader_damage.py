"""Records that are cut off, damaged, foreign or from the future."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from howdah.errors import RecordError
from howdah.model.run import Outcome
from howdah.model.tables import SAMPLES_SCHEMA
from howdah.store.reader import read_record, read_run
from howdah.store.writer import RunWriter
from support import records
from support.stored import as_begun, put, sample_ticks, write_killed_run, write_run

pytestmark = pytest.mark.slow


def _small_stream(tmp_path: Path) -> tuple[Path, bytes, list[int]]:
    """A killed run, the bytes of its samples stream, and where each of its batches ends."""
    data = records.pi()
    ends = []
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        stream = writer.path / "samples.arrow"
        ends.append(stream.stat().st_size)
        for tick in list(sample_ticks(data.samples))[:3]:
            writer.samples(tick[:2])
            ends.append(stream.stat().st_size)
    return writer.path, stream.read_bytes(), ends


def test_a_stream_cut_at_any_byte_reads_up_to_its_last_whole_batch(tmp_path: Path) -> None:
    path, content, ends = _small_stream(tmp_path)
    whole = read_run(path).samples
    assert whole.num_rows == 6
    for size in range(len(content) + 1):
        put(path / "samples.arrow", content[:size])
        read = read_run(path)
        batches = max(0, sum(end <= size for end in ends) - 1)
        assert read.record.outcome is Outcome.ABORTED
        assert read.samples.equals(whole.slice(0, 2 * batches)), size
        torn = [warning for warning in read.record.warnings if warning.code == "torn-table"]
        assert bool(torn) == (size not in (0, *ends)), size


def test_the_stream_of_a_run_that_ended_must_be_whole(tmp_path: Path) -> None:
    path, content, _ = _small_stream(tmp_path)
    record = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(record | {"outcome": "succeeded"}))
    complete = content + b"\xff\xff\xff\xff\0\0\0\0"
    (path / "samples.arrow").write_bytes(complete)
    for other in ("tasks.arrow", "latencies.arrow", "server_events.arrow"):
        (path / other).write_bytes((path / other).read_bytes() + b"\xff\xff\xff\xff\0\0\0\0")
    assert read_run(path).samples.num_rows == 6
    for size in range(len(complete)):
        put(path / "samples.arrow", complete[:size])
        with pytest.raises(RecordError, match=r"samples\.arrow: cut off"):
            read_run(path)


def test_run_json_cut_at_any_byte_is_one_error(tmp_path: Path) -> None:
    path = write_run(tmp_path, records.pi())
    content = (path / "run.json").read_bytes()
    for size in range(len(content) - 1):  # The last byte is the line's end.
        put(path / "run.json", content[:size])
        with pytest.raises(RecordError, match=r"run\.json: damaged"):
            read_record(path)


def test_a_damaged_plan_is_named_by_its_keys(tmp_path: Path) -> None:
    path = write_run(tmp_path, records.pi())
    document = json.loads((path / "run.json").read_text())
    del document["plan"]["workers"]
    put(path / "run.json", json.dumps(document).encode())
    with pytest.raises(RecordError, match=r"damaged: plan\.workers: field required"):
        read_record(path)


@pytest.mark.parametrize(
    ("document", "what"),
    [
        ([], "not a howdah run record"),
        ({}, "not a howdah run record"),
        ({"schema_version": "1"}, "not a howdah run record"),
        ({"schema_version": True}, "not a howdah run record"),
        ({"schema_version": 3, "anything": 1}, "schema_version 3 is newer than this howdah supports"),
        ({"schema_version": 0}, "schema_version 0 does not exist"),
        ({"schema_version": 1}, "id: field required"),
        ({"schema_version": 2}, "id: field required"),
    ],
)
def test_a_foreign_run_json_is_named_with_what_is_wrong(tmp_path: Path, document: Any, what: str) -> None:
    (tmp_path / "run.json").write_text(json.dumps(document))
    with pytest.raises(RecordError) as error:
        read_record(tmp_path)
    assert error.value.where == str(tmp_path / "run.json")
    assert what in error.value.what
    assert error.value.hint
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    ("place", "value", "what"),
    [
        (("outcome",), "splendid", "outcome: input should be 'running'"),
        (("workloads", 0, "start_s"), "soon", "workloads.0.start_s: input should be a valid number"),
        (("rows",), 1, "rows: extra inputs are not permitted"),
    ],
)
def test_a_damaged_field_is_named(
    tmp_path: Path, place: tuple[str | int, ...], value: Any, what: str
) -> None:
    path = write_run(tmp_path, records.pi())
    document = json.loads((path / "run.json").read_text())
    inner = document
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    (path / "run.json").write_text(json.dumps(document))
    with pytest.raises(RecordError) as error:
        read_record(path)
    assert what in error.value.what


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000, b"\0" * 10, b"{}{}"])
def test_run_json_that_is_not_json_is_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(RecordError, match="damaged"):
        read_record(tmp_path)


def test_what_is_no_run_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"no run\.json in it"):
        read_run(tmp_path)
    with pytest.raises(RecordError, match="no such directory"):
        read_run(tmp_path / "absent")
    (tmp_path / "run.json").mkdir()
    with pytest.raises(RecordError, match="cannot be read"):
        read_run(tmp_path)


def _other_table(directory: Path, name: str, table: pa.Table) -> None:
    if name.endswith(".parquet"):
        pq.write_table(table, directory / name)
    else:
        with pa.ipc.new_stream(str(directory / name), table.schema) as stream:
            stream.write_table(table)


@pytest.mark.parametrize("name", ["samples.parquet", "samples.arrow"])
@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda table: table.drop_columns(["value"]), "column value is missing"),
        (lambda table: table.append_column("unit", table["host"]), "column unit does not belong there"),
        (
            lambda table: table.set_column(3, "value", table["value"].cast("float32")),
            "column value is float instead of double",
        ),
        (
            lambda table: table.select(["host", "time_s", "metric", "value"]),
            "column host is where time_s belongs",
        ),
        (lambda table: table.append_column("value", table["value"]), "duplicated"),
    ],
)
def test_the_tables_columns_must_be_the_records(
    tmp_path: Path, name: str, change: Callable[[pa.Table], pa.Table], what: str
) -> None:
    data = records.pi()
    path = write_run(tmp_path, data)
    (path / "samples.parquet").unlink()
    _other_table(path, name, change(data.samples))
    with pytest.raises(RecordError) as error:
        read_run(path)
    assert error.value.where == str(path / name)
    assert what in error.value.what


def test_a_foreign_stream_is_not_taken_for_a_cut_one(tmp_path: Path) -> None:
    path = write_killed_run(tmp_path, records.pi())
    (path / "samples.arrow").write_text("time_s,host,metric,value\n")
    with pytest.raises(RecordError, match=r"samples\.arrow: not an Arrow IPC stream"):
        read_run(path)


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = write_run(tmp_path, records.pi())
    (path / "samples.parquet").unlink()
    with pytest.raises(RecordError, match=r"neither samples\.parquet nor samples\.arrow"):
        read_run(path)


def test_a_damaged_parquet_file_is_never_read_as_something_else(tmp_path: Path) -> None:
    data = records.pi()
    path = write_run(tmp_path, data)
    table = path / "samples.parquet"
    content = table.read_bytes()
    chance = random.Random(7)
    refused = 0
    for _ in range(300):
        damaged = bytearray(content)
        damaged[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        put(table, damaged)
        try:
            samples = read_run(path).samples
        except RecordError:
            refused += 1
        else:
            assert samples.equals(data.samples)
    # What may be flipped unseen is not data: statistics, the writer's name, the stored Arrow schema.
    assert refused > 100
    for size in range(0, len(content), 7):
        put(table, content[:size])
        with pytest.raises(RecordError, match=r"samples\.parquet: damaged"):
            read_run(path)


def test_where_both_forms_are_there_the_whole_one_is_read(tmp_path: Path) -> None:
    data = records.pi()
    ended = write_run(tmp_path / "ended", data)
    killed = write_killed_run(tmp_path / "killed", data)
    parquet = (ended / "samples.parquet").read_bytes()
    stream = (killed / "samples.arrow").read_bytes()

    # Killed while compacting: the streams are complete, the compacted table may be damaged.
    shutil.copy(ended / "run.json", killed / "run.json")
    (killed / "samples.arrow").write_bytes(stream + b"\xff\xff\xff\xff\0\0\0\0")
    for other in ("tasks.parquet", "latencies.parquet", "server_events.parquet"):
        shutil.copy(ended / other, killed / other)
    (killed / "samples.parquet").write_bytes(parquet[:-20])
    assert read_run(killed).samples.equals(data.samples)

    # The compacted table is whole, the stream is not.
    (killed / "samples.parquet").write_bytes(parquet)
    (killed / "samples.arrow").write_bytes(stream[:-20])
    assert read_run(killed).samples.equals(data.samples)

    # Neither is: the compacted table's error is the one to tell.
    (killed / "samples.parquet").write_bytes(parquet[:-20])
    with pytest.raises(RecordError, match=r"samples\.parquet: damaged"):
        read_run(killed)


def test_directory_names_are_not_taken_for_columns(tmp_path: Path) -> None:
    data = records.pi()
    path = write_run(tmp_path / "host=1", data)
    assert read_run(path).samples.schema.equals(SAMPLES_SCHEMA)
