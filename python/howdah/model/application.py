"""An application that ran without howdah, from its history: what it took, what it wasted, and advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["mapreduce", "spark"]

KIND_NAMES: Mapping[Kind, str] = {"mapreduce": "MapReduce", "spark": "Spark"}
"""What each kind is called."""
ORIGIN = "imported"
"""How records of applications are marked."""


@dataclass(frozen=True, slots=True)
class JobChange:
    """One change to an application."""

    setting: str
    """The property to set; empty if the change is one to the program."""
    now: str
    proposed: str
    reason: str
    """Why, with numbers, in a sentence."""
    saves_s: float = 0.0
    """Container seconds that the change frees at most; 0 if they cannot be computed."""


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
    compared: int
    """Its successful tasks in stages that ran on several hosts."""
    slowness: float
    """Mean natural logarithm of a compared task's time relative to its stage's median; 0 is typical."""


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
    """The file or URL that it was imported from."""
    source_bytes: int
    submit_s: float
    end_s: float
    wait_s: float | None
    """From submission to the first container; for Spark, from the driver's start to the first executor."""
    tasks: int
    containers: int
    container_s: float
    container_bytes: int
    """Memory of its largest kind of container."""
    idle_s: float
    """Container seconds without a task, and of reduces that waited for maps."""
    failed_attempts: int
    failed_s: float
    """Container seconds of attempts that failed."""
    killed_s: float
    """Container seconds of attempts that were killed, such as the slower copy of a task."""
    unused_memory_byte_s: float
    """Memory that no task of its kind ever used, times container seconds."""
    unused_memory_s: float
    """The same in container seconds: each counts with the fraction of its memory that was unused."""
    cpu_s: float
    gc_s: float
    spilled_bytes: int
    """Bytes written to disk because they did not fit in memory, beyond the first write of map output."""
    skew_s: float
    """How much longer its stages' longest tasks took than the median task, in stages with much skew."""
    stages: tuple[StageSummary, ...] = ()
    hosts: tuple[HostShare, ...] = ()
    advice: tuple[JobChange, ...] = ()
    """What to change, the largest saving first."""

    @property
    def elapsed_s(self) -> float:
        """From its submission to its end."""
        return max(0.0, self.end_s - self.submit_s)

    @property
    def wasted_s(self) -> float:
        """Unused container seconds: idle, failed, killed, and the part of memory that was unused."""
        return min(self.container_s, self.idle_s + self.failed_s + self.killed_s + self.unused_memory_s)
