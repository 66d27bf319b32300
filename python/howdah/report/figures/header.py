"""The phases as quiet bands behind a plot over time, and their names in rows above it.

A name begins where its band begins. Where it would run into the next one, the next goes to a second
row; where that is not enough, a name ends in an ellipsis, and in a narrow window it is left out. A phase
too short to be seen stays without one.

A picture that stands alone, in Markdown or on paper, has a key below it where the page has buttons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from howdah.report.document import Key
from howdah.report.figure import FigureSource
from howdah.report.figures.timeaxis import bands, end_of_run_s, start_of_axis_s, time_unit
from howdah.report.theme import RIGHT, in_pixels, layer, quantity, tips

UNIT_LINE = 19
"""The height above the names that holds an axis's unit, pixels."""

ROW = 12
"""The height of a row of names, pixels."""

LEAST_SHARE = 0.04
"""A phase of at least this share of the width is always named."""

MOST_ROWS = 2
"""Rows of names for the workloads, and as many for their phases."""

NARROW_RIGHT = 14
"""Room right of the plot on a page too narrow for labels there, pixels; the page's script sets it."""

_LETTER, _GAP, _BELOW = 6.0, 8.0, 3
_WIDE_LETTER = 6.6
LEGEND_HEIGHT = 18
"""The room it takes below everything else, pixels."""
STILL = "still"
"""The variable that the page's script sets to false."""
_SQUARE, _KEY_LETTER, _KEY_GAP = 15.0, 6.0, 22.0


class Name(NamedTuple):
    """A name over its band, in the axis's unit: it may reach to ``until``, or beyond the plot (None).

    ``row`` counts from the plot upwards.
    """

    name: str
    start: float
    until: float | None
    row: int


class Header(NamedTuple):
    """What stands behind and above a plot, and how high above it that reaches, pixels."""

    layers: list[dict[str, Any]]
    height: int


def placed(stretches: Sequence[tuple[str, float, float]], shown: float, width: float) -> list[Name]:
    """The names of stretches (name, start, end), each in the lowest row with room for it.

    ``shown`` is the length of the axis in its unit, drawn ``width`` pixels wide.
    """
    pixels = width / shown
    names: list[Name] = []
    ends: list[float] = []
    for name, start, end in stretches:
        wide = _LETTER * len(name) + _GAP
        if (end - start) * pixels < min(wide, LEAST_SHARE * width):
            continue
        row = next((row for row, taken in enumerate(ends) if taken <= start * pixels), len(ends))
        if row == MOST_ROWS:
            row = min(range(MOST_ROWS), key=ends.__getitem__)
        ends[row : row + 1] = [start * pixels + wide]
        names.append(Name(name, start, None, row))
    return [
        label._replace(
            until=next((later.start for later in names[place + 1 :] if later.row == label.row), None)
        )
        for place, label in enumerate(names)
    ]


def header(source: FigureSource, width: float) -> Header:
    """The bands and the names above a plot that is ``width`` pixels wide on its still picture."""
    unit = time_unit(source)
    shown_until = end_of_run_s(source)
    shown = (shown_until - start_of_axis_s(source)) / unit.seconds
    every = bands(source)
    rows = [
        {"start": band.start_s / unit.seconds, "end": band.end_s / unit.seconds, "shade": index % 2}
        for index, band in enumerate(every)
    ]
    workloads: list[tuple[str, float, float]] = []
    for band, row in zip(every, rows, strict=True):
        if workloads and workloads[-1][0] == band.workload:
            workloads[-1] = (band.workload, workloads[-1][1], row["end"])
        else:
            workloads.append((band.workload, row["start"], row["end"]))
    phases = [
        (band.phase, row["start"], row["end"]) for band, row in zip(every, rows, strict=True) if band.phase
    ]
    below = placed(phases, shown, width)
    lifted = 1 + max((name.row for name in below), default=-1)
    above = [name._replace(row=name.row + lifted) for name in placed(workloads, shown, width)]
    height = 1 + max((name.row for name in (*below, *above)), default=-1)
    # Thin ink instead of a colour of its own lets the grid show through.
    shades = {"domain": [0, 1], "range": [0.055, 0.02]}
    bands_layer = layer(
        rows,
        {"type": "rect", "color": "$ink"},
        {
            "x": quantity("start"),
            "x2": {"field": "end"},
            "opacity": {"field": "shade", "type": "ordinal", "scale": shades, "legend": None},
        },
    )
    names = [*_names(above, "$ink", "bold"), *_names(below, "$muted", "normal")]
    return Header([bands_layer, *_faults(source, shown_until), *names], ROW * height + 3 * _BELOW)


