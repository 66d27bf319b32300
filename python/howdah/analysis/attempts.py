"""The task attempts of a workload as rows of their own."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from howdah.analysis.evidence import WorkloadTime
from howdah.analysis.poles import tasks_of
from howdah.model.run import Outcome, RunRecord, TaskAttempt
from howdah.model.tables import RunData


def attempts_of(run: RunData, time: WorkloadTime) -> tuple[TaskAttempt, ...]:
    """Every attempt of one workload, however it ended."""
    return rows(tasks_of(run.tasks, kind_of(run.record, time), time))


def by_job(attempts: Iterable[TaskAttempt]) -> tuple[tuple[TaskAttempt, ...], ...]:
    """The attempts of each MapReduce job of a workload, in the order they began; all where no job is told."""
    jobs: dict[str | None, list[TaskAttempt]] = {}
    for each in attempts:
        jobs.setdefault(each.job, []).append(each)
    return tuple(map(tuple, jobs.values()))


def kind_of(record: RunRecord, time: WorkloadTime) -> str:
    """The name under which the tasks table has a workload."""
    return record.workloads[time.index].workload.kind.value


def rows(tasks: pa.Table) -> tuple[TaskAttempt, ...]:
    """The table's rows."""
    columns = [tasks.column(name).to_pylist() for name in TaskAttempt._fields]
    return tuple(TaskAttempt(*row) for row in zip(*columns, strict=True))


def done(attempts: tuple[TaskAttempt, ...], kind: str) -> tuple[TaskAttempt, ...]:
    """The attempts of one kind whose work counted."""
    return tuple(each for each in attempts if each.kind == kind and each.state == Outcome.SUCCEEDED.value)
