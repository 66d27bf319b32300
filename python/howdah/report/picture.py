"""Charts as still pictures: for paper, for readers without JavaScript, and for Markdown."""

from __future__ import annotations

import base64
from typing import Any

from howdah.report.drawing import drawn
from howdah.report.figure import Figure
from howdah.report.palette import LIGHT, coloured
from howdah.report.theme import POINTER


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


def data_url(picture: str) -> str:
    """What the page shows where it cannot draw, an SVG ``picture``, as an address that holds it."""
    return f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"
