"""A run's tables: Arrow IPC streams that grow by whole batches, Parquet once the run has ended."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from howdah.errors import RecordError, RunFailed
from howdah.files import replacing
from howdah.store.layout import TableFiles

_WITH_HADOOP = frozenset({"shuffle_end_s", "merge_end_s", "shuffled_bytes", "cpu_s", "gc_s", "error"})
_WITH_JOBS = frozenset({"job"})
_WITH_SPARK = frozenset({"executor", "fetch_wait_s"})
_OLDER = (_WITH_SPARK, _WITH_SPARK | _WITH_JOBS, _WITH_SPARK | _WITH_JOBS | _WITH_HADOOP)
"""Columns that earlier records lack: Spark's, those that separate a workload's jobs, Hadoop's."""

_CONTINUATION = b"\xff\xff\xff\xff"
_END_OF_STREAM = _CONTINUATION + b"\0\0\0\0"
_MAGIC = b"PAR1"  # What a Parquet file begins and ends with.
_BATCH_ROWS = 1 << 18  # Rows of a large table written at once: some tens of megabytes.


def check_schema(path: Path, schema: pa.Schema, expected: pa.Schema) -> None:
    """Raise RecordError naming the first column that differs from what is expected."""
    older = [pa.schema([field for field in expected if field.name not in later]) for later in _OLDER]
    if any(schema.equals(accepted, check_metadata=False) for accepted in (expected, *older)):
        return
    missing = [name for name in expected.names if name not in schema.names]
    strange = [name for name in schema.names if name not in expected.names]
    if missing:
        problem = f"column {missing[0]} is missing"
    elif strange:
        problem = f"column {strange[0]} does not belong there"
    else:
        problem = _first_difference(schema, expected)
    columns = ", ".join(f"{field.name} {field.type}" for field in expected)
    raise RecordError(str(path), problem, f"its columns are {columns}")


def _first_difference(columns: pa.Schema, expected: pa.Schema) -> str:
    for field, expected_field in zip(columns, expected, strict=False):
        if field.name != expected_field.name:
            return f"column {field.name} is where {expected_field.name} belongs"
        if field.type != expected_field.type:
            return f"column {field.name} is {field.type} instead of {expected_field.type}"
    return "its columns are duplicated or nullable"


def with_later_columns(rows: pa.Table, expected: pa.Schema) -> pa.Table:
    """The rows of an older record with the columns it lacks, all null."""
    for field in expected:
        if field.name not in rows.column_names:
            rows = rows.append_column(field, pa.nulls(rows.num_rows, field.type))
    return rows


