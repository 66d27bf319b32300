"""A plan with hosts added or taken away and nothing else: masters and settings stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from howdah.errors import UserError
from howdah.model.hostname import check_hostname, fold
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, Plan
from howdah.model.wrong import WrongValue
from howdah.planner.block import file_bytes
from howdah.planner.capacity import capacity
from howdah.planner.cluster import check_machine_names
from howdah.planner.topology import lay_out
from howdah.units import format_counted


def with_hosts(plan: Plan, names: Sequence[str], like: str) -> Plan:
    """The plan with more hosts, each like one that it has; raises UserError where that cannot be.

    Worker kinds, masters and every value stay; racks and capacity are reckoned anew.
    """
    cluster = _cluster(plan)
    group = _group_of(cluster, like)
    placed = {host.name: host for host in placed_hosts(cluster)}
    if placed[like].masters or not placed[like].workers:
        carried = ", ".join(master.name for master in placed[like].masters) or "nothing"
        alike = [host.name for host in placed.values() if host.workers and not host.masters]
        raise UserError(
            f"--like {like}",
            f"has {carried}, but a new host can have workers only",
            f"one of {', '.join(alike)}" if alike else "plan the larger cluster: howdah plan --from",
        )
    known = {host.lower() for each in cluster.inventory.groups for host in each.names}
    for name in names:
        try:
            check_hostname(name)
        except WrongValue as wrong:
            raise UserError(f"host {name!r}", wrong.what, wrong.hint) from wrong
        if name.lower() in known:
            raise UserError(name, "already belongs to this cluster", "give a new host")
        known.add(name.lower())
    return _changed(plan, group, lambda hosts: [*hosts, *names])


def without_hosts(plan: Plan, names: Collection[str]) -> Plan:
    """The plan with fewer hosts; raises UserError for hosts of masters, and where too few would stay."""
    cluster = _cluster(plan)
    placed = {host.name: host for host in placed_hosts(cluster)}
    for name in names:
        if name not in placed:
            raise UserError(name, "is not a host of this cluster", f"one of {', '.join(placed)}")
        if masters := [master.name for master in placed[name].masters]:
            raise UserError(name, f"has {', '.join(masters)}", "only hosts without masters can be removed")
    left = sum(bool(host.workers) for host in placed.values() if host.name not in names)
    replicas = next((int(str(each.value)) for each in plan.settings if each.key == "dfs.replication"), 1)
    if left < replicas:
        raise UserError(
            ", ".join(names),
            f"would leave {format_counted(left, 'host')} with workers, but a block has {replicas} replicas",
            "add other hosts first, or plan with a smaller --replication",
        )
    for group in {placed[name].group for name in names}:
        plan = _changed(
            plan,
            next(each for each in cluster.inventory.groups if each.name == group),
            lambda hosts: [host for host in hosts if host not in names],
        )
    return plan


def _cluster(plan: Plan) -> Cluster:
    if plan.cluster is None:
        raise UserError("plan", "is a plan of one machine without Hadoop", "give a cluster's plan")
    return plan.cluster


def _group_of(cluster: Cluster, host: str) -> HostGroup:
    for group in cluster.inventory.groups:
        if host in group.names:
            return group
    names = [name for group in cluster.inventory.worker_groups for name in group.names]
    raise UserError(host, "is not a host of this cluster", f"one of {', '.join(names)}")


def _changed(plan: Plan, group: HostGroup, change: Callable[[Sequence[str]], Sequence[str]]) -> Plan:
    cluster = _cluster(plan)
    if len(group.racks) > 1:
        raise UserError(
            f"group {group.name}",
            f"is spread over {len(group.racks)} racks, so the rack of each host is unknown",
            "make a group for each rack in the inventory, then plan again",
        )
    hosts = change(group.names)
    if not hosts:
        raise UserError(
            f"group {group.name}", "would have no host", "keep one of its hosts, or plan without the group"
        )
    other = HostGroup.model_validate(
        group.model_dump(mode="json", by_alias=True) | {"count": len(hosts), "hosts": fold(hosts)}
    )
    groups = tuple(other if each.name == group.name else each for each in cluster.inventory.groups)
    inventory = Inventory(cluster=cluster.inventory.cluster, groups=groups)
    check_machine_names(inventory, cluster.layouts, cluster.masters, cluster.request)
    held = capacity(
        inventory,
        cluster.layouts,
        plan.workers,
        cluster.masters,
        plan.settings,
        growth=cluster.request.growth,
        mean_file_bytes=file_bytes(cluster.request),
    )
    changed = cluster.model_copy(
        update={"inventory": inventory, "topology": lay_out(inventory, cluster.layouts), "capacity": held}
    )
    # Made anew and not copied, so that it is checked as any plan is.
    return Plan.model_validate(plan.model_copy(update={"cluster": changed}).model_dump(by_alias=True))
