"""What a terminal (or a pipe) shows while a run goes and when it has ended."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import rich.progress
from rich.console import Console
from rich.text import Text

from howdah.extras import install_command
from howdah.model.reported import format_value
from howdah.model.run import Origin, Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.dfsio import DFSIO_LOG
from howdah.model.workloads.terasort import TeraValidate
from howdah.model.workloads.ycsb import THROUGHPUT
from howdah.session import reporting
from howdah.session import runs as session
from howdah.units import format_count_short, format_rate, format_seconds

if TYPE_CHECKING:
    from howdah.analysis.evidence.times import WorkloadTime
    from howdah.engines.base import Prepared
    from howdah.model.comparison import Finding
    from howdah.model.tables import Progress


_SHARES = ("50", "95", "99")
_OPERATION_ROW = "{:17}{:>9}{:>12}  {:18}{:>9}{:>9}{:>9}{:>9}"
"""A program, its time and rate, an operation, its three delays and the longest one."""
_SHORT_CHECKSUM = 8
_BAR_WIDTH, _NARROW_BAR_WIDTH = 22, 8
_ROOMY = 104  # Columns from which the longest usual line has room for a bar before it.
_NAME_WIDTH = 13
_LABEL_WIDTH = 8
_MOST_METRICS = 4  # Of more there is no room in a line; they come in the order of their importance.
_SILENCE_S = 60.0
_ENDS = ("unfinished", "never-began")


def operation_head() -> str:
    """The heading of the rows."""
    delays = ("p50", "p95", "p99", "maximum")
    return _OPERATION_ROW.format("", "time", "per second", "operation", *delays).rstrip()


def operation_rows(result: WorkloadResult, elapsed_s: float) -> Iterator[str]:
    """A row for each kind of operation, the first with the program's name, time and rate; none for sorts."""
    metrics = {metric.name: metric for metric in result.metrics}
    rate = metrics.get(THROUGHPUT)
    if rate is None:
        return
    program = result.workload.kind, format_seconds(elapsed_s), f"{rate.value:,.0f}"
    suffix = f", {_SHARES[0]} % within"
    for operation in [name.removesuffix(suffix) for name in metrics if name.endswith(suffix)]:
        times = [metrics[f"{operation}, {share} % within"] for share in _SHARES]
        longest_s = times[-1].longest_s
        delays = [format_value(metric.value, "s") for metric in times]
        delays.append("" if longest_s is None else format_value(longest_s, "s"))
        yield _OPERATION_ROW.format(*program, operation, *delays).rstrip()
        program = "", "", ""


def result_line(result: WorkloadResult, time: WorkloadTime, *, short: bool) -> str:
    """A workload that ended: time, rate, phases, result; ``short`` cuts checksums that reports have."""
    if result.outcome is not Outcome.SUCCEEDED and not result.validation_errors:
        return f"{result.outcome.value} after {format_seconds(time.elapsed_s)}"
    parts = [f"{format_seconds(time.elapsed_s):>8}"]
    if time.rate is not None and time.rate.bytes_per_s > 0:
        parts.append(f"{format_rate(time.rate.bytes_per_s):>10}")
    if len(time.phases) > 1 and result.workload.is_shuffled:
        phases = ((phase.name, format_seconds(phase.elapsed_s).removesuffix(" s")) for phase in time.phases)
        parts.append(" · ".join(f"{name} {seconds}" for name, seconds in phases))
    if result.validation_errors:
        parts.append(result.validation_errors[0].message)
    elif result.metrics:
        metrics = result.metrics[:_MOST_METRICS]
        parts.append(", ".join(f"{metric.name} {metric.in_words()}" for metric in metrics))
    elif isinstance(result.workload, TeraValidate) and result.checksum is not None:
        checksum = f"{result.checksum[:_SHORT_CHECKSUM]}…" if short else result.checksum
        matches = "" if result.expected_checksum is None else " matches"
        parts.append(f"in order · checksum {checksum}{matches}")
    return "   ".join(parts)


