"""Charts as Vega-Lite: how all of them look, layers of marks, and the encodings that place and colour them.

A layer's values are rows of plain data. In an encoding, a text stands for the field of that name.

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
}  # Each token's colour on a light page and on a dark one.
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
    """The spec with colours for tokens except in data (``values``); raises KeyError for an unknown token."""
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


Spec = dict[str, Any]  # A chart in Vega-Lite, or a part of one.
DATA = "data"  # The name of the layer that draws a figure's own data; bands, labels and levels have none.
SHOWN = "indexof(hidden, datum.series) < 0"  # True for a mark if the reader has not switched off its series.
_OWN_SCALES = ("color", "fill", "fillOpacity", "opacity", "stroke")
"""What each layer of a chart has its own scales for."""


def chart(
    layers: list[Spec],
    *,
    height: float,
    width: float = WIDTH,
    top: int = 20,
    bottom: int = 46,
    left: int = LEFT,
    right: int = RIGHT,
    **properties: Any,
) -> Spec:
    """A whole Vega-Lite spec of the given layers, in howdah's style; sizes in pixels.

    The page sets two variables: ``hidden``, the series a reader has switched off, and ``roomy``, false where
    the page is too narrow to write labels beside the plot.
    """
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width,
        "height": height,
        "padding": {"left": left, "right": right, "top": top, "bottom": bottom},
        "autosize": {"type": "none"},
        "params": [{"name": "hidden", "value": []}, {"name": "roomy", "value": True}],
        "resolve": {"scale": dict.fromkeys(_OWN_SCALES, "independent")},
        **properties,
        "layer": layers,
        "config": CONFIG,
    }


def layer(
    values: Sequence[Any] | None, mark: Spec, encoding: Spec, *transform: str | Spec, name: str = ""
) -> Spec:
    """A layer of values, or of the chart's own if None, after each filter (a text) and transform."""
    steps = [{"filter": step} if isinstance(step, str) else step for step in transform]
    return {
        **({"name": name} if name else {}),
        **({} if values is None else {"data": {"values": values}}),
        **({"transform": steps} if steps else {}),
        "mark": mark,
        "encoding": {
            channel: {"field": place} if isinstance(place, str) else place
            for channel, place in encoding.items()
        },
    }


def filled(*layers: Spec) -> list[Spec]:
    """The layers that have any values of their own."""
    return [drawn for drawn in layers if drawn["data"]["values"]]


def own(values: Sequence[Any] | None, mark: Spec, encoding: Spec, tooltip: Any) -> Spec:
    """The layer of a figure's own data: a reader can switch off its series, and point at its marks."""
    return layer(values, mark, {**encoding, "tooltip": tooltip}, SHOWN, name=DATA)


def texts(values: Sequence[Any], place: Spec, *transform: str, field: str = "text", **looks: Any) -> Spec:
    """A layer of words that begin at their place; ``looks`` are further properties of the mark."""
    return layer(values, {"type": "text", "align": "left", **looks}, {**place, "text": field}, *transform)


def pointed_at(pointed: Spec, *fields: str, nearest: bool = False) -> Spec:
    """A layer whose marks show while a reader points at their ``fields``, or at what is nearest to them."""
    over = {"type": "point", "on": "pointerover", "clear": "pointerout", "fields": list(fields)}
    select = {**over, "nearest": True} if nearest else over
    return {**pointed, "params": [{"name": POINTER, "select": select}]}


def while_pointed_at(opacity: float) -> Spec:
    """The encoding of the opacity of such a layer."""
    return {"condition": {"param": POINTER, "empty": False, "value": opacity}, "value": 0}


def switching(names: Spec, name: str = "named") -> Spec:
    """A layer of names, pale once their series is switched off, which a click does; ``name`` is its own."""
    mark = {"opacity": {"expr": f"roomy ? ({SHOWN} ? 1 : 0.3) : 0"}, **names["mark"], "cursor": "pointer"}
    # A layer without a selection of its own would let clicks on the names fall through.
    return {**names, "params": [{"name": name, "select": "point"}], "mark": mark}


def linear(
    field: str, domain: Sequence[float], axis: Spec | None = None, *, down: bool = False, zero: bool = True
) -> Spec:
    """The encoding of a number's place: ``down`` is counted from the top; ``zero`` lies on the axis."""
    return {"field": field, **scaled(domain, axis, down=down, zero=zero)}


def scaled(
    domain: Sequence[float], axis: Spec | None = None, *, down: bool = False, zero: bool = True
) -> Spec:
    """The same for several fields, of which each layer names its own: ``{**x, "field": "end"}``."""
    scale = {"domain": domain, **({"reverse": True} if down else {}), "nice": False}
    scale |= {} if zero else {"zero": False}
    return {"type": "quantitative", "scale": scale, "axis": axis}


def logarithmic(field: str, axis: Spec, domain: Sequence[float] | None = None, padding: int = 0) -> Spec:
    """The encoding of a number's place by its logarithm, from the least to the most if there is a padding."""
    scale: Spec = {"type": "log"}
    if domain is not None:
        scale |= {"domain": domain, "nice": False}
    elif padding:
        scale |= {"nice": False, "padding": padding}
    return quantity(field, scale=scale, axis=axis)


def round_numbers(low: float, high: float, steps: Sequence[float]) -> list[float]:
    """What is written at a logarithmic axis: so many times each power of ten, between its ends."""
    numbers = [step * 10.0**power for power in range(-4, 8) for step in steps]
    return [number for number in numbers if low <= number <= high]


