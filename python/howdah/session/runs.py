"""Running a prepared job, and what is made of its record."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import pyarrow as pa

from howdah.analysis import analyse
from howdah.analysis.evidence import Analysis, WorkloadTime
from howdah.analysis.phases import workload_times as _workload_times
from howdah.engines.base import Engine
from howdah.model.job import Job
from howdah.model.run import RunRecord, Sample, TaskAttempt
from howdah.model.sink import Progress
from howdah.model.tables import SAMPLES_SCHEMA, TASKS_SCHEMA, RunData
from howdah.model.workload import ROW_BYTES, WorkloadKind
from howdah.report.terminal import render_terminal
from howdah.report.write import write_report
from howdah.session.floor import find_floor
from howdah.store.archive import export_run, import_run
from howdah.store.listing import RunSummary, find_run, list_runs
from howdah.store.reader import read_run
from howdah.store.writer import RunWriter

DEFAULT_RUNS_DIR = Path("runs")

__all__ = [
    "DEFAULT_RUNS_DIR",
    "Analysis",
    "Finished",
    "Observer",
    "RunSummary",
    "WorkloadTime",
    "analyse_run",
    "export_run",
    "find_report",
    "find_run",
    "import_run",
    "list_runs",
    "rated_amount",
    "render_terminal",
    "report_run",
    "run",
    "workload_times",
]


class Observer(Protocol):
    """Someone who watches a run."""

    def update(self, record: RunRecord) -> None:
        """Told of the record whenever it changes."""

    def progress(self, progress: Progress) -> None:
        """Told about ten times a second how far the current workload is."""


class Finished(NamedTuple):
    """A run with its analysis and where they lie."""

    data: RunData
    analysis: Analysis
    path: Path
    report: Path


class _Recorder:
    """A sink that starts the run's record with its first update and passes news on to an observer.

    An engine that refuses a job before its first update therefore leaves no record behind.
    """

    def __init__(self, runs_dir: Path, observer: Observer) -> None:
        self._runs_dir = runs_dir
        self._observer = observer
        self.writer: RunWriter | None = None

    def samples(self, rows: Sequence[Sample]) -> None:
        if self.writer:
            self.writer.samples(rows)

    def tasks(self, rows: Sequence[TaskAttempt]) -> None:
        if self.writer:
            self.writer.tasks(rows)

    def sample_table(self, rows: pa.Table) -> None:
        if self.writer:
            self.writer.sample_table(rows)

    def task_table(self, rows: pa.Table) -> None:
        if self.writer:
            self.writer.task_table(rows)

    def update(self, record: RunRecord) -> None:
        if self.writer is None:
            self.writer = RunWriter(self._runs_dir, record)
        else:
            self.writer.update(record)
        self._observer.update(record)

    def progress(self, progress: Progress) -> None:
        self._observer.progress(progress)


def run(job: Job, *, engine: Engine, runs_dir: Path, observer: Observer) -> Finished:
    """Run a job, keep its record, analyse it and write its report.

    Raises UserError if the job cannot start; a run that failed or was stopped is returned.
    """
    recorder = _Recorder(runs_dir, observer)
    record = engine.run(job, recorder)
    if recorder.writer is None:
        raise RuntimeError(f"engine {engine.name} made no record")
    with recorder.writer as writer:
        writer.finish(record)
    return report_run(writer.path)


def report_run(path: Path) -> Finished:
    """Analyse a stored run and write its report beside it."""
    data = read_run(path)
    analysis = analyse(data, find_floor(data.record, path.parent))
    return Finished(data, analysis, path, write_report(data, analysis, path))


def analyse_run(path: Path) -> tuple[RunData, Analysis]:
    """Read and analyse a stored run; nothing is written."""
    data = read_run(path)
    return data, analyse(data, find_floor(data.record, path.parent))


def find_report(path: Path) -> Path | None:
    """The report beside a stored run, if one was written."""
    page = path / "report.html"
    return page if page.exists() else None


def workload_times(record: RunRecord) -> tuple[WorkloadTime, ...]:
    """When the workloads of a record ran and how fast they were, while its run may still go."""
    tables = TASKS_SCHEMA.empty_table(), SAMPLES_SCHEMA.empty_table()
    return _workload_times(RunData(record, *tables))


def rated_amount(job: Job, step: Progress) -> int:
    """What the work under way is rated by, as analysis does it: of a sort the rows, each once."""
    for workload in job.suite.workloads:
        if step.workload == workload.kind == WorkloadKind.TERASORT and workload.rows is not None:
            return workload.rows * ROW_BYTES
    return step.total
