"""What a run keeps of a Spark application: its executors, jobs and stages, from its event log."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from howdah.model.base import Model

OF_ONE_STAGE = 100
"""The attempts at tasks of a stage's second attempt are numbered from here on."""


class SparkExecutorRun(Model):
    """One executor, as the driver saw it."""

    id: str
    """Spark's number of it."""
    worker: str
    """Worker it ran on."""
    cores: int
    """Tasks that it runs at once."""
    start_s: float
    """Seconds since the start of the run at which it registered."""
    end_s: float | None = None
    """Seconds since the start of the run at which it was removed; none if it stayed to the end."""
    removal_reason: str = ""
    """Why it was removed, in Spark's words."""
    heap_bytes: int | None = None
    """Its heap as requested."""
    peak_heap_bytes: int | None = None
    """The largest use of its heap that it reported."""
    peak_resident_bytes: int | None = None
    """The largest resident memory of its processes that it reported."""


class SparkStageRun(Model):
    """One attempt of a stage with the sums over its tasks that succeeded."""

    id: int
    """Spark's number of the stage."""
    attempt: int
    """Number of the attempt, 0 for the first."""
    name: str
    """The call that it computes, in Spark's words."""
    what: str = ""
    """The description of its job, such as the query."""
    parents: tuple[int, ...] = ()
    """Stages whose output it reads."""
    start_s: float
    """Seconds since the start of the run at which it was submitted."""
    end_s: float
    """Seconds since the start of the run at which it ended, or the log does."""
    failure: str = ""
    """Why it failed; empty if it did not."""
    tasks: int
    """Tasks of it."""
    run_s: float = 0.0
    """Seconds that executors ran its tasks."""
    cpu_s: float = 0.0
    """CPU seconds of these."""
    gc_s: float = 0.0
    """Seconds of these in which the executor's JVM collected garbage."""
    fetch_wait_s: float = 0.0
    """Seconds of these spent waiting for shuffle data from other executors."""
    shuffle_write_s: float = 0.0
    """Seconds of these spent waiting for writes of shuffle data."""
    memory_spilled_bytes: int = 0
    """Data that was spilled for lack of memory, as large as it was in memory."""
    disk_spilled_bytes: int = 0
    """The same, as large as it was on disk."""
    input_bytes: int = 0
    """Bytes read from files."""
    output_bytes: int = 0
    """Bytes written to files."""
    shuffle_read_bytes: int = 0
    """Bytes of shuffle data read."""
    shuffle_remote_bytes: int = 0
    """The part of these that came from other executors."""
    shuffle_write_bytes: int = 0
    """Bytes of shuffle data written."""


class SparkRun(Model):
    """One Spark application as its event log describes it."""

    id: str
    """``application_1700000000000_0001``."""
    version: str
    """Spark's release."""
    deploy_mode: str
    """``client`` or ``cluster``."""
    attempt: int = 1
    """Number of its driver in cluster mode. YARN starts a lost one again; the last one is described."""
    outcome: Literal["succeeded", "failed", "unfinished"]
    """How it ended; ``unfinished`` if its event log has no end, because its driver was killed."""
    truncated: bool = False
    """Whether the event log ends within a line."""
    start_s: float
    """Seconds since the start of the run at which its driver began."""
    end_s: float
    """Seconds since the start of the run at which it ended, or its log does."""
    executors: tuple[SparkExecutorRun, ...] = ()
    """Its executors in the order in which they registered."""
    stages: tuple[SparkStageRun, ...] = ()
    """Attempts of stages in the order of their submission."""
    properties: dict[str, str] = Field(default_factory=dict)
    """Properties that it ran with; none of them holds a secret."""
