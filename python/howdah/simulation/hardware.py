"""The disks and network ports of an inventory's hosts, and what stands in where it does not say enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from howdah.model.inventory import DiskKind, DiskRole, DiskSet, HostGroup
from howdah.simulation.scenario import Disks, Nics
from howdah.units import MIB, format_rate

Warn = Callable[[str, str], None]
"""Notes, by code and text, something that a reader of the numbers should know."""

_TYPICAL = {
    DiskKind.HDD: (190.0 * MIB, 110.0 * MIB),
    DiskKind.SSD: (500e6, 500e6),
    DiskKind.NVME: (2.5e9, 2.5e9),
}
"""Sequential rates of a disk's outer and inner zone that an inventory gives none for, bytes per second.

D0 32 measured those of a 10,000 rpm disk; SATA ends near 550 MB/s; server NVMe drives write 2 to 3 GB/s
for hours.
"""
_FAST_MOST_BYTES = 2_400_000_000_000
_FAST_LEAST_BYTES_PER_S = 150 * MIB
"""Disks of 10,000 turns a minute end at 2.4 TB, and no slower disk of that size is as fast."""


def disks_of(group: HostGroup, warn: Warn) -> tuple[Disks, ...]:
    """The data disks of one of the group's hosts."""
    return tuple(_disks(group, one, warn) for one in group.disks if one.role is DiskRole.DATA)


def nics_of(group: HostGroup) -> tuple[Nics, ...]:
    """The network ports of one of the group's hosts."""
    return tuple(Nics(count=one.count, bits_per_s=float(one.speed_bits_per_s)) for one in group.nics)


def _disks(group: HostGroup, disks: DiskSet, warn: Warn) -> Disks:
    outer, inner = _TYPICAL[disks.kind]
    given_outer, given_inner = disks.outer_bytes_per_s, disks.inner_bytes_per_s
    if given_outer is None and given_inner is None:
        rates = (outer, inner)
    elif given_outer is None or given_inner is None:
        # Where one zone's rate is known the other's is as far from it as on the typical disk.
        scale = given_outer / outer if given_outer is not None else (given_inner or 0) / inner
        rates = (outer * scale, inner * scale)
    else:
        rates = (float(given_outer), float(given_inner))
    if given_outer is None or (given_inner is None and disks.kind is DiskKind.HDD):
        warn(
            "default-disk-rate",
            f"the inventory does not give the rates of group {group.name}'s {disks.kind} disks: "
            f"{format_rate(rates[0])} in the outer zone and {format_rate(rates[1])} in the inner one are "
            "assumed; `howdah run storage` measures them, outer_rate and inner_rate say them",
        )
    return Disks(
        count=disks.count,
        size_bytes=disks.size_bytes,
        outer_bytes_per_s=rates[0],
        inner_bytes_per_s=min(rates),
        kind=_kind(disks, rates[0]),
    )


def _kind(disks: DiskSet, outer_bytes_per_s: float) -> Literal["hdd", "fasthdd", "ssd"]:
    if disks.kind is not DiskKind.HDD:
        return "ssd"
    fast = disks.size_bytes <= _FAST_MOST_BYTES and outer_bytes_per_s >= _FAST_LEAST_BYTES_PER_S
    return "fasthdd" if fast else "hdd"
