"""The 90 % intervals of simulated times, drawn across the ends of the bars they belong to."""

from __future__ import annotations

from typing import Any

from howdah.report.figure import FigureSource

_HALF = 7
"""Of the end marks, in pixels above and below the line."""


def intervals(source: FigureSource, unit_s: float) -> list[dict[str, Any]]:
    """The ends of every workload's interval in a figure's own unit of time; none of a measured run."""
    simulated = source.record.simulated
    bands = {band.workload: band for band in simulated.bands if band.phase is None} if simulated else {}
    return [
        {
            "row": row,
            "low": band.low_s / unit_s,
            "high": band.high_s / unit_s,
            "text": f"{band.low_s:,.0f} to {band.high_s:,.0f} s",
        }
        for row, one in enumerate(source.evidence.workloads)
        if (band := bands.get(one.workload)) is not None
    ]


def interval_layers(
    values: list[dict[str, Any]], x: dict[str, Any], y: dict[str, Any]
) -> list[dict[str, Any]]:
    """A line from end to end with a mark at each, pale-rimmed to show on any bar; none of nothing."""
    if not values:
        return []
    data = {"values": values}
    line = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y}
    tip = {"field": "text", "title": "90 % of the simulations"}
    ends = [{"x": {**x, "field": end}, "y": y} for end in ("low", "high")]
    layers: list[dict[str, Any]] = []
    for colour, wider in (("$page", 3), ("$ink", 0)):
        layers.append(
            {
                "data": data,
                "mark": {"type": "rule", "strokeWidth": 2 + wider, "color": colour},
                "encoding": {**line, "tooltip": [tip]},
            }
        )
        layers += [
            {
                "data": data,
                "mark": {
                    "type": "tick",
                    "orient": "vertical",
                    "size": 2 * _HALF,
                    "thickness": 2 + wider,
                    "color": colour,
                },
                "encoding": end,
            }
            for end in ends
        ]
    return layers
