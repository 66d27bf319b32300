"""How every chart looks: type, axes and grid, as one Vega-Lite config.

Axes are drawn with as little ink as reads well: horizontal grid lines only, no axis line, the
unit written once, level, above the axis. Padding is fixed rather than fitted, so that charts that
share a time axis line up below one another.
"""

from __future__ import annotations

from typing import Any

FONT = '-apple-system, "Segoe UI", Inter, Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif'

WIDTH, HALF_WIDTH = 800, 390
"""Width of the plotting area in the static pictures, pixels; the live page follows its window."""

LEFT, RIGHT = 52, 128
"""Room beside the plotting area for axis labels and for the labels at the lines' ends, pixels."""

CONFIG: dict[str, Any] = {
    "font": FONT,
    # A page's figures have names and tables of their own; a description of every mark is most of a picture.
    "aria": False,
    "background": "$page",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "$muted",
        "labelFontSize": 12,
        "labelPadding": 6,
        "titleColor": "$muted",
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "domain": False,
        "ticks": False,
        "gridColor": "$rule",
        "gridWidth": 1,
    },
    "axisX": {
        "grid": False,
        "domain": True,
        "domainColor": "$muted",
        "ticks": True,
        "tickColor": "$muted",
        "tickSize": 4,
        "labelPadding": 3,
        "titlePadding": 8,
    },
    "text": {"fontSize": 12, "color": "$ink"},
}

POINTER = "pointer"
"""The selection of a layer that shows the values of what is pointed at, and nothing else."""

DATA = "data"
"""The name of the layer that draws a figure's own data; bands, labels and levels have none."""

SHOWN = "indexof(hidden, datum.series) < 0"
"""True for a mark whose series the reader has not switched off."""


def chart(
    layers: list[dict[str, Any]],
    *,
    height: float,
    width: float = WIDTH,
    top: int = 20,
    bottom: int = 46,
    left: int = LEFT,
    right: int = RIGHT,
    **rest: Any,
) -> dict[str, Any]:
    """A whole Vega-Lite spec of the given layers, in howdah's style; sizes in pixels.

    ``rest`` are further top-level properties (``data``, ``resolve``). The page sets two variables:
    ``hidden``, the series a reader has switched off, and ``roomy``, false where the page is too
    narrow to write labels beside the plot.
    """
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width,
        "height": height,
        "padding": {"left": left, "right": right, "top": top, "bottom": bottom},
        "autosize": {"type": "none"},
        "params": [{"name": "hidden", "value": []}, {"name": "roomy", "value": True}],
        **rest,
        "layer": layers,
        "config": CONFIG,
    }


def level_title(text: str, above: int = 8) -> dict[str, Any]:
    """Axis properties that write a y axis's unit level, so many pixels above the plot, from its left edge."""
    return {
        "title": text,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleAnchor": "end",
        "titleBaseline": "bottom",
        "titleX": 4 - LEFT,
        "titleY": -above,
    }
