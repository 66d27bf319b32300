"""What the work takes at each size, with its intervals."""

from __future__ import annotations

from typing import Any

from howdah.analysis.wording import seconds
from howdah.model.variation import Sweep
from howdah.report.figure import Figure, Key, Table, series_colour
from howdah.report.prediction.figures.sizes import saturation_layers, size, size_axis
from howdah.report.prediction.figures.time import unit_of
from howdah.report.prediction.words import between
from howdah.report.theme import DATA, RIGHT, SHOWN, chart, level_title
from howdah.units import format_bytes, format_counted

HEIGHT = 280
_WHOLE = "all together"
_MANY_TIMES = 8.0
"""Times that are so many times apart are drawn on a logarithmic axis."""
_GAP = 16
"""Pixels between names at the lines' ends."""


def growth(found: Sweep) -> Figure:
    """The figure."""
    values = _values(found)
    names = list(dict.fromkeys(one["series"] for one in values))
    keys = tuple(Key(name, f"group-{place}") for place, name in enumerate(names, start=1))
    saturates = " In the grey band a master becomes what all wait for." if found.saturation else ""
    return Figure(
        id="growth",
        title="Time at each size",
        caption=f"Dashed lines are medians, bands their 90 % intervals; all of it is simulated.{saturates}",
        spec=_spec(found, values, keys),
        table=_table(found),
        keys=keys if len(keys) > 1 else (),
        marks=3 * len(values),
    )


def _values(found: Sweep) -> list[dict[str, Any]]:
    """Every time in seconds, the whole suite's first where it has several workloads."""
    values = []
    for point in found.points:
        place = {"size": size(found, point), "at": _at(found, point.hosts, point.dataset_bytes)}
        several = len(point.forecasts) > 1
        times = [(_WHOLE, point.low_s, point.elapsed_s, point.high_s)] if several else []
        times += [(one.workload, one.low_s, one.median_s, one.high_s) for one in point.forecasts]
        values += [
            {
                **place,
                "series": name,
                "low": low,
                "time": time,
                "high": high,
                "said": f"{seconds(time)}, {between(low, high)}",
            }
            for name, low, time, high in times
        ]
    return values


def _at(found: Sweep, hosts: int, dataset_bytes: int) -> str:
    return format_counted(hosts, "host") if found.quantity == "hosts" else format_bytes(dataset_bytes)


def _spec(found: Sweep, values: list[dict[str, Any]], keys: tuple[Key, ...]) -> dict[str, Any]:
    longest = max(one["high"] for one in values)
    unit = unit_of(longest)
    drawn = [{**one, **{end: one[end] / unit.size_s for end in ("low", "time", "high")}} for one in values]
    x = size_axis(found)
    wholes = [one["time"] for one in drawn if one["series"] == keys[0].name]
    logarithmic = max(wholes) / min(wholes) >= _MANY_TIMES
    least = min(one["low"] for one in drawn)
    domain = [0.9 * least, 1.1 * longest / unit.size_s] if logarithmic else [0, 1.05 * longest / unit.size_s]
    y = {
        "field": "time",
        "type": "quantitative",
        "scale": {"type": "log" if logarithmic else "linear", "domain": domain, "nice": False},
        "axis": {**level_title(f"time ({unit.name})"), "tickCount": 5, "grid": True, "format": "~g"},
    }
    colour = series_colour(keys)
    shown = [{"filter": SHOWN}]
    line = {"x": x, "y": y, "color": colour}
    layers: list[dict[str, Any]] = [
        *saturation_layers(found, x),
        {
            "data": {"values": drawn},
            "transform": shown,
            "mark": {"type": "area", "opacity": 0.18},
            "encoding": {**line, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "data": {"values": drawn},
            "transform": shown,
            "mark": {"type": "line", "strokeDash": [6, 3], "strokeWidth": 1.5},
            "encoding": line,
        },
        {
            "name": DATA,
            "data": {"values": drawn},
            "transform": shown,
            "mark": {"type": "point", "size": 40, "strokeWidth": 1.5, "fill": "$page", "fillOpacity": 1},
            "encoding": {
                **line,
                "tooltip": [
                    {"field": "series", "title": "of"},
                    {"field": "at"},
                    {"field": "said", "title": "time"},
                ],
            },
        },
        {
            "data": {"values": _ends(drawn, domain, logarithmic=logarithmic)},
            "transform": [*shown, {"filter": "roomy"}],
            "mark": {"type": "text", "align": "left", "dx": 10},
            "encoding": {
                "x": x,
                "y": {**y, "field": "label"},
                "text": {"field": "series"},
                "color": colour,
            },
        },
    ]
    return chart(layers, height=HEIGHT, top=28, right=RIGHT, resolve={"scale": {"color": "independent"}})


def _ends(drawn: list[dict[str, Any]], domain: list[float], *, logarithmic: bool) -> list[dict[str, Any]]:
    """The names at the lines' ends, from top to bottom, none on another; only a linear axis is spread."""
    last = max(one["size"] for one in drawn)
    ends = sorted((one for one in drawn if one["size"] == last), key=lambda one: -one["time"])
    if logarithmic:
        return [{**one, "label": one["time"]} for one in ends]
    step = _GAP / HEIGHT * (domain[1] - domain[0])
    placed: list[dict[str, Any]] = []
    for one in ends:
        label = min(one["time"], placed[-1]["label"] - step) if placed else one["time"]
        placed.append({**one, "label": label})
    return placed


def _table(found: Sweep) -> Table:
    names = [one.workload for one in found.points[0].forecasts]
    return Table(
        ("size", *names, _WHOLE, "5 % are below", "5 % are above"),
        tuple(
            (
                _at(found, point.hosts, point.dataset_bytes),
                *(seconds(one.median_s) for one in point.forecasts),
                seconds(point.elapsed_s),
                seconds(point.low_s),
                seconds(point.high_s),
            )
            for point in found.points
        ),
    )
