"""What a plan allows each of its workers: the ceilings where there are too few peers to tell."""

from __future__ import annotations

from howdah.analysis.causes.view import Planned
from howdah.model.inventory import DiskRole, HostGroup
from howdah.model.placement import placed_hosts
from howdah.model.plan import Plan


def planned_limits(plan: Plan) -> dict[str, Planned]:
    """Every worker's limits by its name; empty without a cluster.

    A link is its host's: a worker may use all of it. A disk's rate is that of its outer zone.
    """
    if plan.cluster is None:
        return {}
    groups = {group.name: group for group in plan.cluster.inventory.groups}
    kinds = {kind.name: kind for kind in plan.workers}
    return {
        worker.name: Planned(
            disk_bytes_per_s=_disk_rate(groups[host.group]),
            link_bytes_per_s=groups[host.group].network_bits_per_s / 8,
            cpus=kinds[worker.kind].vcpus,
        )
        for host in placed_hosts(plan.cluster)
        for worker in host.workers
    }


def _disk_rate(group: HostGroup) -> float | None:
    rates = [disk.outer_bytes_per_s for disk in group.disks if disk.role is DiskRole.DATA]
    known = [float(rate) for rate in rates if rate is not None]
    return min(known, default=None)
