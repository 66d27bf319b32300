"""Where a Spark application's time went: the driver's part, the critical path, other numbers of executors.

An estimate is made as Sparklens made it: the measured tasks are placed again on another number of cores, and
the time without tasks stays as it was.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from howdah.analysis.attempts import attempts_of
from howdah.analysis.evidence import ExecutorEstimate, SparkUse, WorkloadTime
from howdah.analysis.spark_executors import executor_uses
from howdah.model.at_once import most_at_once, stretches
from howdah.model.run import Outcome, TaskAttempt
from howdah.model.spark import OF_ONE_STAGE, SparkRun
from howdah.model.tables import RunData

_FACTORS = (0.5, 1.0, 2.0, 4.0)
"""Executors of an estimate, as multiples of those that ran."""

Stages = Mapping[int, Sequence[float]]
"""By stage the seconds of each of its tasks."""


def spark_uses(run: RunData, times: tuple[WorkloadTime, ...]) -> tuple[SparkUse, ...]:
    """The use of every Spark application of which tasks are known."""
    result = []
    for time in times:
        spark = run.record.workloads[time.index].spark
        if spark is None or spark.end_s <= spark.start_s:
            continue
        attempts = attempts_of(run, time)
        if any(task.state == Outcome.SUCCEEDED.value for task in attempts):
            result.append(_use(time.workload, spark, attempts))
    return tuple(result)


def _use(workload: str, spark: SparkRun, attempts: Sequence[TaskAttempt]) -> SparkUse:
    tasks = [task for task in attempts if task.state == Outcome.SUCCEEDED.value]
    covered = stretches((task.start_s, task.end_s) for task in tasks)
    first_s, last_s = covered[0][0], covered[-1][1]
    between_s = sum(later[0] - former[1] for former, later in pairwise(covered))
    before_s, after_s = max(0.0, first_s - spark.start_s), max(0.0, spark.end_s - last_s)
    executors = max(1, most_at_once((each.start_s, each.end_s or spark.end_s) for each in spark.executors))
    cores = max((executor.cores for executor in spark.executors), default=1)
    idle_s = before_s + between_s + after_s
    parents = {stage.id: stage.parents for stage in spark.stages}
    parts = [_part(stretch, tasks) for stretch in covered]
    whole_s = sum(task.end_s - task.start_s for task in tasks)
    held_s = sum(
        executor.cores * max(0.0, (executor.end_s or spark.end_s) - executor.start_s)
        for executor in spark.executors
    )
    counts = sorted({max(1, round(factor * executors)) for factor in _FACTORS})
    return SparkUse(
        workload=workload,
        elapsed_s=spark.end_s - spark.start_s,
        executors=executors,
        cores=cores,
        before_s=before_s,
        between_s=between_s,
        after_s=after_s,
        critical_s=idle_s + sum(_critical_s(part, parents) for part in parts),
        ideal_s=idle_s + whole_s / (executors * cores),
        idle_share=max(0.0, 1 - whole_s / held_s) if held_s > 0 else 0.0,
        estimates=tuple(
            ExecutorEstimate(count, idle_s + sum(placed_s(part, parents, count * cores) for part in parts))
            for count in counts
        ),
        cpu_floor_s=sum(task.cpu_s or 0.0 for task in tasks) / (executors * cores),
        by_executor=executor_uses(spark, attempts),
        hosts=_hosts(tasks),
    )


def _hosts(tasks: Sequence[TaskAttempt]) -> Mapping[tuple[int, int], int]:
    hosts: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for task in tasks:
        hosts[stage_of(task), task.attempt // OF_ONE_STAGE].add(task.host)
    return {stage: len(names) for stage, names in hosts.items()}


def _part(stretch: tuple[float, float], tasks: Sequence[TaskAttempt]) -> Stages:
    """The tasks of a stretch by stage, in the order in which they began."""
    result: defaultdict[int, list[float]] = defaultdict(list)
    for task in tasks:
        if stretch[0] <= task.start_s and task.end_s <= stretch[1]:
            result[stage_of(task)].append(task.end_s - task.start_s)
    return result


def stage_of(task: TaskAttempt) -> int:
    """The number of a task's stage."""
    return int(task.kind.rpartition(" ")[2])


def _critical_s(part: Stages, parents: Mapping[int, tuple[int, ...]]) -> float:
    """The time of a stretch if every task ran at once: the longest chain of the longest tasks."""
    ends: dict[int, float] = {}
    for stage in sorted(part):
        ready_s = max((ends.get(parent, 0.0) for parent in parents.get(stage, ())), default=0.0)
        ends[stage] = ready_s + max(part[stage])
    return max(ends.values(), default=0.0)


def placed_s(part: Stages, parents: Mapping[int, tuple[int, ...]], cores: int) -> float:
    """The time of a stretch on so many cores: each stage's tasks once its parents have ended."""
    free = [0.0] * cores
    ends: dict[int, float] = {}
    for stage in sorted(part):
        ready_s = max((ends.get(parent, 0.0) for parent in parents.get(stage, ())), default=0.0)
        ends[stage] = ready_s
        for length_s in part[stage]:
            start_s = max(ready_s, heapq.heappop(free))
            heapq.heappush(free, start_s + length_s)
            ends[stage] = max(ends[stage], start_s + length_s)
    return max(ends.values(), default=0.0)
