"""The Run record: the only thing later stages read.

``run.json`` holds a RunRecord; the ``tasks`` and ``samples`` tables beside it hold rows of
TaskAttempt and Sample. Every time is in seconds since the start of the run, on one monotonic clock.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NamedTuple

from howdah.model.base import Model
from howdah.model.host import Host
from howdah.model.plan import Plan
from howdah.model.workload import Suite, Workload

SCHEMA_VERSION: Literal[1] = 1


class Outcome(StrEnum):
    """How a run or a workload ended; ``running`` in the record of a dead process reads as aborted."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    ABORTED = "aborted"


class Origin(StrEnum):
    """Whether the numbers were measured on hardware or computed by the simulator."""

    MEASURED = "measured"
    SIMULATED = "simulated"


class Phase(Model):
    """A named stretch of a workload, ``map-shuffle`` for instance."""

    name: str
    start_s: float
    end_s: float


class Counters(Model):
    """What a workload says it did, in bytes and rows; what does not apply is zero.

    ``spilled_bytes`` is what intermediate data occupied on disk, ``spilled_raw_bytes`` the same
    before compression and ``spill_read_bytes`` what was read back.
    """

    input_rows: int = 0
    output_rows: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    spilled_rows: int = 0
    spilled_raw_bytes: int = 0
    spilled_bytes: int = 0
    spill_read_bytes: int = 0


class FileRate(Model):
    """One file written or read: its size, the seconds its I/O took, and where it lies."""

    path: str
    bytes: int
    io_s: float
    operation: Literal["write", "read"] = "write"


class ValidationError(Model):
    """One fault TeraValidate found, worded as Hadoop words it."""

    kind: str
    message: str


class DeviceLimit(Model):
    """What one raw data directory can do by direct I/O in large blocks, bytes per second.

    ``tool`` says who measured it: ``fio``, which makes no copy, or ``howdah``.
    """

    data_dir: str
    device: str
    read_bytes_per_s: float
    write_bytes_per_s: float
    copy_bytes_per_s: float | None
    tool: str


class WorkloadResult(Model):
    """One workload as it ran.

    ``checksum`` is TeraGen's and TeraValidate's (hex, 128 bits); ``expected_checksum`` is the one
    TeraGen recorded for the rows that TeraValidate read. ``peak_rss_bytes`` is the process's peak
    resident set while the workload ran, ``memory_bytes`` the budget it had. ``buffered_io`` says
    that direct I/O was refused by the file system. ``files`` are dfsio's and storage's;
    ``raw_limits`` what fio measured beside storage, where fio is installed. ``answer``
    is pi's printed value.
    """

    workload: Workload
    start_s: float
    end_s: float
    outcome: Outcome
    phases: tuple[Phase, ...] = ()
    counters: Counters = Counters()
    checksum: str | None = None
    expected_checksum: str | None = None
    validation_errors: tuple[ValidationError, ...] = ()
    files: tuple[FileRate, ...] = ()
    raw_limits: tuple[DeviceLimit, ...] = ()
    answer: str | None = None
    peak_rss_bytes: int | None = None
    memory_bytes: int | None = None
    in_memory: bool | None = None
    buffered_io: bool | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds from start to durable end."""
        return self.end_s - self.start_s


class Limits(Model):
    """The raw limits of this host, measured in the same run: plain copies, no record touched.

    All data directories together for ``read``, ``write`` and ``copy`` (bytes copied per second,
    each read once and written once); ``memory_copy`` is a memcpy over all cores.
    """

    devices: tuple[DeviceLimit, ...]
    read_bytes_per_s: float
    write_bytes_per_s: float
    copy_bytes_per_s: float
    memory_copy_bytes_per_s: float


class RunWarning(Model):
    """Something a reader of the numbers should know, as data: ``code`` is stable, ``text`` is for people."""

    code: str
    text: str


class TelemetryCost(Model):
    """What the measuring itself cost over the run: CPU seconds, and samples late or lost."""

    interval_s: float
    cpu_s: float
    elapsed_s: float
    ticks: int
    late_ticks: int


class RunRecord(Model):
    """One execution of a Suite by an Engine on a Plan; the content of ``run.json``.

    ``created`` is the wall-clock start (ISO 8601, UTC); ``digests`` are SHA-256 of the plan, the
    suite and the host. ``preparation`` is what an engine did before the first workload's clock ran:
    touching memory, measuring limits. ``error`` is the message of a failed run. ``pid`` and ``boot_id`` tell a
    reader whether a record that says ``running`` is still being written.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    id: str
    created: str
    howdah_version: str
    engine: str
    engine_version: str
    origin: Origin
    command: tuple[str, ...]
    seed: int
    host: Host
    plan: Plan
    suite: Suite
    digests: dict[str, str]
    outcome: Outcome
    elapsed_s: float = 0.0
    preparation: tuple[Phase, ...] = ()
    workloads: tuple[WorkloadResult, ...] = ()
    limits: Limits | None = None
    telemetry: TelemetryCost | None = None
    warnings: tuple[RunWarning, ...] = ()
    error: str | None = None
    pid: int | None = None
    boot_id: str | None = None


class TaskAttempt(NamedTuple):
    """One row of the ``tasks`` table. ``slot`` is the place (0-based) of its kind it ran in."""

    workload: str
    kind: str
    task: int
    attempt: int
    host: str
    worker: str
    slot: int
    start_s: float
    end_s: float
    input_rows: int
    output_rows: int
    input_bytes: int
    output_bytes: int
    spilled_bytes: int
    locality: str
    state: str


class Sample(NamedTuple):
    """One row of the ``samples`` table; the metric names are listed in ``howdah.model.metrics``."""

    time_s: float
    host: str
    metric: str
    value: float
