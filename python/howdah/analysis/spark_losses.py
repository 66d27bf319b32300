"""What lost executors cost a Spark application: the work that was lost, and the work that was done again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from howdah.analysis.attempts import attempts_of
from howdah.analysis.evidence import SparkLoss, WorkerLoss, WorkloadTime
from howdah.analysis.spark import stage_of
from howdah.model.at_once import stretches
from howdah.model.run import Outcome, TaskAttempt
from howdah.model.spark import SparkExecutorRun, SparkRun
from howdah.model.tables import RunData

FETCH_FAILED = "FetchFailed"
"""How the error of a task begins that could not fetch shuffle data."""
_EARLY_S = 2.0
"""The driver notes the end of an executor's tasks a little earlier than that of the executor."""
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
    removed_s = min(executor.end_s for executor in lost if executor.end_s is not None)
    # A worker's last sign of life is earlier than the moment at which the driver was informed.
    signs = {
        executor.id: min(
            [
                executor.end_s or removed_s,
                *(loss.lost_s for loss in workers if loss.worker == executor.worker),
            ]
        )
        for executor in lost
    }
    lost_s = min(signs.values())
    removals = {executor.id: executor.end_s or removed_s for executor in lost}
    failed = [attempt for attempt in attempts if attempt.state != Outcome.SUCCEEDED.value]
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
    return SparkLoss(
        workload=workload,
        executors=lost,
        lost_s=lost_s,
        removed_s=removed_s,
        ended=len(under_way),
        ended_s=sum(
            max(0.0, min(signs[attempt.executor or ""], attempt.end_s) - attempt.start_s)
            for attempt in under_way
        ),
        undone=len(undone),
        undone_s=sum(attempt.end_s - attempt.start_s for attempt in undone),
        fetch_failed=len(fetches),
        stages=tuple(sorted({stage.id for stage in spark.stages if stage.attempt > 0})),
        again=len(again),
        again_s=sum(end_s - start_s for start_s, end_s in stretches((a.start_s, a.end_s) for a in again)),
        begun_s=min((attempt.start_s for attempt in again), default=None),
        redone_s=max((attempt.end_s for attempt in again), default=None),
    )


def undone_attempts(attempts: Sequence[TaskAttempt]) -> tuple[TaskAttempt, ...]:
    """Attempts of tasks of Spark that succeeded, and whose output was lost: another one succeeded later."""
    done: defaultdict[tuple[int, int], list[TaskAttempt]] = defaultdict(list)
    for attempt in attempts:
        if attempt.state == Outcome.SUCCEEDED.value and attempt.executor is not None:
            done[stage_of(attempt), attempt.task].append(attempt)
    return tuple(
        attempt for each in done.values() for attempt in sorted(each, key=lambda task: task.end_s)[:-1]
    )
