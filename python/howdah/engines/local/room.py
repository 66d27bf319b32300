"""How much disk a job takes, known before it starts."""

from __future__ import annotations

from howdah.engines.local import limits
from howdah.engines.local.memory import pool_bytes, sorts_in_memory
from howdah.engines.local.workspace import Shortage, Workspace
from howdah.errors import UserError
from howdah.model.job import Job
from howdah.model.workload import ROW_BYTES, Workload, WorkloadKind
from howdah.units import format_bytes, format_count_short


def check_room(job: Job, workspace: Workspace) -> None:
    """Raise UserError if the data directories cannot hold what the job will write."""
    needed = max(needed_bytes(job), limits.least_room_bytes())
    shortage = workspace.shortage(needed)
    if shortage is not None:
        raise too_little_room(job, needed, shortage)


def needed_bytes(job: Job, process_bytes: int | None = None) -> int:
    """What the job's data take of all data directories at the most; ``process_bytes`` as for `pool_bytes`."""
    held = sum(_held_bytes(job, workload) for workload in job.suite.workloads)
    return held + max(_spilled_bytes(job, workload, process_bytes) for workload in job.suite.workloads)


def too_little_room(job: Job, needed: int, shortage: Shortage) -> UserError:
    """What to say of a data directory that cannot hold its share."""
    first = job.suite.workloads[0]
    free = f"data directory {shortage.data_dir} has {format_bytes(shortage.free_bytes)} free"
    if first.rows is not None and not first.inputs:
        return UserError(
            "--rows",
            f"{format_count_short(first.rows)} rows are {format_bytes(first.rows * ROW_BYTES)} and the "
            f"suite needs {format_bytes(needed)}; {free}",
            "give --data-dir on a larger disk, or at most "
            f"--rows {format_count_short(int(first.rows * shortage.fitting_share))}",
        )
    return UserError(
        "--data-dir",
        f"the suite needs {format_bytes(needed)}; {free}",
        "give --data-dir on a larger disk, or run with less data",
    )


def _held_bytes(job: Job, workload: Workload) -> int:
    """What a workload leaves on disk until the end of the run."""
    match workload.kind:
        case WorkloadKind.TERAGEN | WorkloadKind.TERASORT:
            return (workload.rows or 0) * ROW_BYTES
        case WorkloadKind.DFSIO_WRITE:
            return (workload.files or 0) * (workload.file_bytes or 0)
        case WorkloadKind.STORAGE:
            # One more file is fio's.
            folders = len(job.plan.workers[0].data_dirs)
            return folders * ((workload.files or 0) + 1) * (workload.file_bytes or 0)
        case WorkloadKind.TERAVALIDATE | WorkloadKind.DFSIO_READ | WorkloadKind.PI | WorkloadKind.NNBENCH:
            return 0


def _spilled_bytes(job: Job, workload: Workload, process_bytes: int | None) -> int:
    if workload.kind is not WorkloadKind.TERASORT:
        return 0
    if sorts_in_memory(job, workload, pool_bytes(job, process_bytes)):
        return 0
    return (workload.rows or 0) * ROW_BYTES
