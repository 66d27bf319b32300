"""What a terminal (or a pipe) shows while a run goes and when it has ended."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.text import Text

from howdah.cli import words
from howdah.model.job import Job
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.sink import Progress as Step
from howdah.session import Finished

_BAR_WIDTH = 22
_LABEL_WIDTH = 8


class Display:
    """Follows one run: a moving bar for the workload under way, a line for each that has ended.

    In a pipe there is no bar, only the lines.
    """

    def __init__(self, job: Job, *, silent: bool) -> None:
        self._job = job
        self._console = Console(quiet=silent, highlight=False, soft_wrap=True)
        self._bar = Progress(
            TextColumn("  {task.description:<13}"),
            BarColumn(_BAR_WIDTH, style="grey35", complete_style="cyan", finished_style="cyan"),
            TextColumn("{task.fields[state]}"),
            console=self._console,
            transient=True,
            disable=silent or not self._console.is_terminal,
        )
        self._task: TaskID | None = None
        self._moving = ""
        self._begun = False
        self._ended = 0

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def update(self, record: RunRecord) -> None:
        """Print what runs where at the run's start, then a line for every workload that has ended."""
        if not self._begun:
            self._begun = True
            self._label("host", words.host_line(self._job))
            self._label("plan", words.plan_line(self._job))
            self._bar.start()
        for result in record.workloads[self._ended :]:
            self._stop_bar()
            self._print_result(result)
        self._ended = len(record.workloads)

    def progress(self, step: Step) -> None:
        """Move the bar of the workload under way."""
        if self._bar.disable:
            return
        if self._task is None or self._moving != step.workload:
            self._stop_bar()
            self._moving = step.workload
            self._task = self._bar.add_task(step.workload, total=None, state="")
        self._bar.update(
            self._task,
            total=step.total_bytes or None,
            completed=step.done_bytes,
            state=words.progress_state(step),
        )

    def _stop_bar(self) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None

    def _print_result(self, result: WorkloadResult) -> None:
        line = Text(f"  {result.workload.kind:<13} ")
        if self._console.is_terminal:
            colour = "green" if result.outcome is Outcome.SUCCEEDED else "red"
            line.append("━" * _BAR_WIDTH + "  ", style=colour)
        line.append(words.result_line(result))
        self._console.print(line)

    def _label(self, label: str, text: str, style: str = "") -> None:
        """A label and its text; on a terminal, later lines of the text are indented below its first."""
        lines = [text]
        if self._console.is_terminal:
            width = max(40, self._console.width - _LABEL_WIDTH)
            lines = textwrap.wrap(text, width, break_on_hyphens=False) or [""]
        for place, line in enumerate(lines):
            head = ("" if place else label).ljust(_LABEL_WIDTH)
            self._console.print(Text.assemble((head, "bold"), (line, style)))

    def conclude(self, finished: Finished) -> None:
        """Say what was found and where the report is."""
        findings = finished.analysis.findings
        answers = [finding for finding in findings if finding.severity == "answer"]
        warnings = [finding for finding in findings if finding.severity == "warning"]
        for place, finding in enumerate(answers):
            self._label("" if place else "found", finding.text)
        for place, finding in enumerate(warnings):
            self._label("" if place else "warning", finding.text, style="yellow")
        self._label("report", str(finished.report))


@contextmanager
def display(job: Job, *, silent: bool) -> Iterator[Display]:
    """A display for the time of a run."""
    shown = Display(job, silent=silent)
    with shown:
        yield shown


def as_json(finished: Finished) -> str:
    """A finished run for other programs: the record, its findings and where its report is."""
    content = {
        "run": finished.data.record.model_dump(mode="json"),
        "findings": [finding.model_dump(mode="json") for finding in finished.analysis.findings],
        "path": str(finished.path),
        "report": str(finished.report),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
