"""Charts as still pictures: for paper, for readers without JavaScript, and for Markdown."""

from __future__ import annotations

import base64
from typing import Any

import vl_convert

from howdah.report.drawing import drawn
from howdah.report.figure import Figure
from howdah.report.palette import LIGHT, coloured
from howdah.report.theme import POINTER

MANY_MARKS = 3000
"""With more marks than this, a picture made of pixels is smaller and quicker than one made of shapes."""


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
    layers = [one for one in spec["layer"] if POINTER not in {each["name"] for each in one.get("params", ())}]
    return {**spec, "layer": layers}


def data_url(figure: Figure, picture: str) -> str:
    """What the page shows where it cannot draw: the SVG ``picture``, or a PNG of a figure with many marks."""
    if figure.marks <= MANY_MARKS:
        return f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"
    png = vl_convert.svg_to_png(picture, scale=2)
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
