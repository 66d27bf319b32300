"""A plan that follows the one that runs, and the steps from one to the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.errors import UserError
from howdah.hadoop.readers import present_roles, readers, stopped_for, unrollable
from howdah.model.existing import ChangeStep, MasterMove, PlanChange, ValueChange
from howdah.model.hostname import expand_all, fold
from howdah.model.inventory import Inventory, Sharing
from howdah.model.placement import placed_hosts, placed_workers
from howdah.model.plan import Cluster, ClusterPlan, Role, Setting, value_text
from howdah.planner.capacity import data_bytes_per_s
from howdah.planner.choice import as_divided, choose
from howdah.planner.cluster import plan_choice
from howdah.planner.facts import raw_bytes_of
from howdah.releases.catalogue import Release, default_of, hadoop, hbase
from howdah.units import format_bytes, format_counted, format_gib, format_seconds, parse_bytes

_HEARTBEAT_S = 3.0  # After which a DataNode is given more blocks to send (dfs.heartbeat.interval).
_STREAMS = 2  # Blocks a DataNode is given at once (dfs.namenode.replication.max-streams).


class _WorkerData(NamedTuple):
    """The host of a worker, and the data on its disks: HDFS fills them in proportion to their size."""

    host: str
    bytes: int


_SettingKey = tuple[str, str | None, str | None, str | None]
"""What a setting is of: key, file, kind of worker without its group's name, and group as it was called."""


def steps(before: ClusterPlan, after: ClusterPlan, change: PlanChange) -> Iterator[ChangeStep]:
    """The steps: hosts are added first and removed last, so that nothing is ever short."""
    old, new = before.cluster, after.cluster
    workers, later = _worker_data(before), _worker_data(after)
    gaining = [name for name in later if name not in workers]
    if change.added:
        yield _join(change.added)
    stored, rate = _stored_bytes(before), _replicating_bytes_per_s(before, old, new)
    gone = set(expand_all(change.removed))
    if giving := [name for name, place in workers.items() if name not in later and place.host not in gone]:
        yield _leave(giving, workers, stored, rate, "then stop them, because a master takes their place")
    for move in change.masters:
        places, roles = f"from {move.before} to {move.after}", ", ".join(move.roles)
        text = f"move {move.name} ({roles}) {places}: its data first, then its addresses everywhere"
        if move.shadow:
            text = f"move the Fault Tolerance shadow of {move.name} {places}"
        yield ChangeStep(what="master", text=text)
    new_hosts = set(expand_all(change.added))
    if filling := fold(name for name in gaining if later[name].host not in new_hosts):
        # Places that masters have left.
        yield _join(filling)
    together = [value for value in change.values if value.downtime]
    if together:
        stopped = stopped_for(role for value in together for role in value.restarts) & present_roles(before)
        roles = ", ".join(role for role in Role if role in stopped)
        reasons = "; ".join(f"{value.key}: {value.downtime}" for value in together)
        text = f"stop and start together, which `howdah deploy --downtime` does, every {roles}, for {reasons}"
        yield ChangeStep(what="values", text=text)
    restarted = Counter(role for value in change.values if not value.downtime for role in value.restarts)
    if restarted:
        daemons = ", ".join(f"{role} ({format_counted(many, 'value')})" for role, many in restarted.items())
        text = f"restart the daemons that read changed values: {daemons}; workers host by host, "
        yield ChangeStep(what="values", text=f"{text}standby masters first")
    if losing := [name for name, place in workers.items() if place.host in gone]:
        yield _leave(losing, workers, stored, rate, "then stop them and remove them from the lists")
    if gaining:
        shares = {name: stored * later[name].bytes / _all_bytes(later) for name in gaining}
        of_hosts: Counter[str] = Counter()
        for name, share in shares.items():
            of_hosts[later[name].host] += round(share)
        limit = _number(after, "dfs.datanode.balance.bandwidthPerSec")
        seconds = max(shares.values()) / limit if limit else 0.0
        yield ChangeStep(
            what="balance",
            text=f"run `hdfs balancer`: up to {format_bytes(max(of_hosts.values()))} go to each new host, in "
            f"{format_seconds(seconds)} at least with the plan's dfs.datanode.balance.bandwidthPerSec",
            moved_bytes=round(sum(shares.values())),
            least_s=seconds,
        )


def _all_bytes(stored: Mapping[str, _WorkerData]) -> int:
    return sum(place.bytes for place in stored.values())


def _join(names: Sequence[str]) -> ChangeStep:
    lists = "list their workers as members, have NameNode and ResourceManager read the lists again"
    text = f"write the configuration of {', '.join(names)}, {lists}, and start their daemons"
    return ChangeStep(what="add", text=text)


