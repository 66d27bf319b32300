"""Applications that ran without howdah, from their histories: their cost, their waste, and advice.

A Spark application is also described by its event log: plain frozen data, whatever Spark's version. Times are
seconds since 1970 on the driver's clock. A time is None if the log ends before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import pyarrow as pa

Kind = Literal["mapreduce", "spark"]

KIND_NAMES: Mapping[Kind, str] = {"mapreduce": "MapReduce", "spark": "Spark"}  # What each kind is called.
ORIGIN = "imported"  # How records of applications are marked.


@dataclass(frozen=True, slots=True)
class JobChange:
    """One change to an application."""

    setting: str  # The property to set; empty if the change is one to the program.
    now: str
    proposed: str
    reason: str  # Why, with numbers, in a sentence.
    saves_s: float = 0.0  # Container seconds that the change frees at most; 0 if they cannot be computed.


@dataclass(frozen=True, slots=True)
class StageSummary:
    """The successful tasks of a stage, or of a job's maps or reduces."""

    name: str
    tasks: int
    start_s: float
    end_s: float
    median_s: float
    longest_s: float
    input_bytes: int = 0
    output_bytes: int = 0
    shuffle_read_bytes: int = 0
    shuffle_write_bytes: int = 0
    spilled_bytes: int = 0


@dataclass(frozen=True, slots=True)
class HostShare:
    """What a host did for an application."""

    host: str
    tasks: int
    failed: int
    compared: int  # Its successful tasks in stages that ran on several hosts.
    slowness: float  # Mean natural logarithm of task time over its stage's median; 0 is typical.


@dataclass(frozen=True, slots=True)
class Application:
    """One attempt of an application. Times are seconds since 1970, ``…_s`` without a verb are durations.

    A container is one task's of MapReduce, or an executor of Spark for as long as it exists.
    """

    id: str
    attempt: str
    kind: Kind
    name: str
    user: str
    queue: str
    version: str
    outcome: str
    failure: str
    source: str
    source_bytes: int
    submit_s: float
    end_s: float
    wait_s: float | None  # From submission to the first container; for Spark, from the driver's start.
    tasks: int
    containers: int
    container_s: float
    container_bytes: int  # Memory of its largest kind of container.
    idle_s: float  # Container seconds without a task, and of reduces that waited for maps.
    failed_attempts: int
    failed_s: float
    killed_s: float  # Container seconds of attempts that were killed, such as the slower copy of a task.
    unused_memory_byte_s: float  # Memory that no task of its kind ever used, times container seconds.
    unused_memory_s: float  # The same in container seconds, each by its fraction of unused memory.
    cpu_s: float
    gc_s: float
    spilled_bytes: int  # Written to disk for want of memory, beyond the first write of map output.
    skew_s: float  # Longest tasks minus median ones, over its stages with much skew.
    stages: tuple[StageSummary, ...] = ()
    hosts: tuple[HostShare, ...] = ()
    advice: tuple[JobChange, ...] = ()  # What to change, the largest saving first.

    @property
    def elapsed_s(self) -> float:
        """From its submission to its end."""
        return max(0.0, self.end_s - self.submit_s)

    @property
    def wasted_s(self) -> float:
        """Unused container seconds: idle, failed, killed, and the part of memory that was unused."""
        return min(self.container_s, self.idle_s + self.failed_s + self.killed_s + self.unused_memory_s)

    def as_json(self) -> dict[str, Any]:
        """The application for programs, marked as imported."""
        return {"origin": ORIGIN, **asdict(self), "wasted_s": self.wasted_s}


Outcome = Literal["succeeded", "failed", "unfinished"]  # ``unfinished`` if the log has no end.

