"""Charts as still pictures: for paper, for readers without JavaScript, and for Markdown."""

from __future__ import annotations

import base64

import vl_convert

from howdah.report.figure import Figure
from howdah.report.palette import LIGHT, coloured

VEGA_LITE = "6.4"
"""The Vega-Lite release that draws both the still pictures and the live ones."""

MANY_MARKS = 3000
"""With more marks than this, a picture made of pixels is smaller and quicker than one made of shapes."""


def svg(figure: Figure) -> str:
    """The figure as an SVG document in light colours."""
    return vl_convert.vegalite_to_svg(coloured(figure.spec, LIGHT), vl_version=VEGA_LITE)


def data_url(figure: Figure, picture: str) -> str:
    """What the page shows where it cannot draw: the SVG ``picture``, or a PNG of a figure with many marks."""
    if figure.marks <= MANY_MARKS:
        return f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"
    png = vl_convert.svg_to_png(picture, scale=2)
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
