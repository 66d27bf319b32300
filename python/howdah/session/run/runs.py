"""Running a prepared job, and what is made of its record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from howdah.engines.base import Engine
from howdah.model.counters import Counters
from howdah.model.job import Job
from howdah.model.latencies import LatencyHistogram
from howdah.model.run import RunRecord, Sample, TaskAttempt
from howdah.model.server_events import ServerEvent
from howdah.model.sink import Progress
from howdah.session.run.spent import Spent
from howdah.session.run.warmup import ReportWarmup
from howdah.store.archive import export_run, import_run
from howdah.store.listing import RunSummary, find_run, list_runs
from howdah.store.writer import RunWriter

if TYPE_CHECKING:
    from howdah.session.run.reporting import FinishedRun

DEFAULT_RUNS_DIR = Path("runs")

__all__ = [
    "DEFAULT_RUNS_DIR",
    "Observer",
    "RunSummary",
    "export_run",
    "find_run",
    "import_run",
    "list_runs",
    "rated_amount",
    "record",
    "run",
]


class Observer(Protocol):
    """Someone who watches a run."""

    def update(self, record: RunRecord) -> None:
        """Told of the record whenever it changes."""

    def progress(self, progress: Progress) -> None:
        """Told about ten times a second how far the current workload is."""


class _Recorder:
    """A sink that starts the run's record with its first update and passes news on to an observer.

    An engine that refuses a job before its first update therefore leaves no record behind. ``measured`` is
    called once nothing is measured any more.
    """

    def __init__(self, runs_dir: Path, observer: Observer, measured: Callable[[], None]) -> None:
        self._runs_dir = runs_dir
        self._observer = observer
        self._measured = measured
        self.writer: RunWriter | None = None
        self.recording_s = 0.0

    def samples(self, rows: Sequence[Sample]) -> None:
        if self.writer:
            self.writer.samples(rows)

    def tasks(self, rows: Sequence[TaskAttempt]) -> None:
        if self.writer:
            self.writer.tasks(rows)

    def latencies(self, rows: Sequence[LatencyHistogram]) -> None:
        if self.writer:
            self.writer.latencies(rows)

    def server_events(self, rows: Sequence[ServerEvent]) -> None:
        if self.writer:
            self.writer.server_events(rows)

    def sample_table(self, rows: pa.Table) -> None:
        if self.writer:
            with self._recording():
                self.writer.sample_table(rows)

    def task_table(self, rows: pa.Table) -> None:
        if self.writer:
            with self._recording():
                self.writer.task_table(rows)

    def update(self, record: RunRecord) -> None:
        with self._recording():
            if self.writer is None:
                self.writer = RunWriter(self._runs_dir, record)
            else:
                self.writer.update(record)
        self._observer.update(record)

    def progress(self, progress: Progress) -> None:
        if self.writer:
            self.writer.progress(progress)
        self._observer.progress(progress)

    def measured(self) -> None:
        self._measured()

    @contextmanager
    def _recording(self) -> Iterator[None]:
        began_s = time.monotonic()
        yield
        self.recording_s += time.monotonic() - began_s


def run(job: Job, *, engine: Engine, runs_dir: Path, observer: Observer) -> FinishedRun:
    """Run a job, keep its record, analyse it and write its report.

    Raises UserError if the job cannot start; a run that failed or was stopped is returned.
    """
    with ReportWarmup() as warmup:
        recorder = _Recorder(runs_dir, observer, warmup.begin)
        began_s = time.monotonic()
        record = engine.run(job, recorder)
        ran_s = time.monotonic()
        if recorder.writer is None:
            raise RuntimeError(f"engine {engine.name} wrote no record")
        with recorder.writer as writer:
            writer.finish(record)
        written_s = time.monotonic()
        finished = warmup.report(writer.path)
    recording_s = recorder.recording_s + written_s - ran_s
    engine_s = ran_s - began_s - recorder.recording_s
    return finished._replace(spent=Spent(engine_s, recording_s, time.monotonic() - written_s))


def record(job: Job, *, engine: Engine, runs_dir: Path, observer: Observer) -> Path:
    """Run a job and keep its record, without a report; return where. Raises UserError as ``run`` does."""
    recorder = _Recorder(runs_dir, observer, lambda: None)
    ended = engine.run(job, recorder)
    if recorder.writer is None:
        raise RuntimeError(f"engine {engine.name} wrote no record")
    with recorder.writer as writer:
        writer.finish(ended)
    return writer.path


def rated_amount(job: Job, step: Progress) -> int:
    """What the work under way is rated by, as analysis does it: of a sort the rows, each once."""
    for workload in job.suite.workloads:
        if step.workload == workload.kind and workload.shuffles and workload.asked is not None:
            moved = workload.moved(Counters())
            return moved.read if moved else step.total
    return step.total
