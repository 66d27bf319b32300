"""A cluster once hosts are divided and masters placed: what workers remain, and what rules may know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Layout, Master, Topology, Worker
from howdah.planner.facts import ClusterFacts


def remaining_workers(group: HostGroup, layout: Layout, masters: Sequence[Master]) -> Counter[str]:
    """Workers of each kind in a group; none on hosts that serve masters only."""
    if group.serves == "masters":
        return Counter()
    remaining = Counter({kind: places * group.count for kind, places in Counter(layout.workers).items()})
    freed = _freed(masters)
    for host in freed.keys() & set(group.names):
        remaining -= freed[host]
    return remaining


def remaining_worker_hosts(
    inventory: Inventory, layouts: Mapping[str, Layout], masters: Sequence[Master]
) -> int:
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


def cluster_facts(
    inventory: Inventory,
    layouts: Sequence[Layout],
    kinds: Sequence[Worker],
    masters: tuple[Master, ...],
    topology: Topology,
) -> ClusterFacts:
    """The cluster as a whole; counts are arithmetic, no host is looked at one by one."""
    groups = {group.name: group for group in inventory.groups}
    counts: Counter[str] = Counter()
    for layout in layouts:
        counts.update(remaining_workers(groups[layout.group], layout, masters))
    return ClusterFacts(
        name=inventory.cluster,
        hosts=inventory.host_count,
        worker_hosts=remaining_worker_hosts(inventory, {layout.group: layout for layout in layouts}, masters),
        kinds=tuple((kind, counts[kind.name]) for kind in kinds),
        masters=masters,
        topology=topology,
        virtual=any(layout.virtual for layout in layouts),
        raw_bytes=sum(counts[kind.name] * raw_bytes_of(kind, groups[kind.group or ""]) for kind in kinds),
        domain=_common_domain(inventory),
        idle_disks={} if any(layout.virtual for layout in layouts) else _idle_disks(inventory, masters),
        groups=tuple(inventory.worker_groups),
    )


def _idle_disks(inventory: Inventory, masters: tuple[Master, ...]) -> dict[str, int]:
    """Data disks of hosts that run masters and no workers, by the master's name."""
    apart = [master for master in masters if not master.shares]
    return {
        master.name: group.data_disks
        for group in inventory.groups
        for names in (frozenset(group.names),)
        for master in apart
        if master.host in names and (master.whole_host or group.serves == "masters")
    }


def raw_bytes_of(kind: Worker, group: HostGroup) -> int:
    """Size of one worker's data disks, of the group's average size where they are mixed."""
    return (kind.data_disks or 0) * group.data_bytes // group.data_disks


def _common_domain(inventory: Inventory) -> str:
    domains = {name.partition(".")[2] for group in inventory.groups for name in group.names}
    return domains.pop() if len(domains) == 1 else ""