def on(scale: Spec, field: str) -> Spec:
    """The encoding of a field on a scale that several fields and layers share."""
    return {**scale, "field": field}


def spans(x: Spec, y: Spec) -> Spec:
    """The encoding of rectangles from ``x`` to ``x2`` and from ``y`` to ``y2``, on these scales."""
    return {"x": on(x, "x"), "x2": {"field": "x2"}, "y": on(y, "y"), "y2": {"field": "y2"}}


RIGHT_END = {"value": {"expr": "width"}}  # The encoding of a place at the right end of the plot.
RULE = {"type": "rule", "color": "$ink", "strokeWidth": 1}  # A line that the eye compares with.
LEVEL = {**RULE, "strokeDash": [2, 3]}  # The mark of a level to compare with.
HOLLOW = {"type": "point", "size": 40, "strokeWidth": 1.5, "fill": "$page", "fillOpacity": 1}
"""The mark of simulated points on a dashed line."""


def points(values: Sequence[Any], place: Spec, colour: Spec, tooltip: list[Spec], **looks: Any) -> Spec:
    """The layer of a figure's own points; their field ``solid`` is the opacity inside, 0 if simulated."""
    colours = {"color": colour, "fill": colour, "fillOpacity": as_is("solid")}
    mark = {"type": "point", "strokeWidth": 1.5, **looks}
    return layer(values, mark, {**place, **colours, "tooltip": tooltip}, SHOWN, name=DATA)


def rows(count: int) -> Spec:
    """The encoding of rows below one another, from 0, each in the middle of its share of the plot."""
    return linear("row", [-0.5, count - 0.5], down=True, zero=False)


def stacked(x: Spec, y: Spec, colour: Spec) -> Spec:
    """The encoding of bars laid end to end, each from its field ``start`` to its field ``end``."""
    return {"x": on(x, "start"), "x2": "end", "y": y, "color": colour}


def segments(
    values: Sequence[Any],
    x: Spec,
    y: Spec,
    tooltip: Any,
    *,
    tokens: Mapping[str, str],
    size: int,
    below: Sequence[tuple[str, int]],
    letter: float,
) -> list[Spec]:
    """Stacked bars by series, and fields of theirs so far below them where a series' name has room."""
    bars = {"type": "bar", "size": size, "stroke": "$page", "strokeWidth": 1}
    room = "abs(scale('x', datum.end) - scale('x', datum.start))"
    words = {"type": "text", "align": "left", "dx": 1, "fontSize": 11, "color": "$muted", "tooltip": None}
    words["opacity"] = {"expr": f"{room} > {letter} * length(datum.series) + 6 ? 1 : 0"}
    place = {"x": on(x, "start"), "y": y}
    return [
        own(values, bars, stacked(x, y, coloured_by("series", tokens)), tooltip),
        *(layer(values, {**words, "dy": offset}, {**place, "text": field}, SHOWN) for field, offset in below),
    ]


def rimmed(values: Sequence[Any], mark: Spec, encoding: Spec) -> list[Spec]:
    """The layers of words that lie on bars or a grid: with a pale rim."""
    rim = {"stroke": "$page", "strokeWidth": 5, "strokeJoin": "round"}
    return [layer(values, mark | rim, encoding), layer(values, mark, encoding)]


def coloured_by(field: str, tokens: Mapping[str, str]) -> Spec:
    """The encoding of a field of words, each of which has the colour of a token."""
    scale = {"domain": list(tokens), "range": [f"${token}" for token in tokens.values()]}
    return {"field": field, "type": "nominal", "scale": scale, "legend": None}


def series_colour(keys: Iterable[Key]) -> Spec:
    """The encoding that gives a datum its series' colour; the keys stand next to the chart, not in it."""
    return coloured_by("series", {key.name: key.token for key in keys})


def quantity(field: str, **properties: Any) -> Spec:
    """The encoding of a number, without properties on the scale that other layers have."""
    return {"field": field, "type": "quantitative", **properties}


def in_pixels(field: str) -> Spec:
    """The encoding of a place that is known in pixels."""
    return quantity(field, scale=None, axis=None)


def as_is(field: str) -> Spec:
    """The encoding of an opacity, without a scale."""
    return quantity(field, scale=None, legend=None)


def tips(**fields: str | None) -> list[Spec]:
    """What a pointer shows: fields with the titles that they have there; None is the field's own name."""
    return [{"field": name, **({"title": title} if title else {})} for name, title in fields.items()]


def number_tip(field: str, title: str, form: str = ".4~g") -> Spec:
    """What a pointer shows of a number (d3 format)."""
    return quantity(field, title=title, format=form)


def across(title: str, **properties: Any) -> Spec:
    """An axis below rows of bars or points: a grid through all of them, and no line."""
    return {"title": title, "grid": True, "domain": False, "ticks": False, **properties}


SIGNED = "datum.value ? replace(datum.label, '%', ' %') : '0 %'"  # Labels of changes: zero has no sign.


def level_title(text: str, above: int = 8, **properties: Any) -> Spec:
    """A y axis whose unit is written level, so many pixels above the plot, from its left edge."""
    return {
        "title": text,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleAnchor": "end",
        "titleBaseline": "bottom",
        "titleX": 4 - LEFT,
        "titleY": -above,
        **properties,
    }
