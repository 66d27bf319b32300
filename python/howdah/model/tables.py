"""What an engine gets and gives: a job, the sink of its data, the record's tables, a run in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar, get_args, get_type_hints

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ConfigDict, create_model

from howdah.model.base import Model
from howdah.model.host import Host
from howdah.model.plan import Plan
from howdah.model.reported import LatencyHistogram
from howdah.model.run import RunRecord, Sample, TaskAttempt
from howdah.model.workloads.suite import Suite

COLLECTION: Final = "collection"
FLUSH: Final = "flush"
COMPACTION: Final = "compaction"
SPLIT: Final = "split"
MOVE: Final = "move"
SLOW_SYNC: Final = "slow-sync"


class ServerEvent(NamedTuple):
    """One row of the ``server_events`` table: an action of a daemon with its time, from its log."""

    start_s: float  # Seconds since the start of the run.
    end_s: float  # Seconds since the start of the run.
    machine: str  # Machine that it ran on.
    daemon: str  # ``regionserver`` or ``hmaster``.
    kind: str
    """``collection`` (its threads stood still), ``flush``, ``compaction``, ``split``, ``move`` or
    ``slow-sync`` (of the log of writes)."""
    detail: str  # Which one: the collector's own word for a pause, or the region.
    bytes: int | None  # Bytes that a flush or a compaction wrote, if the log has them.

    @property
    def seconds(self) -> float:
        return self.end_s - self.start_s


_TYPES: Final[dict[type, pa.DataType]] = {int: pa.int64(), float: pa.float64(), str: pa.string()}
_SHORT: Final = frozenset(("task", "attempt", "slot"))  # Columns of TaskAttempt with small numbers.


def _schema(row: type) -> pa.Schema:
    """A column for each field of a row, in their order; every one may be empty."""
    fields = []
    for name, kind in get_type_hints(row).items():
        plain = next(part for part in (*get_args(kind), kind) if part in _TYPES)
        fields.append(pa.field(name, pa.int32() if name in _SHORT else _TYPES[plain]))
    return pa.schema(fields)


TASKS_SCHEMA = _schema(TaskAttempt)
SAMPLES_SCHEMA = _schema(Sample)
LATENCIES_SCHEMA = _schema(LatencyHistogram)
SERVER_EVENTS_SCHEMA = _schema(ServerEvent)


class RunData(NamedTuple):
    """A run as later stages read it: the record and its tables."""

    record: RunRecord
    tasks: pa.Table
    samples: pa.Table
    latencies: pa.Table = LATENCIES_SCHEMA.empty_table()
    server_events: pa.Table = SERVER_EVENTS_SCHEMA.empty_table()


class _Listed(Model):
    model_config = ConfigDict(extra="ignore")


class ListedInventory(_Listed):
    """The cluster's name."""

    cluster: str


class ListedCluster(_Listed):
    """The cluster of a plan."""

    inventory: ListedInventory


class ListedPlan(_Listed):
    """What a list shows of a plan."""

    platform: str
    cluster: ListedCluster | None = None


ListedRecord: type[RunRecord] = create_model("ListedRecord", __base__=RunRecord, plan=(ListedPlan, ...))
"""Everything but the plan is read, and has to be right, as in a whole record."""


LONGEST_WORD: Final = 500  # Characters without a space; a host's name has at most 253.
LONGEST_TEXT: Final = 20_000  # Characters of one text.
_ENDS: Final = (60, 20)  # As many are kept of a long word's beginning and of its end.
_LONG = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_ENCODED = "histogram"  # A column of encoded texts.

T = TypeVar("T")


def shortened(text: str) -> str:
    """The text with very long words and texts cut."""
    if len(text) <= LONGEST_WORD:
        return text
    text = _LONG.sub(lambda word: f"{word[0][: _ENDS[0]]}…{word[0][-_ENDS[1] :]}", text)
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} …"


def legible(value: T) -> T:
    """The same data with every text shortened; the very same object where none is long."""
    return _legible(value)  # type: ignore[no-any-return]


def _legible(value: Any) -> Any:
    if type(value) is str:
        return shortened(value)
    if isinstance(value, Model):
        fields = {name: getattr(value, name) for name in type(value).model_fields}
        changed = {name: new for name, old in fields.items() if (new := _legible(old)) is not old}
        return value.model_copy(update=changed) if changed else value
    if type(value) is tuple:
        parts = tuple(map(_legible, value))
        return parts if _differ(parts, value) else value
    if type(value) is dict:
        keys, values = tuple(map(_legible, value)), tuple(map(_legible, value.values()))
        same = not _differ(keys, value) and not _differ(values, value.values())
        return value if same else dict(zip(keys, values, strict=True))
    return value


def _differ(new: Iterable[Any], old: Iterable[Any]) -> bool:
    return any(after is not before for after, before in zip(new, old, strict=True))


def legible_run(run: RunData) -> RunData:
    """The run with the texts of its record and its tables shortened."""
    tables = (run.tasks, run.samples, run.latencies, run.server_events)
    return RunData(legible(run.record), *map(_legible_table, tables))


def _legible_table(table: pa.Table) -> pa.Table:
    for at, field in enumerate(table.schema):
        if not pa.types.is_string(field.type) or field.name == _ENCODED:
            continue
        column = table.column(at)
        if (pc.max(pc.utf8_length(column)).as_py() or 0) > LONGEST_WORD:
            distinct = pc.unique(column)
            texts = pa.array([text and shortened(text) for text in distinct.to_pylist()], field.type)
            table = table.set_column(at, field, texts.take(pc.index_in(column, value_set=distinct)))
    return table


class Job(Model):
    """A Suite to run on a Plan.

    ``run_id`` names the record; ``keep_data`` leaves the generated data in place;
    ``sample_interval_s`` is the telemetry's interval; ``results_dir`` is where a workload leaves
    files of its own (TestDFSIO_results.log).
    """

    run_id: str
    command: tuple[str, ...]
    host: Host
    plan: Plan
    suite: Suite
    seed: int
    keep_data: bool
    sample_interval_s: float
    results_dir: Path


Unit = Literal["B", "points", "operations", "share"]  # What progress is counted in.


class Progress(NamedTuple):
    """How far the operation under way in a workload is: units done of those to do."""

    workload: str
    phase: str
    done: int
    total: int
    unit: Unit
    elapsed_s: float
    tasks: str = ""  # Tasks that are done, ``3 of 8 maps ended``, if an engine counts any.


class SampleSink(Protocol):
    """What an engine and its samplers write to; every method may be called from any thread."""

    def samples(self, rows: Sequence[Sample]) -> None:
        """Append measured values."""

    def tasks(self, rows: Sequence[TaskAttempt]) -> None:
        """Append finished task attempts."""

    def latencies(self, rows: Sequence[LatencyHistogram]) -> None:
        """Append histograms of timed operations, each once its interval is over."""

    def server_events(self, rows: Sequence[ServerEvent]) -> None:
        """Append what servers did, in any order; their logs may be read once the run is over."""

    def sample_table(self, rows: pa.Table) -> None:
        """Append measured values that an engine has as columns: those of SAMPLES_SCHEMA, in its order."""

    def task_table(self, rows: pa.Table) -> None:
        """Append task attempts that an engine has as columns: those of TASKS_SCHEMA, in its order."""

    def update(self, record: RunRecord) -> None:
        """Replace the record so far: called whenever a workload starts or ends."""

    def progress(self, progress: Progress) -> None:
        """Say how far the current workload is; called about ten times a second."""

    def measured(self) -> None:
        """Say that the last workload has ended: nothing is disturbed from now on."""
