"""Racks and the placement of replicas: real racks where known, virtual ones where hosts are divided."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from howdah.model.hostname import fold
from howdah.model.inventory import Inventory
from howdah.model.plan import Advice, Layout, Placement, Rack, Topology
from howdah.planner.rules.declare import read_rules
from howdah.units import format_bytes, format_counted, format_percent

ONE_RACK = "default-rack"  # Hadoop's name for the rack of hosts without a known rack.

MASTERS_RACK = "masters"  # The virtual rack of hosts that carry no DataNode.

_LEAST_HOSTS = 2  # Node groups of a virtual rack: HDFS puts the second and third replica in one rack (D0 61).

NODE_GROUPS_END = (
    "with node groups, Hadoop from 3.3.5 on counts no rack once a worker is drained that was drained before, "
    "and the NameNode exits when it places a coded block (ArithmeticException: / by zero)"
)
"""Seen in labs of Hadoop 3.5.0; NetworkTopologyWithNodeGroup does not keep the count of HDFS-16456."""

_WORTH_SAYING = 0.95


def lay_out(inventory: Inventory, layouts: Sequence[Layout], *, coded: bool = False) -> Topology:
    """Every host's rack, and the placement policy that keeps replicas on different hosts.

    ``coded``: directories are erasure-coded, which node groups endanger.
    """
    most = max((len(layout.workers) for layout in layouts), default=1)
    racks, placement, how = _real_racks(inventory), Placement.DEFAULT, ""
    real = len(racks) > (0 if most == 1 else 1)
    if most == 1 and real:
        words = "several-racks" if len(racks) > 1 else "one-rack"
    elif most == 1:
        words, names = "no-racks", [name for group in inventory.groups for name in group.names]
        racks = (Rack(name=ONE_RACK, hosts=fold(names)),)
    elif real:
        words, placement = "racks-known", Placement.UPGRADE_DOMAINS
    else:
        racks, how = _virtual_racks(inventory)
        words = "coded" if coded else "node-groups"
        placement = Placement.UPGRADE_DOMAINS if coded else Placement.NODE_GROUPS
    reason = read_rules("topology.toml").text(
        "topology.placement", words, most=most, racks=len(racks), how=how, end=NODE_GROUPS_END
    )
    return Topology(placement=placement, real_racks=real, racks=racks, reason=reason)


def _real_racks(inventory: Inventory) -> tuple[Rack, ...]:
    """The racks of the inventory; a group without any counts as one rack where others have theirs."""
    if not any(group.racks for group in inventory.groups):
        return ()
    named = {rack for group in inventory.groups for rack in group.racks}
    hosts: dict[str, list[str]] = {}
    for group in inventory.groups:
        racks = group.racks or (group.name if group.name not in named else f"{group.name}-hosts",)
        many = group.count // len(racks)
        for position, rack in enumerate(racks):
            hosts.setdefault(rack, []).extend(group.names[position * many : (position + 1) * many])
    return tuple(Rack(name=rack, hosts=fold(names)) for rack, names in hosts.items())


def _virtual_racks(inventory: Inventory) -> tuple[tuple[Rack, ...], str]:
    """Racks of equally many hosts and, in words, what they are; hosts that serve masters only are apart."""
    groups = inventory.worker_groups
    names = [name for group in groups for name in group.names]
    size, how = _rack_size([group.count for group in groups])
    many = max(1, len(names) // size)
    width = len(str(many))
    bounds = [*range(0, many * size, size), len(names)]
    racks = [
        Rack(name=f"rack-{number:0{width}d}", hosts=fold(names[first:end]))
        for number, (first, end) in enumerate(pairwise(bounds), start=1)
    ]
    apart = [name for group in inventory.groups if group.serves == "masters" for name in group.names]
    if apart:
        racks.append(Rack(name=MASTERS_RACK, hosts=fold(apart)))
    return tuple(racks), f"{format_counted(many, 'virtual rack')} {how}"


def _rack_size(counts: Sequence[int]) -> tuple[int, str]:
    """Hosts in a virtual rack: the fewest from two up that divide every group, or else all hosts together."""
    total = sum(counts)
    for whole in (math.gcd(*counts), total):
        # The least prime factor; none of 1.
        factors = (factor for factor in range(2, math.isqrt(whole) + 1) if whole % factor == 0)
        size = next(factors, whole)
        if size > 1 and total // size > 1:
            return size, f"of {size} hosts each"
    if total <= _LEAST_HOSTS + 1:
        return total, f"of {format_counted(total, 'host')}: too few for two"
    why = f"{total} is a prime number, and a rack of one host has no second host for the third replica"
    return _LEAST_HOSTS, f"of {_LEAST_HOSTS} hosts each, the last of {_LEAST_HOSTS + 1}: {why}"


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
    """Advice if a rack is so large that the others cannot hold a replica of all its blocks."""
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
    values = {"room": format_bytes(safe), "usable": format_bytes(usable_bytes)}
    share, rules = format_percent(size / total), read_rules("recovery.toml")
    return (rules.advice("capacity.rack-balance", rack=largest, share=share, **values),)
