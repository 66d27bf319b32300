"""How busy the masters are at each size."""

from __future__ import annotations

from typing import Any

from howdah.analysis.wording import percent
from howdah.model.variation import SATURATED, Sweep
from howdah.report.figure import Figure, Key, Table, series_colour
from howdah.report.prediction.figures.sizes import saturation_layers, size, size_axis
from howdah.report.theme import DATA, RIGHT, SHOWN, chart, level_title
from howdah.units import format_bytes, format_count

HEIGHT = 180
_KEYS = (Key("NameNode", "group-4"), Key("scheduler", "group-3"))


def masters(found: Sweep) -> Figure:
    """The figure."""
    return Figure(
        id="masters",
        title="How busy the masters are",
        caption=(
            "The share of one core in the phase that loads each most; above the line a master is what "
            "everything waits for. The scheduler is the ResourceManager's, or Hadoop 1's JobTracker."
        ),
        spec=_spec(found),
        table=_table(found),
        keys=_KEYS,
        marks=2 * len(found.points),
    )


def _spec(found: Sweep) -> dict[str, Any]:
    values: list[dict[str, Any]] = [
        {"size": size(found, point), "series": key.name, "load": load, "said": percent(load)}
        for point in found.points
        for key, load in zip(_KEYS, (point.namenode, point.scheduler), strict=True)
    ]
    x = size_axis(found)
    top = max(1.05, *(1.05 * one["load"] for one in values))
    y = {
        "field": "load",
        "type": "quantitative",
        "scale": {"domain": [0, top], "nice": False},
        "axis": {**level_title("of one core"), "format": ".0%", "tickCount": 5, "grid": True},
    }
    colour = series_colour(_KEYS)
    last = values[-1]["size"]
    upper, lower = sorted((one for one in values if one["size"] == last), key=lambda one: -one["load"])
    step = 16 / HEIGHT * top
    ends = [{**upper, "label": upper["load"]}, {**lower, "label": min(lower["load"], upper["load"] - step)}]
    shown = [{"filter": SHOWN}]
    line = {"x": x, "y": y, "color": colour}
    layers: list[dict[str, Any]] = [
        *saturation_layers(found, x),
        {
            "data": {"values": [{"load": SATURATED}]},
            "mark": {"type": "rule", "color": "$ink", "strokeWidth": 1},
            "encoding": {"y": y},
        },
        {
            "data": {"values": values},
            "transform": shown,
            "mark": {"type": "line", "strokeDash": [6, 3], "strokeWidth": 1.5},
            "encoding": line,
        },
        {
            "name": DATA,
            "data": {"values": values},
            "transform": shown,
            "mark": {"type": "point", "size": 40, "strokeWidth": 1.5, "fill": "$page", "fillOpacity": 1},
            "encoding": {**line, "tooltip": [{"field": "series"}, {"field": "said", "title": "busy"}]},
        },
        {
            "data": {"values": ends},
            "transform": [*shown, {"filter": "roomy"}],
            "mark": {"type": "text", "align": "left", "dx": 10},
            "encoding": {"x": x, "y": {**y, "field": "label"}, "text": {"field": "series"}, "color": colour},
        },
    ]
    return chart(layers, height=HEIGHT, top=28, right=RIGHT, resolve={"scale": {"color": "independent"}})


def _table(found: Sweep) -> Table:
    return Table(
        ("hosts", "dataset", "NameNode", "scheduler"),
        tuple(
            (
                format_count(point.hosts),
                format_bytes(point.dataset_bytes),
                percent(point.namenode),
                percent(point.scheduler),
            )
            for point in found.points
        ),
    )
