"""Check the preconditions of a job: permissions, directories and disk space."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from howdah.engines.local import benchmarks, limits, tera, ycsb
from howdah.engines.local.memory import pool_bytes, sorts_in_memory, store_cache_bytes
from howdah.engines.local.workspace import FOLDER, Shortage, Workspace, find_kept
from howdah.errors import UserError
from howdah.model.tables import Job
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import DFSIO_FOLDER, DfsioRead, Storage
from howdah.model.workloads.terasort import INPUT, ROW_BYTES, ROWS, TeraRows, TeraSort
from howdah.model.workloads.ycsb import TableShape, Ycsb, YcsbMix
from howdah.model.workloads.ycsb_options import RECORDS
from howdah.units import format_bytes, format_count_short


def ready_rows(program: type[Workload], data_dirs: Iterable[str], inputs: Iterable[str]) -> int | None:
    """The rows that lie ready for a suite that begins with a program; None if it reads none of earlier runs.

    Raises UserError if there are none, or they are not whole.
    """
    if not issubclass(program, TeraRows) or program.reads is None:
        return None
    return tera.ready_rows(data_dirs, inputs, program.reads)


def ready_table(program: type[Workload], data_dirs: Iterable[str]) -> TableShape | None:
    """Return the existing table for a suite that begins with a program; None if the suite needs none.

    Raises UserError if there is none, or it is not whole.
    """
    return ycsb.table_shape(data_dirs) if issubclass(program, YcsbMix) else None


def replaced(job: Job) -> list[str]:
    """Return the folders of data that the job creates again."""
    return [workload.folder for workload in job.suite.workloads if workload.folder is not None]


def check_ready(job: Job) -> None:
    """Raise UserError if the job lacks something to read, or would remove it."""
    first = job.suite.workloads[0]
    data_dirs = job.plan.workers[0].data_dirs
    inputs = INPUT.of(first) or ()
    ready_rows(type(first), data_dirs, inputs)
    for name in inputs:
        for data_dir in data_dirs:
            if Path(name).resolve().is_relative_to(Path(data_dir, FOLDER).resolve()):
                raise UserError(
                    f"--input: {name}",
                    f"is in {Path(data_dir, FOLDER)}, where this run writes",
                    "give another --data-dir, or move the input",
                )
    if isinstance(first, DfsioRead):
        benchmarks.check_ready(find_kept(data_dirs, DFSIO_FOLDER))
    if isinstance(first, YcsbMix):
        ycsb.check_ready(data_dirs, first)
    if any(isinstance(workload, Ycsb) for workload in job.suite.workloads):
        store_cache_bytes(job)
    if first.log is not None:
        log = job.results_dir / first.log
        if not os.access(log if log.exists() else log.parent, os.W_OK):
            raise UserError(str(log), "cannot be written to", "run dfsio in a directory you may write to")


def check_room(job: Job, workspace: Workspace) -> None:
    """Raise UserError if the data directories cannot hold what the job will write."""
    needed = max(needed_bytes(job), limits.least_room_bytes())
    shortage = workspace.shortage(needed)
    if shortage is not None:
        raise too_little_room(job, needed, shortage)


def needed_bytes(job: Job, process_bytes: int | None = None) -> int:
    """Upper limit of the job's data in all data directories; ``process_bytes`` as for `pool_bytes`."""
    kept = sum(_held_bytes(job, workload) for workload in job.suite.workloads)
    return kept + max(_spilled_bytes(job, workload, process_bytes) for workload in job.suite.workloads)


def too_little_room(job: Job, needed: int, shortage: Shortage) -> UserError:
    """Return the error for a data directory that is too small for its part."""
    first = job.suite.workloads[0]
    free = f"data directory {shortage.data_dir} has {format_bytes(shortage.free_bytes)} free"
    rows = ROWS.of(first)
    if rows is not None and not INPUT.of(first):
        return UserError(
            "--rows",
            f"{format_count_short(rows)} rows are {format_bytes(rows * ROW_BYTES)} and the "
            f"suite needs {format_bytes(needed)}; {free}",
            "give --data-dir on a larger disk, or at most "
            f"--rows {format_count_short(int(rows * shortage.fitting_share))}",
        )
    records = RECORDS.of(first)
    if records is not None and first.written_bytes:
        return UserError(
            RECORDS.flag,
            f"{format_count_short(records)} records are {format_bytes(first.written_bytes)} and the "
            f"suite needs {format_bytes(needed)}; {free}",
            f"give --data-dir on a larger disk, or fewer {RECORDS.flag}",
        )
    return UserError(
        "--data-dir",
        f"the suite needs {format_bytes(needed)}; {free}",
        "give --data-dir on a larger disk, or run with less data",
    )


def _held_bytes(job: Job, workload: Workload) -> int:
    """Bytes that a workload keeps on disk until the end of the run."""
    if isinstance(workload, Storage):
        # One more file is fio's.
        folders = len(job.plan.workers[0].data_dirs)
        return folders * ((workload.files or 0) + 1) * (workload.file_bytes or 0)
    if isinstance(workload, Ycsb):
        return ycsb.room_bytes(workload, len(job.plan.workers[0].data_dirs))
    return workload.written_bytes


def _spilled_bytes(job: Job, workload: Workload, process_bytes: int | None) -> int:
    if not isinstance(workload, TeraSort):
        return 0
    if sorts_in_memory(job, workload, pool_bytes(job, process_bytes)):
        return 0
    return (workload.rows or 0) * ROW_BYTES