def progress_line(step: Progress) -> str:
    """A workload under way, for those who see no bar: how much of it, which tasks, since when."""
    # What is under way is not done, however little is left.
    parts = [f"{100 * min(0.99, step.done / step.total):3.0f} % of the work"] if step.total else []
    parts += [step.tasks] if step.tasks else []
    return "   ".join([*parts, step.phase, f"for {format_seconds(step.elapsed_s)}"])


def progress_state(step: Progress, amount: int, room: int) -> str:
    """A workload under way: seconds, rate (of ``amount``), time left and phase, as many as ``room`` holds."""
    parts = [f"{format_seconds(step.elapsed_s):>8}"]
    if step.elapsed_s > 0 and step.done and step.total:
        share = min(1.0, step.done / step.total)
        left_s = step.elapsed_s * (1 - share) / share
        # What is simulated in a second says nothing of the cluster.
        if step.unit != "share":
            per_s = share * amount / step.elapsed_s
            count = f"{format_count_short(int(per_s))} {step.unit}/s"
            rate = format_rate(per_s) if step.unit == "B" else count
            parts.append(f"{rate:>10}")
        parts.append(f"{format_seconds(left_s)} left")
    parts.append(step.phase)
    while len(parts) > 1 and len("   ".join(parts)) > room:
        parts.pop()
    return "   ".join(parts)


