"""The engine of a real HBase with YCSB's clients."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

from howdah.engines.base import job_digests
from howdah.engines.clock import RunClock, clock_was_set
from howdah.engines.hbase.admin import HBaseAdmin, balanced, check_status, clear_leftovers
from howdah.engines.hbase.target import HBaseContext, HBaseTarget, HBaseWork
from howdah.engines.under_way import PartialResult, RunUnderWay, begun_record, ended_by, fault_of
from howdah.errors import HowdahError, RunFailed
from howdah.model.cluster import HBaseStatus
from howdah.model.engine_options import HBASE
from howdah.model.job import Job, SampleSink
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.base import Workload
from howdah.telemetry.daemons import logged_events
from howdah.telemetry.sampler import Sampler


class HBaseConnection(NamedTuple):
    """A running cluster and its administration client."""

    target: HBaseTarget
    admin: HBaseAdmin


Opened = Callable[[Job], AbstractContextManager[HBaseConnection]]
"""Makes the cluster ready for a job: an existing one, or one that is started and stopped with the run."""


class HBaseEngine:
    """Runs a job's suite on HBase; see ``howdah.engines.base.Engine``."""

    name = HBASE

    def __init__(self, version: str, opened: Opened) -> None:
        self.version = version
        """The release of the client's jars; the cluster's is in the record."""
        self._opened = opened

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job; raise UserError before anything is written if it cannot start."""
        with self._opened(job) as (target, admin):
            check_status(admin)
            leftovers = clear_leftovers(admin)
            status, uneven = balanced(admin, check_status(admin), may_move=target.lab is not None)
            return _HBaseRun(job, sink, target, admin, self.version).execute(status, leftovers, uneven)


class _HBaseRun:
    """One run on the cluster."""

    def __init__(
        self, job: Job, sink: SampleSink, target: HBaseTarget, admin: HBaseAdmin, version: str
    ) -> None:
        self._job = job
        self._target = target
        self._clock = RunClock()
        created = datetime.fromtimestamp(self._clock.start_epoch_s, UTC)
        record = begun_record(job, engine=HBASE, version=version, created=created, digests=job_digests(job))
        self._run = RunUnderWay(record, sink)
        self._context = HBaseContext(job, target, admin, self._clock, sink, self._run.warn)

    def execute(self, status: HBaseStatus, leftovers: Sequence[str], uneven: str | None) -> RunRecord:
        """Run the workloads, and remove the run's table unless it is to be kept."""
        self._run.change(hbase=status, built=self._target.lab)
        if status.version.partition("-")[0] != self._run.record.engine_version:
            self._run.warn(
                "client-version",
                f"the client's jars are HBase {self._run.record.engine_version}, but the cluster runs "
                f"{status.version}",
            )
        if uneven is not None:
            self._run.warn("regions-uneven", uneven)
        for name in leftovers:
            self._run.warn(
                "data-left", f"table {name} belongs to a run of another machine, which may still be active"
            )
        if self._context.faulty:
            self._context.ledger = Path(tempfile.mkdtemp(prefix="howdah-ledger-"))
        try:
            with (
                self._run.sampled(
                    self._target.sources,
                    start_ns=self._clock.start_ns,
                    interval_s=self._job.sample_interval_s,
                    now_s=self._clock.now_s,
                    follow=self._target.follow,
                ) as sampler,
                self._run.ending((HowdahError, OSError)),
            ):
                self._work(sampler)
        finally:
            self._end_faults()
            self._remove_table()
        for logs in self._target.logs:
            self._run.sink.server_events(logged_events(logs, self._clock.start_epoch_s))
        for warning in clock_was_set(self._clock):
            self._run.warn(warning.code, warning.text)
        return self._run.record

    def _work(self, sampler: Sampler) -> None:
        workloads = self._job.suite.workloads
        fault = None
        for number, workload in enumerate(workloads, start=1):
            # Samples at both ends of a workload make its share of every counter exact.
            sampler.mark()
            result = self._run_one(workload, sampler, last=number == len(workloads))
            if result.outcome is not Outcome.SUCCEEDED:
                fault = fault_of(result)
                break
        self._run.sink.measured()
        if fault is None:
            self._run.change(outcome=Outcome.SUCCEEDED)
        else:
            self._run.change(outcome=Outcome.FAILED, error=fault)

    def _run_one(self, workload: Workload, sampler: Sampler, *, last: bool) -> WorkloadResult:
        """Run one workload and record its result, also if an error or the user ends it."""
        fields = PartialResult()
        start_s = self._clock.now_s()
        try:
            work = HBaseWork(workload, self._context, start_s, last)
            fields = resolve_name(workload.programs[HBASE])(work)
        except BaseException as error:
            fields = PartialResult(outcome=ended_by(error))
            raise
        finally:
            sampler.mark()
            result = WorkloadResult.model_validate(
                {"workload": workload, "start_s": start_s, "end_s": self._clock.now_s(), **fields}
            )
            self._run.add(result)
        return result

    def _end_faults(self) -> None:
        """Revert active faults, end the probes and the ledger, and record the probes' reports."""
        probes, ledger = self._context.probes, self._context.ledger
        if self._target.heal is not None:
            self._target.heal()
        if probes is not None:
            probes.end()
            self._run.change(probes=probes.reports())
        if ledger is not None:
            shutil.rmtree(ledger, ignore_errors=True)

    def _remove_table(self) -> None:
        """Remove what the run made; what is not removed now goes when the next run starts."""
        table = self._context.table
        if table is None or not table.made_here or table.keep:
            return
        try:
            self._context.admin.remove(table.name)
        except RunFailed as error:
            self._run.warn("data-left", f"table {table.name} could not be removed: {error}")
        except KeyboardInterrupt:
            self._run.warn(
                "data-left", f"the user stopped the run while table {table.name} was being removed"
            )
