"""A plan that follows one that runs: what can stay stays, and the steps from one to the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from howdah.errors import UserError
from howdah.hadoop.downtime import unrollable
from howdah.hadoop.readers import present_roles, readers
from howdah.model.change import MasterMove, PlanChange, ValueChange
from howdah.model.hostname import fold
from howdah.model.inventory import Inventory
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, Plan, Role, Setting
from howdah.model.sharing import Sharing
from howdah.model.value import value_text
from howdah.planner.change_steps import steps
from howdah.planner.choice import as_divided, choose
from howdah.planner.cluster import plan_choice
from howdah.releases import Release, default_of, hadoop, hbase
from howdah.units import format_gib


def plan_after(before: Plan, inventory: Inventory, sharing: Sharing | None = None) -> Plan:
    """Plan other hosts for what was asked of a plan, keeping its platform and every master that can stay.

    ``inventory`` is what others leave of hosts that are shared, ``sharing`` says how. Raises UserError where
    the hosts do not allow it, or are another cluster's.
    """
    cluster = _cluster(before)
    if cluster.request.sharing is not None and sharing is None:
        raise UserError(
            "--from",
            "is of a cluster that shares its hosts, and the room that the others leave is unknown",
            "plan it again, with --share or --beside",
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
        raise UserError("--from", "shares no host with this inventory", "plan again without --from")
    if sharing is not None:
        _check_disks(cluster, inventory, sharing)
    request = cluster.request.model_copy(update={"sharing": sharing})
    layouts = {layout.group: layout.platform for layout in cluster.layouts}
    platforms = {
        host: layouts[group.name]
        for group in cluster.inventory.groups
        if group.name in layouts
        for host in group.names
    }
    choice = as_divided(choose(inventory, request), platforms)
    own_names = {kind.name: kind.own_name for kind in before.workers}
    staying = [
        master.model_copy(update={"takes": tuple(own_names[kind] for kind in master.takes)})
        for master in cluster.masters
    ]
    after = plan_choice(inventory, request, choice, staying)
    _check_room(after)
    return after


def _check_room(plan: Plan) -> None:
    """Raise UserError where masters that stay and workers have more of a host than there is."""
    cluster = _cluster(plan)
    kinds = {worker.name: worker for worker in plan.workers}
    groups = {group.name: group for group in cluster.inventory.groups}
    virtual = {layout.group for layout in cluster.layouts if layout.virtual}
    for host in placed_hosts(cluster):
        if host.group not in virtual:
            continue
        held = sum(kinds[worker.kind].memory_bytes for worker in host.workers)
        held += sum(master.memory_bytes for master in (*host.masters, *host.shadows) if not master.shares)
        there = groups[host.group].memory_bytes
        if held > there:
            raise UserError(
                f"host {host.name}",
                f"would have machines of {format_gib(held)}, including the masters that stay, but has "
                f"{format_gib(there)}",
                "plan again without --from",
            )


def _check_disks(cluster: Cluster, inventory: Inventory, sharing: Sharing) -> None:
    """Raise UserError where a host that stays would get other data disks, whose data is elsewhere."""
    before = _disks(cluster.inventory, cluster.request.sharing)
    for host, disks in _disks(inventory, sharing).items():
        if (had := before.get(host, disks)) != disks:
            raise UserError(
                f"host {host}",
                f"would give this cluster its data disks {_listed(disks)}, but its data is on {_listed(had)}",
                "plan the other clusters without these disks, or remove the host and add it again",
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
        raise UserError("--from", "is a plan of one machine without Hadoop", "give a cluster's plan")
    return plan.cluster


def _moves(old: Cluster, new: Cluster) -> Iterator[MasterMove]:
    places = {master.name: master for master in new.masters}
    for master in old.masters:
        place = places.get(master.name)
        if place is not None and place.host != master.host:
            yield MasterMove(name=master.name, roles=master.roles, before=master.host, after=place.host)
        was, now = master.shadow_host, place.shadow_host if place is not None else None
        if was is not None and now is not None and was != now:
            yield MasterMove(name=master.name, roles=master.roles, before=was, after=now, shadow=True)


def _values(before: Plan, after: Plan) -> Iterator[ValueChange]:
    apart = {(one.key, one.file) for plan in (before, after) for one in plan.settings if one.worker}
    former = _former_groups(_cluster(before), _cluster(after))
    old = {which: setting for which, setting in _each(before, apart, None) if setting.file is not None}
    running = present_roles(before) & present_roles(after)
    request = _cluster(after).request
    releases = hadoop(request.hadoop), hbase(request.hbase)
    met = set()
    for which, setting in _each(after, apart, former):
        if setting.file is None:
            continue
        met.add(which)
        one = old.get(which)
        if one is None or one.value != setting.value:
            yield _changed(one, setting, readers(setting, after) & running, releases)
    for which, setting in old.items():
        if which not in met:
            yield _changed(setting, None, readers(setting, before) & running, releases)


def _changed(
    old: Setting | None, new: Setting | None, reading: Collection[Role], releases: Sequence[Release]
) -> ValueChange:
    known = new or old
    assert known is not None
    running = tuple(role for role in Role if role in reading)
    texts = (value_text(one.value) if one else default_of(known.key, *releases) or "" for one in (old, new))
    stops = unrollable(known.key, *texts) if running else None
    return ValueChange(
        key=known.key,
        before=old.value if old else None,
        after=new.value if new else None,
        file=known.file,
        worker=known.worker,
        restarts=running,
        downtime=stops.reason if stops else "",
    )


_Which = tuple[str, str | None, str | None, str | None]
"""What a setting is of: key, file, kind of worker without its group's name, and group as it was called."""


def _each(
    plan: Plan, apart: Collection[tuple[str, str | None]], former: Mapping[str, str] | None
) -> Iterator[tuple[_Which, Setting]]:
    """Every setting; what is ``apart`` by kinds of workers in either plan, for each kind.

    Hosts of groups that were not there before have nothing that changes.
    """
    kinds = {kind.name: kind for kind in plan.workers}
    for setting in plan.settings:
        if setting.worker is None and (setting.key, setting.file) in apart:
            told = [setting.model_copy(update={"worker": name}) for name in kinds]
        else:
            told = [setting]
        for one in told:
            kind = kinds.get(one.worker or "")
            group = kind.group if kind is not None else one.group
            called = group if former is None or group is None else former.get(group)
            if group is not None and called is None:
                continue
            own_name = kind.own_name if kind is not None else one.worker
            yield (one.key, one.file, own_name, called), one


def _former_groups(old: Cluster, new: Cluster) -> dict[str, str]:
    """For each group of hosts the one that had any of them before."""
    had = {host: group.name for group in old.inventory.groups for host in group.names}
    return {
        group.name: next(had[host] for host in group.names if host in had)
        for group in new.inventory.groups
        if any(host in had for host in group.names)
    }
