"""What rules may know of a cluster once its hosts are divided and its masters placed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Layout, Master, Topology, Worker
from howdah.planner.facts import ClusterFacts
from howdah.planner.masters import worker_hosts_left, workers_left


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
        counts.update(workers_left(groups[layout.group], layout, masters))
    return ClusterFacts(
        name=inventory.cluster,
        hosts=inventory.host_count,
        worker_hosts=worker_hosts_left(inventory, {layout.group: layout for layout in layouts}, masters),
        kinds=tuple((kind, counts[kind.name]) for kind in kinds),
        masters=masters,
        topology=topology,
        virtual=any(layout.virtual for layout in layouts),
        raw_bytes=sum(counts[kind.name] * _raw_bytes(kind, groups[kind.group or ""]) for kind in kinds),
        domain=_common_domain(inventory),
    )


def _raw_bytes(kind: Worker, group: HostGroup) -> int:
    """Size of one worker's data disks, of the group's average size where they are mixed."""
    return (kind.data_disks or 0) * group.data_bytes // group.data_disks


def _common_domain(inventory: Inventory) -> str:
    domains = {name.partition(".")[2] for group in inventory.groups for name in group.names}
    return domains.pop() if len(domains) == 1 else ""
