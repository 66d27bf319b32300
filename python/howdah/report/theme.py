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

from collections.abc import Iterable, Mapping, Sequence
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

POINTER = "pointer"
"""The selection of a layer that shows the values of what is pointed at, and nothing else."""

DATA = "data"
"""The name of the layer that draws a figure's own data; bands, labels and levels have none."""

SHOWN = "indexof(hidden, datum.series) < 0"
"""True for a mark whose series the reader has not switched off."""
_OWN_SCALES = ("color", "fill", "fillOpacity", "opacity", "stroke")
"""What each layer of a chart has its own scales for."""
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

    ``rest`` are further top-level properties (``data``). The page sets two variables:
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
        "resolve": {"scale": dict.fromkeys(_OWN_SCALES, "independent")},
        **rest,
        "layer": layers,
        "config": CONFIG,
    }


def layer(
    values: Sequence[Any] | None,
    mark: dict[str, Any],
    encoding: dict[str, Any],
    *transform: str | dict[str, Any],
    name: str = "",
) -> dict[str, Any]:
    """A layer of values, or of the chart's own if None, after each filter (a text) and transform."""
    steps = [{"filter": step} if isinstance(step, str) else step for step in transform]
    return {
        **({"name": name} if name else {}),
        **({} if values is None else {"data": {"values": values}}),
        **({"transform": steps} if steps else {}),
        "mark": mark,
        "encoding": encoding,
    }


def pointed_at(pointed: dict[str, Any], *fields: str, nearest: bool = False) -> dict[str, Any]:
    """A layer whose marks show while a reader points at their ``fields``, or at what is nearest to them."""
    over = {"type": "point", "on": "pointerover", "clear": "pointerout", "fields": list(fields)}
    select = {**over, "nearest": True} if nearest else over
    return {**pointed, "params": [{"name": POINTER, "select": select}]}


def while_pointed_at(opacity: float) -> dict[str, Any]:
    """The encoding of the opacity of such a layer."""
    return {"condition": {"param": POINTER, "empty": False, "value": opacity}, "value": 0}


def switching(names: dict[str, Any], name: str = "named") -> dict[str, Any]:
    """A layer of names, pale once their series is switched off, which a click does; ``name`` is its own."""
    mark = {"opacity": {"expr": f"roomy ? ({SHOWN} ? 1 : 0.3) : 0"}, **names["mark"], "cursor": "pointer"}
    # A layer without a selection of its own would let clicks on the names fall through.
    return {**names, "params": [{"name": name, "select": "point"}], "mark": mark}


def linear(
    field: str,
    domain: Sequence[float],
    axis: dict[str, Any] | None = None,
    *,
    down: bool = False,
    zero: bool = True,
) -> dict[str, Any]:
    """The encoding of a number's place: ``down`` is counted from the top; ``zero`` lies on the axis."""
    return {"field": field, **scaled(domain, axis, down=down, zero=zero)}


def scaled(
    domain: Sequence[float], axis: dict[str, Any] | None = None, *, down: bool = False, zero: bool = True
) -> dict[str, Any]:
    """The same for several fields, of which each layer names its own: ``{**x, "field": "end"}``."""
    scale = {"domain": domain, **({"reverse": True} if down else {}), "nice": False}
    if not zero:
        scale["zero"] = False
    return {"type": "quantitative", "scale": scale, "axis": axis}


def logarithmic(
    field: str, axis: dict[str, Any], domain: Sequence[float] | None = None, padding: int = 0
) -> dict[str, Any]:
    """The encoding of a number's place by its logarithm, from the least to the most if there is a padding."""
    scale: dict[str, Any] = {"type": "log"}
    if domain is not None:
        scale |= {"domain": domain, "nice": False}
    elif padding:
        scale |= {"nice": False, "padding": padding}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def on(scale: dict[str, Any], field: str) -> dict[str, Any]:
    """The encoding of a field on a scale that several fields and layers share."""
    return {**scale, "field": field}


