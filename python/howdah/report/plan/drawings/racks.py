"""The whole cluster: racks, their hosts, and what each carries beside or instead of workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import ceil
from typing import NamedTuple

from markupsafe import Markup

from howdah.model.placement import PlacedHost, placed_hosts
from howdah.model.plan import Cluster
from howdah.report.plan.drawings import Area, Drawing, box, fitting, picture, words
from howdah.units import format_counted

WIDTH = 880
MOST_NAMED = 96
"""More hosts than this are drawn without their names."""
MOST_HOSTS = 600
"""With more hosts than this, one box is a rack."""
FEWEST_RACKS = 20
"""With fewer racks than this, one box is some neighbours of a rack: some boxes alone would say nothing."""
MOST_BOXES = 400
"""With more racks than this, one box is so many hosts that there are no more boxes."""


class _Cell(NamedTuple):
    """One box: a host, or a rack of a large cluster."""

    name: str
    kind: str
    title: str
    below: str
    places: int
    free: int


class _Size(NamedTuple):
    wide: float
    tall: float
    gap: float
    named: bool


_RACK, _BELOW = 20, 26
"""Room for a rack's name above its hosts, and for a host's name and its masters' below it."""
_NAMED = _Size(58, 26, 8, named=True)
_SMALL = _Size(20, 20, 5, named=False)


def racks(cluster: Cluster) -> Drawing:
    """The map of the cluster; a large one rack by rack."""
    hosts = list(placed_hosts(cluster))
    by_rack = [(name, list(here)) for name, here in groupby(sorted(hosts, key=_rack), key=_rack)]
    if len(hosts) <= MOST_HOSTS:
        places = {layout.group: len(layout.workers) for layout in cluster.layouts}
        rows = [
            (name, [_host_cell(host, places.get(host.group, 0)) for host in here]) for name, here in by_rack
        ]
        shapes, height = _drawn(rows, _NAMED if len(hosts) <= MOST_NAMED else _SMALL)
        what = "Every box is a host"
    else:
        what, blocks = _blocks(hosts, by_rack)
        shapes, height = _drawn(
            [(name, [_block_cell(*block) for block in here]) for name, here in blocks], _SMALL
        )
    return Drawing(
        id="racks",
        title="Where everything is",
        caption=f"{what}. {_counted(hosts, by_rack)}",
        svg=picture("racks", WIDTH, height, shapes),
        keys=_keys(hosts),
    )


_Block = tuple[str, Sequence[PlacedHost]]


def _blocks(
    hosts: Sequence[PlacedHost], by_rack: Sequence[_Block]
) -> tuple[str, Sequence[tuple[str, Sequence[_Block]]]]:
    """What one box is, and the boxes in rows with names: racks, or neighbours in few or too many racks."""
    if FEWEST_RACKS <= len(by_rack) <= MOST_BOXES:
        return "Every box is a rack", [("", by_rack)]
    each = ceil(len(hosts) / MOST_BOXES)
    what = f"Every box is {format_counted(each, 'host')}"
    if len(by_rack) < FEWEST_RACKS:
        return what, [(name, _neighbours(here, each)) for name, here in by_rack]
    return what, [("", _neighbours(sorted(hosts, key=_rack), each))]


def _neighbours(hosts: Sequence[PlacedHost], each: int) -> Sequence[_Block]:
    parts = [hosts[start : start + each] for start in range(0, len(hosts), each)]
    return [(f"{part[0].name} to {part[-1].name}", part) for part in parts]


def _rack(host: PlacedHost) -> str:
    return host.rack


def _counted(hosts: Sequence[PlacedHost], by_rack: Sequence[tuple[str, list[PlacedHost]]]) -> str:
    workers = sum(len(host.workers) for host in hosts)
    said = (
        f"{format_counted(len(by_rack), 'rack')}, {format_counted(len(hosts), 'host')}, "
        f"{format_counted(workers, 'worker')}"
    )
    carrying = sum(bool(host.masters) for host in hosts)
    shadowed = sum(bool(host.shadows) for host in hosts)
    said += f"; {format_counted(carrying, 'host')} with masters"
    if shadowed:
        said += f", {format_counted(shadowed, 'host')} with shadows"
    return f"{said}."


