"""The steps from one plan to another, in the order of doing, with what crosses the network for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from howdah.errors import UserError
from howdah.model.change import ChangeStep, PlanChange
from howdah.model.hostname import expand_all, fold
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, Plan
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
    if change.added:
        yield ChangeStep(
            what="add",
            text=f"write the configuration of {_listed(change.added)}, list their workers as members, have "
            "NameNode and ResourceManager read the lists anew, and start their daemons",
        )
    for move in change.masters:
        yield ChangeStep(
            what="master",
            text=f"move {move.name} ({_listed(move.roles)}) from {move.before} to {move.after}: its data "
            "first, then its addresses everywhere",
        )
    restarted = Counter(role for value in change.values for role in value.restarts)
    if restarted:
        told = [f"{role} ({format_counted(many, 'value')})" for role, many in restarted.items()]
        yield ChangeStep(
            what="values",
            text=f"restart what reads changed values: {_listed(told)}; workers one host after the other, of "
            "two masters the standby first",
        )
    stored = _stored_bytes(before, old)
    working = {host.name for host in placed_hosts(old) if host.workers}
    later = {host.name for host in placed_hosts(new) if host.workers}
    if losing := [name for name in expand_all(change.removed) if name in working]:
        moved = round(stored * len(losing) / len(working))
        seconds = moved / _replicating_bytes_per_s(before, old, new)
        yield ChangeStep(
            what="remove",
            text=f"exclude {_listed(fold(losing))} until DataNodes are decommissioned: up to "
            f"{format_bytes(moved)} go elsewhere, in {format_seconds(seconds)} at least; then stop and "
            "forget them",
            moved_bytes=moved,
            least_s=seconds,
        )
    if gaining := [name for name in expand_all(change.added) if name in later]:
        share = round(stored / len(later))
        limit = _number(after, "dfs.datanode.balance.bandwidthPerSec")
        seconds = share / limit if limit else 0.0
        yield ChangeStep(
            what="balance",
            text=f"run `hdfs balancer`: up to {format_bytes(share)} go to each new host, in "
            f"{format_seconds(seconds)} at least with the plan's dfs.datanode.balance.bandwidthPerSec",
            moved_bytes=share * len(gaining),
            least_s=seconds,
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


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
