"""When every workload, phase and task attempt ran, how fast it was, and when its bytes are counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.analysis.evidence.times import PhaseTime, Rate, WorkloadTime
from howdah.analysis.timeline import Timeline
from howdah.analysis.work import BytesToMove, phase_work, work_of
from howdah.model.run import Outcome, RunRecord, TaskAttempt, WorkloadResult
from howdah.model.tables import RunData


def workload_times(run: RunData) -> tuple[WorkloadTime, ...]:
    """The times and rates of all workloads, in the record's order."""
    seen: Counter[str] = Counter()
    times = []
    for index, result in enumerate(run.record.workloads):
        kind = result.workload.kind
        seen[kind] += 1
        end_s = _end(run, result, last=index == len(run.record.workloads) - 1)
        work = work_of(result)
        times.append(
            WorkloadTime(
                workload=_numbered(kind, seen),
                index=index,
                outcome=result.outcome,
                start_s=result.start_s,
                end_s=end_s,
                rate=_rate(result, work, end_s - result.start_s),
                phases=tuple(_phases(result, work)),
            )
        )
    return tuple(times)


def _phases(result: WorkloadResult, work: BytesToMove | None) -> Iterator[PhaseTime]:
    seen: Counter[str] = Counter()
    for phase in result.phases:
        part = phase_work(result, work, phase.name)
        seen[phase.name] += 1
        elapsed_s = phase.end_s - phase.start_s
        read = Rate(part.read, elapsed_s, "read") if part and part.read else None
        write = Rate(part.write, elapsed_s, "written") if part and part.write else None
        yield PhaseTime(_numbered(phase.name, seen), phase.start_s, phase.end_s, read, write)


def _numbered(name: str, seen: Counter[str]) -> str:
    """A name as it is the first time it is met, then with its number."""
    return name if seen[name] == 1 else f"{name} #{seen[name]}"


def _rate(result: WorkloadResult, work: BytesToMove | None, elapsed_s: float) -> Rate | None:
    over = result.workload.rated_over
    if work is None or over is None:
        return None
    if result.workload.timed_by_file:
        # fio measures within the same workload, so the clock on the wall would count it as slow files.
        io_s = sum(file.io_s for file in result.files)
        return Rate(sum(file.bytes for file in result.files), io_s, over) if io_s > 0 else None
    # Spilled bytes are the program's own affair: its rate counts the data it was given.
    moved = result.workload.moved(result.counters)
    return None if moved is None else Rate(max(moved), elapsed_s, over)


def _end(run: RunData, result: WorkloadResult, last: bool) -> float:
    """The recorded end, or for a workload that was cut off the last moment the record knows of."""
    if not last or result.outcome is Outcome.SUCCEEDED or result.end_s > result.start_s:
        return result.end_s
    known = [result.start_s, result.end_s, run.record.elapsed_s]
    known += [phase.end_s for phase in result.phases]
    for table, column in ((run.tasks, "end_s"), (run.samples, "time_s")):
        latest = pc.max(table.column(column)).as_py() if table.num_rows else None
        known += [latest] if latest is not None else []
    return max(known)


def window_of(record: RunRecord, timeline: Timeline, time: WorkloadTime) -> tuple[float, float] | None:
    """The stretch to count device bytes in: the workload's own, widened to the nearest samples.

    The samples around a workload count its bytes exactly, where interpolating would spread the first
    and the last of them over idle time. Where such a sample lies within something else that ran, the
    workload's own end is the better cut. None: samples do not cover the workload.
    """
    if not timeline.covers(time.start_s, time.end_s):
        return None
    before = timeline.times_s[timeline.times_s <= time.start_s]
    after = timeline.times_s[timeline.times_s >= time.end_s]
    start_s = float(before[-1]) if len(before) else time.start_s
    end_s = float(after[0]) if len(after) else time.end_s
    others = [(result.start_s, result.end_s) for result in record.workloads]
    others = others[: time.index] + others[time.index + 1 :]
    others += [(phase.start_s, phase.end_s) for phase in record.preparation]
    if any(begin < time.start_s and end > start_s for begin, end in others):
        start_s = time.start_s
    if any(end > time.end_s and begin < end_s for begin, end in others):
        end_s = time.end_s
    return start_s, end_s


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


def tasks_of(tasks: pa.Table, kind: str, time: WorkloadTime) -> pa.Table:
    """The task attempts of one workload: those of its kind whose middle lies within it."""
    middle = (tasks.column("start_s").to_numpy() + tasks.column("end_s").to_numpy()) / 2
    names = np.array(tasks.column("workload").to_pylist(), dtype=object)
    return tasks.filter(pa.array((names == kind) & (middle >= time.start_s) & (middle <= time.end_s)))
