"""What a terminal shows while studies and simulations go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from howdah.units import format_seconds

if TYPE_CHECKING:
    from howdah.model.study import StudyRun
    from howdah.model.tables import Progress as Step
    from howdah.simulation.replications import Done
    from howdah.study.schedule import Due


class MovingBar:
    """A bar that moves on a terminal and is gone at its end; nothing in a pipe. ``task`` is how it begins."""

    def __init__(
        self, *columns: ProgressColumn, silent: bool, console: Console | None = None, **task: Any
    ) -> None:
        shown = console or Console(stderr=True, quiet=silent, highlight=False)
        disable = silent or not shown.is_terminal
        self._bar = Progress(*columns, console=shown, transient=True, disable=disable)
        self._task = self._bar.add_task("", **task)

    def move(self, **task: Any) -> None:
        """Change what the bar shows."""
        self._bar.update(self._task, **task)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()


class StudyDisplay(MovingBar):
    """A bar over the whole matrix, and a line for each run that has ended; in a pipe only the lines."""

    def __init__(self, *, silent: bool) -> None:
        self._console = Console(quiet=silent, highlight=False, soft_wrap=True)
        columns = (
            BarColumn(22, style="grey35", complete_style="cyan", finished_style="cyan"),
            TextColumn("{task.completed:.0f} of {task.total:.0f} runs"),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[now]}"),
        )
        begin = {"total": None, "left": "", "now": "", "visible": False}
        super().__init__(*columns, silent=silent, console=self._console, **begin)
        self._now = ""
        self._place = ""

    def begins(self, run: Due, done: int, remaining: int, expected_s: float | None) -> None:
        """Move the bar, and show how long the remaining runs will take."""
        self._now = run.cell.name
        total = done + remaining
        self._place = f"{done + 1:>{len(str(total))}}/{total}"
        duration = "" if expected_s is None else f"about {format_seconds(expected_s)} left"
        self.move(total=total, completed=done, left=duration, now=self._now, visible=True)

    def report(self, text: str) -> None:
        """Say what happens to a laboratory, in the bar alone: there are many steps of it."""
        self.move(now=text, visible=True)

    def progress(self, progress: Step) -> None:
        """Name the workload under way."""
        self.move(now=f"{self._now}: {progress.workload} {progress.phase}".rstrip())

    def ended(self, due: Due, run: StudyRun) -> None:
        """A line for the run."""
        if run.figures.outcome.value == "succeeded":
            outcome = Text(format_seconds(run.figures.work_s))
        else:
            outcome = Text(f"{run.figures.outcome.value}: {run.figures.error or ''}", style="red")
        repeat = f"repeat {due.repeat}" if due.repeat else "warm-up"
        place = (f"{self._place}  ", "bold")
        self._console.print(Text.assemble(place, f"{due.cell.name}, {repeat}  ") + outcome)


class SimulationBar(MovingBar):
    """Shows how far simulations are, on a terminal's standard error."""

    def __init__(self, *, silent: bool) -> None:
        name, percentage = TextColumn("{task.description:<14}"), TextColumn("{task.percentage:>3.0f} %")
        columns = (name, BarColumn(), percentage, TimeElapsedColumn())
        super().__init__(*columns, silent=silent, total=1.0, visible=False)

    def report(self, done: Done) -> None:
        """Move to where the simulations are."""
        self.move(completed=done.share, description=done.workload or "simulating", visible=True)
