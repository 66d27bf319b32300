"""The phases of a job, from the ends of its map tasks."""

from __future__ import annotations

from howdah.engines.hadoop.clock import RunClock
from howdah.model.run import Phase
from howdah.model.workload import WorkloadKind
from howdah.services.job import JobFacts, TaskFacts


def phases(job: JobFacts, kind: WorkloadKind, clock: RunClock) -> tuple[Phase, ...]:
    """A job's phases, from when its tasks could begin to its end.

    The maps' ends with the last of them whose output was taken, the reduces' follows. There is one phase
    where there is nothing to reduce or the maps did not all end, and none where nobody tells of tasks.
    """
    start_ms = job.start_ms or min(_starts(job), default=None)
    if start_ms is None or job.finish_ms is None or not job.tasks:
        return ()
    start_s = clock.seconds(start_ms)
    end_s = max(start_s, clock.seconds(job.finish_ms))
    # Only TeraSort's shuffle is worth a name: elsewhere reduces merely put together what maps found.
    first, second = ("map-shuffle", "reduce-merge") if kind is WorkloadKind.TERASORT else ("map", "reduce")
    maps = [task for task in job.tasks if task.kind == "map"]
    ends = [_end_ms(task) for task in maps]
    told = [end for end in ends if end is not None]
    if len(maps) == len(job.tasks) or len(told) < len(ends) or not ends:
        return (Phase(name="map" if len(maps) == len(job.tasks) else first, start_s=start_s, end_s=end_s),)
    between_s = min(max(start_s, clock.seconds(max(told))), end_s)
    return (
        Phase(name=first, start_s=start_s, end_s=between_s),
        Phase(name=second, start_s=between_s, end_s=end_s),
    )


def _starts(job: JobFacts) -> list[int]:
    return [one.start_ms for task in job.tasks for one in task.attempts if one.start_ms is not None]


def _end_ms(task: TaskFacts) -> int | None:
    """When the attempt whose output was taken ended; None if there is none."""
    return next((one.finish_ms for one in task.attempts if one.id == task.winner), None)
