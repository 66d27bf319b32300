"""A Spark application: where its time went, what each executor did, and what lost executors cost.

The times of other numbers of executors are estimated as by Sparklens: the measured tasks are placed again on
another number of cores, and the time without tasks stays as it was."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from howdah.analysis.evidence.losses import SparkLoss, WorkerLoss
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.use import ExecutorEstimate, ExecutorUse, SparkUse
from howdah.analysis.phases import attempts_of
from howdah.model.cluster import OF_ONE_STAGE, SparkExecutorRun, SparkRun
from howdah.model.placement import most_at_once, stretches
from howdah.model.run import Outcome, TaskAttempt
from howdah.model.tables import RunData

_FACTORS = (0.5, 1.0, 2.0, 4.0)  # Executors of an estimate, as multiples of those that ran.

Stages = Mapping[int, Sequence[float]]  # By stage the seconds of each of its tasks.


def spark_uses(run: RunData, times: tuple[WorkloadTime, ...]) -> tuple[SparkUse, ...]:
    result = []
    for time in times:
        spark = run.record.workloads[time.index].spark
        attempts = attempts_of(run, time) if spark is not None and spark.end_s > spark.start_s else ()
        if spark is not None and any(task.succeeded for task in attempts):
            result.append(_use(time.workload, spark, attempts))
    return tuple(result)


def _use(workload: str, spark: SparkRun, attempts: Sequence[TaskAttempt]) -> SparkUse:
    tasks = [task for task in attempts if task.succeeded]
    covered = stretches((task.start_s, task.end_s) for task in tasks)
    between_s = sum(later[0] - former[1] for former, later in pairwise(covered))
    before_s, after_s = max(0.0, covered[0][0] - spark.start_s), max(0.0, spark.end_s - covered[-1][1])
    lives = [(executor.start_s, executor.end_s or spark.end_s) for executor in spark.executors]
    executors = max(1, most_at_once(lives))
    cores = max((executor.cores for executor in spark.executors), default=1)
    idle_s = before_s + between_s + after_s
    parents = {stage.id: stage.parents for stage in spark.stages}
    parts = [_part(stretch, tasks) for stretch in covered]
    whole_s = sum(task.elapsed_s for task in tasks)
    held_s = sum(
        executor.cores * max(0.0, end_s - start_s)
        for executor, (start_s, end_s) in zip(spark.executors, lives, strict=True)
    )
    counts = sorted({max(1, round(factor * executors)) for factor in _FACTORS})
    hosts: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for task in tasks:
        hosts[stage_of(task), task.attempt // OF_ONE_STAGE].add(task.host)
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
        hosts={stage: len(names) for stage, names in hosts.items()},
    )


def _part(stretch: tuple[float, float], tasks: Sequence[TaskAttempt]) -> Stages:
    """The tasks of a stretch by stage, in the order in which they began."""
    result: defaultdict[int, list[float]] = defaultdict(list)
    for task in tasks:
        if stretch[0] <= task.start_s and task.end_s <= stretch[1]:
            result[stage_of(task)].append(task.elapsed_s)
    return result


def stage_of(task: TaskAttempt) -> int:
    return int(task.kind.rpartition(" ")[2])


def _critical_s(part: Stages, parents: Mapping[int, tuple[int, ...]]) -> float:
    """The time of a stretch if every task ran at once: the longest chain of the longest tasks."""
    ends: dict[int, float] = {}
    for stage in sorted(part):
        ready_s = max((ends.get(parent, 0.0) for parent in parents.get(stage, ())), default=0.0)
        ends[stage] = ready_s + max(part[stage])
    return max(ends.values(), default=0.0)


def placed_s(
    part: Stages,
    parents: Mapping[int, tuple[int, ...]],
    cores: int,
    warm_ups_s: Mapping[int, Sequence[float]] = MappingProxyType({}),
) -> float:
    """The time of a stretch on so many cores: each stage's tasks once its parents have ended.

    ``warm_ups_s`` are by stage the seconds that the first tasks on each core take longer, in their order.
    """
    free = [(0.0, core) for core in range(cores)]
    ends: dict[int, float] = {}
    for stage in sorted(part):
        ready_s = max((ends.get(parent, 0.0) for parent in parents.get(stage, ())), default=0.0)
        ends[stage] = ready_s
        warm_up_s, ran = warm_ups_s.get(stage, ()), [0] * cores
        for length_s in part[stage]:
            free_s, core = heapq.heappop(free)
            end_s = max(ready_s, free_s) + length_s
            if ran[core] < len(warm_up_s):
                end_s += warm_up_s[ran[core]]
            ran[core] += 1
            heapq.heappush(free, (end_s, core))
            ends[stage] = max(ends[stage], end_s)
    return max(ends.values(), default=0.0)


def executor_uses(spark: SparkRun, attempts: Sequence[TaskAttempt]) -> tuple[ExecutorUse, ...]:
    """The executors in the order of their numbers, those without a task included."""
    own: defaultdict[str | None, list[TaskAttempt]] = defaultdict(list)
    for attempt in attempts:
        own[attempt.executor].append(attempt)
    numbers = {executor.id: int(executor.id) if executor.id.isdigit() else 0 for executor in spark.executors}
    ordered = sorted(spark.executors, key=lambda executor: (numbers[executor.id], executor.id))
    return tuple(_executor_use(executor, spark.end_s, own[executor.id]) for executor in ordered)


def _executor_use(executor: SparkExecutorRun, end_s: float, attempts: Sequence[TaskAttempt]) -> ExecutorUse:
    good = [attempt for attempt in attempts if attempt.succeeded]
    lived_s = max(0.0, (end_s if executor.end_s is None else executor.end_s) - executor.start_s)
    busy_s = sum(attempt.elapsed_s for attempt in attempts)
    peak, heap = executor.peak_heap_bytes, executor.heap_bytes
    return ExecutorUse(
        id=executor.id,
        worker=executor.worker,
        host=attempts[0].host if attempts else "",
        cores=executor.cores,
        lived_s=lived_s,
        tasks=len(good),
        failed=sum(attempt.state == Outcome.FAILED.value for attempt in attempts),
        busy_share=min(1.0, busy_s / (lived_s * executor.cores)) if lived_s * executor.cores > 0 else 0.0,
        task_s=sum(attempt.elapsed_s for attempt in good),
        cpu_s=sum(attempt.cpu_s or 0.0 for attempt in good),
        gc_s=sum(attempt.gc_s or 0.0 for attempt in good),
        fetch_wait_s=sum(attempt.fetch_wait_s or 0.0 for attempt in good),
        # Of a task that read no file, the record has the shuffle data as its input.
        input_bytes=sum(
            attempt.input_bytes for attempt in good if attempt.input_bytes != attempt.shuffled_bytes
        ),
        shuffle_read_bytes=sum(attempt.shuffled_bytes or 0 for attempt in good),
        written_bytes=sum(attempt.output_bytes for attempt in good),
        peak_heap_share=peak / heap if peak and heap else None,
    )


FETCH_FAILED = "FetchFailed"  # How the error of a task begins that could not fetch shuffle data.
_EARLY_S = 2.0  # The driver notes the end of an executor's tasks a little earlier than that of the executor.
_IN_ORDER = ("idle", "driver's request", "killed by driver", "shutdown", "finished", "decommission")
"""Words in Spark's reasons for the removal of executors that nothing happened to."""


