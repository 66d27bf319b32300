"""The Run record: the only thing later stages read.

``run.json`` holds a RunRecord; the ``tasks`` and ``samples`` tables beside it hold rows of
TaskAttempt and Sample. Every time is in seconds since the start of the run, on one monotonic clock.
Users' tags and notes are an Annotation next to it; the record itself never changes.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, StringConstraints

from howdah.model.base import Model, WrongValue
from howdah.model.cluster import (
    ClusterState,
    Event,
    HadoopJob,
    HBaseStatus,
    Laboratory,
    MemberChange,
    ReplicaSpread,
    SparkRun,
)
from howdah.model.faults import FaultReport, LedgerReport, ProbeReport, RecoveryStep
from howdah.model.host import Host
from howdah.model.plan import Plan
from howdah.model.reported import (
    Counters,
    FileRate,
    LinkRate,
    OperationCount,
    RateStep,
    ResultMetric,
    Simulated,
    WorkUse,
)
from howdah.model.workloads.suite import AnyWorkload, Suite

SCHEMA_VERSION: Literal[2] = 2


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

    name: str  # Hadoop's word for the stretch, or the engine's where Hadoop has none.
    start_s: float  # Seconds since the start of the run.
    end_s: float  # Seconds since the start of the run.


class ValidationError(Model):
    """One fault that a program found in its data; TeraValidate's are worded as Hadoop words them."""

    kind: str  # The key of TeraValidate's output line; of YCSB's the operation that found it, or ``verify``.
    message: str  # The rest of that line, or what is wrong.


class DeviceLimit(Model):
    """What one raw data directory can do by direct I/O in large blocks, bytes per second."""

    data_dir: str  # The data directory that was measured.
    device: str  # The block device it lies on.
    read_bytes_per_s: float  # Sequential reading.
    write_bytes_per_s: float  # Sequential writing, made durable.
    copy_bytes_per_s: float | None
    """Bytes copied, each read once and written once; none where no copy was made."""
    tool: str  # Who measured it: ``fio``, which makes no copy, or ``howdah``.


class WorkloadResult(Model):
    """One workload as it ran; what its kind does not have is empty."""

    workload: AnyWorkload  # What was run.
    start_s: float  # Seconds since the start of the run.
    end_s: float  # Seconds since the start of the run at which the output was on disk.
    outcome: Outcome  # How it ended.
    phases: tuple[Phase, ...] = ()  # Its phases in the order they began.
    counters: Counters = Counters()  # Its own counters.
    checksum: str | None = None  # TeraGen's and TeraValidate's sum of the rows' CRC-32, 128 bits in hex.
    expected_checksum: str | None = None  # The checksum TeraGen recorded for the rows that TeraValidate read.
    validation_errors: tuple[ValidationError, ...] = ()  # The faults TeraValidate found.
    files: tuple[FileRate, ...] = ()  # The files of dfsio and storage, one by one.
    rates: tuple[RateStep, ...] = ()  # The target rates of a search for the highest rate, in order.
    raw_limits: tuple[DeviceLimit, ...] = ()  # What fio measured next to storage, if fio is installed.
    links: tuple[LinkRate, ...] = ()
    """What each pair of machines sent one another, where a network was measured."""
    operations: tuple[OperationCount, ...] = ()  # Operations on a table, if the workload has any.
    metrics: tuple[ResultMetric, ...] = ()  # What the program itself reports, the most important first.
    peak_rss_bytes: int | None = None  # The process's peak resident set while the workload ran.
    memory_bytes: int | None = None  # The memory budget it had.
    in_memory: bool | None = None  # Whether a sort needed no intermediate files.
    buffered_io: bool | None = None
    """Whether the file system refused direct I/O, so that the page cache took part."""
    job: HadoopJob | None = None  # The MapReduce job it was, with Hadoop's own counters.
    spark: SparkRun | None = None  # The Spark application it was, from its event log.
    replicas: ReplicaSpread | None = None  # Where the blocks it wrote lie.
    used: WorkUse | None = None  # What it used of the whole cluster, where it was simulated.

    @property
    def elapsed_s(self) -> float:
        """Seconds from start to durable end."""
        return self.end_s - self.start_s

    @property
    def primary(self) -> ResultMetric | None:
        """The metric that it is run for; None where that is its time."""
        return next((metric for metric in self.metrics if metric.name == self.workload.primary_metric), None)


