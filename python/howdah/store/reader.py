"""Reading records, whether their run has ended, still goes or was killed."""

from __future__ import annotations

import os
from contextlib import suppress
from difflib import get_close_matches
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from howdah.errors import RecordError, UserError
from howdah.model.run import Outcome, RunRecord, RunWarning
from howdah.model.tables import RunData, legible_run
from howdah.store.layout import (
    LATENCIES,
    LOCK,
    RUN_JSON,
    SAMPLES,
    SERVER_EVENTS,
    TABLES,
    TASKS,
    TableFiles,
    is_held,
)
from howdah.store.run_json import load_run_json
from howdah.store.tables import check_ends, read_parquet, read_stream

_KILLED = "the process that wrote this record ended before the run did"


def read_run(path: Path) -> RunData:
    """Read the record in the run directory ``path`` with its tables.

    Of a run that goes on, or that was killed, the tables are read up to the last whole batch; a
    killed one reads as ``aborted`` and a torn batch becomes a warning. Of both, ``elapsed_s`` is the
    last moment the record knows of. Words that no page has room for are shortened. Raises RecordError
    naming the file that is missing, damaged, foreign or from a newer howdah.
    """
    record, state = _load(path)
    tables = {table: _read_table(path, table, state) for table in TABLES}
    if state is _State.KILLED:
        torn = tuple(
            RunWarning(
                code="torn-table",
                text=f"{table.stream} ends inside a batch: its last {rows.torn_bytes} bytes are left out",
            )
            for table, rows in tables.items()
            if rows.torn_bytes
        )
        record = record.model_copy(update={"warnings": record.warnings + torn})
    if state is not _State.ENDED:
        record = _up_to(record, [_last_s(table, rows.table) for table, rows in tables.items()])
    rows = (tables[table].table for table in (TASKS, SAMPLES, LATENCIES, SERVER_EVENTS))
    return legible_run(RunData(record, *rows))


def read_record(path: Path, kind: type[RunRecord] = RunRecord) -> RunRecord:
    """Read only the record in the run directory ``path``; raise RecordError as read_run does.

    A table that cannot be read costs a run that has not ended its last moments and nothing else.
    """
    record, state = _load(path, kind)
    if state is _State.ENDED:
        return record
    moments = []
    for table in TABLES:
        with suppress(RecordError):
            moments.append(_last_s(table, _read_table(path, table, state).table))
    return _up_to(record, moments)


def check_tables(path: Path) -> None:
    """Raise RecordError for a table of a run that has ended which is missing or cut off.

    Reads a few bytes of each file, so that a list of thousands of runs can tell; what is damaged between
    its ends is known only once it is read.
    """
    for table in TABLES:
        if (path / table.stream).exists():
            continue
        if (path / table.parquet).exists():
            check_ends(path / table.parquet)
        elif not table.optional:
            raise _missing(path, table)


def _missing(path: Path, table: TableFiles) -> RecordError:
    return RecordError(
        str(path), f"neither {table.parquet} nor {table.stream} is in it", "restore it from an export"
    )


def _up_to(record: RunRecord, moments: list[float]) -> RunRecord:
    """The record of a run whose end nobody wrote down, with the time until its last sign of life."""
    ends = [phase.end_s for phase in record.preparation] + [result.end_s for result in record.workloads]
    last_s = max([record.elapsed_s, *ends, *moments])
    return record.model_copy(update={"elapsed_s": last_s})


def _last_s(table: TableFiles, rows: pa.Table) -> float:
    """The last moment in a table, seconds since the start of the run; 0 in an empty one."""
    latest = pc.max(rows.column(table.last)).as_py()
    return float(latest or 0)


class _State(Enum):
    GOES_ON = auto()
    ENDED = auto()
    KILLED = auto()


def _load(path: Path, kind: type[RunRecord] = RunRecord) -> tuple[RunRecord, _State]:
    """Read run.json and find out whether its writer, if it still says ``running``, lives."""
    record = load_run_json(path, kind)
    if record.outcome is Outcome.RUNNING and is_held(path / LOCK):
        return record, _State.GOES_ON
    if record.outcome is Outcome.RUNNING:
        # The run may have ended between the two looks; then its last word is in the file by now.
        record = load_run_json(path, kind)
    if record.outcome is Outcome.RUNNING:
        return _as_aborted(record), _State.KILLED
    return record, _State.ENDED