def spark_losses(
    run: RunData, times: tuple[WorkloadTime, ...], workers: Sequence[WorkerLoss]
) -> tuple[SparkLoss, ...]:
    """One for each application that lost executors."""
    result = []
    for time in times:
        spark = run.record.workloads[time.index].spark
        lost = tuple(executor for executor in spark.executors if is_lost(executor)) if spark else ()
        if spark is not None and lost:
            mine = [loss for loss in workers if loss.workload == time.workload]
            result.append(_loss(time.workload, spark, lost, attempts_of(run, time), mine))
    return tuple(result)


def is_lost(executor: SparkExecutorRun) -> bool:
    """Whether an executor was lost, rather than given back or ended with its application."""
    reason = executor.removal_reason.lower()
    return executor.end_s is not None and bool(reason) and not any(word in reason for word in _IN_ORDER)


def _loss(
    workload: str,
    spark: SparkRun,
    lost: tuple[SparkExecutorRun, ...],
    attempts: Sequence[TaskAttempt],
    workers: Sequence[WorkerLoss],
) -> SparkLoss:
    removals = {executor.id: executor.end_s for executor in lost if executor.end_s is not None}
    removed_s = min(removals.values())
    # A worker's last sign of life is earlier than the moment at which the driver was informed.
    signs = {
        executor.id: min(
            [removals[executor.id], *(loss.lost_s for loss in workers if loss.worker == executor.worker)]
        )
        for executor in lost
    }
    lost_s = min(signs.values())
    failed = [attempt for attempt in attempts if not attempt.succeeded]
    fetches = [attempt for attempt in failed if (attempt.error or "").startswith(FETCH_FAILED)]
    under_way = [
        attempt
        for attempt in failed
        if (end_s := removals.get(attempt.executor or "")) is not None
        and attempt.start_s <= end_s <= attempt.end_s + _EARLY_S
    ]
    undone = undone_attempts(attempts)
    wasted = {*fetches, *under_way, *undone}
    tasks = {(attempt.kind, attempt.task) for attempt in wasted}
    again = [
        attempt
        for attempt in attempts
        if (attempt.kind, attempt.task) in tasks and attempt.start_s > lost_s and attempt not in wasted
    ]
    ended_s = (min(signs[attempt.executor or ""], attempt.end_s) - attempt.start_s for attempt in under_way)
    repeated = stretches((attempt.start_s, attempt.end_s) for attempt in again)
    return SparkLoss(
        workload=workload,
        executors=lost,
        lost_s=lost_s,
        removed_s=removed_s,
        ended=len(under_way),
        ended_s=sum(max(0.0, worked_s) for worked_s in ended_s),
        undone=len(undone),
        undone_s=sum(attempt.elapsed_s for attempt in undone),
        fetch_failed=len(fetches),
        stages=tuple(sorted({stage.id for stage in spark.stages if stage.attempt > 0})),
        again=len(again),
        again_s=sum(end_s - start_s for start_s, end_s in repeated),
        begun_s=min((attempt.start_s for attempt in again), default=None),
        redone_s=max((attempt.end_s for attempt in again), default=None),
    )


def undone_attempts(attempts: Sequence[TaskAttempt]) -> tuple[TaskAttempt, ...]:
    """Attempts of tasks of Spark that succeeded, and whose output was lost: another one succeeded later."""
    done: defaultdict[tuple[int, int], list[TaskAttempt]] = defaultdict(list)
    for attempt in attempts:
        if attempt.succeeded and attempt.executor is not None:
            done[stage_of(attempt), attempt.task].append(attempt)
    return tuple(
        attempt
        for attempts_of_task in done.values()
        for attempt in sorted(attempts_of_task, key=lambda task: task.end_s)[:-1]
    )