def columns_of(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> list[Any]:
    """The columns of rows with their values in the schema's order."""
    columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
    return [pa.array(values, type=field.type) for values, field in zip(columns, schema, strict=True)]


class TableStream:
    """Appends rows to a stream, each batch by one write, so that a kill loses at most the last one.

    Nothing is synced until the end: a killed process loses nothing that was written, and syncing
    while the run goes would disturb the disks it measures. The stream begins in ``directory``, which
    is renamed to ``target`` before anything goes wrong that a message would have to place.
    """

    def __init__(self, directory: Path, target: Path, table: TableFiles) -> None:
        self._schema = table.schema
        self._path = target / table.stream
        self._file = (directory / table.stream).open("xb", buffering=0)
        self._size = 0
        self._append(self._schema.serialize())

    def append(self, rows: Sequence[tuple[Any, ...]] | pa.Table) -> None:
        """Append rows with the schema's columns as one batch, a table in several.

        Raises RunFailed if the disk refuses, and ValueError for a table with other columns: all batches of a
        stream have the same.
        """
        if not isinstance(rows, pa.Table):
            rows = pa.Table.from_arrays(columns_of(rows, self._schema), schema=self._schema)
        elif not rows.schema.equals(self._schema):
            raise ValueError(f"columns {rows.schema.names} do not belong in {self._path.name}")
        for batch in rows.to_batches(max_chunksize=_BATCH_ROWS):
            self._append(batch.serialize())

    def _append(self, message: pa.Buffer) -> None:
        # A batch of the usual size is written whole by one call; only a full disk splits one.
        remaining = memoryview(message)
        try:
            while remaining:
                remaining = remaining[self._file.write(remaining) :]
        except OSError as error:
            # What follows a torn batch could not be read any more, so the torn part goes.
            self._file.truncate(self._size)
            self._file.seek(self._size)
            problem = f"cannot be written ({error.strerror})"
            raise RunFailed(str(self._path), problem, "free space for run records") from error
        self._size += message.size

    def complete(self) -> None:
        """Mark the end of the stream, put it on disk and close it."""
        self._append(pa.py_buffer(_END_OF_STREAM))
        os.fsync(self._file.fileno())
        self._file.close()

    def close(self) -> None:
        """Close the stream as it is, without the mark of a complete one."""
        self._file.close()


class StreamContent(NamedTuple):
    """A stream's whole batches, whether it ends in its end mark, and the length of a torn batch."""

    table: pa.Table
    complete: bool
    torn_bytes: int


def read_stream(directory: Path, table: TableFiles) -> StreamContent:
    """Read a stream up to its last whole batch.

    Raises RecordError if the file is not such a stream at all or its columns are another table's,
    FileNotFoundError if it is not there.
    """
    path = directory / table.stream
    content = path.read_bytes()
    if content[:4] != _CONTINUATION[: len(content)]:
        raise RecordError(str(path), "not an Arrow IPC stream", f"restore the record's own {table.stream}")
    source = pa.BufferReader(content)
    batches: list[pa.RecordBatch] = []
    schema = table.schema
    whole = 0
    try:
        with pa.ipc.open_stream(source) as reader:
            check_schema(path, reader.schema, table.schema)
            schema = reader.schema
            whole = source.tell()
            for batch in reader:
                batch.validate(full=True)
                batches.append(batch)
                whole = source.tell()
            whole = source.tell()
    except (pa.ArrowException, OSError, ValueError):
        # The process that wrote the stream was stopped inside a batch, or the disk lost the end.
        pass
    end = content[whole:]
    complete = end == b"" and content.endswith(_END_OF_STREAM)
    rows = with_later_columns(pa.Table.from_batches(batches, schema=schema), table.schema)
    return StreamContent(rows, complete, len(end))


def write_parquet(directory: Path, table: TableFiles, rows: pa.Table) -> None:
    """Write the compacted table at once and durably; raise OSError if the disk refuses."""
    with replacing(directory / table.parquet) as file:
        pq.write_table(rows, file, compression="zstd", write_page_checksum=True)


def check_ends(path: Path) -> None:
    """Raise RecordError for a file that does not begin and end as a whole Parquet file does."""
    try:
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
            file.seek(-len(_MAGIC), os.SEEK_END)
            ends = file.read()
    except OSError as error:
        raise _damaged(path, str(error.strerror)) from error
    if (begins, ends) != (_MAGIC, _MAGIC):
        raise _damaged(path, "its magic bytes are wrong")


def _damaged(path: Path, reason: str) -> RecordError:
    problem = f"damaged: not a complete Parquet file ({reason})"
    return RecordError(str(path), problem, "restore it from an export")


def read_parquet(directory: Path, table: TableFiles) -> pa.Table:
    """Read the compacted table.

    Raises RecordError if it is damaged or its columns are another table's, FileNotFoundError if it
    is not there.
    """
    path = directory / table.parquet
    try:
        # Reading the open file keeps Arrow from taking directory names for partition columns.
        with path.open("rb") as file, pq.ParquetFile(file, page_checksum_verification=True) as parquet:
            check_schema(path, parquet.schema_arrow, table.schema)
            rows = parquet.read()
        rows.validate(full=True)
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise _damaged(path, reason) from error
    return with_later_columns(rows.replace_schema_metadata(None), table.schema)