def _leave(
    workers: Sequence[str], places: Mapping[str, _WorkerData], stored: float, rate: float, then: str
) -> ChangeStep:
    moved = round(stored * sum(places[name].bytes for name in workers) / _all_bytes(places))
    seconds = moved / rate
    names = ", ".join(fold(workers))
    return ChangeStep(
        what="remove",
        text=f"exclude {names} until their DataNodes are decommissioned: up to {format_bytes(moved)} move to "
        f"other hosts, in {format_seconds(seconds)} at least; {then}",
        moved_bytes=moved,
        least_s=seconds,
    )


def _worker_data(plan: ClusterPlan) -> dict[str, _WorkerData]:
    groups = {group.name: group for group in plan.cluster.inventory.groups}
    sizes = {kind.name: raw_bytes_of(kind, groups[kind.group or ""]) for kind in plan.workers}
    return {
        worker.name: _WorkerData(worker.host, sizes[worker.kind]) for worker in placed_workers(plan.cluster)
    }


def _stored_bytes(plan: ClusterPlan) -> float:
    """Bytes of replicas: of the dataset that was planned for, or of a cluster that is full."""
    data = plan.cluster.request.dataset_bytes or plan.cluster.capacity.usable_bytes
    return data * (_number(plan, "dfs.replication") or 1)


def _replicating_bytes_per_s(plan: ClusterPlan, old: Cluster, new: Cluster) -> float:
    """The rate of new replicas: as DataNodes send, and as others can write."""
    groups = {group.name: group for group in new.inventory.groups}
    groups_of_workers = [groups[host.group] for host in placed_hosts(new) if host.workers]
    received = sum(min(group.network_bits_per_s / 8, data_bytes_per_s(group)) for group in groups_of_workers)
    senders = sum(len(host.workers) for host in placed_hosts(old))
    scheduled = senders * _STREAMS * (_number(plan, "dfs.blocksize") or 1) / _HEARTBEAT_S
    return min(received, scheduled)


def _number(plan: ClusterPlan, key: str) -> float:
    value = next((setting.value for setting in plan.settings if setting.key == key), 0)
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(parse_bytes(str(value), key))
    except UserError:
        return 0.0


def plan_after(before: ClusterPlan, inventory: Inventory, sharing: Sharing | None = None) -> ClusterPlan:
    """Plan other hosts for what was asked of a plan, keeping its platform and every master that can stay.

    ``inventory`` is what others leave of hosts that are shared, ``sharing`` says how. Raises UserError where
    the hosts do not allow it, or are another cluster's.
    """
    cluster = before.cluster
    if cluster.request.sharing is not None and sharing is None:
        raise UserError(
            "--from",
            "is a plan of a cluster that shares its hosts, and the capacity that the others leave is unknown",
            "plan it again, with --share or --beside",
        )
    if inventory.cluster != cluster.inventory.cluster:
        problem = f"is of the cluster {cluster.inventory.cluster}, and these hosts are of {inventory.cluster}"
        raise UserError("--from", problem, "give the inventory that has the same cluster's name")
    if not {host.name for host in placed_hosts(cluster)} & {
        name for group in inventory.groups for name in group.names
    }:
        raise UserError("--from", "shares no host with this inventory", "plan again without --from")
    if sharing is not None:
        _check_disks(cluster, inventory, sharing)
    request = cluster.request.model_copy(update={"sharing": sharing})
    layouts = {layout.group: layout.platform for layout in cluster.layouts}
    divided = (group for group in cluster.inventory.groups if group.name in layouts)
    platforms = {host: layouts[group.name] for group in divided for host in group.names}
    choice = as_divided(choose(inventory, request), platforms)
    own_names = {kind.name: kind.own_name for kind in before.workers}
    staying = [
        master.model_copy(update={"takes": tuple(own_names[kind] for kind in master.takes)})
        for master in cluster.masters
    ]
    after = plan_choice(inventory, request, choice, staying)
    _check_room(after)
    return after


def _check_room(plan: ClusterPlan) -> None:
    """Raise UserError where masters that stay and workers have more of a host than there is."""
    cluster = plan.cluster
    kinds = {worker.name: worker for worker in plan.workers}
    groups = {group.name: group for group in cluster.inventory.groups}
    virtual = {layout.group for layout in cluster.layouts if layout.virtual}
    for host in placed_hosts(cluster):
        if host.group not in virtual:
            continue
        used = sum(kinds[worker.kind].memory_bytes for worker in host.workers)
        used += sum(master.memory_bytes for master in (*host.masters, *host.shadows) if not master.shares)
        available = groups[host.group].memory_bytes
        if used > available:
            machines = f"machines of {format_gib(used)}, including the masters that stay"
            problem = f"would have {machines}, but has {format_gib(available)}"
            raise UserError(f"host {host.name}", problem, "plan again without --from")


