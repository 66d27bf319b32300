"""What Hadoop's own machinery takes of a job: starting it, starting its tasks, ending it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from howdah.analysis.attempts import attempts_of, by_job, done
from howdah.analysis.evidence import Evidence, JobOverhead, WorkloadTime
from howdah.analysis.poles import slots_of
from howdah.analysis.wording import number, percent, seconds
from howdah.model.finding import Finding
from howdah.model.run import Outcome, RunRecord, TaskAttempt
from howdah.model.tables import RunData
from howdah.units import format_counted


def overheads(run: RunData, times: tuple[WorkloadTime, ...]) -> tuple[JobOverhead, ...]:
    """The overhead of every job that succeeded and told of its tasks."""
    result = []
    for time in times:
        job = run.record.workloads[time.index].job
        jobs = by_job(attempts_of(run, time))
        # The record keeps the last job of a workload: what came before it says nothing of its own.
        attempts = jobs[-1] if jobs else ()
        kinds = dict.fromkeys(each.kind for each in attempts)
        tasks = tuple(each for kind in kinds for each in done(attempts, kind))
        if job is None or not tasks or time.outcome is not Outcome.SUCCEEDED:
            continue
        # Waves and turnaround are those of the kind there are most of: the maps.
        most = max(kinds, key=lambda kind: len(done(attempts, kind)))
        mine = done(attempts, most)
        places = _places(mine)
        slots = slots_of(run.record, time, most, tasks=len(mine), places=len(places))
        first_s = min(each.start_s for each in tasks)
        whole_s = sum(each.end_s - each.start_s for each in tasks)
        result.append(
            JobOverhead(
                workload=time.workload,
                jobs=len(jobs),
                before_s=max(0.0, first_s - job.submitted_s),
                after_s=max(0.0, time.end_s - max(each.end_s for each in tasks)),
                least_task_s=min(each.end_s - each.start_s for each in tasks),
                kind=most,
                tasks=len(mine),
                slots=slots,
                waves=len(mine) / slots,
                turnaround_s=_turnaround(places),
                task_s=whole_s,
                cpu_share=_share([each.cpu_s for each in tasks], whole_s),
                gc_share=_share([each.gc_s for each in tasks], whole_s),
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
    for each in evidence.overheads:
        parts = [
            f"{seconds(each.before_s)} before the first task and {seconds(each.after_s)} after the last",
            f"{format_counted(each.tasks, each.kind)} on {format_counted(each.slots, 'slot')} "
            f"({each.waves:.1f} waves)",
        ]
        if each.turnaround_s is not None:
            parts[1] += f" with {seconds(each.turnaround_s)} between two tasks"
        parts.append(f"the shortest task took {seconds(each.least_task_s)}")
        if each.cpu_share is not None:
            text = f"tasks computed {percent(each.cpu_share)} of their time"
            if each.gc_share is not None:
                text += f", collecting garbage for {percent(each.gc_share)}"
            parts.append(text)
        numbers = [
            number("before the first task", each.before_s, "s"),
            number("after the last task", each.after_s, "s"),
            number("waves", each.waves, "1"),
        ]
        known = (
            ("between two tasks", each.turnaround_s, "s"),
            ("shortest task", each.least_task_s, "s"),
            ("computing", each.cpu_share, "1"),
            ("collecting garbage", each.gc_share, "1"),
        )
        numbers += [number(name, value, unit) for name, value, unit in known if value is not None]
        yield Finding(
            id="job-overhead",
            severity="note",
            workload=each.workload,
            text=f"{each.workload}{_which(each)}: " + "; ".join(parts),
            sure="measured",
            origin=record.origin,
            numbers=tuple(numbers),
        )
