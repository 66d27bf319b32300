"""One full host: its NUMA nodes, the workers on them, their disks and what is held back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from markupsafe import Markup

from howdah.model.inventory import DiskRole, HostGroup
from howdah.model.plan import Layout, Worker
from howdah.report.plan.drawings import Area, Drawing, box, fitting, picture, words
from howdah.report.plan.words import size
from howdah.units import exact_bits_per_s, exact_bytes, format_counted, format_gib

WIDTH = 880
_GAP, _PAD, _HEAD, _FOOT = 12, 10, 26, 30
_LEAST_WORKER = 128
_NODES_IN_ROW = 4
_DISK = 11


def host(group: HostGroup, layout: Layout, kinds: Sequence[Worker]) -> Drawing:
    """The drawing of a host of this group that carries no masters."""
    id_ = f"host-{group.name}"
    shapes, height = _drawn(group, layout, kinds)
    return Drawing(
        id=id_,
        title=f"A host of the group {group.name}",
        caption=_caption(group, layout, kinds),
        svg=picture(id_, WIDTH, height, shapes),
        keys=(
            ("worker", "worker"),
            ("data disk", "disk"),
            *([("held back", "held")] if layout.virtual else []),
        ),
    )


def _caption(group: HostGroup, layout: Layout, kinds: Sequence[Worker]) -> str:
    cpu = group.cpu
    hardware = (
        f"{format_counted(cpu.sockets, 'socket')} of {format_counted(cpu.cores_per_socket, 'core')}, "
        f"{format_counted(cpu.threads, 'thread')}, {format_gib(group.memory_bytes)}, "
        f"{format_counted(group.data_disks, 'data disk')}"
    )
    shares = " and ".join(
        f"{kind.per_host} × {kind.name}: {size(kind, virtual=layout.virtual)}" for kind in kinds
    )
    return f"{hardware}; {'divided as ' if layout.virtual else ''}{layout.platform}: {shares}."


def _drawn(group: HostGroup, layout: Layout, kinds: Sequence[Worker]) -> tuple[list[Markup], float]:
    nodes = group.cpu.numa_nodes
    spread = [kind for kind in kinds if (kind.numa_nodes or 1) > 1]
    per_node = _by_node([kind for kind in kinds if kind not in spread], 1 if spread else nodes)
    if spread:
        per_node[0] += [kind for kind in spread for _ in range(kind.per_host)]
    in_row = min(_NODES_IN_ROW, len(per_node))
    wide = (WIDTH - 2 * _PAD - (in_row - 1) * _GAP) / in_row
    columns = _columns(max(map(len, per_node)), wide)
    tall = _worker_height(kinds, wide, columns)
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
    return [box(Area(0.5, 0.5, WIDTH - 1, height - 1), "outline"), *shapes], height


def _by_node(kinds: Sequence[Worker], nodes: int) -> list[list[Worker]]:
    """The workers of each NUMA node: every node carries equally many of every kind where they divide."""
    places: list[list[Worker]] = [[] for _ in range(nodes)]
    for kind in kinds:
        for number in range(kind.per_host):
            places[number * nodes // kind.per_host if kind.per_host >= nodes else number].append(kind)
    return places


def _columns(workers: int, wide: float) -> int:
    wanted = 1 if workers <= 3 else 2 if workers <= 10 else 3 if workers <= 18 else 4
    return max(1, min(wanted, int(wide // _LEAST_WORKER)))


def _disk_columns(wide: float, columns: int) -> int:
    return max(1, int((wide / columns - 2 * _PAD - 8) // (_DISK + 3)))


def _worker_height(kinds: Sequence[Worker], wide: float, columns: int) -> float:
    most = max((kind.data_disks or 0 for kind in kinds), default=0)
    return 44 + ceil(most / _disk_columns(wide, columns)) * (_DISK + 3)


def _node_name(group: HostGroup, node: int, *, spread: bool) -> str:
    cpu = group.cpu
    if spread:
        return f"all {cpu.numa_nodes} NUMA nodes · {cpu.threads} threads · {format_gib(group.memory_bytes)}"
    threads, memory = cpu.threads // cpu.numa_nodes, group.memory_bytes // cpu.numa_nodes
    return f"node {node} · {format_counted(threads, 'thread')} · {format_gib(memory)}"


def _workers(
    here: Sequence[Worker], area: Area, tall: float, columns: int, layout: Layout
) -> Iterator[Markup]:
    each = (area.width - _PAD * 2 - (columns - 1) * 8) / columns
    for place, kind in enumerate(here):
        left = area.x + _PAD + (place % columns) * (each + 8)
        top = area.y + (place // columns) * (tall + 8)
        name = kind.name if layout.virtual else "the host itself"
        cpus = "vCPUs" if layout.virtual else "threads"
        text = f"{kind.vcpus} {cpus} · {format_gib(kind.memory_bytes)}"
        yield box(Area(left, top, each, tall), "worker", f"{kind.name}: {size(kind, virtual=layout.virtual)}")
        yield words(left + 8, top + 16, fitting(name, each - 16), "tb")
        yield words(left + 8, top + 32, fitting(text, each - 14, 6.1))
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
    """Below the nodes: memory held back, and what no worker has to itself."""
    given = sum(kind.per_host * kind.memory_bytes for kind in kinds)
    held = group.memory_bytes - given
    left: float = _PAD
    if virtual and held > 0:
        text = f"{format_gib(held)} held back for the hypervisor"
        wide = 7 * len(text) + 16
        yield box(Area(left, y, wide, _FOOT - 4), "held")
        yield words(left + 8, y + 17, text)
        left += wide + _GAP
    others = [
        f"{disk.count} {disk.role} {'disk' if disk.count == 1 else 'disks'} of {exact_bytes(disk.size_bytes)}"
        for disk in group.disks
        if disk.role is not DiskRole.DATA
    ]
    ports = [f"{nic.count} × {exact_bits_per_s(nic.speed_bits_per_s)}" for nic in group.nics]
    line = " · ".join([*others, *ports])
    yield words(left, y + 17, fitting(line, WIDTH - left - _PAD), "tm")