def _check_disks(cluster: Cluster, inventory: Inventory, sharing: Sharing) -> None:
    """Raise UserError if a remaining host would get other data disks, since its data is on the old ones."""
    before = _disks(cluster.inventory, cluster.request.sharing)
    for host, disks in _disks(inventory, sharing).items():
        if (had := before.get(host, disks)) != disks:
            new, old = (", ".join(map(str, numbers)) for numbers in (disks, had))
            problem = f"would give this cluster its data disks {new}, but its data is on {old}"
            hint = "plan the other clusters without these disks, or remove the host and add it again"
            raise UserError(f"host {host}", problem, hint)


def _disks(inventory: Inventory, sharing: Sharing | None) -> dict[str, tuple[int, ...]]:
    numbers = sharing.disks if sharing is not None else {}
    groups = (group for group in inventory.groups if group.name in numbers)
    return {host: numbers[group.name] for group in groups for host in group.names}


def change_of(before: ClusterPlan, after: ClusterPlan) -> PlanChange:
    """What a plan changes of the one that runs, and how to get there."""
    old, new = before.cluster, after.cluster
    hosts, later = ([host.name for host in placed_hosts(cluster)] for cluster in (old, new))
    change = PlanChange(
        added=fold([name for name in later if name not in set(hosts)]),
        removed=fold([name for name in hosts if name not in set(later)]),
        masters=tuple(_moves(old, new)),
        values=tuple(_values(before, after)),
    )
    return change.model_copy(update={"steps": tuple(steps(before, after, change))})


def _moves(old: Cluster, new: Cluster) -> Iterator[MasterMove]:
    places = {master.name: master for master in new.masters}
    for master in old.masters:
        place = places.get(master.name)
        if place is not None and place.host != master.host:
            yield MasterMove(name=master.name, roles=master.roles, before=master.host, after=place.host)
        was, now = master.shadow_host, place.shadow_host if place is not None else None
        if was is not None and now is not None and was != now:
            yield MasterMove(name=master.name, roles=master.roles, before=was, after=now, shadow=True)


def _values(before: ClusterPlan, after: ClusterPlan) -> Iterator[ValueChange]:
    apart = {
        (setting.key, setting.file) for plan in (before, after) for setting in plan.settings if setting.worker
    }
    had = {host: group.name for group in before.cluster.inventory.groups for host in group.names}
    later = after.cluster.inventory.groups
    former = {group.name: had[host] for group in later for host in reversed(group.names) if host in had}
    old, new = dict(_settings_by_kind(before, apart, None)), tuple(_settings_by_kind(after, apart, former))
    running = present_roles(before) & present_roles(after)
    request = after.cluster.request
    releases = hadoop(request.hadoop), hbase(request.hbase)
    for which, setting in new:
        old_setting = old.get(which)
        if old_setting is None or old_setting.value != setting.value:
            yield _changed(old_setting, setting, readers(setting, after) & running, releases)
    for which, setting in old.items():
        if which not in dict(new):
            yield _changed(setting, None, readers(setting, before) & running, releases)


def _changed(
    old: Setting | None, new: Setting | None, reading: Collection[Role], releases: Sequence[Release]
) -> ValueChange:
    either = new or old
    assert either is not None
    running = tuple(role for role in Role if role in reading)
    texts = (
        value_text(setting.value) if setting else default_of(either.key, *releases) or ""
        for setting in (old, new)
    )
    stops = unrollable(either.key, *texts) if running else None
    return ValueChange(
        key=either.key,
        before=old.value if old else None,
        after=new.value if new else None,
        file=either.file,
        worker=either.worker,
        restarts=running,
        downtime=stops.reason if stops else "",
    )


def _settings_by_kind(
    plan: ClusterPlan, apart: Collection[tuple[str, str | None]], former: Mapping[str, str] | None
) -> Iterator[tuple[_SettingKey, Setting]]:
    """Every setting of a file; what is ``apart`` by kinds of workers in either plan, for each kind.

    Hosts of groups that were not there before have nothing that changes.
    """
    kinds = {kind.name: kind for kind in plan.workers}
    for setting in plan.settings:
        settings = [setting] if setting.file is not None else []
        if settings and setting.worker is None and (setting.key, setting.file) in apart:
            settings = [setting.model_copy(update={"worker": name}) for name in kinds]
        for member in settings:
            kind = kinds.get(member.worker or "")
            group = kind.group if kind is not None else member.group
            called = group if former is None or group is None else former.get(group)
            if group is not None and called is None:
                continue
            own_name = kind.own_name if kind is not None else member.worker
            yield (member.key, member.file, own_name, called), member