class Limits(Model):
    """The raw limits of this host, measured in the same run: plain copies, no record touched."""

    devices: tuple[DeviceLimit, ...]  # Each data directory by itself.
    read_bytes_per_s: float  # Reading from all data directories at once.
    write_bytes_per_s: float  # Writing to all data directories at once.
    copy_bytes_per_s: float  # Bytes copied in all data directories at once, each read once and written once.
    memory_copy_bytes_per_s: float  # Bytes copied by memcpy over all cores.


class SampleGap(Model):
    """A stretch in which something was not sampled."""

    start_s: float  # Seconds since the start of the run.
    end_s: float | None = None  # Seconds since the start of the run; none where it lasted until the end.


class RunWarning(Model):
    """Something a reader of the numbers should know, as data."""

    code: str  # Stable, for programs.
    text: str  # For people.
    machine: str | None = None  # The machine that was not sampled, or whose daemon was not.
    gaps: tuple[SampleGap, ...] = ()  # When that was.


class TelemetryCost(Model):
    """What the measuring itself cost over the run."""

    interval_s: float  # Requested interval between samples.
    cpu_s: float  # CPU seconds the sampling took.
    elapsed_s: float  # Seconds the sampling went on.
    ticks: int  # Samplings made.
    late_ticks: int  # Samplings lost, or late by half an interval or more.


class RunRecord(Model):
    """One execution of a Suite by an Engine on a Plan; the content of ``run.json``."""

    schema_version: Literal[2] = SCHEMA_VERSION
    """Version of this layout; a reader refuses one it does not know."""
    id: str  # The run's name and its directory's.
    created: str  # Wall-clock start, ISO 8601 in UTC.
    howdah_version: str  # The howdah that wrote the record.
    engine: str  # The engine's name on the command line.
    engine_version: str  # The engine's own version.
    origin: Origin  # Whether the numbers were measured or simulated.
    command: tuple[str, ...]  # The command line that started the run.
    seed: int  # Seed of everything random in the run.
    host: Host  # The machine it ran on, as probed before it started.
    plan: Plan  # The plan it ran on.
    suite: Suite  # What the user requested.
    digests: dict[str, str]  # SHA-256 of the plan, the suite and the host, in hex, by name.
    outcome: Outcome  # How the run ended.
    elapsed_s: float = 0.0  # Seconds from the start of the run to its end, or to the last update.
    preparation: tuple[Phase, ...] = ()
    """What the engine did before the first workload's clock ran: touching memory, measuring limits."""
    workloads: tuple[WorkloadResult, ...] = ()  # The workloads begun so far, in order.
    limits: Limits | None = None  # The raw limits measured in this run.
    telemetry: TelemetryCost | None = None  # What the measuring itself cost.
    warnings: tuple[RunWarning, ...] = ()  # What a reader of the numbers should know.
    error: str | None = None  # The message of a run that failed or was aborted.
    cluster: ClusterState | None = None  # The Hadoop cluster it ran on, as found before it started.
    hbase: HBaseStatus | None = None  # The HBase it ran on, as found before it started.
    built: Laboratory | None = None
    """The lab that the run used; for MapReduce's programs it is in ``cluster``."""
    members: tuple[MemberChange, ...] = ()
    """Machines that joined the cluster meanwhile, and those that left it in good order."""
    events: tuple[Event, ...] = ()  # What happened to the cluster meanwhile, in order.
    faults: tuple[FaultReport, ...] = ()  # What was done to the cluster meanwhile, in the schedule's order.
    probes: tuple[ProbeReport, ...] = ()
    """When probes during the workloads got no answer, if faults were injected."""
    recovery: tuple[RecoveryStep, ...] = ()
    """Steps from a fault to recovered service, from daemons' logs, in order."""
    ledger: LedgerReport | None = None
    """What clients of HDFS wrote during the run, compared with the contents afterwards."""
    simulated: Simulated | None = None  # What a simulated record rests on.
    pid: int | None = None  # The process that writes or wrote the record, for people looking for it.

    @property
    def laboratory(self) -> Laboratory | None:
        """What the hosts were built of, where they are howdah's laboratory."""
        return self.built or (self.cluster.lab if self.cluster else None)


