"""The parts of a job's time, and what it started and held: the same for MapReduce and for Spark.

Phases of different programs have nothing in common. Every job starts, runs tasks and ends, and the processes
that it starts and the containers that it holds can be counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from howdah.analysis.attempts import attempts_of, by_job, master_of
from howdah.analysis.evidence import WorkloadTime
from howdah.model.at_once import stretches
from howdah.model.comparison import Measure, Reading
from howdah.model.reported import Unit
from howdah.model.run import TaskAttempt, WorkloadResult
from howdah.model.tables import RunData

BEFORE, DURING, BETWEEN, AFTER = (
    "before the first task",
    "while tasks ran",
    "between tasks",
    "after the last task",
)
PARTS = (BEFORE, DURING, BETWEEN, AFTER)
"""The parts of a workload's time in their order; together they are all of it."""
PROCESSES = "processes of Java started"
"""Application masters, and of MapReduce one for each attempt of a task, of Spark one for each executor."""
SHORTEST = "shortest task"
HELD = "time of containers"
"""Without those of application masters."""


def job_readings(run: RunData, time: WorkloadTime) -> Iterator[Reading]:
    """What every job on YARN has, whatever its program; nothing of a workload without tasks."""
    result = run.record.workloads[time.index]
    attempts = attempts_of(run, time)
    if result.job is None or not attempts:
        return
    busy = stretches((attempt.start_s, attempt.end_s) for attempt in attempts)
    between_s = sum(max(0.0, after[0] - before[1]) for before, after in pairwise(busy))
    before_s = max(0.0, busy[0][0] - time.start_s)
    after_s = max(0.0, time.end_s - busy[-1][1])
    named: tuple[tuple[str, float, Unit], ...] = (
        (BEFORE, before_s, "s"),
        (DURING, max(0.0, time.elapsed_s - before_s - between_s - after_s), "s"),
        (BETWEEN, between_s, "s"),
        (AFTER, after_s, "s"),
        (SHORTEST, min(attempt.end_s - attempt.start_s for attempt in attempts), "s"),
        (HELD, _held_s(result, attempts), "s"),
        (PROCESSES, _processes(result, attempts), "1"),
    )
    for name, value, unit in named:
        yield _reading(time.workload, name, value, unit)


def _held_s(result: WorkloadResult, attempts: Sequence[TaskAttempt]) -> float:
    if result.spark is None:
        return sum(attempt.end_s - attempt.start_s for attempt in attempts)
    end_s = result.spark.end_s
    return sum(
        max(0.0, (end_s if executor.end_s is None else executor.end_s) - executor.start_s)
        for executor in result.spark.executors
    )


def _processes(result: WorkloadResult, attempts: Sequence[TaskAttempt]) -> int:
    if result.spark is not None:
        # The driver in cluster mode is the application master; in client mode both are processes.
        return len(result.spark.executors) + (1 if result.spark.deploy_mode == "cluster" else 2)
    masters = sum(len({master_of(attempt.attempt) for attempt in job}) for job in by_job(attempts))
    return len(attempts) + masters


def _reading(workload: str, name: str, value: float, unit: Unit) -> Reading:
    return Reading(measure=Measure(workload=workload, kind="task", name=name, unit=unit), value=value)
