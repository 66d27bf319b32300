"""The engine protocol, a run that is ready to start, and the digests of its job."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Protocol, TypedDict, Unpack

import howdah
from howdah.errors import RunFailed
from howdah.model.cluster import ReplicaSpread
from howdah.model.host import Host
from howdah.model.plan import Plan
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
from howdah.model.workloads.suite import Suite
from howdah.services.errors import ServiceError
from howdah.services.web import Web
from howdah.store.layout import new_run_id
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import Follow, Source


class Engine(Protocol):
    """Executes a Job and returns its record; one contract suite runs over every engine.

    ``run`` sends samples, task attempts, progress and the record so far to the sink, and returns
    the final record whatever happened: a failed or interrupted job is an outcome, not an
    exception. It raises UserError only before anything was written.
    """

    @property
    def name(self) -> str:
        """The engine's name on the command line."""

    @property
    def version(self) -> str:
        """The version written into the record."""

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job to its end."""


class RunStart(TypedDict):
    """Options of every run."""

    runs_dir: Path
    command: Sequence[str]
    seed: int | None  # None for a random one.
    keep_data: bool


class Prepared(NamedTuple):
    """A job and the engine that runs it."""

    job: Job
    engine: Engine
    introduction: tuple[tuple[str, str], ...]  # Labelled lines that the terminal shows before the start.
    kept: Callable[[], Mapping[str, Sequence[str]]]
    """Returns the folders of kept data after the run, with the names in them."""
    close: Callable[[], None] = lambda: None
    """Closes the resources of the preparation, after the run or instead of it."""


def new_job(
    suite: Suite, plan: Plan, host: Host, *, sample_interval_s: float, **start: Unpack[RunStart]
) -> Job:
    """Return a job that begins now, named after the minute, with a random seed unless one is given."""
    return Job(
        run_id=new_run_id(datetime.now(), suite.name, start["runs_dir"]),
        command=tuple(start["command"]),
        host=host,
        plan=plan,
        suite=suite,
        seed=secrets.randbelow(2**32) if start["seed"] is None else start["seed"],
        keep_data=start["keep_data"],
        sample_interval_s=sample_interval_s,
        results_dir=Path.cwd(),
    )


def job_digests(job: Job) -> dict[str, str]:
    """SHA-256 of host, plan and suite, by name, without values of the host that change every minute."""
    content = job.host.model_dump_json(
        exclude={
            "memory": {"available_bytes"},
            "file_systems": {"__all__": {"free_bytes"}},
            "virtualisation": {"steal_share"},
            "cgroup": {"memory_used_bytes"},
            "unread": True,
        }
    )
    parts = {"host": content, "plan": job.plan.model_dump_json(), "suite": job.suite.model_dump_json()}
    return {name: sha256(part) for name, part in parts.items()}


def sha256(content: str) -> str:
    """A text's digest in hex."""
    return hashlib.sha256(content.encode()).hexdigest()


def begun_record(
    job: Job,
    *,
    engine: str,
    version: str,
    created: datetime,
    digests: Mapping[str, str],
    origin: Origin = Origin.MEASURED,
) -> RunRecord:
    """The record of a job that has done nothing yet, to the millisecond: imports are placed by it."""
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


class Generated(NamedTuple):
    """TeraGen's record of its rows: their number, and the sum of their CRC-32 in hex."""

    rows: int
    checksum: str

    @classmethod
    def read(cls, content: str | bytes) -> Generated | None:
        """The record in a file; None if it holds none, as after a kill in the middle of its writing."""
        with suppress(ValueError, KeyError, TypeError):
            fields = json.loads(content)
            return cls(int(fields["rows"]), f"{int(str(fields['checksum']), 16):x}")
        return None