class Display:
    """Follows one run: a moving bar for the workload under way, a line for each that has ended.

    In a pipe there is no bar, only the lines, and one more for each minute that nothing else was said: where
    the lines go, or on ``minutes`` where those are silent. ``now_s`` is a clock that only goes forward.
    """

    def __init__(
        self,
        prepared: Prepared,
        *,
        silent: bool,
        minutes: Console | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._prepared = prepared
        self._job = prepared.job
        self._console = Console(quiet=silent, highlight=False, soft_wrap=True)
        self._minutes = minutes or self._console
        self._now_s = now_s
        self._said_s = now_s()
        self._roomy = self._console.width >= _ROOMY
        bar_width = _BAR_WIDTH if self._roomy else _NARROW_BAR_WIDTH
        # The terminal echoes ^C behind the moving line, which must not grow into a second one by it.
        self._room = max(0, self._console.width - (2 + _NAME_WIDTH + 1 + bar_width + 1) - len("^C") - 1)
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn(f"  {{task.description:<{_NAME_WIDTH}}}"),
            rich.progress.BarColumn(bar_width, style="grey35", complete_style="cyan", finished_style="cyan"),
            rich.progress.TextColumn("{task.fields[state]}"),
            console=self._console,
            transient=True,
            disable=silent or not self._console.is_terminal,
        )
        self._task: rich.progress.TaskID | None = None
        self._moving = ""
        self._begun = False
        self._ended = 0
        self._headed = False

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def update(self, record: RunRecord) -> None:
        """Print what runs where at the run's start, then a line for every workload that has ended."""
        if not self._begun:
            self._begun = True
            for label, text in self._prepared.introduction:
                self._label(label, text)
            self._bar.start()
        if len(record.workloads) > self._ended:
            self._stop_bar()
            times = reporting.workload_times(record)
            for time in times[self._ended :]:
                self._print_result(time)
            self._ended = len(record.workloads)
            self._said_s = self._now_s()

    def progress(self, step: Progress) -> None:
        """Move the bar of the workload under way."""
        if self._bar.disable:
            if (now_s := self._now_s()) - self._said_s >= _SILENCE_S:
                self._said_s = now_s
                line = f"  {step.workload:<{_NAME_WIDTH}} {progress_line(step)}"
                self._minutes.print(Text(line), soft_wrap=True)
            return
        if self._task is None or self._moving != step.workload:
            self._stop_bar()
            self._moving = step.workload
            self._task = self._bar.add_task(step.workload, total=None, state="")
        state = progress_state(step, session.rated_amount(self._job, step), self._room)
        self._bar.update(self._task, total=step.total or None, completed=step.done, state=state)

    def _stop_bar(self) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None

    def _print_result(self, time: WorkloadTime) -> None:
        result = time.result
        if result.outcome is Outcome.SUCCEEDED and (rows := list(operation_rows(result, time.elapsed_s))):
            lines = rows if self._headed else [operation_head(), *rows]
            self._headed = True
            self._console.print(Text("\n".join(f"  {line}" for line in lines)))
            return
        head = Text(f"  {result.workload.kind:<{_NAME_WIDTH}} ")
        line = result_line(result, time, short=False)
        if not self._console.is_terminal:
            self._console.print(head + Text(line))
            return
        if self._roomy:
            colour = "green" if result.outcome is Outcome.SUCCEEDED else "red"
            head.append("━" * _BAR_WIDTH + "  ", style=colour)
        if len(head) + len(line) > self._console.width:
            line = result_line(result, time, short=True)
        self._hang(head, line)

    def _label(self, label: str, text: str, style: str = "") -> None:
        head = Text.assemble((label.ljust(_LABEL_WIDTH), "bold"))
        if self._console.is_terminal:
            self._hang(head, text, style)
        else:
            self._console.print(head + Text(text, style=style))

    def _hang(self, head: Text, text: str, style: str = "") -> None:
        """A text beside its head, later lines below the first; a path is left whole for copying."""
        width = max(40, self._console.width - len(head))
        lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
        # One print for all lines: the moving line would be drawn between two.
        indent = "\n" + " " * len(head)
        self._console.print(head + Text(indent.join(line.rstrip() for line in lines), style=style))

    def _labels(self, label: str, findings: list[Finding], style: str = "") -> None:
        for place, finding in enumerate(findings):
            self._label("" if place else label, finding.text, style)

    def conclude(self, finished: reporting.FinishedRun) -> None:
        """Say what was found, where data was kept and where the report is."""
        findings = finished.analysis.findings
        # Why a run did not succeed is told last, as an error; how far it came is told here.
        succeeded = finished.data.record.outcome is Outcome.SUCCEEDED
        ends = [finding for finding in findings if finding.id in _ENDS]
        answers = [finding for finding in findings if finding.severity == "answer"]
        self._labels("found", answers if succeeded else ends)
        dfsio = [finding for finding in findings if finding.id == "dfsio"]
        self._labels("dfsio", dfsio)
        simulated = finished.data.record.origin is Origin.SIMULATED
        if dfsio and not simulated:
            self._label("", f"appended to {self._job.results_dir / DFSIO_LOG}")
        warnings = [finding for finding in findings if finding.severity == "warning" and finding not in ends]
        self._labels("warning", warnings, style="yellow")
        for place, (folder, names) in enumerate(self._prepared.kept().items()):
            self._label("" if place else "data", f"{folder} ({', '.join(names)})")
        if simulated and finished.spent:
            texts = zip(finished.spent, ("simulating", "writing the record", "the report"), strict=True)
            self._label("took", ", ".join(f"{format_seconds(spent_s)} for {work}" for spent_s, work in texts))
        if finished.report is not None:
            self._label("report", str(finished.report))
        else:
            self._label("report", f"not written: charts need the extra `charts`: {install_command('charts')}")
            self._label("record", str(finished.path))


def for_programs(run: reporting.FinishedRun) -> dict[str, object]:
    """A run as plain data: the record, its findings, where it is and where its report is, if any."""
    findings = [finding.model_dump(mode="json") for finding in run.analysis.findings]
    content: dict[str, object] = {"run": run.data.record.model_dump(mode="json"), "findings": findings}
    return content | {"path": str(run.path)} | ({"report": str(run.report)} if run.report else {})
