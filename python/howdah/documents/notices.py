"""What an inventory may have got wrong without being wrong."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.base import Model
from howdah.model.inventory import DiskKind, DiskRole, HostGroup, Inventory
from howdah.units import GIB, format_bytes, format_memory

_HDD_BYTES_PER_S = 190 * 2**20
"""The outer zone of a 10,000 rpm disk (D0 32), where an inventory gives no rate."""


class Notice(Model):
    """Something to look at twice."""

    group: str
    """The group of hosts it is about."""
    text: str
    """What is unusual, and why it matters."""
    source: str = ""
    """Where that comes from."""


def notices(inventory: Inventory) -> tuple[Notice, ...]:
    """Everything to look at twice, group by group."""
    return tuple(notice for group in inventory.groups for notice in _of_group(group))


def _of_group(group: HostGroup) -> Iterator[Notice]:
    yield from _memory(group)
    if group.serves != "masters":
        yield from _disks(group)
        yield from _network(group)


def _memory(group: HostGroup) -> Iterator[Notice]:
    total = group.memory_bytes
    if total % GIB:
        whole = -(-total // GIB)
        yield Notice(
            group=group.name,
            text=f"memory is {format_memory(total)}, but modules come in whole GiB: is {whole}GiB meant, "
            f"or {round(total / 10**9)}GiB?",
        )


def _disks(group: HostGroup) -> Iterator[Notice]:
    data = [disk for disk in group.disks if disk.role is DiskRole.DATA]
    if not data:
        yield Notice(group=group.name, text="no data disk: its hosts can store nothing")
    elif group.data_disks == 1:
        yield Notice(
            group=group.name,
            text="one data disk per host: a task at once for each data disk is close to the best there is",
            source="D0 50",
        )
    if len({(disk.kind, disk.size_bytes) for disk in data}) > 1:
        sizes = ", ".join(f"{disk.count} × {format_bytes(disk.size_bytes)} {disk.kind}" for disk in data)
        yield Notice(
            group=group.name,
            text=f"data disks differ ({sizes}): the slowest limits all, and the smallest is full first",
            source="D0 151",
        )
    if not any(disk.role is DiskRole.SYSTEM for disk in group.disks):
        yield Notice(
            group=group.name,
            text="no disk has the role system: the operating system and its logs will share a data disk",
            source="D0 30",
        )


def _network(group: HostGroup) -> Iterator[Notice]:
    """Of three replicas written, two cross the network, so disks outrun it at two thirds of their rate."""
    rates = [
        (disk.count, disk.outer_bytes_per_s or (_HDD_BYTES_PER_S if disk.kind is DiskKind.HDD else None))
        for disk in group.disks
        if disk.role is DiskRole.DATA
    ]
    known = sum(count * rate for count, rate in rates if rate is not None)
    needed = known * 8 * 2 / 3
    measured = all(disk.outer_bytes_per_s for disk in group.disks if disk.role is DiskRole.DATA)
    assumed = "" if measured else f", at {_HDD_BYTES_PER_S // 2**20} MiB/s each where no outer_rate is given"
    if needed > group.network_bits_per_s:
        yield Notice(
            group=group.name,
            text=f"a host's disks write {known * 8 / 10**9:.1f} Gb/s together{assumed}; two thirds of "
            f"three replicas cross a network of {group.network_bits_per_s / 10**9:g} Gb/s, which limits them",
            source="D0 45, D0 46, D0 48",
        )