def _keys(hosts: Iterable[PlacedHost]) -> tuple[tuple[str, str], ...]:
    kinds = {_kind(host) for host in hosts}
    named = (
        ("workers only", "worker"),
        ("with masters", "master"),
        ("with a shadow", "shadow"),
        ("no workers, no masters", "idle"),
    )
    return tuple((name, kind) for name, kind in named if kind in kinds)


def _kind(host: PlacedHost) -> str:
    return "master" if host.masters else "shadow" if host.shadows else "worker" if host.workers else "idle"


def _host_cell(host: PlacedHost, places: int) -> _Cell:
    carries = [format_counted(len(host.workers), "worker")]
    carries += [f"{master.name}: {', '.join(master.roles)}" for master in host.masters]
    carries += [f"shadow of {master.name}" for master in host.shadows]
    below = ", ".join(master.name for master in host.masters)
    if host.shadows:
        below = f"{below} ({', '.join(master.name for master in host.shadows)})".strip()
    name = host.name.partition(".")[0]
    return _Cell(name, _kind(host), f"{host.name}: {'; '.join(carries)}", below, places, len(host.workers))


def _block_cell(name: str, hosts: Sequence[PlacedHost]) -> _Cell:
    kinds = {_kind(host) for host in hosts}
    kind = next(kind for kind in ("master", "shadow", "worker", "idle") if kind in kinds)
    workers = sum(len(host.workers) for host in hosts)
    masters = [f"{master.name} on {host.name}" for host in hosts for master in host.masters]
    title = "; ".join(
        [f"{name}: {format_counted(len(hosts), 'host')}, {format_counted(workers, 'worker')}", *masters]
    )
    return _Cell(name, kind, title, "", 0, 0)


def _drawn(rows: Sequence[tuple[str, Sequence[_Cell]]], size: _Size) -> tuple[list[Markup], float]:
    """The racks beside one another as long as they fit, each with its name above its hosts."""
    shapes: list[Markup] = []
    step_x = size.wide + size.gap
    step_y = size.tall + size.gap + (_BELOW if size.named else 0)
    in_row = int((WIDTH + size.gap) // step_x)
    left = top = deepest = 0.0
    for name, cells in rows:
        wide = max(min(len(cells), in_row) * step_x, 7 * len(name)) - size.gap
        if left and left + wide > WIDTH:
            left, top, deepest = 0.0, top + deepest, 0.0
        head = _RACK if name else 0
        if name:
            shapes.append(words(left, top + 13, fitting(name, WIDTH), "tb"))
        for number, cell in enumerate(cells):
            shapes += _cell(
                cell, left + (number % in_row) * step_x, top + head + (number // in_row) * step_y, size
            )
        deepest = max(deepest, head + ceil(len(cells) / in_row) * step_y + head / 2)
        left += wide + 3 * size.gap
    return shapes, top + deepest + 2


def _cell(cell: _Cell, x: float, y: float, size: _Size) -> Iterator[Markup]:
    if not size.named:
        yield box(Area(x, y, size.wide, size.tall), cell.kind, cell.title)
        return
    yield box(Area(x, y, size.wide, size.tall), "node", cell.title)
    yield from _places(cell, x, y, size)
    yield words(x, y + size.tall + 11, fitting(cell.name, size.wide + size.gap, 5.6), "ts")
    if cell.below:
        kind = "ts strong" if cell.kind == "master" else "ts"
        yield words(x, y + size.tall + 22, fitting(cell.below, size.wide + size.gap, 5.8), kind)


def _places(cell: _Cell, x: float, y: float, size: _Size) -> Iterator[Markup]:
    """The places of a host: those of its workers, and those that make room."""
    places = max(1, cell.places)
    each = (size.wide - 6) / places
    gap = 1 if each > 3 else 0.4
    for place in range(places):
        kind = "worker" if place < cell.free else cell.kind if cell.kind != "worker" else "idle"
        area = Area(x + 3 + place * each + gap / 2, y + 4, each - gap, size.tall - 8)
        yield box(area, kind, cell.title)
    if cell.free == places and cell.kind in ("master", "shadow"):
        # Masters that share a worker's system take none of its places, and still are there.
        yield box(Area(x + 3, y + size.tall - 8, size.wide - 6, 4), cell.kind, cell.title)
