"""The engine of hosts without Hadoop: a lab's machines, or those that a command reaches."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pkgutil import resolve_name
from typing import Generic, NamedTuple, TypeVar

from howdah.engines.base import job_digests
from howdah.engines.under_way import PartialResult, RunUnderWay, begun_record, ended_by, fault_of
from howdah.errors import HowdahError
from howdah.model.cluster import Laboratory
from howdah.model.engines import HOSTS
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.tables import Job, Progress, SampleSink
from howdah.model.workloads.base import Workload
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import Source


@dataclass(frozen=True)
class Station:
    """A worker, or a host that is one, and the prefix of commands on it."""

    name: str
    host: str
    address: str
    """The name or address by which the others reach it."""
    prefix: tuple[str, ...]
    """The prefix of a command line that runs there: entering a lab's machine, or ``ssh``."""
    nominal_bits_per_s: int | None = None
    """Planned bandwidth of all ports of its host together, in each direction."""
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    """Environment variables of a command."""


class Tools(NamedTuple):
    """The measuring tools that the machines have."""

    iperf: str
    """The versions of iperf3 on them."""
    ping_interval_s: float | None
    """The shortest interval between pings; None if a machine has no ping."""


@dataclass(frozen=True)
class HostsTarget:
    """All that the engine needs of the hosts."""

    stations: tuple[Station, ...]
    tools: Tools
    """The measuring tools that they have."""
    sources: tuple[Source, ...] = ()
    """The sources that are sampled during the run."""
    lab: Laboratory | None = None
    """The isolation and deviations of a lab; None for a user's hosts."""

    def by_host(self) -> tuple[tuple[Station, ...], ...]:
        """The machines of each host."""
        hosts: dict[str, list[Station]] = {}
        for station in self.stations:
            hosts.setdefault(station.host, []).append(station)
        return tuple(map(tuple, hosts.values()))


W = TypeVar("W", bound=Workload)


@dataclass(frozen=True)
class HostsWork(Generic[W]):
    """A workload, the machines it runs on, and where what it measures goes."""

    workload: W
    """The workload, with all sizes decided."""
    target: HostsTarget
    sink: SampleSink
    """Takes what is measured."""
    now_s: Callable[[], float]
    """Seconds since the start of the run."""
    start_s: float
    """When the workload began."""

    def progress(self, phase: str, done: int, total: int) -> None:
        """Report how many parts of the workload are done."""
        elapsed_s = self.now_s() - self.start_s
        self.sink.progress(Progress(self.workload.kind, phase, done, total, "share", elapsed_s))


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
        """Run one workload and record its result, also if an error or the user ends it."""
        fields = PartialResult()
        try:
            fields = resolve_name(work.workload.programs[HOSTS])(work)
        except BaseException as error:
            fields = PartialResult(outcome=ended_by(error))
            raise
        finally:
            sampler.mark()
            result = WorkloadResult.model_validate(
                {"workload": work.workload, "start_s": work.start_s, "end_s": work.now_s(), **fields}
            )
            run.add(result)
        return result
