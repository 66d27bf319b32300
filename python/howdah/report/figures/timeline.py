"""A chart of one or more series over the run's time; CPU, storage and network are each one of these."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from howdah.analysis.evidence.use import FloatArray
from howdah.report import vega
from howdah.report.document import Figure, Key, Table
from howdah.report.figures import timeaxis
from howdah.report.figures.timeaxis import FigureSource
from howdah.report.words import three_digits

TABLE_ROWS = 24
LABEL_PITCH = 16
_PEAK = " peak"  # What a column of peaks is called behind its line's name.


class SeriesLine(NamedTuple):
    """One series on the grid, in the axis's unit."""

    key: Key
    values: FloatArray
    peaks: FloatArray | None = None  # The highest within each step; None if only means are shown.

    @property
    def highest(self) -> float:
        """The highest that was sampled, as far as it is known."""
        return float((self.values if self.peaks is None else self.peaks).max())

    def in_units(self, size: float) -> SeriesLine:
        peaks = None if self.peaks is None else self.peaks / size
        return SeriesLine(self.key, self.values / size, peaks)

    @property
    def hides_peaks(self) -> bool:
        """Whether a line of its means would hide them."""
        return self.peaks is not None and timeaxis.hidden(self.values, self.peaks)


def peaks_text(lines: Sequence[SeriesLine]) -> str:
    """What a caption says of pale lines; empty where none are drawn."""
    return "; pale lines are the peaks within a step" if any(line.hides_peaks for line in lines) else ""


class LevelMark(NamedTuple):
    """A level to compare the series with, a limit for instance."""

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
    for label in sorted(labels, key=lambda label: label.y):
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
    colour = vega.coloured_by("series", {label.name: label.token for label in labels})
    seen = f"roomy ? ({vega.SHOWN} ? 1 : 0.3) : 0"
    encoding = {"x": vega.RIGHT_END, "y": vega.in_pixels("y")}
    square = {"type": "point", "shape": "square", "filled": True, "size": 70, "xOffset": 12}
    text = {"type": "text", "align": "left", "baseline": "middle", "dx": 21}
    return [
        vega.layer(rows, {**square, "opacity": {"expr": seen}}, {**encoding, "color": colour}),
        vega.switching(vega.layer(rows, text, {**encoding, "text": "series"})),
    ]


def _line_layers(
    source: FigureSource, lines: Sequence[SeriesLine], x: vega.Spec, y: vega.Spec, *, stacked: bool
) -> list[vega.Spec]:
    """The means as steps or areas, before them pale lines of the peaks that they hide."""
    mark: vega.Spec = {"type": "line", "interpolate": "step-after", "strokeWidth": 2, "clip": True}
    if stacked:
        mark = {"type": "area", "interpolate": "step-after", "opacity": 0.92}
        y["stack"] = "zero"
    if source.simulated:
        dash = {"strokeDash": source.dash}
        mark |= {"fillOpacity": 0.35, "line": dash} if stacked else dash
    encoding = {"x": x, "y": y, "color": vega.series_colour(line.key for line in lines)}
    names = [line.key.name for line in lines]
    reduced = [line.key.name + _PEAK for line in lines if line.hides_peaks]
    pale = vega.layer(
        None,
        {**mark, "strokeWidth": 1, "opacity": 0.3},
        encoding,
        {"fold": reduced, "as": ["peak", "value"]},
        {"calculate": f"slice(datum.peak, 0, {-len(_PEAK)})", "as": "series"},
        vega.SHOWN,
    )
    series = vega.layer(
        None,
        mark,
        {**encoding, "order": vega.quantity("place")},
        {"fold": names, "as": ["series", "value"]},
        vega.SHOWN,
        {"calculate": f"indexof({names!r}, datum.series)", "as": "place"},
        name=vega.DATA,
    )
    return [pale, series] if reduced else [series]


