"""How every chart looks: type, axes and grid, as one Vega-Lite config.

Axes are drawn with as little ink as reads well: horizontal grid lines only, no axis line, the
unit written once, level, above the axis. Padding is fixed rather than fitted, so that charts that
share a time axis line up below one another.

One colour for one thing, the same in every figure, on the page and in Markdown's pictures.

The hues are Okabe and Ito's, which stay apart for colour-blind eyes ("Color Universal Design",
2008); time and tasks are a neutral slate so that they never compete with a resource. Where groups of
runs are compared (platforms, configurations), each has a colour, the baseline the first. A chart
spec names a colour by its token (``$cpu-user``); the token is replaced by the theme's value when
the chart is drawn, so one spec serves light and dark.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from howdah.model.comparison import Comparison
from howdah.report.document import Key

FONT = '-apple-system, "Segoe UI", Inter, Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif'

WIDTH, HALF_WIDTH = 800, 390
"""Width of the plotting area in the static pictures, pixels; the live page follows its window."""

LEAST_WIDTH = 640
"""Pictures whose boxes have words in them are scrolled where a page is narrower than this, pixels."""

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

POINTER = "pointer"  # The selection of a layer that shows the values of what is pointed at, and nothing else.

LIGHT: dict[str, str] = {
    "page": "#ffffff",
    "ink": "#1c2430",
    "muted": "#5a6472",
    "rule": "#dde1e6",
    "band": "#f2f4f6",
    "cpu-user": "#0072b2",
    "cpu-system": "#56b4e9",
    "cpu-iowait": "#e69f00",
    "cpu-steal": "#4a4f57",
    "cpu-others": "#b98a5e",
    "disk-read": "#009e73",
    "disk-write": "#d55e00",
    "memory-process": "#7d5a35",
    "memory-cached": "#b8860b",
    "memory-dirty": "#5c3a10",
    "net-receive": "#cc79a7",
    "net-send": "#6a5acd",
    "phase-1": "#33475b",
    "phase-2": "#8296ab",
    "phase-3": "#c3cdd8",
    "on-phase-1": "#ffffff",
    "on-phase-2": "#0e1520",
    "on-phase-3": "#0e1520",
    "group-1": "#33475b",
    "group-2": "#0072b2",
    "group-3": "#d55e00",
    "group-4": "#6f2dd2",
    "group-5": "#542c12",
    "group-6": "#ac7753",
    "fault": "#c62828",
}
DARK: dict[str, str] = {
    "page": "#14181d",
    "ink": "#e8ebef",
    "muted": "#a3adb9",
    "rule": "#323a44",
    "band": "#1e242c",
    "cpu-user": "#2f84bd",
    "cpu-system": "#93d3f8",
    "cpu-iowait": "#f0b429",
    "cpu-steal": "#8a8580",
    "cpu-others": "#8c5e2a",
    "disk-read": "#2fbf94",
    "disk-write": "#f0803c",
    "memory-process": "#c9a27e",
    "memory-cached": "#dcae3f",
    "memory-dirty": "#8a6234",
    "net-receive": "#e3a1c4",
    "net-send": "#a79bf5",
    "phase-1": "#a9bdd2",
    "phase-2": "#63788e",
    "phase-3": "#36434f",
    "on-phase-1": "#0e1520",
    "on-phase-2": "#ffffff",
    "on-phase-3": "#ffffff",
    "group-1": "#a9bdd2",
    "group-2": "#2f84bd",
    "group-3": "#f0803c",
    "group-4": "#6a4eda",
    "group-5": "#d22d4e",
    "group-6": "#e8b492",
    "fault": "#ff8a80",
}


class ScaledUnit(NamedTuple):
    """A unit with its size in the base unit."""

    size: float
    name: str


def time_unit(longest_s: float) -> ScaledUnit:
    """The unit in which the longest time is a number that one can read."""
    if 0 < longest_s < 1:
        return ScaledUnit(1e-3, "ms")
    if longest_s <= 600:
        return ScaledUnit(1.0, "s")
    return ScaledUnit(60.0, "min") if longest_s <= 6 * 3600 else ScaledUnit(3600.0, "h")


def coloured(spec: Any, palette: dict[str, str]) -> Any:
    """The spec with every colour token replaced; data (``values``) is left as it is.

    Raises KeyError for a token the palette lacks, which is a defect in a figure.
    """
    if isinstance(spec, dict):
        return {key: value if key == "values" else coloured(value, palette) for key, value in spec.items()}
    if isinstance(spec, list):
        return [coloured(item, palette) for item in spec]
    if isinstance(spec, str) and spec.startswith("$"):
        return palette[spec[1:]]
    return spec


MOST_COLOURS = 6  # More groups than this could not be distinguished by their colours.


def series_keys(names: Iterable[str]) -> tuple[Key, ...]:
    """A colour for each name; those beyond MOST_COLOURS share the last one."""
    return tuple(Key(name, f"group-{min(place, MOST_COLOURS)}") for place, name in enumerate(names, start=1))


def group_keys(comparison: Comparison) -> tuple[Key, ...]:
    """Every group with its colour."""
    return series_keys(group.name for group in comparison.groups)
