"""The local engine: Hadoop's programs on this machine's own disks and cores, without Hadoop."""

from __future__ import annotations

import json
import math
import os
import resource
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from pkgutil import resolve_name
from typing import TypeVar

import howdah
from howdah import _native
from howdah.engines.base import (
    PartialResult,
    RunClock,
    RunUnderWay,
    begun_record,
    job_digests,
    sha256,
)
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
from howdah.model.run import Outcome, Phase, RunRecord, WorkloadResult
from howdah.model.tables import Job, SampleSink
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import DFSIO_FOLDER, DfsioRead, Storage
from howdah.model.workloads.terasort import INPUT, ROW_BYTES, ROWS, TeraRows, TeraSort
from howdah.model.workloads.ycsb import TableShape, Ycsb, YcsbMix
from howdah.model.workloads.ycsb_options import RECORDS
from howdah.telemetry.processes import peak_rss_bytes, reset_peak_rss
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import this_machine
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
    needed = max(needed_bytes(job), benchmarks.least_room_bytes())
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


def digests(job: Job) -> dict[str, str]:
    """SHA-256 of host, plan, suite and, where the user gave files to read, of their names and times."""
    inputs = INPUT.of(job.suite.workloads[0])
    files = {"inputs": _files(tera.user_files(inputs))} if inputs else {}
    return {**job_digests(job), **files}


def _files(files: Iterable[Path]) -> str:
    """Reading the content would fill the page cache that a run is to find as it was."""
    facts = [(str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return sha256(json.dumps(facts))


T = TypeVar("T")


class LocalEngine:
    """Runs a job's suite on this machine; see ``howdah.engines.base.Engine``."""

    name = "local"
    version = howdah.__version__

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job; raise UserError before anything is written if it cannot start."""
        return _LocalRun(job, sink, self.name, self.version).execute()


class _LocalRun:
    """One run on this machine."""

    def __init__(self, job: Job, sink: SampleSink, engine: str, version: str) -> None:
        self._job = job
        self._worker = job.plan.workers[0]
        self._clock = RunClock()
        record = begun_record(
            job, engine=engine, version=version, created=datetime.now(UTC), digests=digests(job)
        )
        self._run = RunUnderWay(record, sink)

    def execute(self) -> RunRecord:
        """Claim the data directories, measure the limits, run the workloads, clean up."""
        # A sort holds all its inputs open, and the usual soft limit of 1024 is there for select() alone.
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        size = pool_bytes(self._job)
        check_ready(self._job)
        claimed = Workspace(
            self._worker.data_dirs,
            self._job.run_id,
            keep=self._job.keep_data,
            replaces=replaced(self._job),
        )
        with claimed as workspace:
            check_room(self._job, workspace)
            self._run.change()
            sharing = workspace.sharing()
            if sharing:
                names = " and ".join(str(path) for path in sharing)
                self._run.warn("shared-disk", f"{names} are on one file system, so they add no disks")
            with (
                self._run.sampled(
                    this_machine(self._job.host.name), self._clock, interval_s=self._job.sample_interval_s
                ) as sampler,
                self._run.ending((OSError, MemoryError, RuntimeError, _native.InputError), _message),
            ):
                self._work(workspace, size, sampler)
        return self._run.record

    def _work(self, workspace: Workspace, size: int, sampler: Sampler) -> None:
        threads = math.ceil(self._job.host.usable_cpus)
        pool = self._prepare("touch memory", lambda: _native.Pool(size, threads))
        context = LocalContext(
            self._job, self._worker, workspace, pool, self._clock, self._run.sink, self._run.warn
        )
        if any(workload.uses_disks for workload in self._job.suite.workloads):
            measured = self._prepare("measure limits", lambda: benchmarks.measure_limits(context))
            self._run.change(limits=measured)
        watches: list[Watch] = []

        def run(workload: Workload, start_s: float) -> PartialResult:
            watches.append(context.watch(workload.kind, workload.unit))
            reset_peak_rss()
            program: Program = resolve_name(workload.programs[LocalEngine.name])
            return {"outcome": Outcome.SUCCEEDED, **program(context, workload, watches[-1])}

        def more() -> Mapping[str, object]:
            return {
                "phases": tuple(watches[-1].phases),
                "peak_rss_bytes": peak_rss_bytes(),
                "memory_bytes": self._worker.memory_bytes,
            }

        def recorded(result: WorkloadResult) -> None:
            if result.buffered_io:
                text = f"{result.workload.kind}: a data directory does not support direct I/O"
                self._run.warn("buffered-io", text)
            # Wrong data is also kept, for inspection.
            workspace.complete()

        self._run.carry_out(
            self._job.suite.workloads, sampler, self._clock.now_s, run, more=more, recorded=recorded
        )

    def _prepare(self, name: str, work: Callable[[], T]) -> T:
        start_s = self._clock.now_s()
        done = work()
        phase = Phase(name=name, start_s=start_s, end_s=self._clock.now_s())
        self._run.change(preparation=(*self._run.record.preparation, phase))
        return done


def _message(error: BaseException) -> str:
    """One line that names what failed."""
    if isinstance(error, _native.InputError):
        subject, problem, hint = error.args
        return f"{subject}: {problem}; {hint}"
    if isinstance(error, OSError) and error.filename:
        return f"{Path(error.filename)}: {error.strerror}"
    return str(error) or type(error).__name__
