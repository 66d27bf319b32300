"""Throughput of every task, one small chart for each kind of task in each workload."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from howdah.analysis.evidence import FloatArray
from howdah.report.figure import Figure, Source, Table
from howdah.report.figures.lanes import KEYS, OTHER
from howdah.report.figures.scale import Unit, number_format, rate_unit
from howdah.report.theme import DATA, HALF_WIDTH, chart, level_title
from howdah.units import format_rate

MOST_TASKS = 400
"""More tasks than this are narrower than a pixel of a small chart."""

TABLE_ROWS = 24


def partitions(source: Source) -> list[Figure]:
    """A figure for each workload and kind with at least two finished tasks that moved bytes.

    A task's throughput is the larger of its input and output over its time; for a reduce task this
    is the partition it wrote.
    """
    groups: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in source.run.tasks.to_pylist():
        seconds = row["end_s"] - row["start_s"]
        moved = max(row["input_bytes"], row["output_bytes"])
        if row["state"] == "succeeded" and seconds > 0 and moved > 0:
            groups.setdefault((row["workload"], row["kind"]), []).append((row["task"], moved / seconds))
    return [
        _figure(source, workload, kind, sorted(tasks))
        for (workload, kind), tasks in groups.items()
        if len(tasks) > 1
    ]


def _figure(source: Source, workload: str, kind: str, tasks: list[tuple[int, float]]) -> Figure:
    rates = np.array([rate for _, rate in tasks])
    unit = rate_unit(float(rates.max()))
    what = _what(kind)
    middle, low, high = np.median(rates), rates.min(), rates.max()
    caption = (
        f"{len(tasks)} {what}s: median {format_rate(float(middle))}, "
        f"slowest {format_rate(float(low))}, fastest {format_rate(float(high))}."
    )
    return Figure(
        id=f"partitions-{workload}-{kind}".replace(" ", "-").replace("#", ""),
        title=f"{workload}: throughput per {what}",
        caption=caption,
        spec=_spec(source, kind, tasks, unit, float(middle)),
        table=_table(what, rates, unit),
        half=True,
        marks=min(len(tasks), MOST_TASKS),
    )


def _what(kind: str) -> str:
    """A reduce task is known by the partition it writes."""
    return "partition" if kind == "reduce" else f"{kind} task"


def _spec(
    source: Source, kind: str, tasks: list[tuple[int, float]], unit: Unit, middle: float
) -> dict[str, Any]:
    shown, what = _thinned(tasks), _what(kind)
    token = KEYS.get(kind, OTHER).token
    top = 1.08 * max(rate for _, rate in shown) / unit.size
    y = {
        "field": "rate",
        "type": "quantitative",
        "scale": {"domain": [0, top], "nice": False},
        "axis": {**level_title(unit.name), "tickCount": 3, "format": number_format(top)},
    }
    last = max(task for task, _ in tasks)
    values = [
        {
            "from": task - 0.4,
            "to": task + 0.4,
            "task": task,
            "rate": rate / unit.size,
            "text": format_rate(rate),
        }
        for task, rate in shown
    ]
    x_scale = {"domain": [-0.7, last + 0.7], "nice": False, "zero": False}
    x_axis = {"title": what, "tickCount": min(8, last + 1), "format": "d", "tickMinStep": 1}
    x: dict[str, Any] = {"type": "quantitative", "scale": x_scale, "axis": x_axis}
    if len(shown) < len(tasks) or len(tasks) > MOST_TASKS // 2:
        mark: dict[str, Any] = {"type": "point", "filled": True, "size": 9, "color": f"${token}"}
        encoding: dict[str, Any] = {"x": {**x, "field": "task"}, "y": y}
    else:
        mark = {"type": "rect", "color": f"${token}"}
        if source.dash != [1, 0]:
            mark |= {"fillOpacity": 0.3, "stroke": f"${token}", "strokeDash": source.dash}
        encoding = {"x": {**x, "field": "from"}, "x2": {"field": "to"}, "y": y, "y2": {"datum": 0}}
    tooltip = [{"field": "task", "title": what}, {"field": "text", "title": "throughput"}]
    layers: list[dict[str, Any]] = [
        {
            "name": DATA,
            "data": {"values": values},
            "mark": mark,
            "encoding": {**encoding, "tooltip": tooltip},
        },
        {
            "data": {"values": [{"rate": middle / unit.size}]},
            "mark": {"type": "rule", "color": "$ink", "strokeWidth": 1, "strokeDash": [2, 3]},
            "encoding": {"y": {"field": "rate", "type": "quantitative"}},
        },
        {
            "data": {"values": [{"rate": middle / unit.size}]},
            "mark": {"type": "text", "align": "left", "dx": 6, "text": "median", "color": "$muted"},
            "encoding": {"x": {"value": {"expr": "width"}}, "y": {"field": "rate", "type": "quantitative"}},
        },
    ]
    return chart(layers, height=110, width=HALF_WIDTH, top=24, right=56)


def _thinned(tasks: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """At most ``MOST_TASKS`` of them: of each stretch of neighbours the slowest, which matters most."""
    if len(tasks) <= MOST_TASKS:
        return tasks
    cuts = np.linspace(0, len(tasks), MOST_TASKS + 1).astype(int)
    return [min(tasks[start:end], key=lambda one: one[1]) for start, end in pairwise(cuts)]


def _table(what: str, rates: FloatArray, unit: Unit) -> Table:
    """Every task's rate, or the rates' percentiles where there are many tasks."""
    if len(rates) <= TABLE_ROWS:
        rows = tuple((str(task), f"{rate / unit.size:.3g}") for task, rate in enumerate(rates))
        return Table((what, unit.name), rows)
    percents = (0, 5, 25, 50, 75, 95, 100)
    rows = tuple((f"{percent} %", f"{np.percentile(rates, percent) / unit.size:.3g}") for percent in percents)
    return Table((f"{what}s up to", unit.name), rows)
