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
from howdah.units import exact_bits_per_s, exact_bytes, format_counted, format_gib, listed

HOST_WIDTH = 880
_GAP, _PAD, _HEAD, _FOOT = 12, 10, 26, 30
_LEAST_WORKER = 128
_NODES_IN_ROW = 4
_DISK = 11


def host(group: HostGroup, layout: Layout, kinds: Sequence[Worker]) -> Drawing:
    """The drawing of a host of this group that carries no masters."""
    id_, cpu = f"host-{group.name}", group.cpu
    spread = [kind for kind in kinds if (kind.numa_nodes or 1) > 1]
    per_node = _by_node([kind for kind in kinds if kind not in spread], 1 if spread else cpu.numa_nodes)
    if spread:
        per_node[0] += [kind for kind in spread for _ in range(kind.per_host)]
    in_row, fullest = min(_NODES_IN_ROW, len(per_node)), max(map(len, per_node))
    wide = (HOST_WIDTH - 2 * _PAD - (in_row - 1) * _GAP) / in_row
    columns = 1 if fullest <= 3 else 2 if fullest <= 10 else 3 if fullest <= 18 else 4
    columns = max(1, min(columns, int(wide // _LEAST_WORKER)))
    disks_across = max(1, int((wide / columns - 2 * _PAD - 8) // (_DISK + 3)))
    most = max((kind.data_disks or 0 for kind in kinds), default=0)
    tall = 44 + ceil(most / disks_across) * (_DISK + 3)
    high = _HEAD + ceil(fullest / columns) * (tall + 8) + 4
    worker_wide = (wide - _PAD * 2 - (columns - 1) * 8) / columns
    shapes: list[Markup] = []
    for node, here in enumerate(per_node):
        x = _PAD + (node % in_row) * (wide + _GAP)
        y = _PAD + (node // in_row) * (high + _GAP)
        threads, memory = cpu.threads // cpu.numa_nodes, group.memory_bytes // cpu.numa_nodes
        name = f"node {node} · {format_counted(threads, 'thread')} · {format_gib(memory)}"
        if spread:
            name = (
                f"all {cpu.numa_nodes} NUMA nodes · {cpu.threads} threads · {format_gib(group.memory_bytes)}"
            )
        shapes.append(box(x, y, wide, high, "node"))
        shapes.append(words(x + _PAD, y + 18, fitting(name, wide - 20, 5.8)))
        for place, kind in enumerate(here):
            left = x + _PAD + (place % columns) * (worker_wide + 8)
            top = y + _HEAD + (place // columns) * (tall + 8)
            shapes += _worker(
                kind, left, top, worker_wide, tall, disks_across=disks_across, virtual=layout.virtual
            )
    below = _PAD + ceil(len(per_node) / in_row) * (high + _GAP)
    shapes += _foot(group, kinds, below, virtual=layout.virtual)
    height = below + _FOOT + _PAD
    hardware = (
        f"{format_counted(cpu.sockets, 'socket')} of {format_counted(cpu.cores_per_socket, 'core')}, "
        f"{format_counted(cpu.threads, 'thread')}, {format_gib(group.memory_bytes)}, "
        f"{format_counted(group.data_disks, 'data disk')}"
    )
    shares = listed(f"{kind.per_host} × {kind.name}: {size(kind, virtual=layout.virtual)}" for kind in kinds)
    return Drawing(
        id_,
        f"A host of the group {group.name}",
        f"{hardware}; {'divided as ' if layout.virtual else ''}{layout.platform}: {shares}.",
        picture(id_, HOST_WIDTH, height, [box(0.5, 0.5, HOST_WIDTH - 1, height - 1, "outline"), *shapes]),
        (("worker", "worker"), ("data disk", "disk"), *([("held back", "held")] if layout.virtual else [])),
    )


def _by_node(kinds: Sequence[Worker], nodes: int) -> list[list[Worker]]:
    """The workers of each NUMA node: every node carries equally many of every kind where they divide."""
    places: list[list[Worker]] = [[] for _ in range(nodes)]
    for kind in kinds:
        for number in range(kind.per_host):
            places[number * nodes // kind.per_host if kind.per_host >= nodes else number].append(kind)
    return places


def _worker(
    kind: Worker, left: float, top: float, wide: float, tall: float, *, disks_across: int, virtual: bool
) -> Iterator[Markup]:
    name, cpus = (kind.name, "vCPUs") if virtual else ("the host itself", "threads")
    yield box(left, top, wide, tall, "worker", title=f"{kind.name}: {size(kind, virtual=virtual)}")
    yield words(left + 8, top + 16, fitting(name, wide - 16), "tb")
    text = f"{kind.vcpus} {cpus} · {format_gib(kind.memory_bytes)}"
    yield words(left + 8, top + 32, fitting(text, wide - 14, 6.1))
    for disk in range(kind.data_disks or 0):
        x = left + 8 + (disk % disks_across) * (_DISK + 3)
        y = top + 39 + (disk // disks_across) * (_DISK + 3)
        yield box(x, y, _DISK, _DISK, "disk", title=f"data disk {disk + 1} of this worker")


def _foot(group: HostGroup, kinds: Sequence[Worker], y: float, *, virtual: bool) -> Iterator[Markup]:
    held = group.memory_bytes - sum(kind.per_host * kind.memory_bytes for kind in kinds)
    left: float = _PAD
    if virtual and held > 0:
        text = f"{format_gib(held)} held back for the hypervisor"
        wide = 7 * len(text) + 16
        yield box(left, y, wide, _FOOT - 4, "held")
        yield words(left + 8, y + 17, text)
        left += wide + _GAP
    parts = [
        f"{disk.count} {disk.role} {'disk' if disk.count == 1 else 'disks'} of {exact_bytes(disk.size_bytes)}"
        for disk in group.disks
        if disk.role is not DiskRole.DATA
    ]
    parts += [f"{nic.count} × {exact_bits_per_s(nic.speed_bits_per_s)}" for nic in group.nics]
    yield words(left, y + 17, fitting(" · ".join(parts), HOST_WIDTH - left - _PAD), "tm")


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
_KINDS = (
    ("workers only", "worker"),
    ("with masters", "master"),
    ("with a shadow", "shadow"),
    ("no workers, no masters", "idle"),
)


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
    workers = format_counted(sum(len(host.workers) for host in hosts), "worker")
    text = f"{format_counted(len(by_rack), 'rack')}, {format_counted(len(hosts), 'host')}, {workers}"
    text += f"; {format_counted(sum(bool(host.masters) for host in hosts), 'host')} with masters"
    if shadowed := sum(bool(host.shadows) for host in hosts):
        text += f", {format_counted(shadowed, 'host')} with shadows"
    kinds = {_kind(host) for host in hosts}
    return Drawing(
        "racks",
        "Where everything is",
        f"{unit_text}. {text}.",
        picture("racks", WIDTH, height, shapes),
        tuple((name, kind) for name, kind in _KINDS if kind in kinds),
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
            x, y = left + (number % in_row) * step_x, top + head + (number // in_row) * step_y
            if size.named:
                shapes += _named_cell(cell, x, y, size)
            else:
                shapes.append(box(x, y, size.wide, size.tall, cell.kind, title=cell.title))
        deepest = max(deepest, head + ceil(len(cells) / in_row) * step_y + head / 2)
        left += wide + 3 * size.gap
    return shapes, top + deepest + 2


def _named_cell(cell: _Cell, x: float, y: float, size: _Size) -> Iterator[Markup]:
    yield box(x, y, size.wide, size.tall, "node", title=cell.title)
    places = max(1, cell.places)
    place_wide = (size.wide - 6) / places
    gap = 1 if place_wide > 3 else 0.4
    for place in range(places):
        kind = "worker" if place < cell.free else cell.kind if cell.kind != "worker" else "idle"
        left = x + 3 + place * place_wide + gap / 2
        yield box(left, y + 4, place_wide - gap, size.tall - 8, kind, title=cell.title)
    if cell.free == places and cell.kind in ("master", "shadow"):
        # Masters that share a worker's system take none of its places, and still are there.
        yield box(x + 3, y + size.tall - 8, size.wide - 6, 4, cell.kind, title=cell.title)
    yield words(x, y + size.tall + 11, fitting(cell.name, size.wide + size.gap, 5.6), "ts")
    if cell.below:
        kind = "ts strong" if cell.kind == "master" else "ts"
        yield words(x, y + size.tall + 22, fitting(cell.below, size.wide + size.gap, 5.8), kind)


def box(x: float, y: float, width: float, height: float, kind: str, *, title: str = "") -> Markup:
    """A rectangle in pixels from the upper left corner; ``title`` shows when one points at it."""
    shape = '<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" rx="2" class="{}">{}</rect>'
    tooltip = Markup("<title>{}</title>").format(title) if title else Markup()
    return Markup(shape).format(x, y, max(0, width), max(0, height), kind, tooltip)


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