class TaskAttempt(NamedTuple):
    """One row of the ``tasks`` table."""

    workload: str  # Kind of the workload it belongs to.
    kind: str  # ``map`` or ``reduce``; of Spark the stage, ``stage 3``.
    task: int  # Number of the task, 0-based within its kind.
    attempt: int  # Number of the attempt, 0 for the first.
    host: str  # Host it ran on.
    worker: str  # Worker it ran on.
    slot: int  # The place of its kind it ran in, 0-based.
    start_s: float  # Seconds since the start of the run.
    end_s: float  # Seconds since the start of the run.
    input_rows: int  # Rows it read.
    output_rows: int  # Rows it wrote.
    input_bytes: int  # Bytes it read.
    output_bytes: int  # Bytes it wrote.
    spilled_bytes: int  # Bytes it wrote to intermediate files.
    locality: str  # Where its input lay, seen from the worker: ``local`` on its own disks.
    state: str  # ``succeeded``, ``failed`` or ``killed``.
    shuffle_end_s: float | None = None
    """When a reduce had all its map output, seconds since the start of the run."""
    merge_end_s: float | None = None  # When a reduce had merged it, seconds since the start of the run.
    shuffled_bytes: int | None = None  # Map output that a reduce fetched.
    cpu_s: float | None = None  # CPU seconds of its process, as Hadoop counts them.
    gc_s: float | None = None  # Seconds that its JVM collected garbage.
    error: str | None = None  # Why it failed or was killed, in Hadoop's words, shortened.
    job: str | None = None
    """The MapReduce job it belongs to, of which a workload may have several; of Spark the application."""
    executor: str | None = None  # Spark's executor that ran it.
    fetch_wait_s: float | None = None
    """Seconds that a task of Spark waited for shuffle data from other executors."""

    @property
    def elapsed_s(self) -> float:
        """Seconds from its start to its end."""
        return self.end_s - self.start_s

    @property
    def succeeded(self) -> bool:
        """Whether its work counted."""
        return self.state == Outcome.SUCCEEDED.value


class Sample(NamedTuple):
    """One row of the ``samples`` table."""

    time_s: float  # Seconds since the start of the run.
    host: str  # Machine it was measured on: a host, or a worker or master of the plan by its own name.
    metric: str  # Which metric of which instance, as listed below.
    value: float  # In the metric's unit.


MOST_TAGS = 32
LONGEST_TAG = 64
MOST_NOTE = 20_000  # Characters; a longer text is a separate document.

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def _tag(text: str) -> str:
    if not text:
        raise WrongValue("a tag is empty", "write a word, or leave the tag out")
    if len(text) > LONGEST_TAG:
        raise WrongValue(f"the tag {text[:20]!r}… is longer than {LONGEST_TAG} characters", "shorten it")
    if re.search(r"[\s,\x00-\x1f\x7f\ud800-\udfff]", text):
        raise WrongValue(f"the tag {text!r} has a space, a comma or a control character", "a tag is one word")
    return text


def _tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    if len(tags) > MOST_TAGS:
        raise WrongValue(f"these are {len(tags)} tags", f"give {MOST_TAGS} at most")
    return tuple(dict.fromkeys(tags))


def _note(text: str) -> str:
    if len(text) > MOST_NOTE:
        problem = f"has {len(text):,} characters"
        raise WrongValue(problem, f"shorten it to {MOST_NOTE:,}, or keep a document elsewhere")
    if control := _CONTROL.search(text):
        problem = f"has a control character, U+{ord(control[0]):04X}"
        raise WrongValue(problem, "remove it: a note is plain text")
    return text


Tag = Annotated[str, StringConstraints(strip_whitespace=True), AfterValidator(_tag)]
"""One word, so that several tags can be written in a line."""


class Annotation(Model):
    """The tags and the note of one run; the record itself is never changed."""

    annotation_version: Literal[1] = 1
    tags: Annotated[tuple[Tag, ...], AfterValidator(_tags)] = ()  # Words to find the run by, each once.
    note: Annotated[str, AfterValidator(_note)] = ""  # What somebody has to say of it: plain text.
    changed: str = ""  # When this was last changed, ISO 8601 in UTC; empty where it never was.
