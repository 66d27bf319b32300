"""The figures of a comparison: every run as a point, and resources over time, group upon group."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import pairwise
from math import log10
from typing import Any, NamedTuple

import numpy as np

from howdah.analysis.comparing.figures import QUANTITIES, Course, FollowedQuantity
from howdah.analysis.use import QUIET_BYTES_PER_S
from howdah.analysis.wording import listed
from howdah.model.comparison import Comparison, Measure
from howdah.report import vega
from howdah.report.comparing.ratios import ratios
from howdah.report.comparing.words import mean, measured, place
from howdah.report.document import Figure, Key, Table
from howdah.report.figures.timeaxis import hidden, number_format, rate_unit
from howdah.report.theme import HALF_WIDTH, LEFT, group_keys, time_unit
from howdah.report.words import three_digits

ROW = 34

_PREFIXES = ("", "k", "M", "G", "T")  # Of thousands, so many of them.
_SCALED = ("B", "B/s", "bit/s")  # Units that take a prefix.


def repeats(comparison: Comparison) -> tuple[Figure, ...]:
    """One figure for each workload that the baseline ran, and one for the metric that it was run for."""
    measures = [
        reading.measure
        for reading in comparison.groups[0].runs[0].readings
        if reading.measure.primary or (reading.measure.kind == "time" and reading.measure.phase is None)
    ]
    return tuple(_figure(comparison, measure, number) for number, measure in enumerate(measures))


def _figure(comparison: Comparison, measure: Measure, number: int) -> Figure:
    values = [
        (group.name, run, value)
        for group in comparison.groups
        for run in group.runs
        if (value := run.value(measure)) is not None
    ]
    groups = group_keys(comparison)
    row_of = {group.name: row for row, group in enumerate(comparison.groups)}
    greatest = max((value for _, _, value in values), default=1.0)
    size, title = _scale(measure, greatest)
    runs = [
        {
            "series": name,
            "row": row_of[name],
            "value": value / size,
            "run": run.run,
            "said": measured(measure, value),
            "solid": 0 if run.is_simulated else 0.6,
        }
        for name, run, value in values
    ]
    means, names = [], []
    for name, row in row_of.items():
        some = [value for group, _, value in values if group == name]
        means += [{"series": name, "row": row, "value": mean(some) / size}] if some else []
        text = f"{name} · {measured(measure, mean(some))}" if some else name
        names.append({"series": name, "row": row, "text": text})
    x = vega.linear("value", [0, 1.04 * greatest / size], vega.across(title, tickCount=5))
    y = vega.rows(len(groups))
    colour = vega.series_colour(groups)
    tooltip = vega.tips(series="group", run=None, said=measure.name)
    tick = {"type": "tick", "orient": "vertical", "size": 16, "thickness": 2, "yOffset": 6}
    word = {"type": "text", "align": "left", "dy": -9, "x": 0, "fontSize": 11, "color": "$muted"}
    layers: list[dict[str, Any]] = [
        vega.layer(means, tick, {"x": x, "y": y, "color": colour}, vega.SHOWN),
        vega.points(runs, {"x": x, "y": y}, colour, tooltip, size=45, yOffset=6, opacity=0.85),
        *vega.rimmed(names, word, {"y": y, "text": {"field": "text"}}),
    ]
    rows = tuple((name, run.run, f"{value:.3f}") for name, run, value in values)
    return Figure(
        id=f"repeats-{number}",
        title=f"{place(measure)}, run by run",
        caption="Each point is one run, the line their mean; hollow points were simulated.",
        spec=vega.chart(layers, height=ROW * len(groups), width=HALF_WIDTH - 10, top=6, left=4, right=14),
        table=Table(("group", "run", f"{measure.name} ({measure.unit})"), rows),
        half=True,
        marks=2 * len(values),
    )


def _scale(measure: Measure, greatest: float) -> tuple[float, str]:
    """By how much values are divided, and what the axis is then called."""
    if measure.kind == "time":
        size, name = time_unit(greatest)
        return size, f"elapsed ({name})"
    thousands = min(max(0, int(log10(greatest) // 3)), len(_PREFIXES) - 1) if greatest > 0 else 0
    if measure.unit not in _SCALED:
        thousands = 0
    return 1000.0**thousands, f"{measure.name} ({_PREFIXES[thousands]}{measure.unit})"


class ComparisonFigures(NamedTuple):
    """The answer's own figure, every run's times, and what resources did meanwhile in whose runs."""

    answer: Figure | None
    repeats: tuple[Figure, ...]
    over_time: tuple[Figure, ...]
    followed_runs: str


class Followed(NamedTuple):
    """What resources did in one workload, in one run of each group, by the group's name."""

    workload: str
    courses: Mapping[str, Sequence[Course]]


def draw(comparison: Comparison, followed: Followed) -> ComparisonFigures:
    runs = listed([f"{name} {some[0].run}" for name, some in followed.courses.items() if some])
    return ComparisonFigures(
        answer=ratios(comparison),
        repeats=repeats(comparison),
        over_time=overlays(comparison, followed.workload, followed.courses),
        followed_runs=f"Sums over all machines that did the work, in the median run of each group: {runs}.",
    )


