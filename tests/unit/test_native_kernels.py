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


def test_terasort_sorts_and_teravalidate_agrees(pool: _native.Pool, tmp_path: Path) -> None:
    rows = 5000
    inputs = [str(tmp_path / f"part-m-{number:05}") for number in range(3)]
    outputs = [str(tmp_path / f"part-r-{number:05}") for number in range(2)]
    generated = finished(_native.teragen(pool, inputs, rows, 2))
    sorting = _native.terasort(pool, inputs, outputs, [str(tmp_path)], 3, 2, 2, "none")
    report = finished(sorting)
    assert (report.rows, report.in_memory, report.spilled_rows) == (rows, True, 0)
    assert (report.read_bytes, report.written_bytes) == (rows * 100, rows * 100)
    assert sum(report.partition_rows) == rows
    assert [name for name, _, _ in sorting.phases()] == ["map-shuffle", "reduce-merge"]
    assert [Path(path).stat().st_size for path in outputs] == [100 * count for count in report.partition_rows]

    recorded = (generated.rows, generated.checksum)
    validation = _native.teravalidate(pool, outputs, str(tmp_path / "valid"), 2, recorded)
    validated = finished(validation)
    assert (validated.rows, validated.checksum, validated.errors) == (*recorded, [])
    assert validated.read_bytes == rows * 100
    assert (tmp_path / "valid").read_text() == f"checksum\t{generated.checksum}\n"


def test_teravalidate_reports_what_is_wrong(pool: _native.Pool, tmp_path: Path) -> None:
    # Generated rows are in no order, and there is one fewer than recorded.
    path = str(tmp_path / "part-r-00000")
    generated = finished(_native.teragen(pool, [path], 1000, 1))
    recorded = (1001, generated.checksum)
    report = finished(_native.teravalidate(pool, [path], str(tmp_path / "report"), 1, recorded))
    assert {kind for kind, _ in report.errors} >= {"error", "rows"}
    assert all(message for _, message in report.errors)


def test_terasort_says_how_much_memory_it_needs() -> None:
    least, in_memory = _native.terasort_needs(10**9, 4, 4)
    assert 0 < least < 10**11 < in_memory


def test_names_and_numbers_that_are_none_are_input_errors(pool: _native.Pool, tmp_path: Path) -> None:
    path = str(tmp_path / "part-m-00000")
    finished(_native.teragen(pool, [path], 1, 1))
    with pytest.raises(_native.InputError) as refused:
        finished(_native.terasort(pool, [path], [str(tmp_path / "out")], [], 1, 1, 1, "gzip"))
    assert refused.value.args[0] == "codec"
    with pytest.raises(_native.InputError) as refused:
        finished(_native.teravalidate(pool, [path], str(tmp_path / "report"), 1, (1, "no checksum")))
    assert refused.value.args[0] == "checksum"
