"""How many operations took longer than how long: a curve for each operation."""

from __future__ import annotations

from typing import Any

from howdah.analysis.evidence import OperationLatency
from howdah.model.reported import format_value
from howdah.report.document import Figure, Key, Table
from howdah.report.figure import FigureSource, series_colour
from howdah.report.theme import DATA, SHOWN, chart, level_title, logarithmic, tips

_COLOURS = ("group-2", "group-3", "group-4", "group-5", "group-6", "group-1")
_LEAST_SHARE = 1e-6


def latencies(source: FigureSource) -> list[Figure]:
    """A figure for each workload whose operations were timed."""
    workloads = dict.fromkeys(one.workload for one in source.evidence.latencies)
    return [
        _figure(source, name, [one for one in source.evidence.latencies if one.workload == name])
        for name in workloads
    ]


def operation_keys(source: FigureSource) -> dict[str, Key]:
    """Every operation of the run with its colour, the same in all figures."""
    names = dict.fromkeys(one.operation for one in source.evidence.latencies)
    return {name: Key(name, _COLOURS[at % len(_COLOURS)]) for at, name in enumerate(names)}


def _figure(source: FigureSource, workload: str, timed: list[OperationLatency]) -> Figure:
    keys = tuple(operation_keys(source)[one.operation] for one in timed)
    said = ". ".join(
        f"{one.operation[:1].upper()}{one.operation[1:]}: half within {_time(one.within_s[0][1])}, "
        f"99 % within {_time(dict(one.within_s)[0.99])}, the longest {_time(one.longest_s)}"
        for one in timed
    )
    return Figure(
        id=f"latencies-{workload}".replace(" ", "-").replace("#", ""),
        title=f"{workload}: how long operations took",
        caption=f"{said}.",
        spec=_spec(source, timed, keys),
        table=latency_table(timed),
        keys=keys,
        marks=sum(len(one.curve) for one in timed),
    )


def latency_table(timed: list[OperationLatency]) -> Table:
    """Every operation with its percentiles."""
    shares = [share for share, _ in timed[0].within_s]
    columns = ("operation", "how often", *(f"{100 * share:g} % within" for share in shares), "longest")
    rows = tuple(
        (
            one.operation,
            f"{one.count:,}",
            *(_time(time_s) for _, time_s in one.within_s),
            _time(one.longest_s),
        )
        for one in timed
    )
    return Table(columns, rows)


def _spec(source: FigureSource, timed: list[OperationLatency], keys: tuple[Key, ...]) -> dict[str, Any]:
    values = [
        {
            "series": one.operation,
            "longer": max(1 - share, _LEAST_SHARE),
            "ms": 1000 * time_s,
            "text": _time(time_s),
            "share": f"{100 * share:.4g} %",
        }
        for one in timed
        for share, time_s in one.curve
    ]
    least = min(max(1 - share, _LEAST_SHARE) for one in timed for share, _ in one.curve)
    x = logarithmic(
        "longer",
        {
            "title": "of all operations took longer",
            "labelExpr": "format(100 * datum.value, '~g') + ' %'",
            "values": [1, 0.1, 0.01, 0.001, 0.0001, 0.00001],
        },
        [1, least],
    )
    y = logarithmic("ms", {**level_title("ms"), "format": "~g", "tickCount": 5})
    layers: list[dict[str, Any]] = [
        {
            "name": DATA,
            "data": {"values": values},
            "transform": [{"filter": SHOWN}],
            "mark": {"type": "line", "strokeWidth": 1.5, "strokeDash": source.dash},
            "encoding": {
                "x": x,
                "y": y,
                "color": series_colour(keys),
                "tooltip": tips(series="operation", share="of all", text="within"),
            },
        }
    ]
    return chart(layers, height=180, top=24)


def _time(seconds: float) -> str:
    return format_value(seconds, "s")