HEIGHT = 150
TABLE_ROWS = 24


class Axes(NamedTuple):
    """What one figure is read in: units with their size in base units, and where the axes end."""

    unit: str
    size: float
    top: float
    time: str
    seconds: float
    longest: float


def overlays(
    comparison: Comparison, workload: str, followed: Mapping[str, Sequence[Course]]
) -> tuple[Figure, ...]:
    """A figure for each quantity that any group had anything of; ``followed`` is by group name."""
    figures = []
    simulated = {group.name for group in comparison.groups if group.is_simulated}
    for number, quantity in enumerate(QUANTITIES):
        courses = {
            name: course for name, some in followed.items() for course in some if course.quantity == quantity
        }
        peak = max((float(course.peaks.max()) for course in courses.values()), default=0.0)
        if peak <= (0.0 if quantity.unit == "1" else QUIET_BYTES_PER_S):
            continue
        keys = tuple(key for key in group_keys(comparison) if key.name in courses)
        axes = _axes(quantity, courses, peak)
        reduced = any(hidden(course.means, course.peaks) for course in courses.values())
        pale = "A step is a mean; pale lines are the peaks within it."
        figures.append(
            Figure(
                f"over-time-{number}",
                f"{quantity.name[0].upper()}{quantity.name[1:]} in {workload}",
                pale if reduced else "Every step is a sample.",
                _overlay_spec(simulated, keys, courses, axes),
                _overlay_table(keys, courses, axes),
                keys,
                half=True,
                marks=2 * sum(len(course.means) for course in courses.values()),
            )
        )
    return tuple(figures)


def _axes(quantity: FollowedQuantity, courses: Mapping[str, Course], peak: float) -> Axes:
    longest = max(float(course.edges_s[-1]) for course in courses.values())
    time, seconds = ("min", 60.0) if longest > 600 else ("s", 1.0)
    if quantity.unit == "1":
        return Axes("% of all CPUs", 0.01, 100.0, time, seconds, longest / seconds)
    size, unit = rate_unit(peak)
    return Axes(unit, size, 1.06 * peak / size, time, seconds, longest / seconds)


def _overlay_spec(
    simulated: Container[str], shown: Sequence[Key], courses: Mapping[str, Course], axes: Axes
) -> dict[str, Any]:
    title = f"time since the start of the workload ({axes.time})"
    x = vega.linear("time", [0, axes.longest], {"title": title, "tickCount": 5})
    y_axis = vega.level_title(axes.unit, tickCount=4, format=number_format(axes.top))
    y = vega.linear("mean", [0, axes.top], y_axis)
    layers: list[dict[str, Any]] = []
    name = vega.DATA
    for is_simulated, dash in ((False, [1, 0]), (True, [6, 3])):
        names = [key.name for key in shown if (key.name in simulated) == is_simulated]
        if not names:
            continue
        rows = [row for group in names for row in _rows(group, courses[group], axes)]
        line = {"type": "line", "interpolate": "step-after", "clip": True, "strokeDash": dash}
        place = {"x": x, "color": vega.series_colour(shown)}
        if any(hidden(courses[group].means, courses[group].peaks) for group in names):
            pale = {**line, "strokeWidth": 1, "opacity": 0.3}
            layers.append(vega.layer(rows, pale, {**place, "y": vega.on(y, "peak")}, vega.SHOWN))
        bold = {**line, "strokeWidth": 2}
        layers.append(vega.layer(rows, bold, {**place, "y": y}, vega.SHOWN, name=name))
        name = ""
    return vega.chart(layers, height=HEIGHT, width=HALF_WIDTH - LEFT - 14, top=28, right=14)


def _rows(name: str, course: Course, axes: Axes) -> list[dict[str, Any]]:
    """One row for each step, and the last one again at its end, so that it is drawn to its end."""
    times = np.round(course.edges_s / axes.seconds, 4)
    means, peaks = (np.append(some, some[-1]) / axes.size for some in (course.means, course.peaks))
    return [
        {"series": name, "time": float(at), "mean": float(f"{mean:.4g}"), "peak": float(f"{peak:.4g}")}
        for at, mean, peak in zip(times, means, peaks, strict=True)
    ]


def _overlay_table(shown: Sequence[Key], courses: Mapping[str, Course], axes: Axes) -> Table:
    """Every group's mean and peak, step by step, in at most TABLE_ROWS rows for each."""
    rows = []
    for key in shown:
        course = courses[key.name]
        edges = np.linspace(0, len(course.means), min(TABLE_ROWS, len(course.means)) + 1).astype(int)
        rows += [
            (
                key.name,
                f"{course.edges_s[first] / axes.seconds:.2f}",
                f"{course.edges_s[last] / axes.seconds:.2f}",
                three_digits(course.means[first:last].mean() / axes.size),
                three_digits(course.peaks[first:last].max() / axes.size),
            )
            for first, last in pairwise(edges)
        ]
    times = (f"from ({axes.time})", f"to ({axes.time})")
    return Table(("group", *times, f"mean ({axes.unit})", f"peak ({axes.unit})"), tuple(rows))
