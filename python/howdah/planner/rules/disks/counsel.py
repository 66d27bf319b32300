"""What disks and controllers to buy, to keep at hand and to try out."""

from __future__ import annotations

from howdah.model.inventory import DiskKind, DiskRole
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY
from howdah.planner.rules.declare import Rules
from howdah.planner.throughput import data_bytes_per_s
from howdah.units import format_rate

_SPARE_WORTH_FROM = 12
_CONTROLLER_BYTES_PER_S = 4_000_000_000
rules = Rules()


@rules.advice("disks.system-disks", sources="D0 30")
def _apart(facts: Facts) -> str | None:
    """Keep the operating system and its logs off the data disks."""
    if any(disk.role is DiskRole.SYSTEM for disk in facts.group.disks):
        return None
    return (
        f"No disk of {facts.group.name} is for the operating system. Keep system and logs off the data "
        "disks: two small mirrored disks will do."
    )


@rules.advice("disks.spare", MAY, sources="D0 30", when="a host has 12 data disks or more")
def _spare(facts: Facts) -> str | None:
    """Keep a spare for a host with many disks."""
    disks = facts.group.data_disks
    if disks < _SPARE_WORTH_FROM or any(disk.role is DiskRole.SPARE for disk in facts.group.disks):
        return None
    return (
        f"With {disks} data disks in each host of {facts.group.name}, keep a spare in the host or the room."
    )


@rules.advice(
    "disks.controller",
    MAY,
    sources="D0 33, D1 97, D2 110",
    when="SAS or SATA disks move 2 GB/s or more together",
)
def _controller(facts: Facts) -> str | None:
    """Have a controller that carries all disks at once."""
    rate = data_bytes_per_s(facts.group)
    spinning = {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA} <= {
        DiskKind.HDD,
        DiskKind.SSD,
    }
    if not spinning or rate < _CONTROLLER_BYTES_PER_S / 2:
        return None
    return (
        f"The data disks of a host move about {format_rate(rate)} together. See that the controller and its "
        "PCIe lanes carry that: older ones gave half of what they promised."
    )


@rules.advice("disks.try-out", sources="D4 127, D4 139, D0 151")
def _try_out(facts: Facts) -> str:
    """Test every disk, then the cluster, before production."""
    return (
        "Before production, write and read every disk alone and all together (`howdah run storage`), then "
        "run TestDFSIO and TeraSort five times each: uniform disks matter more than fast ones."
    )


@rules.advice("disks.drivers", MAY, sources="D0 143, D2 112")
def _drivers(facts: Facts) -> str:
    """Run one current version of drivers and firmware everywhere."""
    return (
        "Bring controller and network drivers and firmware to one current version on all hosts, and hand "
        "disks through as single disks (HBA mode), not as RAID volumes of one disk."
    )
