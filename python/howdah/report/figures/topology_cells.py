"""A large cluster: every worker a cell, shaded by its replicas, the cells of one host together."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

from howdah.report.figures.places import HostPlace, Place, PlacedRack
from howdah.report.figures.sheet import SHEET, Sheet
from howdah.units import format_counted

_CELL, _STEP, _GAP, _HEAD, _NAME = 11.0, 13.0, 12.0, 22.0, 14.0
_BETWEEN = 28.0
"""Room between racks, wider than that between hosts, pixels."""

_LEAST_NAMED = 44.0
_MOST_ACROSS = 5
MOST_NAMED = 96
"""More hosts than this have no room for their names."""

_LEAST_SHADE = 0.12


class _Block(NamedTuple):
    """A rack: its hosts row by row, and the room they take with its name above them, pixels."""

    name: str
    rows: tuple[tuple[HostPlace, ...], ...]
    wide: float
    tall: float


class _Drawing(NamedTuple):
    """What all cells share: the workloads, the replicas' span in the last of them, and if hosts are named."""

    names: tuple[str, ...]
    span: tuple[int, int]
    named: bool


def cells(racks: tuple[PlacedRack, ...], names: tuple[str, ...]) -> dict[str, Any]:
    """The spec; the last of the workloads ``names`` gives the shades, all of them are told of each cell.

    Racks stand beside one another as far as there is room.
    """
    counts = [
        worker.replicas[-1] for rack in racks for host in rack.hosts for worker in host.workers if names
    ]
    known = [count for count in counts if count is not None]
    named = sum(len(rack.hosts) for rack in racks) <= MOST_NAMED
    drawing = _Drawing(names, (min(known, default=0), max(known, default=0)), named)
    sheet = Sheet()
    x = y = deepest = 0.0
    for rack in racks:
        block = _block(rack, drawing)
        if x and x + block.wide > SHEET:
            x, y, deepest = 0.0, y + deepest, 0.0
        _rack(sheet, block, x, y, drawing)
        x += block.wide + _BETWEEN
        deepest = max(deepest, block.tall)
    return sheet.spec(y + deepest)


def _block(rack: PlacedRack, drawing: _Drawing) -> _Block:
    rows: list[list[HostPlace]] = [[]]
    x = wide = 0.0
    for host in rack.hosts:
        if x and x + _wide(host, drawing) > SHEET:
            x = 0.0
            rows.append([])
        rows[-1].append(host)
        wide = max(wide, x + _wide(host, drawing))
        x += _wide(host, drawing) + _GAP
    tall = (_HEAD if rack.name else 0.0) + sum(_row_tall(row, drawing) for row in rows)
    return _Block(rack.name, tuple(tuple(row) for row in rows), wide, tall)


def _rack(sheet: Sheet, block: _Block, x: float, y: float, drawing: _Drawing) -> None:
    if block.name:
        sheet.word(x, y + 8, block.name, room=block.wide + _GAP, tone="strong")
        y += _HEAD
    for row in block.rows:
        left = x
        for host in row:
            _host(sheet, host, left, y, drawing)
            left += _wide(host, drawing) + _GAP
        y += _row_tall(row, drawing)


def _across(host: HostPlace) -> int:
    return max(1, min(_MOST_ACROSS, len(host.workers)))


def _wide(host: HostPlace, drawing: _Drawing) -> float:
    return max(_box_wide(host), _LEAST_NAMED if drawing.named else 0.0)


def _box_wide(host: HostPlace) -> float:
    return _STEP * _across(host) + 4


def _tall(host: HostPlace) -> float:
    return _STEP * max(1, ceil(len(host.workers) / _across(host))) + 4


def _row_tall(row: Sequence[HostPlace], drawing: _Drawing) -> float:
    return max(map(_tall, row), default=0.0) + (_NAME if drawing.named else 0.0) + _GAP


def _host(sheet: Sheet, host: HostPlace, x: float, y: float, drawing: _Drawing) -> None:
    if drawing.named:
        name = host.name.partition(".")[0]
        sheet.word(x, y + 5, name, room=_wide(host, drawing) + _GAP - 2, tone="muted")
        y += _NAME
    title = "; ".join([f"{host.name}: {format_counted(len(host.workers), 'worker')}", *host.masters])
    sheet.box(x, y, wide=_box_wide(host), tall=_tall(host), token="band", title=title)
    for place, worker in enumerate(host.workers):
        left, top = x + 3 + _STEP * (place % _across(host)), y + 3 + _STEP * (place // _across(host))
        title = _title(worker, drawing.names)
        token, shade = _shade(worker, drawing.span)
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
    return "disk-write", round(_LEAST_SHADE + (1 - _LEAST_SHADE) * part, 3)


def _title(worker: Place, names: tuple[str, ...]) -> str:
    counts = [
        f"{format_counted(count, 'replica')} of {name}"
        for name, count in zip(names, worker.replicas, strict=True)
        if count is not None
    ]
    lost = ["lost during the run"] if worker.lost else []
    return ": ".join(filter(None, (worker.name, ", ".join([*lost, *counts]))))
