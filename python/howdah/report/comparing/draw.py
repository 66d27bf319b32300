"""The figures of a comparison: ratios to the baseline, every run as a point, and resources over time."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import pairwise
from math import inf, log10
from typing import Any, NamedTuple

import numpy as np

from howdah.analysis.comparing.figures import QUANTITIES, Course
from howdah.analysis.use import QUIET_BYTES_PER_S
from howdah.model.comparison import Against, Comparison, Judged, Measure
from howdah.report import vega
from howdah.report.comparing.words import interval, mean, measured, more, place, ratio
from howdah.report.document import Figure, Key, Table
from howdah.report.figures.timeaxis import hidden, number_format, rate_unit
from howdah.report.words import table_of, three_digits
from howdah.units import listed

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
    groups = vega.group_keys(comparison)
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
        spec=vega.chart(
            layers, height=ROW * len(groups), width=vega.HALF_WIDTH - 10, top=6, left=4, right=14
        ),
        table=Table(("group", "run", f"{measure.name} ({measure.unit})"), rows),
        half=True,
        marks=2 * len(values),
    )


def _scale(measure: Measure, greatest: float) -> tuple[float, str]:
    """By how much values are divided, and what the axis is then called."""
    if measure.kind == "time":
        size, name = vega.time_unit(greatest)
        return size, f"elapsed ({name})"
    thousands = min(max(0, int(log10(greatest) // 3)), len(_PREFIXES) - 1) if greatest > 0 else 0
    if measure.unit not in _SCALED:
        thousands = 0
    return 1000.0**thousands, f"{measure.name} ({_PREFIXES[thousands]}{measure.unit})"


RATIO_ROW, HEAD = 24, 30  # Heights of a row and of a name above rows, pixels.
FARTHEST = 8.0  # Intervals are cut off where they reach so many times beyond the farthest ratio.
WIDEST = 4.0  # Ratios that span more than this are drawn on a logarithmic axis.
_EDGE, _RIGHT = 4, 230


class RatioRow(NamedTuple):
    """One line of the figure: a group in a workload or phase, ``y`` in pixels from the top."""

    y: float
    against: Against
    judged: Judged
    simulated: bool


def laid_out(comparison: Comparison) -> tuple[list[dict[str, Any]], list[RatioRow]]:
    """Where every line goes: one block for each workload and phase, its name above its groups."""
    heads, rows = [], []
    y = 0.0
    simulated = {group.name: group.is_simulated for group in comparison.groups}
    measures = dict.fromkeys(
        judgement.measure for compared in comparison.against for judgement in compared.judged
    )
    for measure in measures:
        # The name of a phase is paler than that of its workload.
        heads.append(
            {"y": y + HEAD / 2, "text": place(measure), "shade": 1 if measure.phase is None else 0.75}
        )
        y += HEAD
        for compared in comparison.against:
            result = compared.of(measure)
            if result is not None and result.ratio is not None:
                rows.append(RatioRow(y + RATIO_ROW / 2, compared, result, simulated[compared.group]))
                y += RATIO_ROW
    return heads, rows


def domain(rows: list[RatioRow]) -> tuple[float, float]:
    """From the least to the greatest of what is drawn, 1 and a little room included."""
    points = [1.0, *(row.judged.ratio or 1.0 for row in rows)]
    least, most = min(points), max(points)
    reach = min(FARTHEST, max(1.2, (most / least) ** 1.5))
    ends = [value for row in rows for value in (row.judged.low, row.judged.high) if value is not None]
    low = max(min([least, *ends]), least / reach)
    high = min(max([most, *ends]), most * reach)
    room = max(1.02, (high / low) ** 0.06)
    return low / room, high * room


def ratios(comparison: Comparison) -> Figure | None:
    """The figure; None where nothing is compared with the baseline."""
    heads, rows = laid_out(comparison)
    if not rows:
        return None
    metrics = any(compared.metrics for compared in comparison.against)
    quotient = "Metrics and times divided by those" if metrics else "Elapsed time divided by that"
    shorter = "is less" if metrics else "took less time"
    several = len(comparison.against) > 1
    table = table_of(
        rows,
        "of {of} | group {against.group} | ratio {ratio} | 95 % interval {ends} | "
        "verdict {judged.verdict.value}",
        of=lambda row: place(row.judged.measure),
        ratio=lambda row: ratio(row.judged),
        ends=lambda row: interval(row.judged),
    )
    return Figure(
        id="ratios",
        title=f"{quotient} of {comparison.baseline}",
        caption="Points are ratios of means, bars their 95 % intervals, small ticks single runs; what lies "
        f"left of the line {shorter}. A bar that ends at the edge extends beyond it; a "
        "missing bar means too few runs. Verdicts allow for the number of tests, so they may be less "
        "certain than the bar alone.",
        spec=_ratios_spec(comparison, heads, rows),
        table=table,
        keys=vega.group_keys(comparison)[1:] if several else (),
        marks=4 * len(rows),
        labelled=True,
    )


def _ratios_spec(comparison: Comparison, heads: list[dict[str, Any]], rows: list[RatioRow]) -> dict[str, Any]:
    low, high = domain(rows)
    height = max([row.y for row in rows]) + RATIO_ROW / 2
    several = len(comparison.against) > 1
    values = [_ratio_datum(row, low, high, several=several) for row in rows]
    if not several:
        labels = {value["y"] - (HEAD + RATIO_ROW) / 2: value["label"] for value in values}
        heads = [{**head, "label": labels.get(head["y"], "")} for head in heads]
    ticks = [
        {"series": row.against.group, "y": row.y, "ratio": value / row.judged.base_mean}
        for row in rows
        for value in row.judged.other
        if low <= value / row.judged.base_mean <= high and len(row.judged.other) > 1
    ]
    axis = vega.across("times the baseline")
    if high / low > WIDEST:
        scale: dict[str, Any] = {"type": "log"}
        steps = (1, 1.5, 2, 3, 5, 7) if high / low < 10 else (1, 2, 5)
        axis |= {"values": vega.round_numbers(low, high, steps), "format": "~g"}
    else:
        scale = {"zero": False}
        axis |= {"tickCount": 6, "format": ".3~f"}
    scale |= {"domain": [low, high], "nice": False}
    x = vega.quantity("ratio", scale=scale, axis=axis)
    y = vega.linear("y", [0, height], down=True)
    colour = vega.series_colour(vega.group_keys(comparison))
    tooltip = vega.tips(
        series="group", what=None, said="ratio", interval="95 % interval", verdict=None, why=None
    )
    # The line of the baseline is drawn next to rows alone: names would lie on it.
    base = [{"ratio": 1, "y": row.y - RATIO_ROW / 2, "end": row.y + RATIO_ROW / 2} for row in rows]
    bars = {"x": vega.on(x, "low"), "x2": "high", "y": y, "color": colour}
    bar = {"type": "rule", "strokeWidth": 5, "opacity": 0.45}
    tick = {"type": "tick", "orient": "vertical", "size": 12, "thickness": 1}
    place = {"x": x, "y": y, "color": colour}
    point = {"type": "point", "size": 80, "filled": True, "strokeWidth": 2, "opacity": 1}
    # Of one group the verdict stands behind the name where there is no room beside the plot.
    text = {"expr": "roomy || !datum.label ? datum.text : datum.text + ': ' + datum.label"}
    head = {"type": "text", "align": "left", "fontSize": 13, "x": 0, "opacity": {"expr": "datum.shade"}}
    layers: list[dict[str, Any]] = [
        vega.layer(base, vega.RULE, {"x": x, "y": y, "y2": "end"}),
        vega.layer(values, bar, bars, vega.SHOWN, "isValid(datum.low)"),
        vega.layer(ticks, tick, place, vega.SHOWN),
        vega.own(values, point, {**place, "fillOpacity": vega.as_is("solid"), "stroke": colour}, tooltip),
        vega.layer(heads, {**head, "text": text}, {"y": y}),
        vega.texts(
            values,
            {"x": vega.RIGHT_END, "y": y},
            vega.SHOWN,
            field="label",
            dx=8,
            limit=_RIGHT - 10,
            opacity={"expr": "roomy ? 1 : 0"},
        ),
    ]
    return vega.chart(layers, height=height, width=vega.WIDTH - 102, top=4, left=_EDGE, right=_RIGHT)


def _ratio_datum(row: RatioRow, low: float, high: float, *, several: bool) -> dict[str, Any]:
    result = row.judged
    value = result.ratio or 1.0
    bar = result.low is not None and result.high is not None
    return {
        "series": row.against.group,
        "y": row.y,
        "ratio": value,
        "low": max(low, result.low or 0.0) if bar else None,
        "high": min(high, result.high or inf) if bar else None,
        "what": place(result.measure),
        "said": ratio(result),
        "interval": interval(result),
        "verdict": result.verdict.value,
        "why": result.why,
        "solid": 0 if row.simulated else 1,
        "label": f"{row.against.group}: {_ratio_label(result)}" if several else _ratio_label(result),
    }


def _ratio_label(result: Judged) -> str:
    if not result.is_told:
        return result.verdict.value
    return more(result) if result.measure.kind == "time" else f"{result.verdict.value}: {more(result)}"


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
        keys = tuple(key for key in vega.group_keys(comparison) if key.name in courses)
        longest = max(float(course.edges_s[-1]) for course in courses.values())
        time = ("min", 60.0) if longest > 600 else ("s", 1.0)
        size, unit = (0.01, "% of all CPUs") if quantity.unit == "1" else rate_unit(peak)
        top = 100.0 if quantity.unit == "1" else 1.06 * peak / size
        axes = Axes(unit, size, top, *time, longest / time[1])
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
    return vega.chart(layers, height=HEIGHT, width=vega.HALF_WIDTH - vega.LEFT - 14, top=28, right=14)


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
