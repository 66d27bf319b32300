"""A table of a run under way, read on from where it was read to: what grows is read once."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from howdah.errors import RecordError
from howdah.store.layout import TableFiles
from howdah.store.tables import check_schema, with_later_columns

_MOST_BYTES = 64 * 2**20
"""Read at a time; a table that is already longer comes in several pieces."""


class TableTail:
    """The rows of a stream that nobody has asked for yet."""

    def __init__(self, path: Path, table: TableFiles) -> None:
        self._path = path / table.stream
        self._table = table
        self._offset = 0
        self._schema: pa.Schema | None = None

    def more(self) -> pa.Table:
        """The whole batches that were appended since the last call; none once the stream is compacted.

        Raises RecordError where the file is none of howdah's.
        """
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                content = file.read(_MOST_BYTES)
        except FileNotFoundError:
            return self._table.schema.empty_table()
        source = pa.BufferReader(content)
        batches: list[pa.RecordBatch] = []
        whole = 0
        try:
            while whole < len(content):
                message = pa.ipc.read_message(source)
                if self._schema is None:
                    self._schema = pa.ipc.read_schema(message)
                    check_schema(self._path, self._schema, self._table.schema)
                else:
                    batch = pa.ipc.read_record_batch(message, self._schema)
                    batch.validate(full=True)
                    batches.append(batch)
                whole = source.tell()
        except (EOFError, pa.ArrowException, OSError):
            # The writer is inside a batch, or has written the end mark: the rest is for the next call.
            pass
        except RecordError:
            self._offset += len(content)
            raise
        self._offset += whole
        if self._schema is None or not batches:
            return self._table.schema.empty_table()
        return with_later_columns(pa.Table.from_batches(batches), self._table.schema)
