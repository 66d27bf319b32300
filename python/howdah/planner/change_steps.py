"""The steps from one plan to another, in the order of doing, with what crosses the network for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.errors import UserError
from howdah.hadoop.downtime import stopped_for
from howdah.hadoop.readers import present_roles
from howdah.model.change import ChangeStep, PlanChange
from howdah.model.hostname import expand_all, fold
from howdah.model.placement import placed_hosts, placed_workers
from howdah.model.plan import Cluster, Plan, Role
from howdah.planner.known import raw_bytes_of
from howdah.planner.throughput import data_bytes_per_s
from howdah.units import format_bytes, format_counted, format_seconds, parse_bytes

_HEARTBEAT_S = 3.0
"""After which a DataNode is given more blocks to send (dfs.heartbeat.interval)."""
_STREAMS = 2
"""Blocks a DataNode is given at once (dfs.namenode.replication.max-streams)."""


def steps(before: Plan, after: Plan, change: PlanChange) -> Iterator[ChangeStep]:
    """What to do: hosts come first and go last, so that there is never too little of anything."""
    old, new = before.cluster, after.cluster
    assert old is not None
    assert new is not None
    held, later = _held(before, old), _held(after, new)
    gaining = [name for name in later if name not in held]
    if change.added:
        yield _join(change.added)
    stored, rate = _stored_bytes(before, old), _replicating_bytes_per_s(before, old, new)
    gone = set(expand_all(change.removed))
    if giving := [name for name, one in held.items() if name not in later and one.host not in gone]:
        yield _leave(giving, held, stored, rate, "then stop them, because a master takes their place")
    for move in change.masters:
        yield ChangeStep(
            what="master",
            text=f"move the Fault Tolerance shadow of {move.name} from {move.before} to {move.after}"
            if move.shadow
            else f"move {move.name} ({_listed(move.roles)}) from {move.before} to {move.after}: its data "
            "first, then its addresses everywhere",
        )
    new_hosts = set(expand_all(change.added))
    if filling := fold(name for name in gaining if later[name].host not in new_hosts):
        # Places that masters have left.
        yield _join(filling)
    together = [value for value in change.values if value.downtime]
    if together:
        stopped = stopped_for(role for value in together for role in value.restarts) & present_roles(before)
        yield ChangeStep(
            what="values",
            text=f"stop and start together, which `howdah deploy --downtime` does, every "
            f"{_listed([role for role in Role if role in stopped])}, for "
            + "; ".join(f"{value.key}: {value.downtime}" for value in together),
        )
    restarted = Counter(role for value in change.values if not value.downtime for role in value.restarts)
    if restarted:
        told = [f"{role} ({format_counted(many, 'value')})" for role, many in restarted.items()]
        yield ChangeStep(
            what="values",
            text=f"restart the daemons that read changed values: {_listed(told)}; workers host by host, "
            f"standby masters first",
        )
    if losing := [name for name, one in held.items() if one.host in gone]:
        yield _leave(losing, held, stored, rate, "then stop them and remove them from the lists")
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


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _all_bytes(held: Mapping[str, _Held]) -> int:
    return sum(one.bytes for one in held.values())


def _join(names: Sequence[str]) -> ChangeStep:
    """Hosts, or workers of hosts that were there, that come."""
    return ChangeStep(
        what="add",
        text=f"write the configuration of {_listed(names)}, list their workers as members, have NameNode and "
        f"ResourceManager read the lists again, and start their daemons",
    )


def _leave(
    workers: Sequence[str], held: Mapping[str, _Held], stored: float, rate: float, then: str
) -> ChangeStep:
    """DataNodes that go, once what they hold is elsewhere."""
    moved = round(stored * sum(held[name].bytes for name in workers) / _all_bytes(held))
    seconds = moved / rate
    names = _listed(fold(workers))
    return ChangeStep(
        what="remove",
        text=f"exclude {names} until their DataNodes are decommissioned: up to {format_bytes(moved)} move to "
        f"other hosts, in {format_seconds(seconds)} at least; {then}",
        moved_bytes=moved,
        least_s=seconds,
    )


class _Held(NamedTuple):
    """The host of a worker, and what its data disks hold: HDFS fills them alike, in shares of their size."""

    host: str
    bytes: int


def _held(plan: Plan, cluster: Cluster) -> dict[str, _Held]:
    """What there is of every worker, by its name."""
    groups = {group.name: group for group in cluster.inventory.groups}
    sizes = {kind.name: raw_bytes_of(kind, groups[kind.group or ""]) for kind in plan.workers}
    return {worker.name: _Held(worker.host, sizes[worker.kind]) for worker in placed_workers(cluster)}


def _stored_bytes(plan: Plan, cluster: Cluster) -> float:
    """Bytes of replicas: of the dataset that was planned for, or of a cluster that is full."""
    data = cluster.request.dataset_bytes or cluster.capacity.usable_bytes
    return data * (_number(plan, "dfs.replication") or 1)


def _replicating_bytes_per_s(plan: Plan, old: Cluster, new: Cluster) -> float:
    """How fast blocks get replicas elsewhere: as DataNodes are asked to send, and as others can write."""
    groups = {group.name: group for group in new.inventory.groups}
    there = [groups[host.group] for host in placed_hosts(new) if host.workers]
    received = sum(min(group.network_bits_per_s / 8, data_bytes_per_s(group)) for group in there)
    senders = sum(len(host.workers) for host in placed_hosts(old))
    asked = senders * _STREAMS * (_number(plan, "dfs.blocksize") or 1) / _HEARTBEAT_S
    return min(received, asked)


def _number(plan: Plan, key: str) -> float:
    value = next((setting.value for setting in plan.settings if setting.key == key), 0)
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(parse_bytes(str(value), key))
    except UserError:
        return 0.0
