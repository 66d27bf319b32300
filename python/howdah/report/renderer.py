"""Charts as still pictures, drawn beside whatever else is to be done.

They are for paper, for readers without JavaScript, and for Markdown.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from howdah.extras import check_extras
from howdah.report.document import Figure
from howdah.report.drawing import drawn
from howdah.report.theme import LIGHT, POINTER, coloured

PROCESSES = min(2, os.cpu_count() or 1)
"""How many draw at once; more would share what a page has to wait for in any case: its largest figures."""


def svg(figure: Figure) -> str:
    """The figure as an SVG document in light colours."""
    return drawn(still(figure))


def still(figure: Figure) -> dict[str, Any]:
    """What is drawn of a figure: its specification in light colours."""
    return still_spec(figure.spec)


def still_spec(spec: dict[str, Any]) -> dict[str, Any]:
    """What is drawn of a specification with colour tokens."""
    plain: dict[str, Any] = coloured(_unpointed(spec), LIGHT)
    return plain


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
    """Processes that are ready to draw a while after they were started, again and again.

    What draws is JavaScript: its machine takes a third of a second to start, and while it is at work no
    other thread of its process gets on.
    """

    def __init__(self) -> None:
        check_extras("a page with charts", "charts")
        self._processes = [_Process() for _ in range(PROCESSES)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dismiss()

    def dismiss(self) -> None:
        """End them, whatever they are doing."""
        for process in self._processes:
            process.end()

    def pictures(self, figures: Sequence[Figure]) -> dict[str, str]:
        """Every figure as SVG, by its id; by one thread at a time."""
        return self.draw({figure.id: still(figure) for figure in figures})

    def draw(self, specs: Mapping[str, dict[str, Any]]) -> dict[str, str]:
        """Every specification without colour tokens as SVG, by its name; by one thread at a time."""
        texts = {name: json.dumps(spec) for name, spec in specs.items()}
        largest = sorted(texts, key=lambda name: len(texts[name]), reverse=True)
        shares = [largest[place::PROCESSES] for place in range(PROCESSES)]
        with ThreadPoolExecutor(PROCESSES, thread_name_prefix="howdah-renderer") as pool:
            drawn = list(
                pool.map(
                    lambda process, share: process.draw([texts[name] for name in share]),
                    self._processes,
                    shares,
                )
            )
        made = {
            name: picture
            for share, pictures in zip(shares, drawn, strict=True)
            for name, picture in zip(share, pictures, strict=True)
        }
        return {name: made[name] for name in specs}


class _Process:
    """One process that draws."""

    def __init__(self) -> None:
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the process is ended
        self.process = subprocess.Popen(
            [sys.executable, "-m", "howdah.report.drawing"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            # Ctrl-C is the parent's to deal with, which then ends it.
            start_new_session=True,
        )

    def draw(self, specs: Sequence[str]) -> list[str]:
        """The documents of specifications, in their order."""
        if not specs:
            return []
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(f"[{','.join(specs)}]\n".encode())
            self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer.endswith(b"\n"):
            self.process.wait()
            self._complaints.seek(0)
            complaint = self._complaints.read().decode(errors="replace")
            raise RuntimeError(f"drawing the figures has failed: {complaint}")
        drawn: list[str] = json.loads(answer)
        return drawn

    def end(self) -> None:
        """End it, and wait until it has; once more is no harm."""
        if self._complaints.closed:
            return
        with self._complaints, suppress(BrokenPipeError), self.process:
            self.process.kill()
