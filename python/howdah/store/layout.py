"""The files of a run directory and their names; locks, and directories that appear once they are readable."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import pyarrow as pa
from pydantic import BaseModel

from howdah.errors import UserError
from howdah.files import replacing, sync_directory
from howdah.model.tables import LATENCIES_SCHEMA, SAMPLES_SCHEMA, SERVER_EVENTS_SCHEMA, TASKS_SCHEMA

RUN_JSON = "run.json"
LOGS = "logs"
LOG_FILE = f"{LOGS}/howdah.log"
ANNOTATION = "notes.json"  # People's notes on a run.
PROGRESS = ".progress.json"  # How far a run is, while it goes.
LOCK = ".lock"  # Locked by the process that writes a run; gone once the record is complete.
NEW_RUN = ".new-"  # Begins the name of a run directory that is not complete enough to be seen yet.
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
"""What a run's id may look like: one plain file name, hidden names excluded."""


class TableFiles(NamedTuple):
    """One table of a record: a stream while the run goes, Parquet once it has ended."""

    name: str
    schema: pa.Schema
    last: str  # The column with the end of a row's time.
    optional: bool = False  # Whether records of earlier versions have none.

    @property
    def stream(self) -> str:
        return f"{self.name}.arrow"

    @property
    def parquet(self) -> str:
        return f"{self.name}.parquet"


TASKS = TableFiles("tasks", TASKS_SCHEMA, last="end_s")
SAMPLES = TableFiles("samples", SAMPLES_SCHEMA, last="time_s")
LATENCIES = TableFiles("latencies", LATENCIES_SCHEMA, last="end_s", optional=True)
SERVER_EVENTS = TableFiles("server_events", SERVER_EVENTS_SCHEMA, last="end_s", optional=True)
TABLES = (TASKS, SAMPLES, LATENCIES, SERVER_EVENTS)
RECORD_FILES = (
    RUN_JSON,
    *(name for table in TABLES for name in (table.parquet, table.stream)),
    LOG_FILE,
    ANNOTATION,
)  # Every file that belongs to a record, in the order of an archive.


def new_run_id(now: datetime, suite: str, runs_dir: Path) -> str:
    """Name a run after its minute and its suite, ``20261120-1714-terasuite``.

    A second run in the same minute gets ``-2`` appended, a third ``-3``. Characters that do not
    belong in a file name become hyphens.
    """
    plain = re.sub("[^a-z0-9]+", "-", suite.lower())[:64].strip("-")
    name = f"{now:%Y%m%d-%H%M}-{plain or 'run'}"
    candidates = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(candidate for candidate in candidates if not (runs_dir / candidate).exists())


class FileLock:
    """An exclusive lock on ``path``, waited for and kept until released.

    Raises UserError if the file system has no locks, OSError if the file cannot be made, and, without
    ``wait``, BlockingIOError if another process has the lock.
    """

    def __init__(self, path: Path, *, wait: bool = True) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except PermissionError:
            # A file that another user made can be locked, too.
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            self.release()
            raise
        except OSError as error:
            self.release()
            problem = f"its file system cannot lock files ({error.strerror})"
            raise UserError(str(path.parent), problem, "keep run records on a local disk") from error

    def release(self) -> None:
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def is_locked(path: Path) -> bool:
    """Whether a living process has the lock on ``path``; False if the file does not exist."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        # A file system without locks has no writers: this record was copied here.
        return False
    finally:
        os.close(descriptor)
    return False


def write_model(path: Path, model: BaseModel, *, durable: bool = True) -> None:
    """Write a model as JSON that takes ``path``'s place at once."""
    with replacing(path, durable=durable) as file:
        file.write(model.model_dump_json(indent=2).encode() + b"\n")


class StagedRun(NamedTuple):
    """A run directory under way: ``path`` is where it is filled, ``target`` where it will be.

    ``lock`` shows other processes that its maker lives.
    """

    path: Path
    target: Path
    lock: FileLock

    def publish(self) -> Path:
        """Give the directory its own name, still locked; raise UserError if another run has it."""
        with FileLock(self.target.parent / LOCK):
            _refuse_existing(self.target, self.target)
            self.path.rename(self.target)
        sync_directory(self.target.parent)
        return self.target

    def publish_finished(self) -> Path:
        """Publish a directory that is complete."""
        self.publish()
        (self.target / LOCK).unlink()
        self.lock.release()
        return self.target


@contextmanager
def staged_run(runs_dir: Path, run_id: str) -> Iterator[StagedRun]:
    """Make a hidden, locked directory for a run; it is removed unless the body publishes it.

    First clears away what killed processes left half made. Raises UserError naming ``runs_dir`` if
    it cannot be written, be it now or in the body.
    """
    if not RUN_ID.fullmatch(run_id):
        raise UserError(run_id, "is not a valid run id", "use letters, digits, '.', '_' and '-'")
    path = runs_dir / f"{NEW_RUN}{run_id}"
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        with FileLock(runs_dir / LOCK):
            _sweep(runs_dir)
            _refuse_existing(path, runs_dir / run_id)
            path.mkdir()
            lock = FileLock(path / LOCK)
        try:
            yield StagedRun(path, runs_dir / run_id, lock)
        finally:
            if path.exists():
                shutil.rmtree(path, ignore_errors=True)
                lock.release()
    except OSError as error:
        problem = "is a file" if runs_dir.is_file() else f"cannot store a run ({error.strerror})"
        hint = "give a writable directory on a disk with free space"
        raise UserError(str(runs_dir), problem, hint) from error


def _refuse_existing(path: Path, target: Path) -> None:
    if path.exists():
        problem = "a run with this id already exists"
        raise UserError(str(target), problem, "move that one away, or start the run again")


def _sweep(runs_dir: Path) -> None:
    """Remove hidden directories of dead processes; the caller has the lock of ``runs_dir``."""
    for path in runs_dir.glob(f"{NEW_RUN}*"):
        if not is_locked(path / LOCK):
            shutil.rmtree(path, ignore_errors=True)
