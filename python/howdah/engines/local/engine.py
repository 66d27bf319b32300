"""The local engine: Hadoop's programs on this machine's own disks and cores, without Hadoop."""

from __future__ import annotations

import json
import math
import os
import resource
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from pathlib import Path
from pkgutil import resolve_name
from typing import TypeVar

import howdah
from howdah import _native
from howdah.engines.base import PartialResult, RunClock, RunUnderWay, begun_run, job_digests, sha256
from howdah.engines.local import benchmarks, tera, ycsb
from howdah.engines.local.work import (
    LocalContext,
    Program,
    Watch,
    pool_bytes,
    sorts_in_memory,
    store_cache_bytes,
)
from howdah.engines.local.workspace import FOLDER, Shortage, Workspace, find_kept
from howdah.errors import UserError
from howdah.model.run import Phase, RunRecord, WorkloadResult
from howdah.model.tables import Job, SampleSink
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import DFSIO_FOLDER, DfsioRead, Storage
from howdah.model.workloads.terasort import INPUT, ROW_BYTES, ROWS, TeraRows, TeraSort
from howdah.model.workloads.ycsb import TableShape, Ycsb, YcsbMix
from howdah.model.workloads.ycsb_options import RECORDS
from howdah.telemetry.processes import peak_rss_bytes, reset_peak_rss
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import this_machine
from howdah.units import format_bytes, format_count_short, listed


def ready_rows(program: type[Workload], data_dirs: Iterable[str], inputs: Iterable[str]) -> int | None:
    """The rows of earlier runs for a suite that begins with a program, if it reads any; raises UserError."""
    if not issubclass(program, TeraRows) or program.reads is None:
        return None
    return tera.ready_rows(data_dirs, inputs, program.reads)


def ready_table(program: type[Workload], data_dirs: Iterable[str]) -> TableShape | None:
    """The table of earlier runs for a suite that begins with a program, if it needs one; raises UserError."""
    return ycsb.table_shape(data_dirs) if issubclass(program, YcsbMix) else None


def check_ready(job: Job) -> None:
    """Raise UserError if the job lacks something to read, or would remove it."""
    first = job.suite.workloads[0]
    data_dirs = job.plan.workers[0].data_dirs
    inputs = INPUT.of(first) or ()
    ready_rows(type(first), data_dirs, inputs)
    for name, folder in product(inputs, [Path(data_dir, FOLDER) for data_dir in data_dirs]):
        if Path(name).resolve().is_relative_to(folder.resolve()):
            problem = f"is in {folder}, where this run writes"
            raise UserError(f"--input: {name}", problem, "give another --data-dir, or move the input")
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
    needed = max(needed_bytes(job), benchmarks.LEAST_ROOM_BYTES)
    if shortage := workspace.shortage(needed):
        raise too_little_room(job, needed, shortage)


def needed_bytes(job: Job, process_bytes: int | None = None) -> int:
    """Upper limit of the job's data in all data directories; ``process_bytes`` as for `pool_bytes`."""
    kept = sum(_held_bytes(job, workload) for workload in job.suite.workloads)
    sorts = [workload for workload in job.suite.workloads if isinstance(workload, TeraSort)]
    pool = pool_bytes(job, process_bytes) if sorts else 0
    spilled = [(sort.rows or 0) * ROW_BYTES for sort in sorts if not sorts_in_memory(job, sort, pool)]
    return kept + max(spilled, default=0)


def too_little_room(job: Job, needed: int, shortage: Shortage) -> UserError:
    """Return the error for a data directory that is too small for its part."""
    first = job.suite.workloads[0]
    free = f"data directory {shortage.data_dir} has {format_bytes(shortage.free_bytes)} free"
    needs, disk = f"the suite needs {format_bytes(needed)}; {free}", "give --data-dir on a larger disk, or"
    rows, records = ROWS.of(first), RECORDS.of(first)
    if rows is not None and not INPUT.of(first):
        problem = f"{format_count_short(rows)} rows are {format_bytes(rows * ROW_BYTES)} and {needs}"
        fitting = format_count_short(int(rows * shortage.fitting_share))
        return UserError("--rows", problem, f"{disk} at most --rows {fitting}")
    if records is not None and first.written_bytes:
        size = f"{format_count_short(records)} records are {format_bytes(first.written_bytes)}"
        return UserError(RECORDS.flag, f"{size} and {needs}", f"{disk} fewer {RECORDS.flag}")
    return UserError("--data-dir", needs, f"{disk} run with less data")


