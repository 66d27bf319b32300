"""The workers that remain once masters have their places: arithmetic over the few hosts with masters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Layout, Master


def workers_left(group: HostGroup, layout: Layout, masters: Sequence[Master]) -> Counter[str]:
    """Workers of each kind in a group; none on hosts that serve masters only."""
    if group.serves == "masters":
        return Counter()
    left = Counter({kind: places * group.count for kind, places in Counter(layout.workers).items()})
    freed = _freed(masters)
    for host in freed.keys() & set(group.names):
        left -= freed[host]
    return left


def worker_hosts_left(inventory: Inventory, layouts: Mapping[str, Layout], masters: Sequence[Master]) -> int:
    """Hosts that still carry at least one worker."""
    freed = _freed(masters)
    return sum(
        group.count - sum(_emptied(freed[host], layout) for host in freed.keys() & set(group.names))
        for group in inventory.worker_groups
        if (layout := layouts.get(group.name)) is not None
    )


def _emptied(freed: Counter[str], layout: Layout) -> bool:
    return not Counter(layout.workers) - freed


def _freed(masters: Sequence[Master]) -> dict[str, Counter[str]]:
    freed: dict[str, Counter[str]] = {}
    for master in masters:
        for host in filter(None, (master.host, master.shadow_host)):
            freed.setdefault(host, Counter()).update(master.takes)
    return freed
