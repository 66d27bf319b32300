"""A run on this machine without Hadoop, made ready."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Unpack

from howdah.engines.base import Prepared, RunStart, new_job
from howdah.engines.local.engine import LocalEngine, ready_rows, ready_table
from howdah.engines.local.work import sort_needs, store_needs
from howdah.engines.local.workspace import FOLDER
from howdah.errors import UserError
from howdah.model.engines import DATA_DIR
from howdah.model.run_request import RunRequest
from howdah.model.tables import Job
from howdah.model.workloads.hadoop_programs import Pi
from howdah.model.workloads.terasort import INPUT
from howdah.planner.local_plan import DEFAULT_DATA_DIR, LocalPlanner, sample_interval_s
from howdah.planner.suite.request import plan_line, requested_programs
from howdah.probe import probe_host
from howdah.probe.host import host_line


def prepare_local(request: RunRequest, **start: Unpack[RunStart]) -> Prepared:
    """Plan the request on this machine and return the prepared job; raises UserError for mistakes."""
    programs = requested_programs(request)
    host = probe_host()
    for path in request.of(DATA_DIR) or ():
        if not path.is_dir():
            # Not created here: it would be on the root disk if a mount is missing or misspelt.
            raise UserError(f"--data-dir {path}", "is not a directory", "create it on the disk to measure")
    data_dirs = [str(path) for path in request.of(DATA_DIR) or (DEFAULT_DATA_DIR,)]
    inputs = request.of(INPUT)
    input_rows = ready_rows(programs[0], data_dirs, inputs or ())
    table = ready_table(programs[0], data_dirs)
    planner = LocalPlanner(request, host, sort_needs, input_rows, table=table, store_needs=store_needs)
    plan, suite = planner.plan()
    job = new_job(suite, plan, host, sample_interval_s=sample_interval_s(plan), **start)
    kept = "kept" if start["keep_data"] else "removed at the end"
    # Pi has no data.
    has_data = not all(isinstance(workload, Pi) for workload in suite.workloads)
    return Prepared(
        job=job,
        engine=LocalEngine(),
        introduction=(
            ("host", host_line(host, [Path(path) for path in plan.workers[0].data_dirs])),
            ("plan", plan_line(plan, suite)),
            *((("data", f"{', '.join(data_dirs)} ({kept})"),) if has_data else ()),
        ),
        kept=partial(_kept, job),
    )


def _kept(job: Job) -> Mapping[str, Sequence[str]]:
    """The folders that hold kept data once the job has run, and the names of what they hold."""
    folders = [Path(data_dir) / FOLDER for data_dir in job.plan.workers[0].data_dirs if job.keep_data]
    return {
        str(folder): sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
        for folder in folders
        if folder.is_dir()
    }
