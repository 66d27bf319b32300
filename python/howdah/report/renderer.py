"""Still pictures of many charts, drawn beside whatever else is to be done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from howdah.report.figure import Figure
from howdah.report.picture import still

_PROCESSES = min(2, os.cpu_count() or 1)
"""More would share what a page has to wait for in any case: its largest figures."""


class Renderer:
    """Processes that are ready to draw a while after they were started.

    What draws is JavaScript: its machine takes a third of a second to start, and while it is at work no
    other thread of its process gets on.
    """

    def __init__(self) -> None:
        self._processes = [_process() for _ in range(_PROCESSES)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dismiss()

    def dismiss(self) -> None:
        """End those that have not drawn."""
        for process in self._processes:
            if process.returncode is None:
                process.kill()
                process.communicate()

    def pictures(self, figures: Sequence[Figure]) -> dict[str, str]:
        """Every figure as SVG, by its id; asked for once."""
        largest = sorted(figures, key=lambda figure: figure.marks, reverse=True)
        shares = [largest[place::_PROCESSES] for place in range(_PROCESSES)]
        with ThreadPoolExecutor(_PROCESSES, thread_name_prefix="howdah-renderer") as pool:
            drawn = list(pool.map(_draw, self._processes, shares))
        made = {
            figure.id: one
            for share, ones in zip(shares, drawn, strict=True)
            for figure, one in zip(share, ones, strict=True)
        }
        return {figure.id: made[figure.id] for figure in figures}


def _process() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "howdah.report.drawing"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Ctrl-C is the parent's to deal with, which then ends it.
        start_new_session=True,
    )


def _draw(process: subprocess.Popen[bytes], share: Sequence[Figure]) -> Sequence[str]:
    answer, complaint = process.communicate(json.dumps([still(figure) for figure in share]).encode())
    if process.returncode:
        raise RuntimeError(f"what draws has failed: {complaint.decode(errors='replace')}")
    drawn: list[str] = json.loads(answer)
    return drawn
