"""Charts as still pictures, drawn beside whatever else is to be done.

They are for paper, for readers without JavaScript, and for Markdown.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

from howdah.report.drawing import drawn
from howdah.report.figure import Figure
from howdah.report.theme import LIGHT, POINTER, coloured

_PROCESSES = min(2, os.cpu_count() or 1)
"""More would share what a page has to wait for in any case: its largest figures."""


def svg(figure: Figure) -> str:
    """The figure as an SVG document in light colours."""
    return drawn(still(figure))


def still(figure: Figure) -> dict[str, Any]:
    """What is drawn of a figure: its specification in light colours."""
    spec: dict[str, Any] = coloured(_unpointed(figure.spec), LIGHT)
    return spec


def _unpointed(spec: dict[str, Any]) -> dict[str, Any]:
    """Without the layers that answer a pointer: unseen, they are most of the shapes of a large figure."""
    if "layer" not in spec:
        return spec
    layers = [
        layer for layer in spec["layer"] if POINTER not in {each["name"] for each in layer.get("params", ())}
    ]
    return {**spec, "layer": layers}


def data_url(picture: str) -> str:
    """What the page shows where it cannot draw, an SVG ``picture``, as an address that holds it."""
    return f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"


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
                # Where the end came while it drew, what it was told has been said and its input is closed.
                with process:
                    process.kill()

    def pictures(self, figures: Sequence[Figure]) -> dict[str, str]:
        """Every figure as SVG, by its id; asked for once."""
        largest = sorted(figures, key=lambda figure: figure.marks, reverse=True)
        shares = [largest[place::_PROCESSES] for place in range(_PROCESSES)]
        with ThreadPoolExecutor(_PROCESSES, thread_name_prefix="howdah-renderer") as pool:
            drawn = list(pool.map(_draw, self._processes, shares))
        made = {
            figure.id: picture
            for share, ones in zip(shares, drawn, strict=True)
            for figure, picture in zip(share, ones, strict=True)
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
        raise RuntimeError(f"drawing the figures has failed: {complaint.decode(errors='replace')}")
    drawn: list[str] = json.loads(answer)
    return drawn
