"""Charts as still pictures: for paper, for readers without JavaScript, and for Markdown."""

from __future__ import annotations

import vl_convert

from howdah.report.figure import Figure
from howdah.report.palette import LIGHT, coloured

VEGA_LITE = "6.4"
"""The Vega-Lite release that draws both the still pictures and the live ones."""


def svg(figure: Figure) -> str:
    """The figure as an SVG document in light colours."""
    return vl_convert.vegalite_to_svg(coloured(figure.spec, LIGHT), vl_version=VEGA_LITE)
