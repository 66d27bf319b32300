"""An index of the runs directory in SQLite, written again from the records at any time, and its rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock
from typing import NamedTuple

import howdah
from howdah.errors import RecordError
from howdah.model.base import Model
from howdah.model.run import Annotation, Outcome, RunRecord
from howdah.model.tables import ListedRecord, legible
from howdah.serve.places import names_in, odd_file, signature
from howdah.store.archive import read_annotation
from howdah.store.layout import LOCK, is_locked
from howdah.store.reader import check_tables, read_record

UNREADABLE = "unreadable"


class RunRow(Model):
    """What a list of runs shows of one, and what it is found by."""

    id: str
    created: str = ""
    suite: str = ""
    engine: str = ""
    origin: str = ""
    platform: str = ""
    host: str = ""  # The machine that it was started on, or the cluster's name.
    outcome: str = UNREADABLE  # How it ended; ``running`` while it goes, ``unreadable`` if it cannot be read.
    elapsed_s: float | None = None  # Seconds from its start to its end, or to the last sign of life.
    metric: str = ""  # The primary metric of its suite's main workload, otherwise that workload's time.
    value: float | None = None
    unit: str = ""
    said: str = ""
    higher_is_better: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""
    error: str = ""


def row_of(path: Path) -> RunRow:
    """The run in a directory as a row; a record that cannot be read is a row that says why."""
    return legible(_row_of(path))


def _row_of(path: Path) -> RunRow:
    if odd := odd_file(path):
        return RunRow(id=path.name, error=odd)
    try:
        record = read_record(path, ListedRecord)
    except RecordError as error:
        return RunRow(id=path.name, error=_in_words(error, path))
    try:
        annotation = read_annotation(path)
    except RecordError:
        annotation = Annotation()
    row = _row(path.name, record, annotation)
    try:
        if record.outcome is not Outcome.RUNNING:
            check_tables(path)
    except RecordError as error:
        return row.model_copy(update={"error": _in_words(error, path)})
    return row


def _in_words(error: RecordError, path: Path) -> str:
    return str(error).replace(str(path), path.name)


def _row(name: str, record: RunRecord, annotation: Annotation) -> RunRow:
    cluster = record.plan.cluster
    row = RunRow(
        id=name,
        created=record.created,
        suite=record.suite.name,
        engine=record.engine,
        origin=record.origin.value,
        platform=record.plan.platform,
        host=cluster.inventory.cluster if cluster else record.host.name,
        outcome=record.outcome.value,
        elapsed_s=record.elapsed_s,
        tags=annotation.tags,
        note=annotation.note[:200],
        error=record.error or "",
    )
    main = next((result for result in record.workloads if result.workload.kind == record.suite.main), None)
    if main is None or main.outcome is not Outcome.SUCCEEDED:
        return row
    if metric := main.primary:
        return row.model_copy(
            update={
                "metric": f"{main.workload.kind} {metric.name}",
                "value": metric.value,
                "unit": metric.unit,
                "said": metric.in_words(),
                "higher_is_better": metric.better == "higher",
            }
        )
    return row.model_copy(update={"metric": main.workload.kind, "value": main.elapsed_s, "unit": "s"})


_LAYOUT = f"3 {howdah.__version__}"  # Another layout, or another version's records, are thrown away.
_BATCH = 200  # Records read before those who wait for the list see them.

_SCHEMA = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY, signature TEXT NOT NULL, row TEXT NOT NULL, created TEXT NOT NULL,
    suite TEXT NOT NULL, engine TEXT NOT NULL, platform TEXT NOT NULL, outcome TEXT NOT NULL,
    elapsed_s REAL, metric TEXT NOT NULL, value REAL, words TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE tags (tag TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (tag, id)) WITHOUT ROWID;
CREATE INDEX by_time ON runs (created);
"""


class IndexedRun(NamedTuple):
    """What the index knows of a run without reading its row."""

    signature: str
    outcome: str


