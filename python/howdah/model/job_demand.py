"""What a finished job needed: its tasks' processor time, waits and bytes, from which it can be replayed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from howdah.model.application import Kind


class TaskDemand(NamedTuple):
    """One successful task."""

    seconds: float
    """How long it took, without what it waited for other tasks."""
    cpu_s: float
    """Processor time of ``seconds``, garbage collection included."""
    network_s: float
    """Time of ``seconds`` that it waited for data of other hosts, as far as its history shows."""
    disk_bytes: int
    """Bytes that it read and wrote."""
    network_bytes: int
    """Bytes that it fetched from other hosts, as far as its history shows."""

    @property
    def other_s(self) -> float:
        """The remaining time: disks, HDFS, the start of its process, and waits for a processor."""
        return max(0.0, self.seconds - self.cpu_s - self.network_s)


@dataclass(frozen=True, slots=True)
class DemandPart:
    """Stages that share slots, from the start of the first task to the end of the last one."""

    name: str
    slots: int
    """The most tasks that ran at once."""
    stages: Mapping[int, tuple[TaskDemand, ...]]
    """By stage its tasks, in the order in which they began."""
    parents: Mapping[int, tuple[int, ...]]
    """By stage those that must end before it."""
    handover_s: float = 0.0
    """From the end of a task to the start of the next one in its place: a new container of MapReduce."""

    @property
    def tasks(self) -> int:
        """Tasks of all stages."""
        return sum(len(tasks) for tasks in self.stages.values())


@dataclass(frozen=True, slots=True)
class JobDemand:
    """A job whose parts follow one another."""

    id: str
    name: str
    kind: Kind
    elapsed_s: float
    """Measured, without its wait for a first container."""
    idle_s: float
    """Time of it without any task: start, driver, end."""
    hosts: int
    """Hosts that ran tasks."""
    containers: int
    """The most tasks of MapReduce, or executors of Spark, at once."""
    container_cores: int
    """Tasks that a container runs at once."""
    container_bytes: int
    """Memory of the largest kind of container."""
    parts: tuple[DemandPart, ...]
    input_bytes: int
    failed: int
    """Attempts that failed or were killed; a replay leaves them out."""
    gaps: tuple[str, ...] = ()
    """What the history lacks, in sentences."""