NO_TERAGEN_RECORD = (
    "no-teragen-record",
    "teravalidate had no TeraGen record of these rows, so it checked their order but not their completeness",
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


def judged(fields: PartialResult) -> PartialResult:
    """The fields of a program that ran to its end; it failed if its result is wrong."""
    outcome = Outcome.FAILED if fields.get("validation_errors") else Outcome.SUCCEEDED
    return {"outcome": outcome, **fields}


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

    def carry_out(
        self,
        workloads: Iterable[Workload],
        sampler: Sampler,
        now_s: Callable[[], float],
        program: Callable[[Workload, float], PartialResult],
        *,
        more: Callable[[], Mapping[str, object]] = dict,
        recorded: Callable[[WorkloadResult], None] = lambda result: None,
    ) -> None:
        """Run workloads in turn until one fails; ``more`` has fields of each result, ``recorded`` gets it."""
        fault = None
        for workload in workloads:
            # Samples at both ends of a workload make its share of every counter exact.
            sampler.mark()
            fields = PartialResult()
            start_s = now_s()
            try:
                fields = judged(program(workload, start_s))
            except BaseException as error:
                fields = PartialResult(outcome=ended_by(error))
                raise
            finally:
                sampler.mark()
                times = {"workload": workload, "start_s": start_s, "end_s": now_s()}
                result = WorkloadResult.model_validate({**times, **more(), **fields})
                self.add(result)
            recorded(result)
            if result.outcome is not Outcome.SUCCEEDED:
                fault = fault_of(result)
                break
        self.sink.measured()
        self.change(outcome=Outcome.SUCCEEDED if fault is None else Outcome.FAILED, error=fault)

    @contextmanager
    def ending(
        self, errors: tuple[type[BaseException], ...], text: Callable[[BaseException], str] = str
    ) -> Iterator[None]:
        """Note that the user or one of these errors ended the run before its time, in ``text``'s words."""
        try:
            yield
        except KeyboardInterrupt:
            self.change(outcome=Outcome.ABORTED, error="stopped by the user")
        except errors as error:
            self.change(outcome=Outcome.FAILED, error=text(error))

    @contextmanager
    def removing(self, subject: str) -> Iterator[None]:
        """Warn about data that stays because of an error, or because the user stopped its removal."""
        try:
            yield
        except RunFailed as error:
            self.warn("data-left", f"{subject} could not be removed: {error}")
        except KeyboardInterrupt:
            self.warn("data-left", f"the user stopped the run while {subject} was being removed")

    @contextmanager
    def sampled(
        self, sources: Sequence[Source], clock: RunClock, *, interval_s: float, follow: Follow | None = None
    ) -> Iterator[Sampler]:
        """Sample during the context, and record the cost and the time on the run's clock."""
        start_ns = clock.start_ns
        sampler = Sampler(self.sink, sources, run_start_ns=start_ns, interval_s=interval_s, follow=follow)
        sampler.start()
        try:
            yield sampler
        finally:
            cost = sampler.stop()
            self.change(
                telemetry=cost,
                elapsed_s=clock.now_s(),
                members=sampler.members,
                warnings=(*self.record.warnings, *sampler.warnings),
            )


def begun_run(job: Job, sink: SampleSink, clock: RunClock, engine: str, version: str) -> RunUnderWay:
    """Return a run that is measured from the beginning of its clock on."""
    created = datetime.fromtimestamp(clock.start_epoch_s, UTC)
    record = begun_record(job, engine=engine, version=version, created=created, digests=job_digests(job))
    return RunUnderWay(record, sink)


def ended_by(error: BaseException) -> Outcome:
    """How a workload ended that an error stopped."""
    return Outcome.ABORTED if isinstance(error, KeyboardInterrupt) else Outcome.FAILED


def fault_of(result: WorkloadResult) -> str:
    """Why a workload that ran to its end did not succeed."""
    first = result.validation_errors[0].message if result.validation_errors else "it did not succeed"
    return f"{result.workload.kind}: {first}"


_APART_S = 2.0  # Smaller differences are not measurable: a server's time has a resolution of a second.


class RunClock:
    """Seconds since the start of a run on CLOCK_MONOTONIC, and the time of day at its start."""

    def __init__(self) -> None:
        self.start_ns = time.monotonic_ns()
        self.start_epoch_s = time.time()  # The start in seconds since 1970, on this machine's clock.

    def now_s(self) -> float:
        """Seconds since the start of the run."""
        return self.at_s(time.monotonic_ns())

    def at_s(self, monotonic_ns: int) -> float:
        """A time on CLOCK_MONOTONIC in seconds since the start of the run."""
        return (monotonic_ns - self.start_ns) / 1e9

    @property
    def epoch_ms(self) -> int:
        """The start in Hadoop's milliseconds since 1970."""
        return round(self.start_epoch_s * 1000)

    def seconds(self, epoch_ms: int) -> float:
        """A time of Hadoop's, milliseconds since 1970, in seconds since the start of the run."""
        return epoch_ms / 1000 - self.start_epoch_s


def clock_was_set(clock: RunClock) -> tuple[RunWarning, ...]:
    """A warning if this machine's time of day was set during the run: samples' clock was not."""
    by_s = time.time() - clock.start_epoch_s - clock.now_s()
    if abs(by_s) <= _APART_S:
        return ()
    way = f"{abs(by_s):.0f} s {'forward' if by_s > 0 else 'back'}"
    problem = "during the run: times of tasks and samples do not match"
    return (RunWarning(code="clock-set", text=f"this machine's time of day was set {way} {problem}"),)


def clocks_apart(web: Web, servers: Iterable[tuple[str, str]]) -> tuple[RunWarning, ...]:
    """A warning for every server that answers (its name and URL) with another time than this machine."""
    offsets = ((name, _ahead_s(web, url)) for name, url in servers)
    return tuple(
        RunWarning(
            code="clock-skew",
            text=f"the clock of {name} is {abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} this"
            " machine's: its times and samples do not match this machine's (is NTP running?)",
        )
        for name, ahead_s in offsets
        if ahead_s is not None and abs(ahead_s) > _APART_S
    )


def _ahead_s(web: Web, url: str) -> float | None:
    """Return how far a server's clock is ahead of this machine's, to a second."""
    before = datetime.now(UTC)
    with suppress(ServiceError, ValueError):
        theirs = web.get_date(url)
        if theirs is not None and theirs.tzinfo is not None:
            # The header has no fractions of a second: half a second on average.
            ours = before + (datetime.now(UTC) - before) / 2
            return (theirs - ours).total_seconds() + 0.5
    return None
