"""A large cluster: every worker a cell, shaded by its replicas, the cells of one host together."""

from __future__ import annotations

from math import ceil
from typing import Any

from howdah.report.figures.places import Place, PlacedHost, PlacedRack
from howdah.report.figures.sheet import SHEET, Sheet
from howdah.units import format_counted

_CELL, _STEP, _GAP, _HEAD, _NAME = 11.0, 13.0, 12.0, 22.0, 14.0
_MOST_ACROSS = 5
MOST_NAMED = 96
"""More hosts than this have no room for their names."""

_LEAST_SHADE = 0.12


def cells(racks: tuple[PlacedRack, ...], names: tuple[str, ...]) -> dict[str, Any]:
    """The spec; the last of the workloads ``names`` gives the shades, all of them are told of each cell."""
    counts = [
        worker.replicas[-1] for rack in racks for host in rack.hosts for worker in host.workers if names
    ]
    known = [count for count in counts if count is not None]
    span = (min(known, default=0), max(known, default=0))
    sheet = Sheet()
    named = sum(len(rack.hosts) for rack in racks) <= MOST_NAMED
    x = y = deepest = 0.0
    for rack in racks:
        if rack.name:
            x, y, deepest = 0.0, y + deepest, 0.0
            sheet.word(0, y + 8, rack.name, room=SHEET, tone="strong")
            y += _HEAD
        for host in rack.hosts:
            wide = max(_wide(host), 44.0 if named else 0.0)
            if x and x + wide > SHEET:
                x, y, deepest = 0.0, y + deepest, 0.0
            _host(sheet, host, x, y, names=names, span=span, named=wide if named else 0.0)
            x += wide + _GAP
            deepest = max(deepest, _tall(host) + (_NAME if named else 0.0) + _GAP)
    return sheet.spec(y + deepest)


def _across(host: PlacedHost) -> int:
    return max(1, min(_MOST_ACROSS, len(host.workers)))


def _wide(host: PlacedHost) -> float:
    return _STEP * _across(host) + 4


def _tall(host: PlacedHost) -> float:
    return _STEP * max(1, ceil(len(host.workers) / _across(host))) + 4


def _host(
    sheet: Sheet,
    host: PlacedHost,
    x: float,
    y: float,
    *,
    names: tuple[str, ...],
    span: tuple[int, int],
    named: float,
) -> None:
    if named:
        sheet.word(x, y + 5, host.name.partition(".")[0], room=named + _GAP - 2, tone="muted")
        y += _NAME
    title = "; ".join([f"{host.name}: {format_counted(len(host.workers), 'worker')}", *host.masters])
    sheet.box(x, y, wide=_wide(host), tall=_tall(host), token="band", title=title)
    for place, worker in enumerate(host.workers):
        left, top = x + 3 + _STEP * (place % _across(host)), y + 3 + _STEP * (place // _across(host))
        title = _title(worker, names)
        token, shade = _shade(worker, span)
        sheet.box(left, top, wide=_CELL, tall=_CELL, token=token, shade=shade, title=title)


def _shade(worker: Place, span: tuple[int, int]) -> tuple[str, float]:
    """Light for the fewest replicas, dark for the most; a worker that was lost has the colour of ink."""
    if worker.lost:
        return "ink", 1.0
    count = worker.replicas[-1] if worker.replicas else None
    if count is None:
        return "phase-3", 1.0
    least, most = span
    part = (count - least) / (most - least) if most > least else 0.5
    return "disk-write", _LEAST_SHADE + (1 - _LEAST_SHADE) * part


def _title(worker: Place, names: tuple[str, ...]) -> str:
    counts = [
        f"{format_counted(count, 'replica')} of {name}"
        for name, count in zip(names, worker.replicas, strict=True)
        if count is not None
    ]
    lost = ["lost during the run"] if worker.lost else []
    return ": ".join(filter(None, (worker.name, ", ".join([*lost, *counts]))))
