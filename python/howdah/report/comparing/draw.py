"""The figures of a comparison in the order in which a reader meets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any, NamedTuple

from howdah.analysis.comparing.courses import Course
from howdah.analysis.wording import listed
from howdah.model.comparison import Comparison, Measure, RunFigures
from howdah.model.run import Origin
from howdah.report.comparing.overlay import overlays
from howdah.report.comparing.ratios import ratios
from howdah.report.comparing.words import mean, measured, place
from howdah.report.document import Figure, Table
from howdah.report.figure import group_keys, series_colour
from howdah.report.theme import DATA, HALF_WIDTH, SHOWN, across, chart, layer, linear, tips

ROW = 34
LEFT, RIGHT = 4, 14
_PREFIXES = ("", "k", "M", "G", "T")
"""Of thousands, so many of them."""
_SCALED = ("B", "B/s", "bit/s")
"""Units that take a prefix."""


def repeats(comparison: Comparison) -> tuple[Figure, ...]:
    """One figure for each workload that the baseline ran, and one for the metric that it was run for."""
    measures = [
        reading.measure
        for reading in comparison.groups[0].runs[0].readings
        if reading.measure.primary or (reading.measure.kind == "time" and reading.measure.phase is None)
    ]
    return tuple(_figure(comparison, measure, number) for number, measure in enumerate(measures))


def _figure(comparison: Comparison, measure: Measure, number: int) -> Figure:
    values = {
        group.name: [value for run in group.runs if (value := _value(run, measure)) is not None]
        for group in comparison.groups
    }
    many = sum(len(some) for some in values.values())
    return Figure(
        id=f"repeats-{number}",
        title=f"{place(measure)}, run by run",
        caption="Each point is one run, the line their mean; hollow points were simulated.",
        spec=_spec(comparison, measure, values),
        table=Table(
            ("group", "run", f"{measure.name} ({measure.unit})"),
            tuple(
                (group.name, run.run, f"{value:.3f}")
                for group in comparison.groups
                for run in group.runs
                if (value := _value(run, measure)) is not None
            ),
        ),
        half=True,
        marks=2 * many,
    )


def _value(run: RunFigures, measure: Measure) -> float | None:
    return next((reading.value for reading in run.readings if reading.measure == measure), None)


def _scale(measure: Measure, greatest: float) -> tuple[float, str]:
    """By how much values are divided, and what the axis is then called."""
    if measure.kind == "time":
        return (60.0, "elapsed (min)") if greatest > 600 else (1.0, "elapsed (s)")
    thousands = min(max(0, int(log10(greatest) // 3)), len(_PREFIXES) - 1) if greatest > 0 else 0
    if measure.unit not in _SCALED:
        thousands = 0
    return 1000.0**thousands, f"{measure.name} ({_PREFIXES[thousands]}{measure.unit})"


def _spec(comparison: Comparison, measure: Measure, values: dict[str, list[float]]) -> dict[str, Any]:
    groups = group_keys(comparison)
    greatest = max((value for some in values.values() for value in some), default=1.0)
    size, title = _scale(measure, greatest)
    points = [
        {
            "series": group.name,
            "row": row,
            "value": value / size,
            "run": run.run,
            "said": measured(measure, value),
            "solid": 1 if run.origin is Origin.MEASURED else 0,
        }
        for row, group in enumerate(comparison.groups)
        for run in group.runs
        if (value := _value(run, measure)) is not None
    ]
    means = [
        {"series": name, "row": row, "value": mean(some) / size}
        for row, (name, some) in enumerate(values.items())
        if some
    ]
    names = [
        {"series": name, "row": row, "text": f"{name} · {measured(measure, mean(some))}" if some else name}
        for row, (name, some) in enumerate(values.items())
    ]
    x = linear("value", [0, 1.04 * greatest / size], across(title, tickCount=5))
    y = linear("row", [-0.5, len(groups) - 0.5], down=True, zero=False)
    colour = series_colour(groups)
    layers: list[dict[str, Any]] = [
        layer(
            means,
            {"type": "tick", "orient": "vertical", "size": 16, "thickness": 2, "yOffset": 6},
            {"x": x, "y": y, "color": colour},
            SHOWN,
        ),
        layer(
            points,
            {"type": "point", "size": 45, "strokeWidth": 1.5, "yOffset": 6, "opacity": 0.85},
            {
                "x": x,
                "y": y,
                "color": colour,
                "fill": colour,
                "fillOpacity": {
                    "field": "solid",
                    "type": "quantitative",
                    "scale": {"domain": [0, 1], "range": [0, 0.6]},
                    "legend": None,
                },
                "tooltip": tips(series="group", run=None, said=measure.name),
            },
            SHOWN,
            name=DATA,
        ),
        # A name lies on the grid, and has a pale rim.
        *(
            layer(
                names,
                {"type": "text", "align": "left", "dy": -9, "x": 0, "fontSize": 11, **rim},
                {"y": y, "text": {"field": "text"}},
            )
            for rim in ({"stroke": "$page", "strokeWidth": 4}, {"color": "$muted"})
        ),
    ]
    return chart(
        layers,
        height=ROW * len(groups),
        width=HALF_WIDTH - 10,
        top=6,
        left=LEFT,
        right=RIGHT,
        resolve={"scale": {"color": "independent", "fill": "independent", "fillOpacity": "independent"}},
    )


class ComparisonFigures(NamedTuple):
    """The answer's own figure, every run's times, and what resources did meanwhile in whose runs."""

    answer: Figure | None
    repeats: tuple[Figure, ...]
    over_time: tuple[Figure, ...]
    followed_runs: str

    def every(self) -> tuple[Figure, ...]:
        """All of them in order."""
        return (*([self.answer] if self.answer else []), *self.repeats, *self.over_time)


class Followed(NamedTuple):
    """What resources did in one workload, in one run of each group, by the group's name."""

    workload: str
    courses: Mapping[str, Sequence[Course]]


def draw(comparison: Comparison, followed: Followed) -> ComparisonFigures:
    """Every figure there is data for."""
    return ComparisonFigures(
        answer=ratios(comparison),
        repeats=repeats(comparison),
        over_time=overlays(comparison, followed.workload, followed.courses),
        followed_runs=_followed_runs(followed),
    )


def _followed_runs(followed: Followed) -> str:
    """Which runs are followed over time, in a sentence."""
    runs = listed([f"{name} {some[0].run}" for name, some in followed.courses.items() if some])
    return f"Sums over all machines that did the work, in the median run of each group: {runs}."