def _faults(source: FigureSource, until_s: float) -> list[dict[str, Any]]:
    """What was done to the cluster, each from its beginning until it was undone."""
    unit = time_unit(source)
    values = [
        {
            "start": fault.begun_s / unit.seconds,
            "end": (until_s if fault.state == "in force" else fault.ended_s or fault.begun_s) / unit.seconds,
            "fault": fault.fault,
        }
        for fault in source.record.faults
        if fault.begun_s is not None
    ]
    if not values:
        return []
    x = quantity("start")
    tooltip = tips(fault="fault")
    return [
        layer(
            values,
            {"type": "rect", "color": "$fault", "opacity": 0.1},
            {"x": x, "x2": {"field": "end"}, "tooltip": tooltip},
        ),
        layer(values, {"type": "rule", "color": "$fault"}, {"x": x, "tooltip": tooltip}),
    ]


def _names(names: Sequence[Name], colour: str, weight: str) -> list[dict[str, Any]]:
    right = f"width + (roomy ? {RIGHT} : {NARROW_RIGHT})"
    room = f"(datum.until === null ? {right} : scale('x', datum.until)) - scale('x', datum.start) - 5"
    return [
        layer(
            [name._asdict() for name in names if name.row == row],
            {
                "type": "text",
                "align": "left",
                "baseline": "bottom",
                "dx": 2,
                "y": -_BELOW - ROW * row,
                "color": colour,
                "fontWeight": weight,
                "fontSize": 11,
                "limit": {"expr": f"max(1, {room})"},
                # Less than two letters' room would hold the ellipsis alone.
                "opacity": {
                    "expr": f"{room} > (roomy ? {2 * _LETTER} : {_WIDE_LETTER} * length(datum.name)) ? 1 : 0"
                },
            },
            {"x": quantity("start"), "text": {"field": "name"}},
        )
        for row in sorted({name.row for name in names})
    ]


def legend(keys: Sequence[Key], y: float) -> list[dict[str, Any]]:
    """The layers that draw it, its middle ``y`` pixels below the plot's upper edge."""
    values, x = [], 0.0
    for key in keys:
        values.append({"x": x, "name": key.name})
        x += _SQUARE + _KEY_LETTER * len(key.name) + _KEY_GAP
    colours = {"domain": [key.name for key in keys], "range": [f"${key.token}" for key in keys]}
    at = {"x": in_pixels("x")}
    shown = {"expr": f"{STILL} ? 1 : 0"}
    square = {"type": "point", "shape": "square", "filled": True, "size": 60, "xOffset": 5}
    word = {"type": "text", "align": "left", "baseline": "middle", "fontSize": 11, "dx": _SQUARE}
    return [
        layer(
            values,
            {**square, "y": y, "opacity": shown},
            {
                **at,
                "color": {"field": "name", "type": "nominal", "scale": colours, "legend": None},
            },
        ),
        layer(values, {**word, "y": y, "opacity": shown}, {**at, "text": {"field": "name"}}),
    ]


def with_still(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec with the variable that a legend looks at."""
    return {**spec, "params": [*spec["params"], {"name": STILL, "value": True}]}
