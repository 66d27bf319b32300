"""Drawings of a plan: one full host, and the whole cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import ceil
from typing import NamedTuple

from markupsafe import Markup

from howdah.model.inventory import DiskRole, HostGroup
from howdah.model.placement import PlacedHost, placed_hosts
from howdah.model.plan import Cluster, Layout, Worker
from howdah.report.document import Drawing
from howdah.report.plan.words import size
from howdah.units import exact_bits_per_s, exact_bytes, format_counted, format_gib

HOST_WIDTH = 880
_GAP, _PAD, _HEAD, _FOOT = 12, 10, 26, 30
_LEAST_WORKER = 128
_NODES_IN_ROW = 4
_DISK = 11


def host(group: HostGroup, layout: Layout, kinds: Sequence[Worker]) -> Drawing:
    """The drawing of a host of this group that carries no masters."""
    id_ = f"host-{group.name}"
    shapes, height = _host_drawn(group, layout, kinds)
    cpu = group.cpu
    hardware = (
        f"{format_counted(cpu.sockets, 'socket')} of {format_counted(cpu.cores_per_socket, 'core')}, "
        f"{format_counted(cpu.threads, 'thread')}, {format_gib(group.memory_bytes)}, "
        f"{format_counted(group.data_disks, 'data disk')}"
    )
    shares = " and ".join(
        f"{kind.per_host} × {kind.name}: {size(kind, virtual=layout.virtual)}" for kind in kinds
    )
    return Drawing(
        id=id_,
        title=f"A host of the group {group.name}",
        caption=f"{hardware}; {'divided as ' if layout.virtual else ''}{layout.platform}: {shares}.",
        svg=picture(id_, HOST_WIDTH, height, shapes),
        keys=(
            ("worker", "worker"),
            ("data disk", "disk"),
            *([("held back", "held")] if layout.virtual else []),
        ),
    )


def _host_drawn(group: HostGroup, layout: Layout, kinds: Sequence[Worker]) -> tuple[list[Markup], float]:
    nodes = group.cpu.numa_nodes
    spread = [kind for kind in kinds if (kind.numa_nodes or 1) > 1]
    per_node = _by_node([kind for kind in kinds if kind not in spread], 1 if spread else nodes)
    if spread:
        per_node[0] += [kind for kind in spread for _ in range(kind.per_host)]
    in_row = min(_NODES_IN_ROW, len(per_node))
    wide = (HOST_WIDTH - 2 * _PAD - (in_row - 1) * _GAP) / in_row
    columns = _columns(max(map(len, per_node)), wide)
    most = max((kind.data_disks or 0 for kind in kinds), default=0)
    tall = 44 + ceil(most / _disk_columns(wide, columns)) * (_DISK + 3)
    high = _HEAD + ceil(max(map(len, per_node)) / columns) * (tall + 8) + 4
    shapes: list[Markup] = []
    for node, here in enumerate(per_node):
        x = _PAD + (node % in_row) * (wide + _GAP)
        y = _PAD + (node // in_row) * (high + _GAP)
        shapes.append(box(Area(x, y, wide, high), "node"))
        shapes.append(
            words(x + _PAD, y + 18, fitting(_node_name(group, node, spread=bool(spread)), wide - 20, 5.8))
        )
        shapes += _workers(here, Area(x, y + _HEAD, wide, high), tall, columns, layout)
    below = _PAD + ceil(len(per_node) / in_row) * (high + _GAP)
    shapes += _foot(group, kinds, below, virtual=layout.virtual)
    height = below + _FOOT + _PAD
    return [box(Area(0.5, 0.5, HOST_WIDTH - 1, height - 1), "outline"), *shapes], height


def _by_node(kinds: Sequence[Worker], nodes: int) -> list[list[Worker]]:
    """The workers of each NUMA node: every node carries equally many of every kind where they divide."""
    places: list[list[Worker]] = [[] for _ in range(nodes)]
    for kind in kinds:
        for number in range(kind.per_host):
            places[number * nodes // kind.per_host if kind.per_host >= nodes else number].append(kind)
    return places


def _columns(workers: int, wide: float) -> int:
    columns = 1 if workers <= 3 else 2 if workers <= 10 else 3 if workers <= 18 else 4
    return max(1, min(columns, int(wide // _LEAST_WORKER)))


def _disk_columns(wide: float, columns: int) -> int:
    return max(1, int((wide / columns - 2 * _PAD - 8) // (_DISK + 3)))


def _node_name(group: HostGroup, node: int, *, spread: bool) -> str:
    cpu = group.cpu
    if spread:
        return f"all {cpu.numa_nodes} NUMA nodes · {cpu.threads} threads · {format_gib(group.memory_bytes)}"
    threads, memory = cpu.threads // cpu.numa_nodes, group.memory_bytes // cpu.numa_nodes
    return f"node {node} · {format_counted(threads, 'thread')} · {format_gib(memory)}"


def _workers(
    here: Sequence[Worker], area: Area, tall: float, columns: int, layout: Layout
) -> Iterator[Markup]:
    worker_wide = (area.width - _PAD * 2 - (columns - 1) * 8) / columns
    for place, kind in enumerate(here):
        left = area.x + _PAD + (place % columns) * (worker_wide + 8)
        top = area.y + (place // columns) * (tall + 8)
        name = kind.name if layout.virtual else "the host itself"
        cpus = "vCPUs" if layout.virtual else "threads"
        text = f"{kind.vcpus} {cpus} · {format_gib(kind.memory_bytes)}"
        yield box(
            Area(left, top, worker_wide, tall), "worker", f"{kind.name}: {size(kind, virtual=layout.virtual)}"
        )
        yield words(left + 8, top + 16, fitting(name, worker_wide - 16), "tb")
        yield words(left + 8, top + 32, fitting(text, worker_wide - 14, 6.1))
        across = _disk_columns(area.width, columns)
        for disk in range(kind.data_disks or 0):
            square = Area(
                left + 8 + (disk % across) * (_DISK + 3),
                top + 39 + (disk // across) * (_DISK + 3),
                _DISK,
                _DISK,
            )
            yield box(square, "disk", f"data disk {disk + 1} of this worker")


def _foot(group: HostGroup, kinds: Sequence[Worker], y: float, *, virtual: bool) -> Iterator[Markup]:
    taken = sum(kind.per_host * kind.memory_bytes for kind in kinds)
    held = group.memory_bytes - taken
    left: float = _PAD
    if virtual and held > 0:
        text = f"{format_gib(held)} held back for the hypervisor"
        wide = 7 * len(text) + 16
        yield box(Area(left, y, wide, _FOOT - 4), "held")
        yield words(left + 8, y + 17, text)
        left += wide + _GAP
    other_disks = [
        f"{disk.count} {disk.role} {'disk' if disk.count == 1 else 'disks'} of {exact_bytes(disk.size_bytes)}"
        for disk in group.disks
        if disk.role is not DiskRole.DATA
    ]
    ports = [f"{nic.count} × {exact_bits_per_s(nic.speed_bits_per_s)}" for nic in group.nics]
    line = " · ".join([*other_disks, *ports])
    yield words(left, y + 17, fitting(line, HOST_WIDTH - left - _PAD), "tm")


WIDTH = 880
MOST_NAMED = 96  # More hosts than this are drawn without their names.
MOST_HOSTS = 600  # With more hosts than this, one box is a rack.
FEWEST_RACKS = 20  # With fewer racks, one box is several hosts of a rack: so few boxes would show nothing.
MOST_BOXES = 400  # With more racks than this, one box is so many hosts that there are no more boxes.


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


_RACK, _BELOW = 20, 26  # Room for a rack's name above its hosts, and for names of hosts and masters below.
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
        unit_text = "Every box is a host"
    else:
        unit_text, blocks = _blocks(hosts, by_rack)
        shapes, height = _drawn(
            [(name, [_block_cell(*block) for block in here]) for name, here in blocks], _SMALL
        )
    kinds = {_kind(host) for host in hosts}
    named = (
        ("workers only", "worker"),
        ("with masters", "master"),
        ("with a shadow", "shadow"),
        ("no workers, no masters", "idle"),
    )
    return Drawing(
        id="racks",
        title="Where everything is",
        caption=f"{unit_text}. {_counted(hosts, by_rack)}",
        svg=picture("racks", WIDTH, height, shapes),
        keys=tuple((name, kind) for name, kind in named if kind in kinds),
    )


_Block = tuple[str, Sequence[PlacedHost]]


def _blocks(
    hosts: Sequence[PlacedHost], by_rack: Sequence[_Block]
) -> tuple[str, Sequence[tuple[str, Sequence[_Block]]]]:
    """What one box is, and the boxes in rows with names: racks, or neighbours in few or too many racks."""
    if FEWEST_RACKS <= len(by_rack) <= MOST_BOXES:
        return "Every box is a rack", [("", by_rack)]
    hosts_per_box = ceil(len(hosts) / MOST_BOXES)
    unit_text = f"Every box is {format_counted(hosts_per_box, 'host')}"
    if len(by_rack) < FEWEST_RACKS:
        return unit_text, [(name, _neighbours(here, hosts_per_box)) for name, here in by_rack]
    return unit_text, [("", _neighbours(sorted(hosts, key=_rack), hosts_per_box))]


def _neighbours(hosts: Sequence[PlacedHost], hosts_per_box: int) -> Sequence[_Block]:
    parts = [hosts[start : start + hosts_per_box] for start in range(0, len(hosts), hosts_per_box)]
    return [(f"{part[0].name} to {part[-1].name}", part) for part in parts]


def _rack(host: PlacedHost) -> str:
    return host.rack


def _counted(hosts: Sequence[PlacedHost], by_rack: Sequence[tuple[str, list[PlacedHost]]]) -> str:
    workers = sum(len(host.workers) for host in hosts)
    text = (
        f"{format_counted(len(by_rack), 'rack')}, {format_counted(len(hosts), 'host')}, "
        f"{format_counted(workers, 'worker')}"
    )
    carrying = sum(bool(host.masters) for host in hosts)
    shadowed = sum(bool(host.shadows) for host in hosts)
    text += f"; {format_counted(carrying, 'host')} with masters"
    if shadowed:
        text += f", {format_counted(shadowed, 'host')} with shadows"
    return f"{text}."


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
    places = max(1, cell.places)
    place_wide = (size.wide - 6) / places
    gap = 1 if place_wide > 3 else 0.4
    for place in range(places):
        kind = "worker" if place < cell.free else cell.kind if cell.kind != "worker" else "idle"
        area = Area(x + 3 + place * place_wide + gap / 2, y + 4, place_wide - gap, size.tall - 8)
        yield box(area, kind, cell.title)
    if cell.free == places and cell.kind in ("master", "shadow"):
        # Masters that share a worker's system take none of its places, and still are there.
        yield box(Area(x + 3, y + size.tall - 8, size.wide - 6, 4), cell.kind, cell.title)


class Area(NamedTuple):
    """Where a rectangle is, in the picture's own pixels from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


