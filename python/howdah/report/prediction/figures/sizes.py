"""The axis of sizes that the figures of a plan's growth share, and where on it a master saturates."""

from __future__ import annotations

from typing import Any

from howdah.model.variation import Point, Sweep

_TB = 1e12
_MANY_TIMES = 4.0
"""Sizes that are so many times apart are drawn on a logarithmic axis."""


def size(found: Sweep, point: Point) -> float:
    """Where a point lies on the axis: its hosts, or its dataset in terabytes."""
    return float(point.hosts) if found.quantity == "hosts" else point.dataset_bytes / _TB


def size_axis(found: Sweep) -> dict[str, Any]:
    """The axis across."""
    least, most = size(found, found.points[0]), size(found, found.points[-1])
    many = most / least >= _MANY_TIMES
    return {
        "field": "size",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": [least, most]}
        if many
        else {"nice": False, "zero": False, "domain": [least, most]},
        "axis": {
            "title": "hosts" if found.quantity == "hosts" else "dataset (TB)",
            "format": "~g",
            "tickCount": 6,
        },
    }


def saturation_layers(found: Sweep, x: dict[str, Any]) -> list[dict[str, Any]]:
    """A quiet band between the sizes where a master saturates; none where none does."""
    if found.saturation is None:
        return []
    before, after = found.saturation
    values = [{"size": size(found, before), "size2": size(found, after)}]
    return [
        {
            "data": {"values": values},
            "mark": {"type": "rect", "color": "$band"},
            "encoding": {"x": x, "x2": {"field": "size2"}},
        }
    ]