_NAMES = pa.dictionary(pa.int32(), pa.string())
_SPARK_TASK_FIELDS: tuple[tuple[pa.DataType, str], ...] = (
    (pa.int32(), "stage stage_attempt"), (pa.int64(), "task"), (pa.int32(), "index partition attempt"),
    (_NAMES, "kind host executor locality"), (pa.bool_(), "speculative"), (_NAMES, "state"),
    (pa.string(), "failure"), (pa.float64(), "start_s end_s getting_result_s"),
    (pa.float64(), "run_s cpu_s gc_s deserialize_s deserialize_cpu_s serialize_result_s"),
    (pa.int64(), "result_bytes memory_spilled_bytes disk_spilled_bytes peak_execution_memory_bytes"),
    (pa.int64(), "input_bytes input_rows output_bytes output_rows"),
    (pa.int64(), "shuffle_remote_read_bytes shuffle_local_read_bytes shuffle_read_rows"),
    (pa.float64(), "fetch_wait_s"), (pa.int64(), "shuffle_write_bytes shuffle_write_rows"),
    (pa.float64(), "shuffle_write_s"),
)  # fmt: skip

SPARK_TASKS_SCHEMA = pa.schema([(name, kind) for kind, names in _SPARK_TASK_FIELDS for name in names.split()])
"""One row for each task attempt, in the order of their ends; last those in state ``running``.

``task`` is unique in the application, ``index`` the task's number in its stage, which all its attempts share.
``partition`` is null before Spark 3.3. ``state`` is ``succeeded``, ``failed``, ``killed`` or ``running``,
``failure`` Spark's kind of failure and the first line of its message. ``getting_result_s`` is when the driver
began to fetch a large result, null if the result came with the task's end. ``shuffle_write_s`` is the time
that the task waited for writes of its shuffle output.
"""


@dataclass(frozen=True, slots=True)
class SparkJob:
    """One action of the application, such as a save."""

    id: int
    submit_s: float
    stages: tuple[int, ...]  # All of its graph, also skipped ones whose output existed already.
    end_s: float | None = None
    succeeded: bool | None = None  # None if the log has no end of the job.
    failure: str = ""
    description: str = ""
    sql_execution: int | None = None  # The SQL query that it belongs to.


@dataclass(frozen=True, slots=True)
class SparkStage:
    """One attempt of a stage that was submitted."""

    id: int
    attempt: int
    name: str
    parents: tuple[int, ...]
    tasks: int
    scopes: tuple[str, ...] = ()  # Spark's names of its operators, such as ``Exchange`` or ``reduceByKey``.
    submit_s: float | None = None
    end_s: float | None = None
    failure: str = ""  # Why the attempt failed; empty if it did not.
    resource_profile: int = 0


@dataclass(frozen=True, slots=True)
class SparkExecutor:
    """One executor; the driver is none."""

    id: str
    host: str
    cores: int
    add_s: float
    remove_s: float | None = None  # None if it stayed to the end of the log.
    removal_reason: str = ""
    resource_profile: int = 0
    memory_bytes: int | None = None  # Its heap as requested; None if the log does not show it.
    overhead_bytes: int | None = None
    """Its container's memory beyond the heap, off-heap and Python memory included: as requested, or Spark's
    default; 0 in a standalone cluster."""
    storage_bytes: int | None = None  # The memory for execution and storage.
    peak_heap_bytes: int | None = None  # The largest use of its heap that it reported, if any.
    peak_resident_bytes: int | None = None  # The largest resident memory of its processes.
    container: str = ""


@dataclass(frozen=True, slots=True)
class SqlExecution:
    """One SQL query or DataFrame action."""

    id: int
    description: str
    start_s: float
    end_s: float | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class SparkApplication:
    """The application as a whole."""

    id: str
    name: str
    user: str
    spark_version: str  # Empty if the log begins after it, as logs before Spark 1.3 do.
    attempt: str
    start_s: float
    end_s: float | None  # The application's end, or the last time in the log if it has none.
    outcome: Outcome
    queue: str
    master: str  # ``yarn``, ``local[2]`` and the like.
    deploy_mode: str
    driver_host: str
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Its ``spark.`` properties without secrets, and Java's and Scala's versions."""


@dataclass(frozen=True, slots=True)
class SparkLog:
    """Everything that howdah reads from an event log."""

    application: SparkApplication
    jobs: tuple[SparkJob, ...]
    stages: tuple[SparkStage, ...]  # By first submission; a stage may have several attempts.
    executors: tuple[SparkExecutor, ...]
    tasks: pa.Table
    sql: tuple[SqlExecution, ...] = ()
    truncated: bool = False  # The log ends within a line or a block; earlier lines are included.
    unreadable_lines: int = 0  # Lines that are no events of Spark, other than the last one.
