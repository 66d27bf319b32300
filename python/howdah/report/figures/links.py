"""What each host sends every other one: a matrix, with the slow pairs marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from howdah.analysis.links import PUBLISHED, good, share_of_nominal, slow_pairs
from howdah.model.reported import LinkRate, format_value
from howdah.model.workloads.hadoop_programs import ALL_AT_ONCE, BOTH_WAYS, ONE_WAY
from howdah.report.document import Figure, Table
from howdah.report.figures.timeaxis import FigureSource
from howdah.report.theme import DATA, WIDTH, chart, layer, tips
from howdah.report.words import NONE
from howdah.units import format_bits_per_s, format_counted, format_percent

_MOST_WRITTEN = 12
"""Hosts beyond which the cells have no room for their numbers."""
_CELL, _LEAST_CELL, _MOST_TALL = 44.0, 6.0, 620.0
_NAMES, _ABOVE = 130, 44
_LEAST_SHADE = 0.1
_TABLE_ROWS = 240


def links(source: FigureSource) -> list[Figure]:
    """A matrix for each way in which pairs were measured, of every workload that measured links."""
    order = {machine.name: at for at, machine in enumerate(source.evidence.machines)}
    return [
        _figure(result.links, how, time.workload, order)
        for time in source.evidence.workloads
        for result in (source.record.workloads[time.index],)
        for how in (ONE_WAY, BOTH_WAYS)
        if any(link.how == how for link in result.links)
    ]


def _figure(measured: Sequence[LinkRate], how: str, workload: str, order: Mapping[str, int]) -> Figure:
    pairs = [link for link in measured if link.how == how]
    names = tuple(
        sorted(
            {name for link in pairs for name in (link.source, link.target)},
            key=lambda name: order.get(name, 0),
        )
    )
    slow = {(link.source, link.target) for link in slow_pairs(measured, how)}
    return Figure(
        id=f"links-{workload}-{how}".replace(" ", "-").replace("#", ""),
        title=f"{workload}: what each host sends every other, {how}",
        caption=_caption(measured, how, len(slow)),
        spec=_spec(pairs, names, slow),
        table=_table(measured, pairs),
        marks=len(pairs),
    )


def _caption(measured: Sequence[LinkRate], how: str, slow: int) -> str:
    rate, share = good(measured, how), share_of_nominal(measured, how)
    text = f"Senders are rows, receivers columns. The better pairs: {format_bits_per_s(rate or 0)}"
    if how == BOTH_WAYS:
        text += " each way"
    if share is not None:
        nominal = max((link.nominal_bits_per_s or 0 for link in measured if link.how == how), default=0)
        text += f", {format_percent(share)} of {format_bits_per_s(nominal)}"
        text += f"; published for a 10 Gb/s port: {format_percent(PUBLISHED[how])}"
    if slow:
        text += f". {format_counted(slow, 'slow pair')} framed"
    return text + "."


def _spec(pairs: Sequence[LinkRate], names: tuple[str, ...], slow: set[tuple[str, str]]) -> dict[str, Any]:
    cell = max(_LEAST_CELL, min(_CELL, _MOST_TALL / len(names)))
    most = max(link.bits_per_s for link in pairs) or 1.0
    values = [
        {
            "from": link.source,
            "to": link.target,
            "shade": round(_LEAST_SHADE + (1 - _LEAST_SHADE) * link.bits_per_s / most, 3),
            "slow": (link.source, link.target) in slow or link.error is not None,
            "short": f"{format_bits_per_s(link.bits_per_s)}".split(" ", maxsplit=1)[0]
            if not link.error
            else "none",
            "text": link.error or format_bits_per_s(link.bits_per_s),
        }
        for link in pairs
    ]
    written = len(names) <= _MOST_WRITTEN
    axis = {"labels": written, "ticks": False, "domain": False, "grid": False, "labelLimit": _NAMES - 20}
    band = {"domain": list(names), "paddingInner": 0.06 if written else 0.0}
    x = {
        "field": "to",
        "type": "nominal",
        "scale": band,
        "axis": {**axis, "orient": "top", "title": "to", "labelAngle": 0},
    }
    y = {"field": "from", "type": "nominal", "scale": band, "axis": {**axis, "title": "from"}}
    layers = [
        layer(
            values,
            {"type": "rect", "color": "$net-send", "fillOpacity": {"expr": "datum.shade"}},
            {
                "x": x,
                "y": y,
                "stroke": {"condition": {"test": "datum.slow", "value": "$fault"}, "value": None},
                "strokeWidth": {"condition": {"test": "datum.slow", "value": 2}, "value": 0},
                "tooltip": tips(**{"from": None, "to": None, "text": "received"}),
            },
            name=DATA,
        )
    ]
    if written:
        contrast = {"condition": {"test": "datum.shade > 0.6", "value": "$page"}, "value": "$ink"}
        words = {"x": x, "y": y, "text": {"field": "short"}, "color": contrast}
        layers.append(layer(values, {"type": "text", "fontSize": 11}, words))
    tall = cell * len(names)
    width = min(WIDTH - _NAMES, max(tall, cell * 1.6 * len(names)))
    return chart(layers, height=tall, width=width, top=_ABOVE, bottom=12, left=_NAMES, right=24)


def _table(measured: Sequence[LinkRate], pairs: Sequence[LinkRate]) -> Table:
    """The pairs, slowest first, with what else is known of each."""
    together = {(link.source, link.target): link for link in measured if link.how == ALL_AT_ONCE}
    rows = []
    for link in sorted(pairs, key=lambda link: link.bits_per_s)[:_TABLE_ROWS]:
        loaded = together.get((link.source, link.target))
        rows.append(
            (
                f"{link.source} → {link.target}",
                format_bits_per_s(link.bits_per_s),
                format_percent(link.bits_per_s / link.nominal_bits_per_s)
                if link.nominal_bits_per_s
                else NONE,
                NONE if link.retransmits is None else f"{link.retransmits:,}",
                NONE if link.round_trip_s is None else format_value(link.round_trip_s, "s"),
                NONE if loaded is None else format_bits_per_s(loaded.bits_per_s),
            )
        )
    return Table(("pair", "received", "of nominal", "sent again", "round trip", "all at once"), tuple(rows))