def timeline_figure(
    source: FigureSource,
    words: tuple[str, str, str],
    grid: FloatArray,
    lines: Sequence[SeriesLine],
    axis: Axis,
    *,
    stacked: bool = False,
    marks: Sequence[LevelMark] = (),
    height: float = 180,
    half: bool = False,
) -> Figure:
    """Series as steps (one area each if stacked), levels and labels; ``words``: id, title and caption."""
    unit = timeaxis.run_unit(source)
    width = vega.HALF_WIDTH if half else vega.WIDTH
    above = timeaxis.header(source, width)
    x = timeaxis.time_x(source)
    y_axis = vega.level_title(axis.unit, above.height, tickCount=4, format=axis.number)
    y = vega.linear("value", [0, axis.top], y_axis)
    at_level, level = {"y": vega.quantity("value")}, {**vega.LEVEL, "strokeWidth": 1.5}
    # Means, and peaks where they are hidden by these. The last row draws the last step to its end.
    drawn: dict[str, FloatArray] = {}
    for line in lines:
        drawn[line.key.name] = line.values
        if line.peaks is not None and line.hides_peaks:
            drawn[line.key.name + _PEAK] = line.peaks
    columns = {name: np.append(values, values[-1]) for name, values in drawn.items()}
    times = [round(float(edge) / unit.size, 4) for edge in grid]
    values = [
        {"time": time} | {name: float(f"{column[row]:.4g}") for name, column in columns.items()}
        for row, time in enumerate(times)
    ]
    tooltip = [vega.number_tip("time", f"at ({unit.name})")]
    tooltip += [vega.number_tip(name, f"{name} ({axis.unit})", axis.number) for name in reversed(drawn)]
    pointed = {"x": x, "opacity": vega.while_pointed_at(0.6), "tooltip": tooltip}
    # A name is at its line's end, or in the order of the stack from the bottom up.
    ends = [(line.key.name, line.key.token, float(line.values[-1])) for line in lines]
    labels = [Label(name, token, height * (1 - end / axis.top)) for name, token, end in (*ends, *marks)]
    if stacked:
        labels = [Label(*line.key, height - 8 - LABEL_PITCH * place) for place, line in enumerate(lines)]
    layers = [
        *above.layers,
        *_line_layers(source, lines, x, y, stacked=stacked),
        *(
            vega.layer([{"value": mark.value}], {**level, "color": f"${mark.token}"}, at_level)
            for mark in marks
        ),
        *label_layers(spread(labels, height)),
        vega.pointed_at(vega.layer(None, vega.RULE, pointed), "time", nearest=True),
    ]
    top, data = above.height + timeaxis.UNIT_LINE, {"values": values}
    return Figure(
        *words,
        spec=vega.chart(layers, height=height, width=width, top=top, right=vega.RIGHT, data=data),
        table=steps_table(source, grid, lines, axis.unit.partition(" ")[0]),
        keys=tuple(line.key for line in lines),
        half=half,
        marks=len(grid) * len(lines),
        labelled=True,
    )


def scaled_figure(
    source: FigureSource,
    words: tuple[str, str, str],
    grid: FloatArray,
    lines: Sequence[SeriesLine],
    *,
    unit: vega.ScaledUnit,
    highest: float,
    marks: Sequence[LevelMark] = (),
    **looks: Any,
) -> Figure:
    """The figure of volumes or rates, all brought into ``unit`` on an axis that reaches to the highest."""
    top = max(1.06 * highest / unit.size, 1e-9)
    axis = Axis(unit.name, top, timeaxis.number_format(top))
    levels = [mark._replace(value=mark.value / unit.size) for mark in marks]
    scaled = [line.in_units(unit.size) for line in lines]
    return timeline_figure(source, words, grid, scaled, axis, marks=levels, **looks)


def steps_table(source: FigureSource, grid: FloatArray, lines: Sequence[SeriesLine], unit: str) -> Table:
    """The series as numbers in at most ``TABLE_ROWS`` rows: means over time, and peaks where they differ."""
    bounds = np.linspace(0, len(grid) - 1, min(TABLE_ROWS, len(grid) - 1) + 1).astype(int)
    edges, widths = grid[bounds], np.diff(grid)
    columns = []
    for line in lines:
        means = np.add.reduceat(line.values * widths, bounds[:-1]) / np.diff(edges)
        columns.append((f"{line.key.name} ({unit})", means))
        if line.peaks is not None:
            columns.append((f"{line.key.name}{_PEAK} ({unit})", np.maximum.reduceat(line.peaks, bounds[:-1])))
    time = timeaxis.run_unit(source)
    rows = (
        (*(f"{edge / time.size:.2f}" for edge in ends), *(three_digits(some[row]) for _, some in columns))
        for row, ends in enumerate(pairwise(edges))
    )
    names = (f"from ({time.name})", f"to ({time.name})", *(name for name, _ in columns))
    return Table(names, tuple(rows))