def _as_aborted(record: RunRecord) -> RunRecord:
    workloads = tuple(
        workload.model_copy(update={"outcome": Outcome.ABORTED})
        if workload.outcome is Outcome.RUNNING
        else workload
        for workload in record.workloads
    )
    return record.model_copy(
        update={"outcome": Outcome.ABORTED, "workloads": workloads, "error": record.error or _KILLED}
    )


class _Rows(NamedTuple):
    table: pa.Table
    torn_bytes: int


def _read_table(path: Path, table: TableFiles, state: _State) -> _Rows:
    """Read whichever of a table's two files is whole, the compacted one rather than the stream."""
    damage: RecordError | None = None
    for read in (_read_compacted, _read_streamed, _read_compacted):
        # The third look is for a writer that compacted its stream between the first two.
        try:
            return read(path, table, state)
        except FileNotFoundError:
            continue
        except RecordError as error:
            damage = damage or error
    if damage is None and table.optional:
        return _Rows(table.schema.empty_table(), 0)
    raise damage or _missing(path, table)


def _read_compacted(path: Path, table: TableFiles, _state: _State) -> _Rows:
    return _Rows(read_parquet(path, table), 0)


def _read_streamed(path: Path, table: TableFiles, state: _State) -> _Rows:
    content = read_stream(path, table)
    if state is _State.ENDED and not content.complete:
        raise RecordError(
            str(path / table.stream),
            "cut off: the run ended, its table does not",
            "restore it from an export",
        )
    return _Rows(content.table, content.torn_bytes)


LAST = "last"
"""Stands for the newest run where an id is asked for."""


class RunSummary(NamedTuple):
    """One run of a list: its record, or the error that keeps it from being read."""

    id: str
    path: Path
    record: RunRecord | None
    error: RecordError | None


def list_runs(runs_dir: Path, kind: type[RunRecord] = RunRecord) -> list[RunSummary]:
    """List the runs in ``runs_dir`` with records of a kind, damaged ones first and then oldest to newest.

    Empty where there is no such directory; raises UserError if it cannot be read.
    """
    try:
        names = sorted(
            entry.name
            for entry in os.scandir(runs_dir)
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
        )
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(
            str(runs_dir),
            "is a file" if runs_dir.is_file() else f"cannot be listed ({error.strerror})",
            "give the directory that holds the runs",
        ) from error
    summaries = [_summary(runs_dir / name, kind) for name in names]
    return sorted(summaries, key=lambda summary: summary.record.created if summary.record else "")


def _summary(path: Path, kind: type[RunRecord]) -> RunSummary:
    try:
        return RunSummary(path.name, path, read_record(path, kind), None)
    except RecordError as error:
        return RunSummary(path.name, path, None, error)


def find_run(runs_dir: Path, run_id: str) -> Path:
    """Find a run by its directory, its id, the beginning of its id if only one run begins so, or ``last``.

    Raises UserError naming the runs that come near.
    """
    if run_id and (Path(run_id) / RUN_JSON).exists():
        return Path(run_id)
    runs = list_runs(runs_dir)
    ids = [run.id for run in runs]
    if not runs:
        raise UserError(str(runs_dir), "contains no runs", "make one with `howdah run terasuite`")
    if run_id in ids:
        return runs_dir / run_id
    if run_id == LAST:
        return runs[-1].path
    begun = [name for name in ids if run_id and name.startswith(run_id)]
    if len(begun) == 1:
        return runs_dir / begun[0]
    if begun:
        raise UserError(run_id, f"{len(begun)} runs have this beginning", f"give one of {_some(begun)}")
    near = get_close_matches(run_id, ids, n=3, cutoff=0.5)
    raise UserError(
        run_id,
        f"no such run in {runs_dir}",
        f"did you mean {_some(near)}?" if near else f"the newest are {_some(ids[::-1])}",
    )


def _some(ids: list[str], most: int = 5) -> str:
    return ", ".join(ids[:most]) + (", …" if len(ids) > most else "")
