"""The state of a run that is still going: its progress, and the rows of its tables so far."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
from pydantic import ValidationError

from howdah.errors import RecordError
from howdah.model.base import Model
from howdah.model.sink import Progress, Unit
from howdah.store.layout import PROGRESS, TableFiles
from howdah.store.staging import replacing
from howdah.store.tables import check_schema, with_later_columns

_INTERVAL_S = 1.0
"""A run is disturbed once a second, by one small file."""


class RunProgress(Model):
    """What a run said last of the operation under way."""

    workload: str
    phase: str
    """What it does now."""
    done: int
    total: int
    """Units to do; 0 where nobody knows."""
    unit: Unit
    """What is counted."""
    elapsed_s: float
    """Seconds since the operation began."""
    tasks: str = ""
    """Tasks that are done, in the engine's words."""

    @property
    def left_s(self) -> float | None:
        """Seconds until the operation ends, if it goes on as it went; None where nothing tells."""
        if not self.done or not self.total or self.elapsed_s <= 0:
            return None
        share = min(1.0, self.done / self.total)
        return self.elapsed_s * (1 - share) / share


class ProgressFile:
    """Keeps the latest progress in a file of the run's directory; a disk that refuses costs nothing else."""

    def __init__(self, path: Path) -> None:
        self._path = path / PROGRESS
        self._due_s = 0.0

    def tell(self, progress: Progress) -> None:
        """Write it down, unless that was done less than a second ago."""
        now_s = time.monotonic()
        if now_s < self._due_s:
            return
        self._due_s = now_s + _INTERVAL_S
        content = RunProgress(**progress._asdict()).model_dump_json()
        with suppress(OSError), replacing(self._path, durable=False) as file:
            file.write(content.encode())

    def remove(self) -> None:
        """Remove it: the run has ended."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def read_progress(path: Path) -> RunProgress | None:
    """How far the run in a directory said it was; None where it did not say."""
    try:
        return RunProgress.model_validate_json((path / PROGRESS).read_bytes())
    except (OSError, ValidationError):
        return None


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
