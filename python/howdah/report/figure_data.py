"""The figures' data as a page's script reads it, and read back from a page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from howdah.report.document import Figure
from howdah.report.theme import DARK, LIGHT

MANY_MARKS = 3000
"""With more marks than this, a live figure made of pixels is quicker than one made of shapes."""
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_EXACT = 2.0**53


def figure_data(name: str, figures: Iterable[Figure]) -> Markup:
    """What a page's script reads; ``name`` begins the names of saved pictures.

    ASCII, and without the characters that could end a script element.
    """
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
    if isinstance(spec, list):
        return [folded(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    return {key: _table(value) if key == "values" else folded(value) for key, value in spec.items()}


def unfolded(spec: Any) -> Any:
    """The spec that ``folded`` was given."""
    if isinstance(spec, list):
        return [unfolded(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    return {key: _values(value) if key == "values" else unfolded(value) for key, value in spec.items()}


def _values(table: Any) -> Any:
    if not isinstance(table, dict):
        return table
    words = table["words"]
    return [
        {
            name: words[name][value] if name in words else value
            for name, value in zip(table["columns"], row, strict=True)
        }
        for row in table["rows"]
    ]


def page_specs(html: str) -> dict[str, Any]:
    """The specification of every figure that a page's script draws, by its id."""
    data = _DATA.search(html)
    figures = json.loads(data[1])["figures"] if data else []
    return {figure["id"]: unfolded(figure["spec"]) for figure in figures}


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
        "words": {name: list(known) for name, known in words.items()},
        "rows": [
            [words[name][cell] if name in words else _short(cell) for name, cell in value.items()]
            for value in values
        ],
    }


def _short(cell: Any) -> Any:
    """A whole number without the decimals that JSON would write."""
    whole = isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT
    return int(cell) if whole else cell
