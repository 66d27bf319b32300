"""The local engine: Hadoop's programs on this machine's own disks and cores, without Hadoop."""

from __future__ import annotations

import math
import resource
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from pkgutil import resolve_name
from typing import TypeVar

import howdah
from howdah import _native
from howdah.engines.begun import begun_record
from howdah.engines.local import limits
from howdah.engines.local.context import Bench, Program, Yield
from howdah.engines.local.digests import digests
from howdah.engines.local.memory import pool_bytes
from howdah.engines.local.ready import check_ready, check_room, replaced
from howdah.engines.local.work import Clock
from howdah.engines.local.workspace import Workspace
from howdah.model.job import Job
from howdah.model.run import Outcome, Phase, RunRecord, RunWarning, WorkloadResult
from howdah.model.sink import SampleSink
from howdah.model.workloads.base import Workload
from howdah.telemetry.processes import peak_rss_bytes, reset_peak_rss
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import this_machine

T = TypeVar("T")


class LocalEngine:
    """Runs a job's suite on this machine; see ``howdah.engines.base.Engine``."""

    name = "local"
    version = howdah.__version__

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job; raise UserError before anything is written if it cannot start."""
        return _LocalRun(job, sink, self.name, self.version).execute()


class _LocalRun:
    """One run under way: the record so far, and the sink that is told of every change."""

    def __init__(self, job: Job, sink: SampleSink, engine: str, version: str) -> None:
        self._job = job
        self._sink = sink
        self._worker = job.plan.workers[0]
        self._clock = Clock()
        self._record = begun_record(
            job, engine=engine, version=version, created=datetime.now(UTC), digests=digests(job)
        )

    def execute(self) -> RunRecord:
        """Claim the data directories, measure the limits, run the workloads, clean up."""
        _open_as_many_files_as_allowed()
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
            self._change()
            self._warn_of_sharing(workspace)
            sampler = Sampler(
                self._sink,
                this_machine(self._job.host.name),
                run_start_ns=self._clock.start_ns,
                interval_s=self._job.sample_interval_s,
            )
            sampler.start()
            try:
                self._work(workspace, size, sampler)
            except KeyboardInterrupt:
                self._change(outcome=Outcome.ABORTED, error="stopped by the user")
            except (OSError, MemoryError, RuntimeError, _native.InputError) as error:
                self._change(outcome=Outcome.FAILED, error=_message(error))
            finally:
                cost = sampler.stop()
                self._change(
                    telemetry=cost,
                    elapsed_s=self._clock.now_s(),
                    warnings=(*self._record.warnings, *sampler.warnings),
                )
        return self._record

    def _change(self, **fields: object) -> None:
        self._record = self._record.model_copy(update=fields)
        self._sink.update(self._record)

    def _work(self, workspace: Workspace, size: int, sampler: Sampler) -> None:
        threads = math.ceil(self._job.host.usable_cpus)
        pool = self._prepare("touch memory", lambda: _native.Pool(size, threads))
        bench = Bench(self._job, self._worker, workspace, pool, self._clock, self._sink, self._warn)
        if any(workload.uses_disks for workload in self._job.suite.workloads):
            measured = self._prepare("measure limits", lambda: limits.measure_limits(bench))
            self._change(limits=measured)
        for workload in self._job.suite.workloads:
            # Samples at both ends of a workload make its share of every counter exact.
            sampler.mark()
            result = self._run(bench, workload)
            sampler.mark()
            # Data that was proved wrong is as worth keeping as any: somebody will want to look at it.
            workspace.complete()
            if result.outcome is not Outcome.SUCCEEDED:
                self._change(outcome=Outcome.FAILED, error=_fault(result))
                return
        self._sink.measured()
        self._change(outcome=Outcome.SUCCEEDED)

    def _prepare(self, name: str, work: Callable[[], T]) -> T:
        start_s = self._clock.now_s()
        done = work()
        phase = Phase(name=name, start_s=start_s, end_s=self._clock.now_s())
        self._change(preparation=(*self._record.preparation, phase))
        return done

    def _run(self, bench: Bench, workload: Workload) -> WorkloadResult:
        """Run one workload; whatever becomes of it is in the record."""
        watch = bench.watch(workload.kind, workload.unit)
        known = Yield(outcome=Outcome.FAILED)
        reset_peak_rss()
        start_s = self._clock.now_s()
        try:
            known = Yield(outcome=Outcome.SUCCEEDED)
            program: Program = resolve_name(workload.programs[LocalEngine.name])
            known.update(program(bench, workload, watch))
        except KeyboardInterrupt:
            known = Yield(outcome=Outcome.ABORTED)
            raise
        except BaseException:
            known = Yield(outcome=Outcome.FAILED)
            raise
        finally:
            result = WorkloadResult.model_validate(
                {
                    "workload": workload,
                    "start_s": start_s,
                    "end_s": self._clock.now_s(),
                    "phases": tuple(watch.phases),
                    "peak_rss_bytes": peak_rss_bytes(),
                    "memory_bytes": self._worker.memory_bytes,
                    **known,
                }
            )
            self._change(workloads=(*self._record.workloads, result))
        if result.buffered_io:
            self._warn("buffered-io", f"{workload.kind}: a data directory refuses direct I/O")
        return result

    def _warn_of_sharing(self, workspace: Workspace) -> None:
        sharing = workspace.sharing()
        if sharing:
            names = " and ".join(str(path) for path in sharing)
            self._warn("shared-disk", f"{names} lie on one file system: more directories, not more disks")

    def _warn(self, code: str, text: str) -> None:
        warning = RunWarning(code=code, text=text)
        if warning not in self._record.warnings:
            self._change(warnings=(*self._record.warnings, warning))


def _open_as_many_files_as_allowed() -> None:
    """A sort holds all its inputs open, and the usual soft limit of 1024 is there for select() alone."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _message(error: BaseException) -> str:
    """One line that names what failed."""
    if isinstance(error, _native.InputError):
        subject, what, hint = error.args
        return f"{subject}: {what}; {hint}"
    if isinstance(error, OSError) and error.filename:
        return f"{Path(error.filename)}: {error.strerror}"
    return str(error) or type(error).__name__


def _fault(result: WorkloadResult) -> str:
    first = result.validation_errors[0].message if result.validation_errors else "it did not succeed"
    return f"{result.workload.kind}: {first}"
