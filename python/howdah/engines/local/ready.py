"""What must be there, and what must not, before a job starts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from howdah.engines.local import dfsio, tera
from howdah.engines.local.folder import FOLDER, find_kept
from howdah.errors import UserError
from howdah.model.job import Job
from howdah.model.workload import DFSIO_LOG, WorkloadKind

_READS = {
    WorkloadKind.TERASORT: WorkloadKind.TERAGEN,
    WorkloadKind.TERAVALIDATE: WorkloadKind.TERASORT,
}
# A verdict can be had again in seconds; data that was kept on purpose may have taken hours.
_DATA = {
    WorkloadKind.TERAGEN: str(WorkloadKind.TERAGEN),
    WorkloadKind.TERASORT: str(WorkloadKind.TERASORT),
    WorkloadKind.DFSIO_WRITE: dfsio.FOLDER,
}


def ready_rows(kinds: Iterable[WorkloadKind], data_dirs: Iterable[str], inputs: Iterable[str]) -> int | None:
    """The rows that lie ready for a suite of these workloads; None if it reads none of earlier runs.

    Raises UserError if there are none, or they are not whole.
    """
    source = _READS.get(next(iter(kinds)))
    return None if source is None else tera.ready_rows(data_dirs, inputs, source)


def replaced(job: Job) -> list[str]:
    """The folders of data that the job makes anew."""
    return [_DATA[workload.kind] for workload in job.suite.workloads if workload.kind in _DATA]


def check_ready(job: Job) -> None:
    """Raise UserError if the job lacks something to read, or would remove it."""
    kinds = [workload.kind for workload in job.suite.workloads]
    data_dirs = job.plan.workers[0].data_dirs
    inputs = job.suite.workloads[0].inputs or ()
    ready_rows(kinds, data_dirs, inputs)
    _check_spared(data_dirs, inputs)
    if kinds[0] is WorkloadKind.DFSIO_READ:
        dfsio.check_ready(find_kept(data_dirs, dfsio.FOLDER))
    if kinds[0] in (WorkloadKind.DFSIO_READ, WorkloadKind.DFSIO_WRITE):
        _check_log(job.results_dir)


def _check_spared(data_dirs: Iterable[str], inputs: Iterable[str]) -> None:
    """A run empties folders of its own; what it reads must not lie in them."""
    for name in inputs:
        for data_dir in data_dirs:
            if Path(name).resolve().is_relative_to(Path(data_dir, FOLDER).resolve()):
                raise UserError(
                    f"--input: {name}",
                    f"lies in {Path(data_dir, FOLDER)}, where this run writes",
                    "give another --data-dir, or move the input",
                )


def _check_log(directory: Path) -> None:
    log = directory / DFSIO_LOG
    if not os.access(log if log.exists() else directory, os.W_OK):
        raise UserError(str(log), "cannot be written to", "run dfsio in a directory you may write to")
