"""A key below a still picture, where the page has buttons instead.

Pictures in Markdown and on paper stand alone; a chart whose colours are not named beside its lines needs one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howdah.report.figure import Key

HEIGHT = 18
"""The room it takes below everything else, pixels."""

STILL = "still"
"""The variable that the page's script sets to false."""

_SQUARE, _LETTER, _GAP = 15.0, 6.0, 22.0


def legend(keys: Sequence[Key], y: float) -> list[dict[str, Any]]:
    """The layers that draw it, its middle ``y`` pixels below the plot's upper edge."""
    values, x = [], 0.0
    for key in keys:
        values.append({"x": x, "name": key.name})
        x += _SQUARE + _LETTER * len(key.name) + _GAP
    colours = {"domain": [key.name for key in keys], "range": [f"${key.token}" for key in keys]}
    at = {"x": {"field": "x", "type": "quantitative", "scale": None, "axis": None}}
    shown = {"expr": f"{STILL} ? 1 : 0"}
    square = {"type": "point", "shape": "square", "filled": True, "size": 60, "xOffset": 5}
    word = {"type": "text", "align": "left", "baseline": "middle", "fontSize": 11, "dx": _SQUARE}
    return [
        {
            "data": {"values": values},
            "mark": {**square, "y": y, "opacity": shown},
            "encoding": {
                **at,
                "color": {"field": "name", "type": "nominal", "scale": colours, "legend": None},
            },
        },
        {
            "data": {"values": values},
            "mark": {**word, "y": y, "opacity": shown},
            "encoding": {**at, "text": {"field": "name"}},
        },
    ]


def with_still(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec with the variable that a legend looks at."""
    return {**spec, "params": [*spec["params"], {"name": STILL, "value": True}]}