def spans(x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    """The encoding of rectangles from ``x`` to ``x2`` and from ``y`` to ``y2``, on these scales."""
    return {"x": on(x, "x"), "x2": {"field": "x2"}, "y": on(y, "y"), "y2": {"field": "y2"}}


BESIDE = {"value": {"expr": "width"}}
"""The encoding of a place at the right end of the plot."""
RULE = {"type": "rule", "color": "$ink", "strokeWidth": 1}
"""A line that the eye compares with."""
LEVEL = {**RULE, "strokeDash": [2, 3]}
"""The mark of a level to compare with."""
HOLLOW = {"type": "point", "size": 40, "strokeWidth": 1.5, "fill": "$page", "fillOpacity": 1}
"""The mark of simulated points on a dashed line."""


def points(
    values: Sequence[Any],
    place: dict[str, Any],
    colour: dict[str, Any],
    tooltip: list[dict[str, Any]],
    **looks: Any,
) -> dict[str, Any]:
    """The layer of a figure's own points; their field ``solid`` is the opacity inside, 0 if simulated."""
    colours = {"color": colour, "fill": colour, "fillOpacity": as_is("solid")}
    mark = {"type": "point", "strokeWidth": 1.5, **looks}
    return layer(values, mark, {**place, **colours, "tooltip": tooltip}, SHOWN, name=DATA)


def rimmed(values: Sequence[Any], mark: dict[str, Any], encoding: dict[str, Any]) -> list[dict[str, Any]]:
    """The layers of words that lie on bars or a grid: with a pale rim."""
    rim = {"stroke": "$page", "strokeWidth": 5, "strokeJoin": "round"}
    return [layer(values, mark | rim, encoding), layer(values, mark, encoding)]


def coloured_by(field: str, tokens: Mapping[str, str]) -> dict[str, Any]:
    """The encoding of a field of words, each of which has the colour of a token."""
    scale = {"domain": list(tokens), "range": [f"${token}" for token in tokens.values()]}
    return {"field": field, "type": "nominal", "scale": scale, "legend": None}


def series_colour(keys: Iterable[Key]) -> dict[str, Any]:
    """The encoding that gives a datum its series' colour; the keys stand next to the chart, not in it."""
    return coloured_by("series", {key.name: key.token for key in keys})


def quantity(field: str) -> dict[str, Any]:
    """The encoding of a number on the scale that other layers have."""
    return {"field": field, "type": "quantitative"}


def in_pixels(field: str) -> dict[str, Any]:
    """The encoding of a place that is known in pixels."""
    return {"field": field, "type": "quantitative", "scale": None, "axis": None}


def as_is(field: str) -> dict[str, Any]:
    """The encoding of an opacity, without a scale."""
    return {"field": field, "type": "quantitative", "scale": None, "legend": None}


def tips(**fields: str | None) -> list[dict[str, Any]]:
    """What a pointer shows: fields with the titles that they have there; None is the field's own name."""
    return [{"field": name, **({"title": title} if title else {})} for name, title in fields.items()]


def number_tip(field: str, title: str, form: str = ".4~g") -> dict[str, Any]:
    """What a pointer shows of a number (d3 format)."""
    return {"field": field, "type": "quantitative", "title": title, "format": form}


def across(title: str, **rest: Any) -> dict[str, Any]:
    """An axis below rows of bars or points: a grid through all of them, and no line."""
    return {"title": title, "grid": True, "domain": False, "ticks": False, **rest}


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


SIGNED = "datum.value ? replace(datum.label, '%', ' %') : '0 %'"
"""The labels of an axis of changes: zero has no sign."""


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


MOST_COLOURS = 6
"""More groups than this could not be distinguished by their colours."""


def group_keys(comparison: Comparison) -> tuple[Key, ...]:
    """Every group with its colour; those beyond MOST_COLOURS share the last one."""
    return tuple(
        Key(group.name, f"group-{min(place, MOST_COLOURS)}")
        for place, group in enumerate(comparison.groups, start=1)
    )
