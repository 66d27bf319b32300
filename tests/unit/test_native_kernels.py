"""The kernels through their Python names: arguments arrive in order and reports come back whole.

What the kernels do is tested beside them, in Rust.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah import _native
from support.operations import finished

FILE_BYTES = 1_234_567


@pytest.fixture
def pool() -> _native.Pool:
    return _native.Pool(8 << 20, 2)


def test_pi_counts_hadoops_points() -> None:
    # `pi 7 12345` of hadoop-mapreduce-examples 3.4.2 prints 3.14135277440259214257.
    report = finished(_native.pi(7, 12_345, 2))
    assert (report.inside, report.total) == (67_865, 86_415)


def test_dfsio_writes_and_reads_files(pool: _native.Pool, tmp_path: Path) -> None:
    paths = [str(tmp_path / f"test_io_{number}") for number in range(3)]
    writing = _native.dfsio_write(pool, paths, FILE_BYTES, 2, 42)
    written = finished(writing)
    reading = _native.dfsio_read(pool, paths, 2)
    read = finished(reading)
    for report in [written, read]:
        assert [file.path for file in report.files] == paths
        assert [file.bytes for file in report.files] == [FILE_BYTES] * 3
        assert all(file.io_s > 0 for file in report.files)
    assert written.direct == read.direct
    assert all(Path(path).stat().st_size == FILE_BYTES for path in paths)
    assert [(task.input_bytes, task.output_bytes) for task in writing.take_tasks()] == [(0, FILE_BYTES)] * 3
    assert [(task.input_bytes, task.output_bytes) for task in reading.take_tasks()] == [(FILE_BYTES, 0)] * 3


def test_storage_writes_and_reads_files_in_order(pool: _native.Pool, tmp_path: Path) -> None:
    paths = [str(tmp_path / f"file-{number}") for number in range(3)]
    writing = _native.storage_write(pool, paths, FILE_BYTES)
    written = finished(writing)
    reading = _native.storage_read(pool, paths)
    read = finished(reading)
    for report in [written, read]:
        assert [(file.path, file.bytes) for file in report.files] == [(path, FILE_BYTES) for path in paths]
    for operation in [writing, reading]:
        assert [task.task for task in operation.take_tasks()] == [0, 1, 2]


def test_raw_limit_times_its_passes_and_removes_its_files(pool: _native.Pool, tmp_path: Path) -> None:
    raw = finished(_native.raw_limit(pool, [str(tmp_path / "a"), str(tmp_path / "b")], 4 << 20, 2))
    assert raw.bytes == 8 << 20
    assert min(raw.write_s, raw.read_s, raw.copy_s) > 0
    assert list(tmp_path.iterdir()) == []


def test_memory_is_copied_at_some_rate(pool: _native.Pool) -> None:
    # No machine that runs this is slower than 10 MB/s or faster than 100 TB/s.
    assert 1e7 < _native.memory_copy_bytes_per_s(pool, 2) < 1e14


def test_teragen_writes_hadoops_rows(pool: _native.Pool, tmp_path: Path) -> None:
    paths = [tmp_path / "part-m-00000", tmp_path / "part-m-00001"]
    report = finished(_native.teragen(pool, [str(path) for path in paths], 1000, 2))
    assert (report.rows, report.checksum, report.written_bytes) == (1000, "1f9ffe645ec", 100_000)
    assert paths[0].read_bytes().startswith(b"JimGrayRIP\x00\x11")
    assert sum(path.stat().st_size for path in paths) == 100_000
