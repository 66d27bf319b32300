"""Where the time of a Spark application went, and how much of it more executors would save."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from howdah.model.spark import SparkExecutorRun


@dataclass(frozen=True)
class ExecutorEstimate:
    """The estimated time of the same work with another number of executors, seconds."""

    executors: int
    elapsed_s: float


@dataclass(frozen=True)
class ExecutorUse:
    """The tasks of one executor.

    ``lived_s`` is how long it existed, ``busy_share`` the part of its cores' time in which they ran tasks;
    other sums are over its tasks that succeeded.
    """

    id: str
    worker: str
    host: str
    cores: int
    lived_s: float
    tasks: int
    failed: int
    busy_share: float
    task_s: float
    cpu_s: float
    gc_s: float
    fetch_wait_s: float
    input_bytes: int
    shuffle_read_bytes: int
    written_bytes: int
    peak_heap_share: float | None
    """The largest use of its heap; None if it reported none."""


@dataclass(frozen=True)
class SparkUse:
    """An application from its driver's start to its end.

    No task ran for ``before_s`` at its start, ``between_s`` between its tasks and ``after_s`` at its end:
    only the driver worked, or executors started. ``critical_s`` is the time with any number of executors: the
    same driver, and for each stage its longest task. ``ideal_s`` is the time if all tasks filled all cores
    without a gap. ``idle_share`` is the part of the time of executors' cores in which they ran no task.
    ``estimates`` has the number of executors that ran, too, which shows the estimate's error.
    """

    workload: str
    elapsed_s: float
    executors: int
    cores: int
    before_s: float
    between_s: float
    after_s: float
    critical_s: float
    ideal_s: float
    idle_share: float
    estimates: tuple[ExecutorEstimate, ...]
    cpu_floor_s: float
    """The CPU time of its tasks, spread over all cores of its executors: no application takes less."""
    by_executor: tuple[ExecutorUse, ...]
    hosts: Mapping[tuple[int, int], int]
    """By stage and its attempt the hosts that ran tasks of it."""

    @property
    def driver_s(self) -> float:
        """All the time in which no task ran."""
        return self.before_s + self.between_s + self.after_s

    @property
    def error(self) -> float:
        """How far the estimate for the executors that ran is from the measured time, as a fraction of it."""
        own = next(each.elapsed_s for each in self.estimates if each.executors == self.executors)
        return own / self.elapsed_s - 1 if self.elapsed_s > 0 else 0.0


@dataclass(frozen=True)
class SparkLoss:
    """Executors that an application lost, and what that cost; times are seconds since the run's start.

    ``lost_s`` is the last sign of life of the first one, ``removed_s`` when the driver removed it. ``ended``
    attempts ran on them at that time, for ``ended_s`` together; ``undone`` ones had succeeded, in
    ``undone_s``, and their output was lost. ``fetch_failed`` attempts could not fetch such output.
    ``stages`` ran again. ``again`` attempts repeated the work from ``begun_s`` to ``redone_s``, None without
    any; in ``again_s`` of that time at least one of them ran.
    """

    workload: str
    executors: tuple[SparkExecutorRun, ...]
    lost_s: float
    removed_s: float
    ended: int
    ended_s: float
    undone: int
    undone_s: float
    fetch_failed: int
    stages: tuple[int, ...]
    again: int
    again_s: float
    begun_s: float | None
    redone_s: float | None
