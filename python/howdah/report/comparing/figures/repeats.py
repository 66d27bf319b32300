"""Elapsed time of every single run, workload by workload: how far repeats lie apart."""

from __future__ import annotations

from statistics import geometric_mean
from typing import Any

from howdah.analysis.comparing.readings import ELAPSED
from howdah.analysis.wording import seconds
from howdah.model.comparison import Comparison, RunFigures
from howdah.model.run import Origin
from howdah.report.comparing.figures.colours import keys
from howdah.report.figure import Figure, Key, Table
from howdah.report.theme import DATA, HALF_WIDTH, SHOWN, chart

ROW = 34
LEFT, RIGHT = 4, 14


def repeats(comparison: Comparison) -> tuple[Figure, ...]:
    """One figure for each workload that the baseline ran."""
    workloads = [
        one.measure.workload
        for one in comparison.groups[0].runs[0].readings
        if one.measure.name == ELAPSED and one.measure.phase is None
    ]
    return tuple(_figure(comparison, workload, place) for place, workload in enumerate(workloads))


def _figure(comparison: Comparison, workload: str, place: int) -> Figure:
    times = {
        group.name: [value for run in group.runs if (value := _elapsed_s(run, workload)) is not None]
        for group in comparison.groups
    }
    many = sum(len(some) for some in times.values())
    return Figure(
        id=f"repeats-{place}",
        title=f"{workload}, run by run",
        caption="Each point is one run, the line their mean; hollow points were simulated.",
        spec=_spec(comparison, workload, times),
        table=Table(
            ("group", "run", "elapsed (s)"),
            tuple(
                (group.name, run.run, f"{value:.3f}")
                for group in comparison.groups
                for run in group.runs
                if (value := _elapsed_s(run, workload)) is not None
            ),
        ),
        half=True,
        marks=2 * many,
    )


def _elapsed_s(run: RunFigures, workload: str) -> float | None:
    return next(
        (
            one.value
            for one in run.readings
            if one.measure.name == ELAPSED and (one.measure.workload, one.measure.phase) == (workload, None)
        ),
        None,
    )


def _spec(comparison: Comparison, workload: str, times: dict[str, list[float]]) -> dict[str, Any]:
    groups = keys(comparison)
    longest = max((value for some in times.values() for value in some), default=1.0)
    size, unit = (60.0, "min") if longest > 600 else (1.0, "s")
    points = [
        {
            "series": group.name,
            "row": row,
            "time": value / size,
            "run": run.run,
            "said": seconds(value),
            "solid": 1 if run.origin is Origin.MEASURED else 0,
        }
        for row, group in enumerate(comparison.groups)
        for run in group.runs
        if (value := _elapsed_s(run, workload)) is not None
    ]
    means = [
        {"series": name, "row": row, "time": geometric_mean(some) / size}
        for row, (name, some) in enumerate(times.items())
        if some
    ]
    names = [
        {
            "series": name,
            "row": row,
            "text": f"{name} · {seconds(geometric_mean(some))}" if some else name,
        }
        for row, (name, some) in enumerate(times.items())
    ]
    x = {
        "field": "time",
        "type": "quantitative",
        "scale": {"domain": [0, 1.04 * longest / size], "nice": False},
        "axis": {"title": f"elapsed ({unit})", "grid": True, "domain": False, "ticks": False, "tickCount": 5},
    }
    y = {
        "field": "row",
        "type": "quantitative",
        "scale": {"domain": [-0.5, len(groups) - 0.5], "reverse": True, "nice": False, "zero": False},
        "axis": None,
    }
    colour = _colour(groups)
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": means},
            "transform": [{"filter": SHOWN}],
            "mark": {"type": "tick", "orient": "vertical", "size": 16, "thickness": 2, "yOffset": 6},
            "encoding": {"x": x, "y": y, "color": colour},
        },
        {
            "name": DATA,
            "data": {"values": points},
            "transform": [{"filter": SHOWN}],
            "mark": {"type": "point", "size": 45, "strokeWidth": 1.5, "yOffset": 6, "opacity": 0.85},
            "encoding": {
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
                "tooltip": [
                    {"field": "series", "title": "group"},
                    {"field": "run"},
                    {"field": "said", "title": "elapsed"},
                ],
            },
        },
        # A name lies on the grid, and has a pale rim.
        *(
            {
                "data": {"values": names},
                "mark": {"type": "text", "align": "left", "dy": -9, "x": 0, "fontSize": 11, **rim},
                "encoding": {"y": y, "text": {"field": "text"}},
            }
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


def _colour(groups: tuple[Key, ...]) -> dict[str, Any]:
    names, tokens = [key.name for key in groups], [f"${key.token}" for key in groups]
    return {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": names, "range": tokens},
        "legend": None,
    }
