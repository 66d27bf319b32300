"""What the data need year by year, beside what these hosts hold."""

from __future__ import annotations

from typing import Any

from howdah.model.plan import Capacity
from howdah.report.document import Figure, Table
from howdah.report.theme import DATA, LEFT, WIDTH, chart, layer, level_title, linear, scaled, tips
from howdah.units import format_bytes, format_counted

_STEPS = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"))


def growth(capacity: Capacity) -> Figure | None:
    """The figure; None where growth was not asked for."""
    if not capacity.years:
        return None
    return Figure(
        id="growth",
        title="What the data need, year by year",
        caption=_caption(capacity),
        spec=_spec(capacity),
        table=_table(capacity),
        marks=len(capacity.years),
    )


def _caption(capacity: Capacity) -> str:
    full = next((year for year in capacity.years if year.need_bytes > capacity.usable_bytes), None)
    held = f"These hosts hold {format_bytes(capacity.usable_bytes)} of data"
    if full is None:
        return f"{held}, enough until the last year. First full: {capacity.years[-1].first_full}."
    when = "today" if full.year == 0 else f"in year {full.year}"
    return f"{held}, too little {when}; what is beyond it is drawn pale. First full: {full.first_full}."


def _spec(capacity: Capacity) -> dict[str, Any]:
    usable = capacity.usable_bytes
    most = max([usable, *(year.need_bytes for year in capacity.years)]) or 1
    size, unit = next(step for step in (*_STEPS, (1.0, "B")) if most >= step[0])
    values = [
        {
            "year": year.year,
            "start": start / size,
            "end": end / size,
            "beyond": beyond,
            "need": format_bytes(year.need_bytes),
            "hosts": format_counted(year.hosts, "host"),
            "full": year.first_full,
        }
        for year in capacity.years
        for start, end, beyond in (
            (0, min(usable, year.need_bytes), 0),
            (min(usable, year.need_bytes), year.need_bytes, 1),
        )
        if end > start
    ]
    tops = [
        {"year": year.year, "top": year.need_bytes / size, "text": format_counted(year.hosts, "host")}
        for year in capacity.years
    ]
    level = {"values": [{"level": usable / size, "text": f"held: {format_bytes(usable)}"}]}
    last = capacity.years[-1].year
    x = linear(
        "year",
        [-0.6, last + 0.6],
        {
            "title": "years from today",
            "tickCount": min(12, last + 1),
            "tickMinStep": 1,
            "format": "d",
        },
        zero=False,
    )
    y = scaled([0, 1.12 * most / size], {**level_title(unit), "tickCount": 4})
    layers: list[dict[str, Any]] = [
        layer(
            values,
            {
                "type": "bar",
                "width": {"expr": f"min(64, width / {1.6 * (last + 1.2)})"},
                "color": "$disk-read",
            },
            {
                "x": x,
                "y": {**y, "field": "start"},
                "y2": {"field": "end"},
                "fillOpacity": {
                    "field": "beyond",
                    "type": "quantitative",
                    "scale": {"domain": [0, 1], "range": [1, 0.35]},
                    "legend": None,
                },
                "tooltip": tips(year=None, need=None, hosts="takes", full="first full"),
            },
            name=DATA,
        ),
        {
            "data": level,
            "mark": {"type": "rule", "color": "$ink", "strokeWidth": 1, "strokeDash": [2, 3]},
            "encoding": {"y": {**y, "field": "level"}},
        },
        {
            "data": level,
            "mark": {"type": "text", "align": "left", "dx": 6, "color": "$ink"},
            "encoding": {
                "x": {"value": {"expr": "width"}},
                "y": {**y, "field": "level"},
                "text": {"field": "text"},
            },
        },
        layer(
            tops,
            {"type": "text", "dy": -8, "color": "$muted"},
            {"x": x, "y": {**y, "field": "top"}, "text": {"field": "text"}},
        ),
    ]
    return chart(layers, height=200, width=WIDTH, top=24, left=LEFT, right=128)


def _table(capacity: Capacity) -> Table:
    resources = tuple(dict.fromkeys(name for year in capacity.years for name in year.fill))
    rows = [
        (
            str(year.year),
            format_bytes(year.need_bytes),
            f"{year.hosts:,}",
            year.first_full,
            *(f"{100 * year.fill[name]:.0f} %" if name in year.fill else "–" for name in resources),
        )
        for year in capacity.years
    ]
    return Table(
        ("year", "data", "hosts", "first full", *(f"{name} filled" for name in resources)), tuple(rows)
    )
