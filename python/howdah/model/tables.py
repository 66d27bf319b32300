"""The tables of a run record as Arrow tables, the events of servers in them, and a whole run in memory."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import pyarrow as pa

from howdah.model.run import RunRecord

COLLECTION: Final = "collection"
FLUSH: Final = "flush"
COMPACTION: Final = "compaction"
SPLIT: Final = "split"
MOVE: Final = "move"
SLOW_SYNC: Final = "slow-sync"


class ServerEvent(NamedTuple):
    """One row of the ``server_events`` table: an action of a daemon with its time, from its log."""

    start_s: float
    """Seconds since the start of the run."""
    end_s: float
    """Seconds since the start of the run."""
    machine: str
    """Machine that it ran on."""
    daemon: str
    """``regionserver`` or ``hmaster``."""
    kind: str
    """``collection`` (its threads stood still), ``flush``, ``compaction``, ``split``, ``move`` or
    ``slow-sync`` (of the log of writes)."""
    detail: str
    """Which one: the collector's own word for a pause, or the region."""
    bytes: int | None
    """Bytes that a flush or a compaction wrote, if the log has them."""

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end_s - self.start_s


_TASK_FIELDS: list[pa.Field[Any]] = [
    pa.field("workload", pa.string()),
    pa.field("kind", pa.string()),
    pa.field("task", pa.int32()),
    pa.field("attempt", pa.int32()),
    pa.field("host", pa.string()),
    pa.field("worker", pa.string()),
    pa.field("slot", pa.int32()),
    pa.field("start_s", pa.float64()),
    pa.field("end_s", pa.float64()),
    pa.field("input_rows", pa.int64()),
    pa.field("output_rows", pa.int64()),
    pa.field("input_bytes", pa.int64()),
    pa.field("output_bytes", pa.int64()),
    pa.field("spilled_bytes", pa.int64()),
    pa.field("locality", pa.string()),
    pa.field("state", pa.string()),
    pa.field("shuffle_end_s", pa.float64()),
    pa.field("merge_end_s", pa.float64()),
    pa.field("shuffled_bytes", pa.int64()),
    pa.field("cpu_s", pa.float64()),
    pa.field("gc_s", pa.float64()),
    pa.field("error", pa.string()),
    pa.field("job", pa.string()),
    pa.field("executor", pa.string()),
    pa.field("fetch_wait_s", pa.float64()),
]

TASKS_SCHEMA = pa.schema(_TASK_FIELDS)
"""One row per TaskAttempt, columns in its field order."""

_SAMPLE_FIELDS: list[pa.Field[Any]] = [
    pa.field("time_s", pa.float64()),
    pa.field("host", pa.string()),
    pa.field("metric", pa.string()),
    pa.field("value", pa.float64()),
]

SAMPLES_SCHEMA = pa.schema(_SAMPLE_FIELDS)
"""One row per Sample, columns in its field order."""


_LATENCY_FIELDS: list[pa.Field[Any]] = [
    pa.field("workload", pa.string()),
    pa.field("operation", pa.string()),
    pa.field("host", pa.string()),
    pa.field("peer", pa.string()),
    pa.field("start_s", pa.float64()),
    pa.field("end_s", pa.float64()),
    pa.field("operations", pa.int64()),
    pa.field("histogram", pa.string()),
]

LATENCIES_SCHEMA = pa.schema(_LATENCY_FIELDS)
"""One row per LatencyHistogram, columns in its field order."""


_SERVER_EVENT_FIELDS: list[pa.Field[Any]] = [
    pa.field("start_s", pa.float64()),
    pa.field("end_s", pa.float64()),
    pa.field("machine", pa.string()),
    pa.field("daemon", pa.string()),
    pa.field("kind", pa.string()),
    pa.field("detail", pa.string()),
    pa.field("bytes", pa.int64()),
]

SERVER_EVENTS_SCHEMA = pa.schema(_SERVER_EVENT_FIELDS)
"""One row per ServerEvent, columns in its field order."""


class RunData(NamedTuple):
    """A run as later stages read it: the record and its tables."""

    record: RunRecord
    tasks: pa.Table
    samples: pa.Table
    latencies: pa.Table = LATENCIES_SCHEMA.empty_table()
    server_events: pa.Table = SERVER_EVENTS_SCHEMA.empty_table()
