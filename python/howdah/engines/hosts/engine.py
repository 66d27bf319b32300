"""The engine of hosts themselves: a laboratory's machines, or those that a command reaches."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pkgutil import resolve_name

from howdah.engines.digests import job_digests
from howdah.engines.hosts.target import HostsTarget, HostsWork
from howdah.engines.under_way import PartialResult, RunUnderWay, begun_record, ended_by, fault_of
from howdah.errors import HowdahError
from howdah.model.engine_names import HOSTS
from howdah.model.job import Job
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.sink import SampleSink
from howdah.model.workloads.base import Workload
from howdah.telemetry.sampler import Sampler


class HostsEngine:
    """Runs a job's suite on hosts without Hadoop; see ``howdah.engines.base.Engine``."""

    name = HOSTS

    def __init__(self, target: HostsTarget) -> None:
        self._target = target
        self.version = target.tools.iperf

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job to its end."""
        start_ns = time.monotonic_ns()
        record = begun_record(
            job, engine=HOSTS, version=self.version, created=datetime.now(UTC), digests=job_digests(job)
        )
        run = RunUnderWay(record, sink)

        def now_s() -> float:
            return (time.monotonic_ns() - start_ns) / 1e9

        run.change(built=self._target.lab)
        with (
            run.sampled(
                self._target.sources, start_ns=start_ns, interval_s=job.sample_interval_s, now_s=now_s
            ) as sampler,
            run.ending((HowdahError, OSError)),
        ):
            fault = None
            for workload in job.suite.workloads:
                sampler.mark()
                result = self._run_one(run, HostsWork(workload, self._target, sink, now_s, now_s()), sampler)
                if result.outcome is not Outcome.SUCCEEDED:
                    fault = fault_of(result)
                    break
            sink.measured()
            if fault is None:
                run.change(outcome=Outcome.SUCCEEDED)
            else:
                run.change(outcome=Outcome.FAILED, error=fault)
        return run.record

    def _run_one(self, run: RunUnderWay, work: HostsWork[Workload], sampler: Sampler) -> WorkloadResult:
        """Run one workload and note what it came to, also where an error or the user ends it."""
        known = PartialResult()
        try:
            known = resolve_name(work.workload.programs[HOSTS])(work)
        except BaseException as error:
            known = PartialResult(outcome=ended_by(error))
            raise
        finally:
            sampler.mark()
            result = WorkloadResult.model_validate(
                {"workload": work.workload, "start_s": work.start_s, "end_s": work.now_s(), **known}
            )
            run.add(result)
        return result
