"""A chart of one or more series over the run's time; CPU, storage and network are each one of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from howdah.analysis.evidence import FloatArray
from howdah.report.figure import Key, Source, Table
from howdah.report.figures.header import UNIT_LINE, header
from howdah.report.figures.timeaxis import time_unit, time_x
from howdah.report.theme import DATA, POINTER, RIGHT, SHOWN, WIDTH, chart, level_title

TABLE_ROWS = 24
LABEL_PITCH = 16


class Line(NamedTuple):
    """One series on the grid, in the axis's unit."""

    key: Key
    values: FloatArray


class Mark(NamedTuple):
    """A level to hold the series against, a limit for instance."""

    name: str
    token: str
    value: float


class Axis(NamedTuple):
    """The y axis: what its unit is called, where it ends, and how a value is written (d3 format)."""

    unit: str
    top: float
    number: str


class Label(NamedTuple):
    """A name at the right end of the plot, ``y`` in pixels from its top."""

    name: str
    token: str
    y: float


def spread(labels: Sequence[Label], height: float) -> list[Label]:
    """The labels moved up or down just enough not to overlap, in the order of their places."""
    placed: list[Label] = []
    for label in sorted(labels, key=lambda one: one.y):
        lowest = placed[-1].y + LABEL_PITCH if placed else -4.0
        placed.append(label._replace(y=max(label.y, lowest)))
    floor = height - 2
    for index in range(len(placed) - 1, -1, -1):
        placed[index] = placed[index]._replace(y=min(placed[index].y, floor))
        floor = placed[index].y - LABEL_PITCH
    return placed


def label_layers(labels: Sequence[Label]) -> list[dict[str, Any]]:
    """Names beside the plot's right end, each with its colour, that a click switches off."""
    rows = [{"series": label.name, "y": label.y, "at": index} for index, label in enumerate(labels)]
    colours = {"domain": [label.name for label in labels], "range": [f"${label.token}" for label in labels]}
    seen = f"roomy ? ({SHOWN} ? 1 : 0.3) : 0"
    encoding = {
        "x": {"value": {"expr": "width"}},
        "y": {"field": "y", "type": "quantitative", "scale": None, "axis": None},
    }
    square = {"type": "point", "shape": "square", "filled": True, "size": 70, "xOffset": 12}
    text = {"type": "text", "align": "left", "baseline": "middle", "dx": 21, "cursor": "pointer"}
    return [
        {
            "data": {"values": rows},
            "mark": {**square, "opacity": {"expr": seen}},
            "encoding": {
                **encoding,
                "color": {"field": "series", "type": "nominal", "scale": colours, "legend": None},
            },
        },
        {
            "data": {"values": rows},
            # A layer without a selection of its own would let clicks on the names fall through.
            "params": [{"name": "named", "select": "point"}],
            "mark": {**text, "opacity": {"expr": seen}},
            "encoding": {**encoding, "text": {"field": "series"}},
        },
    ]


def _wide(grid: FloatArray, lines: Sequence[Line], seconds: float) -> list[dict[str, float]]:
    """One row per step and a last one at the end, so that the last step is drawn to its end."""
    times = [round(float(edge) / seconds, 4) for edge in grid]
    columns = [np.append(line.values, line.values[-1]) for line in lines]
    return [
        {"time": time}
        | {line.key.name: float(f"{column[row]:.4g}") for line, column in zip(lines, columns, strict=True)}
        for row, time in enumerate(times)
    ]


