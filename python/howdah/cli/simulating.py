"""A bar that moves while simulations go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    # Commands that may simulate, and mostly do not, start without what simulations need.
    from howdah.simulation.replications import Done


class SimulationBar:
    """Shows how far simulations are, on a terminal's standard error; nothing in a pipe."""

    def __init__(self, *, silent: bool) -> None:
        console = Console(stderr=True, quiet=silent, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description:<14}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=silent or not console.is_terminal,
        )
        self._task = self._bar.add_task("simulating", total=1.0)

    def __enter__(self) -> SimulationBar:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def tell(self, done: Done) -> None:
        """Move to where the simulations are."""
        self._bar.update(self._task, completed=done.share, description=done.workload or "simulating")
