"""An inventory as a table, with totals."""

from __future__ import annotations

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from howdah.model.inventory import DiskRole, HostGroup, Inventory
from howdah.units import exact_bits_per_s, format_bytes, format_memory

_LEFT = ("group", "cpus", "data disks", "network", "racks", "serves")
_IN_LINES = ("cpus", "data disks", "network")
"""Columns of several words, which a narrow terminal shows in lines of their own; the others stay whole."""


def groups_table(inventory: Inventory) -> Table:
    """One line for each group, and their sum; data disks count where workers may be placed."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("group", "hosts", "cpus", "memory", "data disks", "raw", "network", "racks", "serves"):
        justify: JustifyMethod = "left" if column in _LEFT else "right"
        table.add_column(column, justify=justify, no_wrap=column not in _IN_LINES)
    for group in inventory.groups:
        table.add_row(*map(Text, _row(group)))
    groups = inventory.groups
    table.add_row(
        Text("in all", style="bold"),
        f"{inventory.host_count:,}",
        f"{sum(group.count * group.cpu.threads for group in groups):,} threads",
        format_memory(sum(group.count * group.memory_bytes for group in groups)),
        f"{sum(group.count * group.data_disks for group in inventory.worker_groups):,}",
        format_bytes(sum(group.count * group.data_bytes for group in inventory.worker_groups)),
        "",
        str(len({rack for group in groups for rack in group.racks}) or "–"),
    )
    return table


def _row(group: HostGroup) -> tuple[str, ...]:
    cpu = group.cpu
    disks = [disk for disk in group.disks if disk.role is DiskRole.DATA]
    return (
        group.name,
        f"{group.count:,}",
        f"{cpu.sockets} × {cpu.cores_per_socket} × {cpu.threads_per_core}",
        format_memory(group.memory_bytes),
        " + ".join(f"{disk.count} × {format_bytes(disk.size_bytes)} {disk.kind}" for disk in disks) or "–",
        format_bytes(group.data_bytes),
        " + ".join(f"{nic.count} × {exact_bits_per_s(nic.speed_bits_per_s)}" for nic in group.nics),
        str(len(group.racks) or "–"),
        group.serves,
    )
