"""What is made of a stored run: its analysis and its report."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from howdah.analysis import analyse
from howdah.analysis.evidence import Analysis, WorkloadTime
from howdah.analysis.phases import workload_times as _workload_times
from howdah.model.run import RunRecord
from howdah.model.tables import SAMPLES_SCHEMA, TASKS_SCHEMA, RunData
from howdah.report.renderer import Renderer
from howdah.report.terminal import render_terminal
from howdah.report.write import write_report
from howdah.session.run.floor import find_floor
from howdah.session.run.known import known_times
from howdah.session.run.spent import Spent
from howdah.store.reader import read_run

__all__ = [
    "Analysis",
    "FinishedRun",
    "WorkloadTime",
    "analyse_run",
    "find_report",
    "render_terminal",
    "report_run",
    "workload_times",
]


class FinishedRun(NamedTuple):
    """A run with its analysis and its files."""

    data: RunData
    analysis: Analysis
    path: Path
    report: Path | None
    """None without the extra that draws charts."""
    spent: Spent | None = None
    """None for a report that was made anew."""


def report_run(path: Path, renderer: Renderer | None = None) -> FinishedRun:
    """Analyse a stored run and write its report beside it; ``renderer`` is one that was called before."""
    with renderer or Renderer() as drawing:
        data, analysis = analyse_run(path)
        return FinishedRun(data, analysis, path, write_report(data, analysis, path, drawing))


def analyse_run(path: Path) -> tuple[RunData, Analysis]:
    """Read and analyse a stored run; nothing is written."""
    data = read_run(path)
    floor, known = find_floor(data.record, path.parent), known_times(data.record, path.parent)
    return data, analyse(data, floor, known)


def find_report(path: Path) -> Path | None:
    """The report beside a stored run, if one was written."""
    page = path / "report.html"
    return page if page.exists() else None


def workload_times(record: RunRecord) -> tuple[WorkloadTime, ...]:
    """When the workloads of a record ran and how fast they were, while its run may still go."""
    tables = TASKS_SCHEMA.empty_table(), SAMPLES_SCHEMA.empty_table()
    return _workload_times(RunData(record, *tables))
