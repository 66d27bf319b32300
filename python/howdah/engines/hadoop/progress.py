"""How far a job is, in bytes."""

from __future__ import annotations

from howdah.model.sink import Progress, Unit
from howdah.model.workload import ROW_BYTES, Workload, WorkloadKind
from howdah.services.app_master import JobProgress
from howdah.units import format_counted


def amount(workload: Workload) -> tuple[int, Unit]:
    """All that a workload reads and writes; of pi the points it draws."""
    rows = (workload.rows or 0) * ROW_BYTES
    match workload.kind:
        case WorkloadKind.TERASORT:
            return 2 * rows, "B"
        case WorkloadKind.DFSIO_WRITE | WorkloadKind.DFSIO_READ:
            return (workload.files or 0) * (workload.file_bytes or 0), "B"
        case WorkloadKind.PI:
            return (workload.maps or 0) * (workload.samples or 0), "points"
        case _:
            return rows, "B"


def progress(workload: Workload, job: JobProgress | None, elapsed_s: float) -> Progress:
    """What an application master's answer comes to; nothing is done before it answers.

    Maps count for the half of a sort, for their input is all its input; elsewhere they do all the work.
    """
    total, unit = amount(workload)
    maps = job.map_progress if job else 0.0
    reduces = job.reduce_progress if job else 0.0
    sorts = workload.kind is WorkloadKind.TERASORT
    share = (maps + reduces) / 2 if sorts else maps
    phase = _phase(maps, sorts=sorts)
    return Progress(workload.kind, phase, round(share * total), total, unit, elapsed_s, _tasks(job))


def _tasks(job: JobProgress | None) -> str:
    """The tasks of each kind that are done, of those there are."""
    if job is None:
        return ""
    kinds = (("map", job.maps_completed, job.maps), ("reduce", job.reduces_completed, job.reduces))
    return ", ".join(f"{done:,} of {format_counted(all_, kind)}" for kind, done, all_ in kinds if all_)


def _phase(maps: float, *, sorts: bool) -> str:
    if not sorts:
        return "map"
    return "map-shuffle" if maps < 1.0 else "reduce-merge"
