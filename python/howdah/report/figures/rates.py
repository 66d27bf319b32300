"""The rates at which operations were asked for, and how long they took then: where the curve turns up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howdah.analysis.wording import delay
from howdah.model.reported import RateStep
from howdah.report.document import Figure, Key, Table
from howdah.report.figure import FigureSource, series_colour
from howdah.report.theme import DATA, SHOWN, across, chart, layer, level_title, linear, logarithmic
from howdah.units import format_counted, format_per_s

IN_TIME, TOO_LATE = Key("in time", "group-2"), Key("too late, or not kept", "fault")
_HEIGHT = 200


def rates(source: FigureSource) -> list[Figure]:
    """A figure for each workload whose highest rate was looked for."""
    return [
        _figure(time.workload, sorted(steps, key=lambda step: step.asked_per_s))
        for time in source.evidence.workloads
        if (steps := source.record.workloads[time.index].rates)
    ]


def _figure(workload: str, steps: Sequence[RateStep]) -> Figure:
    held = [step for step in steps if step.held]
    caption = f"{format_counted(len(steps), 'rate')} were tried. "
    caption += (
        f"{format_per_s(held[-1].asked_per_s)} is the highest that was kept and answered in time: 99 % of "
        f"the slowest kind of operation within {delay(held[-1].within_s)}, from when each should have begun."
        if held
        else "None was kept and answered in time."
    )
    return Figure(
        id=f"rates-{workload}".replace(" ", "-").replace("#", ""),
        title=f"{workload}: times of operations at each rate",
        caption=caption,
        spec=_spec(steps),
        table=_table(steps),
        keys=(IN_TIME, TOO_LATE),
        marks=len(steps),
    )


def _spec(steps: Sequence[RateStep]) -> dict[str, Any]:
    values = [
        {
            "series": (IN_TIME if step.held else TOO_LATE).name,
            "asked": step.asked_per_s,
            "ms": 1000 * step.within_s,
            "done": format_per_s(step.done_per_s),
            "within": delay(step.within_s),
        }
        for step in steps
    ]
    most = max(step.asked_per_s for step in steps)
    x = linear("asked", [0, 1.05 * most], across("target operations per second", format="~s"))
    y = logarithmic("ms", {**level_title("99 % within, ms"), "format": "~g", "tickCount": 5})
    tooltip = [
        {"field": "asked", "title": "asked for in a second", "format": ",.0f"},
        {"field": "done", "title": "done"},
        {"field": "within", "title": "99 % within"},
    ]
    point = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    return chart(
        [
            layer(values, {"type": "line", "color": "$muted", "strokeWidth": 1.2}, {"x": x, "y": y}),
            layer(
                values,
                point,
                {"x": x, "y": y, "color": series_colour((IN_TIME, TOO_LATE)), "tooltip": tooltip},
                SHOWN,
                name=DATA,
            ),
        ],
        height=_HEIGHT,
        top=24,
    )


def _table(steps: Sequence[RateStep]) -> Table:
    rows = tuple(
        (
            f"{step.asked_per_s:,.0f}",
            f"{step.done_per_s:,.0f}",
            delay(step.within_s),
            "yes" if step.held else "no",
        )
        for step in steps
    )
    return Table(("asked for in a second", "done in a second", "99 % within", "in time"), rows)