def timeline(
    source: Source,
    grid: FloatArray,
    lines: Sequence[Line],
    axis: Axis,
    *,
    stacked: bool = False,
    marks: Sequence[Mark] = (),
    height: float = 180,
    width: float = WIDTH,
) -> dict[str, Any]:
    """The spec: phase bands, the series as steps (one area each if stacked), levels, labels, hover."""
    unit = time_unit(source)
    above = header(source, width)
    names = [line.key.name for line in lines]
    x = time_x(source)
    y_scale = {"domain": [0, axis.top], "nice": False}
    y_axis = {**level_title(axis.unit, above.height), "tickCount": 4, "format": axis.number}
    y = {"field": "value", "type": "quantitative", "scale": y_scale, "axis": y_axis}
    colours = {"domain": names, "range": [f"${line.key.token}" for line in lines]}
    colour = {"field": "series", "type": "nominal", "scale": colours, "legend": None}
    dashed = source.dash if source.dash != [1, 0] else None
    if stacked:
        mark: dict[str, Any] = {"type": "area", "interpolate": "step-after", "opacity": 0.92}
        if dashed:
            mark |= {"fillOpacity": 0.35, "line": {"strokeDash": dashed}}
        y["stack"] = "zero"
    else:
        mark = {"type": "line", "interpolate": "step-after", "strokeWidth": 2, "clip": True}
        if dashed:
            mark |= {"strokeDash": dashed}
    series = {
        "name": DATA,
        "transform": [
            {"fold": names, "as": ["series", "value"]},
            {"filter": SHOWN},
            {"calculate": f"indexof({names!r}, datum.series)", "as": "place"},
        ],
        "mark": mark,
        "encoding": {"x": x, "y": y, "color": colour, "order": {"field": "place", "type": "quantitative"}},
    }
    levels = [
        {
            "data": {"values": [{"value": level.value}]},
            "mark": {"type": "rule", "strokeDash": [2, 3], "strokeWidth": 1.5, "color": f"${level.token}"},
            "encoding": {"y": {"field": "value", "type": "quantitative"}},
        }
        for level in marks
    ]
    tooltip = [{"field": "time", "type": "quantitative", "title": f"at ({unit.name})", "format": ".4~g"}]
    tooltip += [
        {"field": name, "type": "quantitative", "title": f"{name} ({axis.unit})", "format": axis.number}
        for name in reversed(names)
    ]
    pointer = {
        "params": [
            {
                "name": POINTER,
                "select": {
                    "type": "point",
                    "nearest": True,
                    "on": "pointerover",
                    "clear": "pointerout",
                    "fields": ["time"],
                },
            }
        ],
        "mark": {"type": "rule", "color": "$ink", "strokeWidth": 1},
        "encoding": {
            "x": x,
            "opacity": {"condition": {"param": POINTER, "empty": False, "value": 0.6}, "value": 0},
            "tooltip": tooltip,
        },
    }
    layers = [
        *above.layers,
        series,
        *levels,
        *label_layers(_places(lines, marks, axis, height, stacked)),
        pointer,
    ]
    return chart(
        layers,
        height=height,
        width=width,
        top=above.height + UNIT_LINE,
        right=RIGHT,
        data={"values": _wide(grid, lines, unit.seconds)},
        resolve={"scale": {"color": "independent", "opacity": "independent"}},
    )


def _places(
    lines: Sequence[Line], marks: Sequence[Mark], axis: Axis, height: float, stacked: bool
) -> list[Label]:
    """Where each name goes: at its line's end, or in the order of the stack from the bottom up."""
    if stacked:
        return spread(
            [
                Label(line.key.name, line.key.token, height - 8 - LABEL_PITCH * place)
                for place, line in enumerate(lines)
            ],
            height,
        )
    ends = [(line.key.name, line.key.token, float(line.values[-1])) for line in lines]
    ends += [(mark.name, mark.token, mark.value) for mark in marks]
    return spread([Label(name, token, height * (1 - end / axis.top)) for name, token, end in ends], height)


def steps_table(source: Source, grid: FloatArray, lines: Sequence[Line], unit: str) -> Table:
    """The series as numbers, averaged over time into at most ``TABLE_ROWS`` rows."""
    rows = min(TABLE_ROWS, len(grid) - 1)
    edges = np.linspace(grid[0], grid[-1], rows + 1)
    widths = np.diff(grid)
    means = []
    for line in lines:
        area = np.concatenate([[0.0], np.cumsum(line.values * widths)])
        means.append(np.diff(np.interp(edges, grid, area)) / np.diff(edges))
    time = time_unit(source)
    return Table(
        (f"from ({time.name})", f"to ({time.name})", *(f"{line.key.name} ({unit})" for line in lines)),
        tuple(
            (
                f"{edges[row] / time.seconds:.2f}",
                f"{edges[row + 1] / time.seconds:.2f}",
                *(f"{mean[row]:.3g}" for mean in means),
            )
            for row in range(rows)
        ),
    )
