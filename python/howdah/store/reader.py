"""Records read from ``run.json``, whether their run has ended, is running or was killed."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from enum import Enum, auto
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from howdah.errors import RecordError, RunFailed, UserError, os_errors
from howdah.model.plan import CLUSTER_PLAN, WORKER_PLAN
from howdah.model.reported import FileRate, ResultMetric
from howdah.model.run import SCHEMA_VERSION, Outcome, RunRecord, RunWarning
from howdah.model.tables import RunData, legible_run
from howdah.model.workloads.dfsio import DFSIO_READ, DFSIO_WRITE, STORAGE, throughput, zone_rates
from howdah.model.workloads.hadoop_programs import NNBENCH, PI, estimate_of_pi, operations_per_s
from howdah.store.layout import (
    LATENCIES,
    LOCK,
    RUN_JSON,
    SAMPLES,
    SERVER_EVENTS,
    TABLES,
    TASKS,
    TableFiles,
    is_locked,
    write_model,
)
from howdah.store.tables import StreamContent, check_ends, read_parquet, read_stream

Document = dict[str, Any]
OLDEST = 1  # The first version.
_RATE = re.compile(r"(\w+) ([\d.e+]+)/s")


def migrated(document: Document) -> Document:
    """A record of any version from OLDEST on as one of today's; raises KeyError for another version."""
    while document["schema_version"] != SCHEMA_VERSION:
        document = _STEPS[document["schema_version"]](document)
    return document


def _from_1(document: Document) -> Document:
    """Version 1 had one text, ``answer``, for what pi and NNBench printed, and no metrics."""
    workloads = document.get("workloads", ())
    return {**document, "schema_version": 2, "workloads": [_with_metrics(result) for result in workloads]}


def _with_metrics(result: Document) -> Document:
    kept = {key: value for key, value in result.items() if key != "answer"}
    kind, answer = result["workload"]["kind"], result.get("answer")
    files = [FileRate.model_validate(file) for file in result.get("files", ())]
    return {**kept, "metrics": [metric.model_dump() for metric in _metrics(kind, answer, files)]}


def _metrics(kind: str, answer: str | None, files: list[FileRate]) -> Iterator[ResultMetric]:
    if kind in (DFSIO_WRITE, DFSIO_READ):
        yield from throughput(files)
    elif kind == STORAGE:
        yield from zone_rates(files)
    elif kind == PI and answer is not None:
        yield estimate_of_pi(answer)
    elif kind == NNBENCH and answer is not None:
        yield from (operations_per_s(name, float(rate)) for name, rate in _RATE.findall(answer))


_STEPS: Mapping[int, Callable[[Document], Document]] = {1: _from_1}


_RIGHT = "give the directory of a run that howdah recorded, or its id"
_RESTORE = "restore it from an export (howdah runs import), or remove the directory"


def write_run_json(directory: Path, record: RunRecord, *, durable: bool = True) -> None:
    """Replace run.json at once and, if requested, durably; raise RunFailed if the disk refuses."""
    path = directory / RUN_JSON
    with os_errors(path, "cannot be written ({})", "free space for run records", RunFailed):
        write_model(path, record, durable=durable)


def load_run_json(directory: Path, kind: type[RunRecord] = RunRecord) -> RunRecord:
    """Read run.json as it was written, as a record of a kind; one of an earlier version in today's form.

    Raises RecordError naming the file if it is missing, damaged, foreign or of another version.
    """
    path = directory / RUN_JSON
    try:
        content = _content(path)
    except FileNotFoundError as error:
        problem = f"no {RUN_JSON} in it" if directory.is_dir() else "no such directory"
        raise RecordError(str(directory), problem, _RIGHT) from error
    except OSError as error:
        hint = "make it a readable file"
        raise RecordError(str(path), f"cannot be read ({error.strerror})", hint) from error
    try:
        # Most records are today's and whole, and need to be read only once.
        return kind.model_validate_json(content)
    except ValidationError:
        return _read_otherwise(path, content, kind)


def _content(path: Path) -> bytes:
    # Only a regular file is read: a FIFO would be waited for.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a file")
        return file.read()


def _read_otherwise(path: Path, content: bytes, kind: type[RunRecord]) -> RunRecord:
    """A record of an earlier version; raises RecordError for any other content."""
    try:
        document = from_json(content)
    except ValueError as error:
        raise RecordError(str(path), f"damaged: incomplete JSON ({error})", _RESTORE) from error
    version = _check_version(path, document)
    try:
        if version != SCHEMA_VERSION:
            content = to_json(migrated(document))
        return kind.model_validate_json(content)
    except (KeyError, TypeError, AttributeError) as error:
        raise RecordError(str(path), f"damaged: not a record of version {version}", _RESTORE) from error
    except ValidationError as error:
        raise RecordError(str(path), f"damaged: {_first_fault(error)}", _RESTORE) from error


