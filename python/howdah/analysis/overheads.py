"""Time besides a job's own work: Hadoop's start and end of jobs and tasks, and howdah's measuring."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from howdah.analysis.attempts import attempts_of, by_job, done
from howdah.analysis.evidence import Evidence, JobOverhead, WorkloadTime
from howdah.analysis.machines import on_cluster
from howdah.analysis.poles import slots_of
from howdah.analysis.wording import counted_tasks, number, percent, seconds, took
from howdah.model.finding import Finding
from howdah.model.run import Outcome, RunRecord, TaskAttempt
from howdah.model.tables import RunData
from howdah.units import format_counted

# Telemetry is to stay under 1 % of one core at 1 Hz; what it costs grows with its rate.
SHARE_AT_1_HZ = 0.01
# A laboratory is several machines with their daemons, all sampled by one process.
ON_CLUSTER = 0.02
LATE_SHARE = 0.05
# Starting to sample costs more than a sample; the share is judged only where that is spread over some time.
JUDGED_FROM_S = 1.0


def find_cost(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A sampler that cost more than it may, or came too late too often."""
    del evidence
    cost = record.telemetry
    if cost is None or cost.elapsed_s <= 0 or cost.interval_s <= 0:
        return
    share = cost.cpu_s / cost.elapsed_s
    allowed = (ON_CLUSTER if on_cluster(record) else SHARE_AT_1_HZ) * max(1.0, 1.0 / cost.interval_s)
    if share > allowed and cost.elapsed_s >= JUDGED_FROM_S:
        yield Finding(
            id="telemetry-cost",
            severity="warning",
            text=f"measuring took {percent(share)} of one core at an interval of {seconds(cost.interval_s)}, "
            f"more than the {percent(allowed)} it may; a longer interval would disturb less",
            origin=record.origin,
            numbers=(number("CPU share of one core", share, "1"),),
        )
    if cost.ticks and cost.late_ticks / cost.ticks > LATE_SHARE:
        yield Finding(
            id="late-samples",
            text=f"{cost.late_ticks} of {cost.ticks} samples came late: the machine was too busy to "
            "measure on time; totals are exact all the same, short peaks are not",
            origin=record.origin,
            numbers=(number("late samples", cost.late_ticks / cost.ticks, "1"),),
        )


def overheads(run: RunData, times: tuple[WorkloadTime, ...]) -> tuple[JobOverhead, ...]:
    """The overhead of every job that succeeded and told of its tasks."""
    result = []
    for time in times:
        job = run.record.workloads[time.index].job
        jobs = by_job(attempts_of(run, time))
        # The record keeps the last job of a workload: what came before it says nothing of its own.
        attempts = jobs[-1] if jobs else ()
        kinds = dict.fromkeys(attempt.kind for attempt in attempts)
        tasks = tuple(attempt for kind in kinds for attempt in done(attempts, kind))
        if job is None or not tasks or time.outcome is not Outcome.SUCCEEDED:
            continue
        # Waves and turnaround are those of the kind there are most of: the maps.
        most = max(kinds, key=lambda kind: len(done(attempts, kind)))
        mine = done(attempts, most)
        places = _places(mine)
        slots = slots_of(run.record, time, most, tasks=len(mine), places=len(places))
        first_s = min(task.start_s for task in tasks)
        whole_s = sum(task.end_s - task.start_s for task in tasks)
        result.append(
            JobOverhead(
                workload=time.workload,
                jobs=len(jobs),
                before_s=max(0.0, first_s - job.submitted_s),
                after_s=max(0.0, time.end_s - max(task.end_s for task in tasks)),
                least_task_s=min(task.end_s - task.start_s for task in tasks),
                kind=most,
                tasks=len(mine),
                slots=slots,
                waves=len(mine) / slots,
                turnaround_s=_turnaround(places),
                task_s=whole_s,
                cpu_share=_share([task.cpu_s for task in tasks], whole_s),
                gc_share=_share([task.gc_s for task in tasks], whole_s),
            )
        )
    return tuple(result)


def _places(tasks: tuple[TaskAttempt, ...]) -> list[list[TaskAttempt]]:
    """The tasks of every place that ran any, in order."""
    places: dict[tuple[str, int], list[TaskAttempt]] = {}
    for each in sorted(tasks, key=lambda task: task.start_s):
        places.setdefault((each.worker, each.slot), []).append(each)
    return list(places.values())


def _turnaround(places: list[list[TaskAttempt]]) -> float | None:
    gaps = [max(0.0, after.start_s - before.end_s) for place in places for before, after in pairwise(place)]
    return median(gaps) if gaps else None


def _share(parts: list[float | None], whole_s: float) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) / whole_s if len(known) == len(parts) and whole_s > 0 else None


def _which(overhead: JobOverhead) -> str:
    return f", the last of {overhead.jobs} jobs" if overhead.jobs > 1 else ""


def find_overheads(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One note per job on the time before, between and after its tasks, and on what tasks did with theirs."""
    for overhead in evidence.overheads:
        tasks, slots = counted_tasks(overhead.tasks, overhead.kind), format_counted(overhead.slots, "slot")
        between = "" if overhead.turnaround_s is None else f", {seconds(overhead.turnaround_s)} between two"
        before, after, least = map(seconds, (overhead.before_s, overhead.after_s, overhead.least_task_s))
        text = (
            f"{before} passed before the first task and {after} after the last; {tasks} ran on {slots} in "
            f"{overhead.waves:.1f} waves{between}; the shortest task {took(record)} {least}"
        )
        if overhead.cpu_share is not None:
            text += f"; tasks computed for {percent(overhead.cpu_share)} of their time"
            if overhead.gc_share is not None:
                text += f" and collected garbage for {percent(overhead.gc_share)}"
        numbers = [
            number("before the first task", overhead.before_s, "s"),
            number("after the last task", overhead.after_s, "s"),
            number("waves", overhead.waves, "1"),
        ]
        known = (
            ("between two tasks", overhead.turnaround_s, "s"),
            ("shortest task", overhead.least_task_s, "s"),
            ("computing", overhead.cpu_share, "1"),
            ("collecting garbage", overhead.gc_share, "1"),
        )
        numbers += [number(name, value, unit) for name, value, unit in known if value is not None]
        yield Finding(
            id="job-overhead",
            workload=overhead.workload,
            text=f"{overhead.workload}{_which(overhead)}: {text}",
            origin=record.origin,
            numbers=tuple(numbers),
        )