class RunIndex:
    """The runs of a directory; any thread may call any method."""

    def __init__(self, runs_dir: Path, file: Path | None) -> None:
        self.runs_dir = runs_dir
        self.database, self.lock = _opened(file), Lock()
        rows = self.database.execute("SELECT id, signature, outcome FROM runs").fetchall()
        self._indexed = {name: IndexedRun(mark, outcome) for name, mark, outcome in rows}
        self._unsettled = {name for name, run in self._indexed.items() if run.outcome in _UNSETTLED}
        self._stopped = Event()
        self.version = 0

    def __len__(self) -> int:
        return len(self._indexed)

    @property
    def running(self) -> frozenset[str]:
        """The runs that are under way."""
        return frozenset(name for name in self._unsettled if self._indexed[name].outcome == Outcome.RUNNING)

    def names(self) -> list[str]:
        """The runs that are in the directory now; none where there is no directory."""
        return names_in(self.runs_dir)

    def refresh(self, names: Collection[str], *, every: bool) -> Iterable[set[str]]:
        """Bring the index up to date with these names, and say in batches which runs have changed.

        Looks at those that are new or gone and at those whose record may still change; with ``every`` at all.
        """
        gone = self._indexed.keys() - set(names)
        if gone:
            self._remove(gone)
            yield gone
        # The newest come first: a list begins with them.
        fresh = sorted((name for name in names if name not in self._indexed), reverse=True)
        again = list(self._indexed if every else self._unsettled)
        changed = [name for name in again if not self._stopped.is_set() and self._changed(name)]
        stale = [*changed, *fresh]
        for place in range(0, len(stale), _BATCH):
            batch = stale[place : place + _BATCH]
            self._read(batch)
            if self._stopped.is_set():
                return
            yield set(batch)

    def read_again(self, name: str) -> None:
        """Read one run anew: it was changed from here."""
        self._read([name])

    def _changed(self, name: str) -> bool:
        indexed = self._indexed[name]
        return indexed.signature != self._signature(name, indexed.outcome)

    def _signature(self, name: str, outcome: str) -> str:
        """Of a run under way also whether its writer lives: being killed changes no file."""
        path = self.runs_dir / name
        lives = outcome == Outcome.RUNNING and _held(path)
        return f"{signature(path)}{'+' if lives else ''}"

    def _read(self, names: Sequence[str]) -> None:
        rows = []
        for name in names:
            if self._stopped.is_set():
                return
            # What changes while the record is read must look changed afterwards, so this comes first.
            before = signature(self.runs_dir / name)
            row = row_of(self.runs_dir / name)
            lives = "+" if row.outcome == Outcome.RUNNING else ""
            rows.append((row, f"{before}{lives}"))
        with self.lock:
            if not self._stopped.is_set():
                self._put(rows)

    def _put(self, rows: list[tuple[RunRow, str]]) -> None:
        with self.database:
            self.database.executemany(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_values(row, mark) for row, mark in rows],
            )
            self.database.executemany("DELETE FROM tags WHERE id = ?", [(row.id,) for row, _ in rows])
            self.database.executemany(
                "INSERT INTO tags VALUES (?, ?)", [(tag, row.id) for row, _ in rows for tag in row.tags]
            )
            for row, mark in rows:
                self._indexed[row.id] = IndexedRun(mark, row.outcome)
                (self._unsettled.add if row.outcome in _UNSETTLED else self._unsettled.discard)(row.id)
            self.version += 1

    def _remove(self, names: Collection[str]) -> None:
        with self.lock, self.database:
            for table in ("runs", "tags"):
                self.database.executemany(f"DELETE FROM {table} WHERE id = ?", [(name,) for name in names])
            for name in names:
                del self._indexed[name]
            self._unsettled -= set(names)
            self.version += 1

    def stop(self) -> None:
        """Read no further, wherever a thread is reading."""
        self._stopped.set()

    def close(self) -> None:
        """Close the database."""
        self.stop()
        with self.lock:
            self.database.close()


_UNSETTLED = (Outcome.RUNNING.value, UNREADABLE)  # A record that cannot be read may be on its way here.


def _held(path: Path) -> bool:
    try:
        return is_locked(path / LOCK)
    except OSError:
        return False


def _values(row: RunRow, mark: str) -> tuple[object, ...]:
    words = " ".join(
        (row.id, row.suite, row.engine, row.platform, row.host, row.outcome, *row.tags, row.note, row.error)
    )
    return (
        row.id, mark, row.model_dump_json(), row.created, row.suite, row.engine, row.platform, row.outcome,
        row.elapsed_s, row.metric, row.value, words.casefold(),
    )  # fmt: skip


def _opened(file: Path | None) -> sqlite3.Connection:
    """The database, empty where it is new, damaged or another version's; in memory where there is no room."""
    if file is not None:
        with suppress(OSError, sqlite3.Error):
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            database = _connected(str(file))
            with suppress(sqlite3.Error):
                if database.execute("SELECT layout FROM about").fetchone() == (_LAYOUT,):
                    return database
            database.close()
            for path in (file, *(file.with_name(f"{file.name}-{end}") for end in ("wal", "shm"))):
                path.unlink(missing_ok=True)
            return _made(_connected(str(file)))
    return _made(_connected(":memory:"))


def _connected(name: str) -> sqlite3.Connection:
    database = sqlite3.connect(name, check_same_thread=False, timeout=2.0)
    # A crash may take the last changes: they are read from the records again.
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = OFF")
    return database


def _made(database: sqlite3.Connection) -> sqlite3.Connection:
    with database:
        database.executescript(_SCHEMA)
        database.execute("CREATE TABLE about (layout TEXT)")
        database.execute("INSERT INTO about VALUES (?)", (_LAYOUT,))
    return database
