"""Figures as still pictures, drawn next to other work, and as data that the script of a page draws.

Pictures are for paper, for readers without JavaScript, and for Markdown."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from markupsafe import Markup

from howdah.extras import check_extras
from howdah.report.document import Figure
from howdah.report.drawing import drawn
from howdah.report.vega import DARK, LIGHT, POINTER, coloured

PROCESSES = min(2, os.cpu_count() or 1)  # More would share what a page waits for: its largest figures.


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

    def answers_pointer(layer: dict[str, Any]) -> bool:
        return any(selection["name"] == POINTER for selection in layer.get("params", ()))

    return {**spec, "layer": [layer for layer in spec["layer"] if not answers_pointer(layer)]}


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

        def draw(process: _Process, share: Sequence[str]) -> dict[str, str]:
            return dict(zip(share, process.draw([texts[name] for name in share]), strict=True))

        made: dict[str, str] = {}
        with ThreadPoolExecutor(PROCESSES, thread_name_prefix="howdah-renderer") as pool:
            for pictures in pool.map(draw, self._processes, shares):
                made |= pictures
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


MANY_MARKS = 3000  # With more marks, a live figure of pixels is quicker than one of shapes.
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_EXACT = 2.0**53


def figure_data(name: str, figures: Iterable[Figure]) -> Markup:
    """What a page's script reads, ASCII that ends no script element; ``name`` begins saved pictures."""
    content: dict[str, Any] = {
        "run": name,
        "palettes": {"light": LIGHT, "dark": DARK},
        "figures": [
            {
                "id": figure.id,
                "spec": folded(figure.spec),
                "keys": len(figure.keys),
                "labelled": figure.labelled,
                "least": figure.least_width,
                "many": figure.marks > MANY_MARKS,
            }
            for figure in figures
        ],
    }
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def folded(spec: Any) -> Any:
    """The spec with every table of data as the names of its columns and its rows; the page unfolds it."""
    return _with_values(spec, _table)


def _with_values(spec: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(spec, list):
        return [_with_values(item, change) for item in spec]
    if not isinstance(spec, dict):
        return spec
    return {
        key: change(value) if key == "values" else _with_values(value, change) for key, value in spec.items()
    }


def _values(table: Any) -> Any:
    if not isinstance(table, dict):
        return table
    words = table["words"]
    rows = (zip(table["columns"], row, strict=True) for row in table["rows"])
    return [{name: words[name][value] if name in words else value for name, value in row} for row in rows]


def page_specs(html: str) -> dict[str, Any]:
    """The specification of every figure that a page's script draws, by its id."""
    data = _DATA.search(html)
    figures = json.loads(data[1])["figures"] if data else []
    return {figure["id"]: _with_values(figure["spec"], _values) for figure in figures}


def _table(values: list[Any]) -> Any:
    """``values`` as columns and rows where all of them are objects with the same keys, else as they are.

    Rows have the numbers of the words of a column of words, which are named once.
    """
    columns = list(values[0]) if values and isinstance(values[0], dict) else []
    if not columns or any(not isinstance(value, dict) or list(value) != columns for value in values):
        return values
    words = {
        name: {word: at for at, word in enumerate(dict.fromkeys(value[name] for value in values))}
        for name in columns
        if all(isinstance(value[name], str) for value in values)
    }
    return {
        "columns": columns,
        "words": {name: list(entries) for name, entries in words.items()},
        "rows": [
            [words[name][cell] if name in words else _short(cell) for name, cell in value.items()]
            for value in values
        ],
    }


def _short(cell: Any) -> Any:
    """A whole number without the decimals that JSON would write."""
    whole = isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT
    return int(cell) if whole else cell
