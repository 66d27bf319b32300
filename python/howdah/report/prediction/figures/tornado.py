"""What each change does to the time of a suite: the quantity that matters most on top."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from howdah.analysis.wording import signed
from howdah.model.variation import Effect
from howdah.report.figure import Figure, Key, Table, series_colour
from howdah.report.theme import DATA, SHOWN, WIDTH, chart

LEFT, RIGHT = 134, 24
_ROW, _BAR, _GAP = 26, 16, 8
_KEYS = (Key("shorter", "group-2"), Key("longer", "group-3"))


def tornado(effects: Sequence[Effect]) -> Figure | None:
    """The figure; None where nothing was changed."""
    if not effects:
        return None
    return Figure(
        id="changes",
        title="What one change does to the time of the suite",
        caption=(
            "Bars are medians, thin lines their 90 % intervals, one change at a time; what lies left of the "
            "middle is shorter. A pale bar cannot be distinguished from no effect. All of it is simulated."
        ),
        spec=_spec(effects),
        table=_table(effects),
        keys=_KEYS,
        marks=3 * len(effects),
    )


def _placed(effects: Sequence[Effect]) -> list[tuple[float, Effect]]:
    """Every change with its place from the top, those of one quantity together, the largest effect first."""
    order = list(dict.fromkeys(one.quantity for one in effects))
    placed = []
    y = 0.0
    for _, some in groupby(
        sorted(effects, key=lambda one: order.index(one.quantity)), key=lambda one: one.quantity
    ):
        for one in some:
            placed.append((y + _ROW / 2, one))
            y += _ROW
        y += _GAP
    return placed


def _spec(effects: Sequence[Effect]) -> dict[str, Any]:
    placed = _placed(effects)
    height = placed[-1][0] + _ROW / 2
    low = min(0.0, *(min(one.low, one.share) for one in effects))
    high = max(0.0, *(max(one.high, one.share) for one in effects))
    room = 0.03 * max(high - low, 0.01)
    x = {
        "field": "share",
        "type": "quantitative",
        "scale": {"domain": [low - room, high + room], "nice": False},
        "axis": {
            "title": "change of the suite's time",
            "grid": True,
            "domain": False,
            "ticks": False,
            "format": "+.0%" if high - low > 0.1 else "+.1%",
            "tickCount": 6,
        },
    }
    y = {
        "field": "y",
        "type": "quantitative",
        "scale": {"domain": [0, height], "reverse": True, "nice": False, "zero": False},
        "axis": None,
    }
    colour = series_colour(_KEYS)
    values = [_datum(y, one) for y, one in placed]
    filtered = [{"filter": SHOWN}]
    layers: list[dict[str, Any]] = [
        {
            "name": DATA,
            "data": {"values": values},
            "transform": filtered,
            "mark": {"type": "bar", "orient": "horizontal", "size": _BAR},
            "encoding": {
                "x": x,
                "x2": {"field": "none"},
                "y": y,
                "color": colour,
                "fillOpacity": {"field": "shade", "type": "quantitative", "scale": None, "legend": None},
                "tooltip": [{"field": "said", "title": "change"}],
            },
        },
        {
            "data": {"values": values},
            "transform": filtered,
            "mark": {"type": "rule", "strokeWidth": 2, "color": "$ink"},
            "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y},
        },
        {
            "data": {"values": [{"share": 0}]},
            "mark": {"type": "rule", "color": "$ink", "strokeWidth": 1},
            "encoding": {"x": x},
        },
        {
            "data": {"values": values},
            "mark": {"type": "text", "align": "right", "x": -10, "limit": LEFT - 14},
            "encoding": {"y": y, "text": {"field": "name"}},
        },
    ]
    return chart(
        layers,
        height=height,
        width=WIDTH + 14,
        top=4,
        left=LEFT,
        right=RIGHT,
        resolve={"scale": {"color": "independent", "fillOpacity": "independent"}},
    )


def _datum(y: float, one: Effect) -> dict[str, Any]:
    return {
        "series": "shorter" if one.share < 0 else "longer",
        "name": f"{one.quantity} {one.after}",
        "y": y,
        "none": 0,
        "share": one.share,
        "low": one.low,
        "high": one.high,
        "shade": 0.75 if one.tells else 0.25,
        "said": (
            f"{one.quantity} {one.before} to {one.after}: {signed(one.share)}, "
            f"{signed(one.low)} to {signed(one.high)}"
        ),
    }


def _table(effects: Sequence[Effect]) -> Table:
    return Table(
        ("change", "effect", "5 % are below", "5 % are above"),
        tuple(
            (
                f"{one.quantity} {one.before} to {one.after}",
                signed(one.share),
                signed(one.low),
                signed(one.high),
            )
            for one in effects
        ),
    )
