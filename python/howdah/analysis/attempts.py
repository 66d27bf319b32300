"""The task attempts of a workload as rows of their own."""

from __future__ import annotations

import re
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
    for attempt in attempts:
        jobs.setdefault(attempt.job, []).append(attempt)
    return tuple(map(tuple, jobs.values()))


def names_machine(error: str | None, machine: str) -> bool:
    """Whether an attempt's error names a machine, and not one whose name only begins or ends like it."""
    return re.search(rf"(?<![\w.-]){re.escape(machine)}(?![\w-])", error or "") is not None


def master_of(attempt: int) -> int:
    """The application master, from 1, that began an attempt: each has a thousand numbers of its own."""
    return attempt // 1000 + 1


def kind_of(record: RunRecord, time: WorkloadTime) -> str:
    """The name under which the tasks table has a workload."""
    return record.workloads[time.index].workload.kind


def rows(tasks: pa.Table) -> tuple[TaskAttempt, ...]:
    """The table's rows."""
    columns = [tasks.column(name).to_pylist() for name in TaskAttempt._fields]
    return tuple(TaskAttempt(*row) for row in zip(*columns, strict=True))


def done(attempts: tuple[TaskAttempt, ...], kind: str) -> tuple[TaskAttempt, ...]:
    """The attempts of one kind whose work counted."""
    return tuple(
        attempt for attempt in attempts if attempt.kind == kind and attempt.state == Outcome.SUCCEEDED.value
    )
