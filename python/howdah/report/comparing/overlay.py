"""CPU, disks and network over a workload's time, the groups laid over one another."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from howdah.analysis.comparing.courses import QUANTITIES, Course, FollowedQuantity
from howdah.analysis.use import QUIET_BYTES_PER_S
from howdah.model.comparison import Comparison
from howdah.model.run import Origin
from howdah.report.document import Figure, Key, Table
from howdah.report.figure import group_keys, series_colour
from howdah.report.figures.timeaxis import hidden, number_format, rate_unit
from howdah.report.theme import DATA, HALF_WIDTH, LEFT, SHOWN, chart, layer, level_title, linear
from howdah.report.words import three_digits

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
    for place, quantity in enumerate(QUANTITIES):
        courses = {
            name: course for name, some in followed.items() for course in some if course.quantity == quantity
        }
        peak = max((float(course.peaks.max()) for course in courses.values()), default=0.0)
        if peak > (0.0 if quantity.unit == "1" else QUIET_BYTES_PER_S):
            shown = [key for key in group_keys(comparison) if key.name in courses]
            axes = _axes(quantity, courses, peak)
            reduced = any(hidden(course.means, course.peaks) for course in courses.values())
            figures.append(
                Figure(
                    id=f"over-time-{place}",
                    title=f"{quantity.name[0].upper()}{quantity.name[1:]} in {workload}",
                    caption="A step is a mean; pale lines are the peaks within it."
                    if reduced
                    else "Every step is a sample.",
                    spec=_spec(_simulated(comparison), shown, courses, axes),
                    table=_table(shown, courses, axes),
                    keys=tuple(shown),
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


def _simulated(comparison: Comparison) -> set[str]:
    return {
        group.name for group in comparison.groups if any(run.origin is Origin.SIMULATED for run in group.runs)
    }


def _spec(
    simulated: Container[str], shown: Sequence[Key], courses: Mapping[str, Course], axes: Axes
) -> dict[str, Any]:
    x = linear(
        "time",
        [0, axes.longest],
        {"title": f"time since the start of the workload ({axes.time})", "tickCount": 5},
    )
    y = linear(
        "mean", [0, axes.top], {**level_title(axes.unit), "tickCount": 4, "format": number_format(axes.top)}
    )
    colour = series_colour(shown)
    layers: list[dict[str, Any]] = []
    for names, dash in (
        ([key.name for key in shown if key.name not in simulated], [1, 0]),
        ([key.name for key in shown if key.name in simulated], [6, 3]),
    ):
        if not names:
            continue
        rows = [row for name in names for row in _rows(name, courses[name], axes)]
        line = {"type": "line", "interpolate": "step-after", "clip": True, "strokeDash": dash}
        encoding = {"x": x, "color": colour}
        if any(hidden(courses[name].means, courses[name].peaks) for name in names):
            layers.append(
                layer(
                    rows,
                    {**line, "strokeWidth": 1, "opacity": 0.3},
                    {**encoding, "y": {**y, "field": "peak"}},
                    SHOWN,
                )
            )
        layers.append(
            {
                **({"name": DATA} if not any(layer.get("name") for layer in layers) else {}),
                "data": {"values": rows},
                "transform": [{"filter": SHOWN}],
                "mark": {**line, "strokeWidth": 2},
                "encoding": {**encoding, "y": y},
            }
        )
    return chart(
        layers,
        height=HEIGHT,
        width=HALF_WIDTH - LEFT - 14,
        top=28,
        right=14,
        resolve={"scale": {"color": "independent"}},
    )


def _rows(name: str, course: Course, axes: Axes) -> list[dict[str, Any]]:
    """One row for each step, and the last one again at its end, so that it is drawn to its end."""
    times = np.round(course.edges_s / axes.seconds, 4)
    means, peaks = (np.append(some, some[-1]) / axes.size for some in (course.means, course.peaks))
    return [
        {"series": name, "time": float(at), "mean": float(f"{mean:.4g}"), "peak": float(f"{peak:.4g}")}
        for at, mean, peak in zip(times, means, peaks, strict=True)
    ]


def _table(shown: Sequence[Key], courses: Mapping[str, Course], axes: Axes) -> Table:
    """Every group's mean and peak, step by step, in at most TABLE_ROWS rows for each."""
    rows = []
    for key in shown:
        course = courses[key.name]
        edges = np.linspace(0, len(course.means), min(TABLE_ROWS, len(course.means)) + 1).astype(int)
        for first, last in pairwise(edges):
            rows.append(
                (
                    key.name,
                    f"{course.edges_s[first] / axes.seconds:.2f}",
                    f"{course.edges_s[last] / axes.seconds:.2f}",
                    three_digits(course.means[first:last].mean() / axes.size),
                    three_digits(course.peaks[first:last].max() / axes.size),
                )
            )
    columns = (
        "group",
        f"from ({axes.time})",
        f"to ({axes.time})",
        f"mean ({axes.unit})",
        f"peak ({axes.unit})",
    )
    return Table(columns, tuple(rows))
