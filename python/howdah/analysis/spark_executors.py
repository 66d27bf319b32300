"""The work of each executor of a Spark application."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from howdah.analysis.evidence import ExecutorUse
from howdah.model.run import Outcome, TaskAttempt
from howdah.model.spark import SparkExecutorRun, SparkRun


def executor_uses(spark: SparkRun, attempts: Sequence[TaskAttempt]) -> tuple[ExecutorUse, ...]:
    """The executors in the order of their numbers, those without a task included."""
    own: defaultdict[str | None, list[TaskAttempt]] = defaultdict(list)
    for attempt in attempts:
        own[attempt.executor].append(attempt)
    return tuple(
        _use(executor, spark.end_s, own[executor.id]) for executor in sorted(spark.executors, key=_number)
    )


def _number(executor: SparkExecutorRun) -> tuple[int, str]:
    return (int(executor.id) if executor.id.isdigit() else 0), executor.id


def _use(executor: SparkExecutorRun, end_s: float, attempts: Sequence[TaskAttempt]) -> ExecutorUse:
    good = [attempt for attempt in attempts if attempt.state == Outcome.SUCCEEDED.value]
    lived_s = max(0.0, (end_s if executor.end_s is None else executor.end_s) - executor.start_s)
    busy_s = sum(attempt.end_s - attempt.start_s for attempt in attempts)
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
        task_s=sum(attempt.end_s - attempt.start_s for attempt in good),
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