def box(area: Area, kind: str, title: str = "") -> Markup:
    """A rectangle; ``title`` is said when one points at it."""
    shape = '<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" rx="2" class="{}">{}</rect>'
    tooltip = Markup("<title>{}</title>").format(title) if title else Markup()
    return Markup(shape).format(area.x, area.y, max(0, area.width), max(0, area.height), kind, tooltip)


def words(x: float, y: float, text: str, kind: str = "t", anchor: str = "start") -> Markup:
    """One line of words; ``y`` is their baseline."""
    shape = '<text x="{:g}" y="{:g}" class="{}" text-anchor="{}">{}</text>'
    return Markup(shape).format(x, y, kind, anchor, text)


def picture(id_: str, width: float, height: float, shapes: Iterable[Markup]) -> Markup:
    """All shapes as one SVG element, named by the title and caption around it."""
    opened = (
        '<svg viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" '
        'aria-labelledby="title-{2}" aria-describedby="caption-{2}">'
    )
    return Markup(opened).format(width, height, id_) + Markup().join(shapes) + Markup("</svg>")


def fitting(text: str, width: float, letter: float = 6.4) -> str:
    """The text, cut with an ellipsis where it is wider than ``width`` pixels."""
    most = max(1, int(width / letter))
    return text if len(text) <= most else f"{text[: most - 1]}…"