def _held_bytes(job: Job, workload: Workload) -> int:
    if isinstance(workload, Storage):
        # One more file is fio's.
        return len(job.plan.workers[0].data_dirs) * ((workload.files or 0) + 1) * (workload.file_bytes or 0)
    if isinstance(workload, Ycsb):
        return ycsb.room_bytes(workload, len(job.plan.workers[0].data_dirs))
    return workload.written_bytes


def digests(job: Job) -> dict[str, str]:
    """SHA-256 of host, plan, suite and, where the user gave files to read, of their names and times."""
    inputs, result = INPUT.of(job.suite.workloads[0]), job_digests(job)
    if inputs:
        # Reading the content would fill the page cache that a run is to find as it was.
        stats = [(str(file.resolve()), file.stat()) for file in tera.user_files(inputs)]
        facts = [(name, status.st_size, status.st_mtime_ns) for name, status in stats]
        result["inputs"] = sha256(json.dumps(facts))
    return result


T = TypeVar("T")


class LocalEngine:
    """Runs a job's suite on this machine; see ``howdah.engines.base.Engine``."""

    name = "local"
    version = howdah.__version__

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job; raise UserError before anything is written if it cannot start."""
        clock = RunClock()
        run = begun_run(job, sink, clock, self.name, self.version)
        run.record = run.record.model_copy(update={"digests": digests(job)})
        # A sort holds all its inputs open, and the usual soft limit of 1024 is there for select() alone.
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        size, data_dirs = pool_bytes(job), job.plan.workers[0].data_dirs
        check_ready(job)
        replaces = [workload.folder for workload in job.suite.workloads if workload.folder is not None]
        claimed = Workspace(data_dirs, job.run_id, keep=job.keep_data, replaces=replaces)
        with claimed as workspace:
            check_room(job, workspace)
            run.change()
            if sharing := workspace.sharing():
                names = listed(map(str, sharing))
                run.warn("shared-disk", f"{names} are on one file system, so they add no disks")
            sources, interval_s = this_machine(job.host.name), job.sample_interval_s
            with (
                run.sampled(sources, clock, interval_s=interval_s) as sampler,
                run.ending((OSError, MemoryError, RuntimeError, _native.InputError), in_words),
            ):
                _work(job, run, clock, workspace, sampler, size=size)
        return run.record


def _work(
    job: Job, run: RunUnderWay, clock: RunClock, workspace: Workspace, sampler: Sampler, *, size: int
) -> None:
    worker = job.plan.workers[0]

    def prepare(name: str, work: Callable[[], T]) -> T:
        start_s = clock.now_s()
        done = work()
        phase = Phase(name=name, start_s=start_s, end_s=clock.now_s())
        run.change(preparation=(*run.record.preparation, phase))
        return done

    threads = math.ceil(job.host.usable_cpus)
    pool = prepare("touch memory", lambda: _native.Pool(size, threads))
    context = LocalContext(job, worker, workspace, pool, clock, run.sink, run.warn)
    if any(workload.uses_disks for workload in job.suite.workloads):
        run.change(limits=prepare("measure limits", lambda: benchmarks.measure_limits(context)))
    watches: list[Watch] = []

    def program(workload: Workload, start_s: float) -> PartialResult:
        watches.append(context.watch(workload.kind, workload.unit))
        reset_peak_rss()
        function: Program = resolve_name(workload.programs[LocalEngine.name])
        return function(context, workload, watches[-1])

    def more() -> Mapping[str, object]:
        phases, memory_bytes = tuple(watches[-1].phases), worker.memory_bytes
        return {"phases": phases, "peak_rss_bytes": peak_rss_bytes(), "memory_bytes": memory_bytes}

    def recorded(result: WorkloadResult) -> None:
        if result.buffered_io:
            text = f"{result.workload.kind}: a data directory does not support direct I/O"
            run.warn("buffered-io", text)
        # Wrong data is also kept, for inspection.
        workspace.complete()

    run.carry_out(job.suite.workloads, sampler, clock.now_s, program, more=more, recorded=recorded)


def in_words(error: BaseException) -> str:
    """Return one line that names what failed in the native core or on a disk."""
    if isinstance(error, _native.InputError):
        return "{}: {}; {}".format(*error.args)
    if isinstance(error, OSError) and error.filename:
        return f"{Path(error.filename)}: {error.strerror}"
    return str(error) or type(error).__name__
