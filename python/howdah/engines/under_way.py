"""A run in progress: the reports that all engines have in common."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TypedDict

import howdah
from howdah.model.cluster import ReplicaSpread
from howdah.model.reported import Counters, FileRate, LinkRate, OperationCount, RateStep, ResultMetric
from howdah.model.run import (
    DeviceLimit,
    Origin,
    Outcome,
    Phase,
    RunRecord,
    RunWarning,
    ValidationError,
    WorkloadResult,
)
from howdah.model.tables import Job, SampleSink
from howdah.model.workloads.base import Workload
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import Follow, Source

STOPPED = "stopped by the user"


def begun_record(
    job: Job,
    *,
    engine: str,
    version: str,
    created: datetime,
    digests: Mapping[str, str],
    origin: Origin = Origin.MEASURED,
) -> RunRecord:
    """The record of a job that has not done anything yet; ``created`` is where the run's clock begins.

    To the millisecond: what others measured finds its place in the run by it.
    """
    return RunRecord(
        id=job.run_id,
        created=created.isoformat(timespec="milliseconds"),
        howdah_version=howdah.__version__,
        engine=engine,
        engine_version=version,
        origin=origin,
        command=job.command,
        seed=job.seed,
        host=job.host,
        plan=job.plan,
        suite=job.suite,
        digests=dict(digests),
        outcome=Outcome.RUNNING,
        pid=os.getpid(),
    )


class PartialResult(TypedDict, total=False):
    """The fields of a WorkloadResult that a program sets; the engine sets the common ones."""

    workload: Workload
    outcome: Outcome
    counters: Counters
    checksum: str | None
    expected_checksum: str | None
    validation_errors: tuple[ValidationError, ...]
    files: tuple[FileRate, ...]
    links: tuple[LinkRate, ...]
    rates: tuple[RateStep, ...]
    raw_limits: tuple[DeviceLimit, ...]
    operations: tuple[OperationCount, ...]
    metrics: tuple[ResultMetric, ...]
    phases: tuple[Phase, ...]
    replicas: ReplicaSpread
    in_memory: bool
    buffered_io: bool


class RunUnderWay:
    """The record so far, and the sink of its changes."""

    def __init__(self, record: RunRecord, sink: SampleSink) -> None:
        self.record = record
        self.sink = sink

    def change(self, **fields: object) -> None:
        """Replace fields of the record."""
        self.record = self.record.model_copy(update=fields)
        self.sink.update(self.record)

    def warn(self, code: str, text: str) -> None:
        """Add a warning, once."""
        warning = RunWarning(code=code, text=text)
        if warning not in self.record.warnings:
            self.change(warnings=(*self.record.warnings, warning))

    def add(self, result: WorkloadResult) -> None:
        """Record the result of a workload."""
        self.change(workloads=(*self.record.workloads, result))

    @contextmanager
    def ending(
        self, errors: tuple[type[BaseException], ...], text: Callable[[BaseException], str] = str
    ) -> Iterator[None]:
        """Note that the user or one of these errors ended the run before its time, in ``text``'s words."""
        try:
            yield
        except KeyboardInterrupt:
            self.change(outcome=Outcome.ABORTED, error=STOPPED)
        except errors as error:
            self.change(outcome=Outcome.FAILED, error=text(error))

    @contextmanager
    def sampled(
        self,
        sources: Sequence[Source],
        *,
        start_ns: int,
        interval_s: float,
        now_s: Callable[[], float],
        follow: Follow | None = None,
    ) -> Iterator[Sampler]:
        """Sample during the context, and record the cost; ``now_s`` returns seconds since the start."""
        sampler = Sampler(self.sink, sources, run_start_ns=start_ns, interval_s=interval_s, follow=follow)
        sampler.start()
        try:
            yield sampler
        finally:
            cost = sampler.stop()
            self.change(
                telemetry=cost,
                elapsed_s=now_s(),
                members=sampler.members,
                warnings=(*self.record.warnings, *sampler.warnings),
            )


def ended_by(error: BaseException) -> Outcome:
    """How a workload ended that an error stopped."""
    return Outcome.ABORTED if isinstance(error, KeyboardInterrupt) else Outcome.FAILED


def fault_of(result: WorkloadResult) -> str:
    """Why a workload that ran to its end did not succeed."""
    first = result.validation_errors[0].message if result.validation_errors else "it did not succeed"
    return f"{result.workload.kind}: {first}"
