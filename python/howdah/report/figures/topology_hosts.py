"""A small cluster: every host a box, every worker in it with its replicas as bars."""

from __future__ import annotations

from typing import Any

from howdah.report.figures.places import HostPlace, Place, PlacedRack
from howdah.report.figures.sheet import SHEET, Sheet
from howdah.units import format_counted

_ACROSS = 4
_GAP, _PAD, _LINE, _HEAD = 14.0, 8.0, 16.0, 24.0
_NAMED, _COUNT = 88.0, 30.0
"""Room for a workload's name left of a bar, and for the count right of it."""


def hosts(racks: tuple[PlacedRack, ...], names: tuple[str, ...], most: tuple[int, ...]) -> dict[str, Any]:
    """The spec; ``names`` are the workloads that wrote replicas, ``most`` their largest counts."""
    sheet = Sheet()
    across = min(_ACROSS, max(2, *(len(rack.hosts) for rack in racks)))
    wide = (SHEET - (across - 1) * _GAP) / across
    y = 0.0
    for rack in racks:
        if rack.name:
            sheet.word(0, y + 10, rack.name, room=SHEET, tone="strong")
            y += _HEAD
        for start in range(0, len(rack.hosts), across):
            row = rack.hosts[start : start + across]
            for place, host in enumerate(row):
                _host(sheet, host, place * (wide + _GAP), y, wide=wide, names=names, most=most)
            y += max(_tall(host, names) for host in row) + _GAP
    return sheet.spec(y)


def _tall(host: HostPlace, names: tuple[str, ...]) -> float:
    each = _LINE * (1 + len(names)) + 4
    return 2 * _PAD + _LINE * (1 + len(host.masters)) + each * len(host.workers)


def _host(
    sheet: Sheet,
    host: HostPlace,
    x: float,
    y: float,
    *,
    wide: float,
    names: tuple[str, ...],
    most: tuple[int, ...],
) -> None:
    title = f"{host.name}: {format_counted(len(host.workers), 'worker')}"
    sheet.box(x, y, wide=wide, tall=_tall(host, names), token="band", title=title)
    room = wide - 2 * _PAD
    sheet.word(x + _PAD, y + _PAD + 6, host.name, room=room, tone="strong")
    y += _PAD + _LINE
    for master in host.masters:
        sheet.word(x + _PAD, y + 6, master, room=room, tone="muted")
        y += _LINE
    for worker in host.workers:
        _worker(sheet, worker, x + _PAD, y + 2, room=room, names=names, most=most, alone=host.name)
        y += _LINE * (1 + len(names)) + 4


def _worker(
    sheet: Sheet,
    worker: Place,
    x: float,
    y: float,
    *,
    room: float,
    names: tuple[str, ...],
    most: tuple[int, ...],
    alone: str,
) -> None:
    name = "the host itself" if worker.name == alone else worker.name
    if worker.lost:
        sheet.word(x, y + 6, f"{name}, lost during the run", room=room, tone="fault")
    else:
        sheet.word(x, y + 6, name, room=room)
    bar = room - _NAMED - _COUNT
    for line, (workload, count, top) in enumerate(zip(names, worker.replicas, most, strict=True)):
        middle = y + 6 + _LINE * (line + 1)
        said = "not said" if count is None else format_counted(count, "replica")
        title = f"{worker.name}: {said} of {workload}"
        wide = bar * (count or 0) / max(1, top)
        sheet.word(x, middle, workload, room=_NAMED - 6, tone="muted")
        sheet.box(x + _NAMED, middle - 5, wide=bar, tall=10, token="phase-3", shade=0.35, title=title)
        sheet.box(x + _NAMED, middle - 5, wide=wide, tall=10, token="disk-write", shade=0.85, title=title)
        sheet.word(x + _NAMED + bar + 6, middle, "–" if count is None else f"{count:,}", room=_COUNT - 6)