def _check_version(path: Path, document: Any) -> int:
    version = document.get("schema_version") if isinstance(document, dict) else None
    # A bool is an int in Python, but not a version.
    if not isinstance(version, int) or isinstance(version, bool):
        raise RecordError(str(path), "not a howdah run record (no schema_version)", _RIGHT)
    if version > SCHEMA_VERSION:
        problem = f"schema_version {version} is newer than this howdah supports ({SCHEMA_VERSION})"
        hint = "read it with the version of howdah that wrote it, or a newer one"
        raise RecordError(str(path), problem, hint)
    if version < OLDEST:
        problem = f"schema_version {version} does not exist; the first is {OLDEST}"
        raise RecordError(str(path), problem, _RIGHT)
    return version


def _first_fault(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False)
    place = ".".join(str(part) for part in faults[0]["loc"] if part not in (WORKER_PLAN, CLUSTER_PLAN))
    message = faults[0]["msg"]
    more_faults = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{place}: {message[:1].lower()}{message[1:]}{more_faults}"


_KILLED = "the process that wrote this record ended before the run did"


def read_run(path: Path) -> RunData:
    """Read the record in the run directory ``path`` with its tables.

    Of a run that is running, or that was killed, the tables are read up to the last whole batch; a killed one
    reads as ``aborted`` and a torn batch becomes a warning. Of both, ``elapsed_s`` is the last moment in the
    record. Words that no page has room for are shortened. Raises RecordError naming the file that is missing,
    damaged, foreign or from a newer howdah.
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

    Reads a few bytes of each file, so that it is quick for thousands of runs; damage between the ends of a
    file shows only when it is read.
    """
    for table in TABLES:
        if (path / table.stream).exists():
            continue
        if (path / table.parquet).exists():
            check_ends(path / table.parquet)
        elif not table.optional:
            raise _missing(path, table)


def _missing(path: Path, table: TableFiles) -> RecordError:
    problem = f"neither {table.parquet} nor {table.stream} is in it"
    return RecordError(str(path), problem, "restore it from an export")


def _up_to(record: RunRecord, moments: list[float]) -> RunRecord:
    """The record of a run without a recorded end, with the time until its last sign of life."""
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
    """Read run.json and, if its outcome is ``running``, find out whether its writer lives."""
    record = load_run_json(path, kind)
    if record.outcome is Outcome.RUNNING and is_locked(path / LOCK):
        return record, _State.GOES_ON
    if record.outcome is Outcome.RUNNING:
        # The run may have ended between the two checks; then its outcome is in the file by now.
        record = load_run_json(path, kind)
    if record.outcome is Outcome.RUNNING:
        workloads = tuple(
            workload.model_copy(update={"outcome": Outcome.ABORTED})
            if workload.outcome is Outcome.RUNNING
            else workload
            for workload in record.workloads
        )
        return record.model_copy(
            update={"outcome": Outcome.ABORTED, "workloads": workloads, "error": record.error or _KILLED}
        ), _State.KILLED
    return record, _State.ENDED


def _read_table(path: Path, table: TableFiles, state: _State) -> StreamContent:
    """Read whichever of a table's two files is whole, the compacted one rather than the stream."""
    damage: RecordError | None = None
    for read in (_read_compacted, _read_streamed, _read_compacted):
        # The third attempt is for a writer that compacted its stream between the first two.
        try:
            return read(path, table, state)
        except FileNotFoundError:
            continue
        except RecordError as error:
            damage = damage or error
    if damage is None and table.optional:
        return StreamContent(table.schema.empty_table(), complete=True, torn_bytes=0)
    raise damage or _missing(path, table)


def _read_compacted(path: Path, table: TableFiles, _state: _State) -> StreamContent:
    return StreamContent(read_parquet(path, table), complete=True, torn_bytes=0)


def _read_streamed(path: Path, table: TableFiles, state: _State) -> StreamContent:
    content = read_stream(path, table)
    if state is _State.ENDED and not content.complete:
        problem = "cut off: the run ended, its table does not"
        raise RecordError(str(path / table.stream), problem, "restore it from an export")
    return content


LAST = "last"  # Stands for the newest run instead of an id.


class RunSummary(NamedTuple):
    """One run of a list: its record, or the error that keeps it from being read."""

    id: str
    path: Path
    record: RunRecord | None
    error: RecordError | None


def list_runs(runs_dir: Path, kind: type[RunRecord] = RunRecord) -> list[RunSummary]:
    """List the runs in ``runs_dir`` with records of a kind, damaged ones first and then oldest to newest.

    Empty if there is no such directory; raises UserError if it cannot be read.
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
        problem = "is a file" if runs_dir.is_file() else f"cannot be listed ({error.strerror})"
        raise UserError(str(runs_dir), problem, "give the directory that holds the runs") from error
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
    hint = f"did you mean {_some(near)}?" if near else f"the newest are {_some(ids[::-1])}"
    raise UserError(run_id, f"no such run in {runs_dir}", hint)


def _some(ids: list[str], most: int = 5) -> str:
    return ", ".join(ids[:most]) + (", …" if len(ids) > most else "")
