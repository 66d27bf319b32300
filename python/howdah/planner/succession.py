"""A plan that follows one that runs: what can stay stays, and the steps from one to the other."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.errors import UserError
from howdah.model.change import MasterMove, PlanChange, ValueChange
from howdah.model.hostname import fold
from howdah.model.inventory import Inventory
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, Plan, Role, Setting
from howdah.model.sharing import Sharing
from howdah.planner.change_steps import steps
from howdah.planner.cluster import plan_cluster

_READERS: tuple[tuple[str, tuple[Role, ...]], ...] = (
    ("dfs.namenode.", (Role.NAMENODE,)),
    ("dfs.ha.", (Role.NAMENODE, Role.FAILOVER_CONTROLLER)),
    ("ha.", (Role.FAILOVER_CONTROLLER,)),
    ("dfs.journalnode.", (Role.JOURNALNODE,)),
    ("dfs.datanode.", (Role.DATANODE,)),
    ("dfs.client.", ()),
    ("mapreduce.jobhistory.", (Role.JOB_HISTORY,)),
    ("mapreduce.shuffle.", (Role.NODEMANAGER,)),
    ("mapreduce.", ()),
    ("yarn.app.", ()),
    ("yarn.nodemanager.", (Role.NODEMANAGER,)),
    ("yarn.scheduler.", (Role.RESOURCEMANAGER,)),
    ("yarn.resourcemanager.", (Role.RESOURCEMANAGER,)),
    ("hbase.regionserver.", (Role.REGIONSERVER,)),
    ("hbase.master.", (Role.HMASTER,)),
    ("hbase.", (Role.HMASTER, Role.REGIONSERVER)),
)
"""Who reads a value, by the first of these that its key begins with."""
_OF_FILES: dict[str, tuple[Role, ...]] = {
    "core-site.xml": (Role.NAMENODE, Role.DATANODE, Role.RESOURCEMANAGER, Role.NODEMANAGER),
    "hdfs-site.xml": (Role.NAMENODE, Role.DATANODE),
    "yarn-site.xml": (Role.RESOURCEMANAGER, Role.NODEMANAGER),
    "zoo.cfg": (Role.ZOOKEEPER,),
}
"""Who reads a file, for keys that say nothing of it."""


def plan_after(before: Plan, inventory: Inventory, sharing: Sharing | None = None) -> Plan:
    """Plan other hosts for what was asked of a plan, keeping its platform and every master that can stay.

    ``inventory`` is what others leave of hosts that are shared, ``sharing`` says how. Raises UserError where
    the hosts do not allow it, or are another cluster's.
    """
    cluster = _cluster(before)
    if cluster.request.sharing is not None and sharing is None:
        raise UserError(
            "--from",
            "is of a cluster that shares its hosts, and what the others leave of these is not known",
            "plan it anew, with --share or --beside",
        )
    if inventory.cluster != cluster.inventory.cluster:
        raise UserError(
            "--from",
            f"is of the cluster {cluster.inventory.cluster}, and these hosts are of {inventory.cluster}",
            "give the inventory that has the same cluster's name",
        )
    if not {host.name for host in placed_hosts(cluster)} & {
        name for group in inventory.groups for name in group.names
    }:
        raise UserError("--from", "shares no host with this inventory", "plan anew, without --from")
    if sharing is not None:
        _check_disks(cluster, inventory, sharing)
    return plan_cluster(inventory, cluster.request.model_copy(update={"sharing": sharing}), cluster.masters)


def _check_disks(cluster: Cluster, inventory: Inventory, sharing: Sharing) -> None:
    """Raise UserError where a host that stays would get other data disks, whose data is elsewhere."""
    before = _disks(cluster.inventory, cluster.request.sharing)
    for host, disks in _disks(inventory, sharing).items():
        if (had := before.get(host, disks)) != disks:
            raise UserError(
                f"host {host}",
                f"would give this cluster its data disks {_listed(disks)}, and its data is on {_listed(had)}",
                "plan the others so that they leave it those, or take the host out and in again",
            )


def _disks(inventory: Inventory, sharing: Sharing | None) -> dict[str, tuple[int, ...]]:
    numbers = sharing.disks if sharing is not None else {}
    return {
        host: numbers[group.name]
        for group in inventory.groups
        if group.name in numbers
        for host in group.names
    }


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))


def change_of(before: Plan, after: Plan) -> PlanChange:
    """What a plan changes of the one that runs, and how to get there."""
    old, new = _cluster(before), _cluster(after)
    hosts, later = ([host.name for host in placed_hosts(cluster)] for cluster in (old, new))
    change = PlanChange(
        added=fold([name for name in later if name not in set(hosts)]),
        removed=fold([name for name in hosts if name not in set(later)]),
        masters=tuple(_moves(old, new)),
        values=tuple(_values(before, after)),
    )
    return change.model_copy(update={"steps": tuple(steps(before, after, change))})


def _cluster(plan: Plan) -> Cluster:
    if plan.cluster is None:
        raise UserError("--from", "is a plan for one machine without Hadoop", "give a cluster's plan")
    return plan.cluster


def _moves(old: Cluster, new: Cluster) -> Iterator[MasterMove]:
    places = {master.name: master for master in new.masters}
    for master in old.masters:
        place = places.get(master.name)
        if place is not None and place.host != master.host:
            yield MasterMove(name=master.name, roles=master.roles, before=master.host, after=place.host)


def _values(before: Plan, after: Plan) -> Iterator[ValueChange]:
    old = {_of(setting): setting for setting in before.settings if setting.file is not None}
    new = {_of(setting): setting for setting in after.settings if setting.file is not None}
    for which in dict.fromkeys([*old, *new]):
        one, other = old.get(which), new.get(which)
        known = one or other
        if known is None or (one is not None and other is not None and one.value == other.value):
            continue
        yield ValueChange(
            key=known.key,
            before=one.value if one else None,
            after=other.value if other else None,
            file=known.file,
            worker=known.worker,
            restarts=_readers(known),
        )


def _of(setting: Setting) -> tuple[str, str | None, str | None, str | None]:
    return setting.key, setting.file, setting.worker, setting.group


def _readers(setting: Setting) -> tuple[Role, ...]:
    for prefix, roles in _READERS:
        if setting.key.startswith(prefix):
            return roles
    return _OF_FILES.get(setting.file or "", ())
