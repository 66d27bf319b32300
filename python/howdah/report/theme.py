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
WIDTH, HALF_WIDTH = 800, 390  # Pixels of the plot in still pictures; the live page follows its window.
LEAST_WIDTH = 640  # Pictures with words in their boxes are scrolled where a page is narrower, pixels.
LEFT, RIGHT = 52, 128  # Room next to the plot for axis labels and for labels at the lines' ends, pixels.
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
_COLOURS = {
    "page": ("#ffffff", "#14181d"),
    "ink": ("#1c2430", "#e8ebef"),
    "muted": ("#5a6472", "#a3adb9"),
    "rule": ("#dde1e6", "#323a44"),
    "band": ("#f2f4f6", "#1e242c"),
    "cpu-user": ("#0072b2", "#2f84bd"),
    "cpu-system": ("#56b4e9", "#93d3f8"),
    "cpu-iowait": ("#e69f00", "#f0b429"),
    "cpu-steal": ("#4a4f57", "#8a8580"),
    "cpu-others": ("#b98a5e", "#8c5e2a"),
    "disk-read": ("#009e73", "#2fbf94"),
    "disk-write": ("#d55e00", "#f0803c"),
    "memory-process": ("#7d5a35", "#c9a27e"),
    "memory-cached": ("#b8860b", "#dcae3f"),
    "memory-dirty": ("#5c3a10", "#8a6234"),
    "net-receive": ("#cc79a7", "#e3a1c4"),
    "net-send": ("#6a5acd", "#a79bf5"),
    "phase-1": ("#33475b", "#a9bdd2"),
    "phase-2": ("#8296ab", "#63788e"),
    "phase-3": ("#c3cdd8", "#36434f"),
    "on-phase-1": ("#ffffff", "#0e1520"),
    "on-phase-2": ("#0e1520", "#ffffff"),
    "on-phase-3": ("#0e1520", "#ffffff"),
    "group-1": ("#33475b", "#a9bdd2"),
    "group-2": ("#0072b2", "#2f84bd"),
    "group-3": ("#d55e00", "#f0803c"),
    "group-4": ("#6f2dd2", "#6a4eda"),
    "group-5": ("#542c12", "#d22d4e"),
    "group-6": ("#ac7753", "#e8b492"),
    "fault": ("#c62828", "#ff8a80"),
}
"""Each token's colour on a light page and on a dark one."""
LIGHT = {token: light for token, (light, _) in _COLOURS.items()}
DARK = {token: dark for token, (_, dark) in _COLOURS.items()}


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
