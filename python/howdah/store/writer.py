"""Writing a record while its run goes."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
from pydantic import ValidationError

from howdah.errors import RecordError
from howdah.files import replacing
from howdah.model.base import Model
from howdah.model.reported import LatencyHistogram
from howdah.model.run import Outcome, RunRecord, Sample, TaskAttempt
from howdah.model.tables import Progress, ServerEvent, Unit
from howdah.store.layout import (
    LATENCIES,
    LOCK,
    LOG_FILE,
    LOGS,
    PROGRESS,
    SAMPLES,
    SERVER_EVENTS,
    TABLES,
    TASKS,
    TableFiles,
    staged_run,
)
from howdah.store.reader import write_run_json
from howdah.store.tables import TableStream, check_schema, read_stream, with_later_columns, write_parquet

_INTERVAL_S = 1.0  # A run is disturbed once a second, by one small file.


class RunProgress(Model):
    """What a run reported last about the operation under way."""

    workload: str
    phase: str
    done: int
    total: int  # Units to do; 0 if unknown.
    unit: Unit
    elapsed_s: float  # Seconds since the operation began.
    tasks: str = ""  # Tasks that are done, in the engine's words.

    @property
    def left_s(self) -> float | None:
        """Seconds until the operation ends, if it continues at this rate; None if unknown."""
        if not self.done or not self.total or self.elapsed_s <= 0:
            return None
        share = min(1.0, self.done / self.total)
        return self.elapsed_s * (1 - share) / share


class ProgressFile:
    """Keeps the latest progress in a file of the run's directory; a disk that refuses costs nothing else."""

    def __init__(self, path: Path) -> None:
        self._path = path / PROGRESS
        self._due_s = 0.0

    def keep(self, progress: Progress) -> None:
        """Write it down, unless that was done less than a second ago."""
        now_s = time.monotonic()
        if now_s < self._due_s:
            return
        self._due_s = now_s + _INTERVAL_S
        content = RunProgress(**progress._asdict()).model_dump_json()
        with suppress(OSError), replacing(self._path, durable=False) as file:
            file.write(content.encode())

    def remove(self) -> None:
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def read_progress(path: Path) -> RunProgress | None:
    """The latest progress of the run in a directory; None if there is none."""
    try:
        return RunProgress.model_validate_json((path / PROGRESS).read_bytes())
    except (OSError, ValidationError):
        return None


_MOST_BYTES = 64 * 2**20  # Read at a time; a table that is already longer comes in several pieces.


class TableTail:
    """The rows of a stream that were not read yet."""

    def __init__(self, path: Path, table: TableFiles) -> None:
        self._path = path / table.stream
        self._table = table
        self._offset = 0
        self._schema: pa.Schema | None = None

    def more(self) -> pa.Table:
        """The whole batches that were appended since the last call; none once the stream is compacted.

        Raises RecordError for a file that howdah did not write.
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


class RunLog:
    """Copies the ``howdah`` logger into a file until closed; times are UTC."""

    def __init__(self, path: Path) -> None:
        self._logger = logging.getLogger("howdah")
        self._handler = logging.FileHandler(path, encoding="utf-8")
        formatter = logging.Formatter("%(asctime)s.%(msecs)03dZ %(levelname)s %(name)s: %(message)s")
        formatter.converter = time.gmtime
        formatter.datefmt = "%Y-%m-%dT%H:%M:%S"
        self._handler.setFormatter(formatter)
        self._level = self._logger.level
        self._logger.setLevel(logging.INFO)
        self._logger.addHandler(self._handler)

    def close(self) -> None:
        """Leave the logger as it was found."""
        self._logger.removeHandler(self._handler)
        self._logger.setLevel(self._level)
        self._handler.close()


_log = logging.getLogger(__name__)


class RunWriter:
    """Writes ``runs_dir/<id>/`` as a run goes; a SampleSink that any thread may call.

    The directory appears with its first record in it and is readable at any moment after. Leaving
    the context without ``finish`` leaves a record that reads as aborted, as a kill does. Raises
    UserError if ``runs_dir`` cannot be written or has the id already, RunFailed if the disk
    refuses later.
    """

    def __init__(self, runs_dir: Path, record: RunRecord) -> None:
        self._calls = Lock()
        self._open = True
        with staged_run(runs_dir, record.id) as staged:
            self._lock = staged.lock
            self._streams = {table: TableStream(staged.path, staged.target, table) for table in TABLES}
            (staged.path / LOGS).mkdir()
            write_run_json(staged.path, record)
            self.path = staged.publish()
        self._run_log = RunLog(self.path / LOG_FILE)
        self._progress = ProgressFile(self.path)
        _log.info("run %s begins: %s", record.id, " ".join(record.command))

    def samples(self, rows: Sequence[Sample]) -> None:
        """Append measured values as one batch: call it once per tick, with all of the tick's values."""
        self._append(SAMPLES, rows)

    def tasks(self, rows: Sequence[TaskAttempt]) -> None:
        self._append(TASKS, rows)

    def latencies(self, rows: Sequence[LatencyHistogram]) -> None:
        self._append(LATENCIES, rows)

    def server_events(self, rows: Sequence[ServerEvent]) -> None:
        self._append(SERVER_EVENTS, rows)

    def sample_table(self, rows: pa.Table) -> None:
        self._append(SAMPLES, rows)

    def task_table(self, rows: pa.Table) -> None:
        self._append(TASKS, rows)

    def _append(self, table: TableFiles, rows: Sequence[Any] | pa.Table) -> None:
        with self._calls:
            self._require_open()
            self._streams[table].append(rows)

    def update(self, record: RunRecord) -> None:
        """Replace the record so far.

        Until ``finish`` its outcome is ``running``, even if the engine has another one already: a record that
        has ended must have whole tables, and a kill may come before these are. It is not synced until then,
        because that would wait for everything that the run has written to that disk.
        """
        with self._calls:
            self._require_open()
            running = record.model_copy(update={"outcome": Outcome.RUNNING})
            write_run_json(self.path, running, durable=False)

    def progress(self, progress: Progress) -> None:
        """Show the progress to other processes; it is not part of the record."""
        self._progress.keep(progress)

    def measured(self) -> None:
        """A record is written as quietly before as after."""

    def finish(self, record: RunRecord) -> None:
        """Write the final record and compact the tables; nothing may be written after it."""
        if record.outcome is Outcome.RUNNING:
            raise ValueError("a finished record cannot be running")
        with self._calls:
            self._require_open()
            # Each step leaves a whole record behind: complete streams first, since a record that has
            # ended must have them, and Parquet before its stream is removed.
            for stream in self._streams.values():
                stream.complete()
            write_run_json(self.path, record)
            self._compact()
            self._progress.remove()
            _log.info("run %s ended: %s", record.id, record.outcome)
            (self.path / LOCK).unlink()
            self._close()

    def _compact(self) -> None:
        for table in TABLES:
            try:
                write_parquet(self.path, table, read_stream(self.path, table).table.combine_chunks())
            except OSError as error:
                _log.warning("%s stays a stream: %s", table.stream, error)
            else:
                (self.path / table.stream).unlink()

    def _require_open(self) -> None:
        if not self._open:
            raise RuntimeError(f"{self.path}: this run's record is finished")

    def _close(self) -> None:
        self._open = False
        self._run_log.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._calls:
            if self._open:
                for stream in self._streams.values():
                    stream.close()
                self._close()
