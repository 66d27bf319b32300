"""A table while the run goes: an Arrow IPC stream that grows by whole batches."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from howdah.errors import RecordError, RunFailed
from howdah.store.layout import TableFiles
from howdah.store.schema import check_schema, with_later_columns

_CONTINUATION = b"\xff\xff\xff\xff"
_END_OF_STREAM = _CONTINUATION + b"\0\0\0\0"
_BATCH_ROWS = 1 << 18
"""Rows of a large table written at once: some tens of megabytes."""


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

    def append(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Append rows, columns in the schema's order, as one batch; raise RunFailed if the disk refuses."""
        if not rows:
            return
        columns = [
            pa.array(values, type=field.type)
            for values, field in zip(zip(*rows, strict=True), self._schema, strict=True)
        ]
        self._append(pa.RecordBatch.from_arrays(columns, schema=self._schema).serialize())

    def append_table(self, rows: pa.Table) -> None:
        """Append rows that are columns already, in batches; raise RunFailed if the disk refuses.

        Raises ValueError for columns that are not the table's own: a stream holds one kind of batch.
        """
        if not rows.schema.equals(self._schema):
            raise ValueError(f"columns {rows.schema.names} do not belong into {self._path.name}")
        for batch in rows.to_batches(max_chunksize=_BATCH_ROWS):
            self._append(batch.serialize())

    def _append(self, message: pa.Buffer) -> None:
        # A batch of the usual size is written whole by one call; only a full disk splits one.
        rest = memoryview(message)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            # What follows a torn batch could not be read any more, so the torn part goes.
            self._file.truncate(self._size)
            self._file.seek(self._size)
            raise RunFailed(
                str(self._path), f"cannot be written ({error.strerror})", "free space for run records"
            ) from error
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
    """What a stream holds: its whole batches, whether it ends in its end mark, and what is torn."""

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
        raise RecordError(str(path), "not an Arrow IPC stream", f"put the record's own {table.stream} back")
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
