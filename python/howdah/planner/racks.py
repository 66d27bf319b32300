"""Racks of unequal size: how much HDFS can hold there so that no block is in one rack only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from howdah.model.inventory import Inventory
from howdah.model.plan import Advice
from howdah.planner.rules.capacity import RACK_BALANCE
from howdah.units import format_bytes

_WORTH_SAYING = 0.95


def safe_bytes(rooms: Iterable[float], replicas: int) -> float:
    """Data whose replicas fit racks with these rooms, no rack having all replicas of a block.

    A rack can take all but one replica of every block: the data D are the most for which the racks'
    rooms, each cut to (replicas - 1) D, add up to replicas x D.
    """
    ordered = sorted(rooms)
    if replicas < 2 or len(ordered) < 2:
        return sum(ordered) / max(1, replicas)
    # Only the largest rack can be cut: two that were would hold more than all replicas together.
    return min(sum(ordered) / replicas, sum(ordered[:-1]))


def weigh_racks(inventory: Inventory, usable_bytes: int, replicas: int) -> tuple[Advice, ...]:
    """What to know where one rack is so large that others cannot hold a replica of all it could."""
    groups = inventory.worker_groups
    raw: Counter[str] = Counter()
    for group in groups:
        for rack in group.racks:
            raw[rack] += group.count * group.data_bytes // len(group.racks)
    total = raw.total()
    if len(raw) < 2 or replicas < 2 or not all(group.racks for group in groups):
        return ()
    room = usable_bytes * replicas / total
    safe = safe_bytes((size * room for size in raw.values()), replicas)
    if safe >= _WORTH_SAYING * usable_bytes:
        return ()
    largest, size = raw.most_common(1)[0]
    return (
        RACK_BALANCE.advice(
            f"Rack {largest} has {size / total:.0%} of all disks. A replica of every block should be in "
            f"another rack, and the others have room for {format_bytes(safe)} of the "
            f"{format_bytes(usable_bytes)}: what is stored beyond lies in {largest} alone, and is lost with "
            "it. Move hosts between racks before they are filled."
        ),
    )
