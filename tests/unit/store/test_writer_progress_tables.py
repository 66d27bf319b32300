"""A table of a run under way is read on from where it was read to."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import RecordError
from howdah.store.layout import SAMPLES, TASKS
from howdah.store.writer import RunWriter, TableTail
from support import records
from support.stored import as_begun, sample_ticks


def test_what_grows_is_read_once(tmp_path: Path) -> None:
    data = records.terasuite()
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        tail, tasks = TableTail(writer.path, SAMPLES), TableTail(writer.path, TASKS)
        for tick in list(sample_ticks(data.samples))[:10]:
            writer.samples(tick)
            assert tail.more().num_rows == len(tick)
        assert tail.more().num_rows == tasks.more().num_rows == 0
        whole = TableTail(writer.path, SAMPLES).more()
        assert whole.equals(data.samples.slice(0, whole.num_rows).combine_chunks())
        writer.finish(data.record)
    assert tail.more().num_rows == 0


def test_half_a_batch_is_left_for_later(tmp_path: Path) -> None:
    data = records.terasuite()
    first, second, *_ = sample_ticks(data.samples)
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        tail = TableTail(writer.path, SAMPLES)
        writer.samples(first)
        begun = (writer.path / SAMPLES.stream).stat().st_size
        writer.samples(second)
        content = (writer.path / SAMPLES.stream).read_bytes()
        copy = tmp_path / "copy"
        copy.mkdir()
        tail = TableTail(copy, SAMPLES)
        for end, rows in ((10, 0), (begun + 40, len(first)), (len(content), len(second)), (len(content), 0)):
            (copy / SAMPLES.stream).write_bytes(content[:end])
            assert tail.more().num_rows == rows


def test_another_table_s_columns_are_told(tmp_path: Path) -> None:
    data = records.terasuite()
    with RunWriter(tmp_path, as_begun(data.record)) as writer:
        (writer.path / SAMPLES.stream).write_bytes((writer.path / TASKS.stream).read_bytes())
        with pytest.raises(RecordError, match="column"):
            TableTail(writer.path, SAMPLES).more()


def test_what_is_no_stream_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / SAMPLES.stream).write_bytes(b"\xff\xff\xff\xff" + b"\x7f" * 1000)
    assert TableTail(tmp_path, SAMPLES).more().num_rows == 0
    assert TableTail(tmp_path / "none", SAMPLES).more().num_rows == 0
