"""The steps from one plan to another, in the order of doing, with what crosses the network for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

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
    stored, rate = _stored_bytes(before, old), _replicating_bytes_per_s(before, old, new)
    held, later = _held_bytes(old), _held_bytes(new)
    gone = set(expand_all(change.removed))
    if giving := [worker for worker in held if worker not in later and worker.host not in gone]:
        yield _leave(giving, held, stored, rate, "then stop them, for a master takes their place")
    for move in change.masters:
        yield ChangeStep(
            what="master",
            text=f"move the Fault Tolerance shadow of {move.name} from {move.before} to {move.after}"
            if move.shadow
            else f"move {move.name} ({_listed(move.roles)}) from {move.before} to {move.after}: its data "
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
    if losing := [worker for worker in held if worker.host in gone]:
        yield _leave(losing, held, stored, rate, "then stop and forget them")
    gaining = [worker for worker in later if worker not in held]
    if gaining:
        shares = {worker: stored * later[worker] / sum(later.values()) for worker in gaining}
        of_hosts: Counter[str] = Counter()
        for worker, share in shares.items():
            of_hosts[worker.host] += round(share)
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


def _leave(
    workers: Sequence[_Worker], held: Mapping[_Worker, float], stored: float, rate: float, then: str
) -> ChangeStep:
    """DataNodes that go, once what they hold is elsewhere."""
    moved = round(stored * sum(held[worker] for worker in workers) / sum(held.values()))
    seconds = moved / rate
    names = _listed(fold([worker.name for worker in workers]))
    return ChangeStep(
        what="remove",
        text=f"exclude {names} until DataNodes are decommissioned: up to {format_bytes(moved)} go "
        f"elsewhere, in {format_seconds(seconds)} at least; {then}",
        moved_bytes=moved,
        least_s=seconds,
    )


class _Worker(NamedTuple):
    """A worker and its host."""

    host: str
    name: str


def _held_bytes(cluster: Cluster) -> dict[_Worker, float]:
    """What the data disks of every worker hold: HDFS fills them alike, in shares of their size."""
    groups = {group.name: group for group in cluster.inventory.groups}
    layouts = {layout.group: layout for layout in cluster.layouts}
    return {
        _Worker(host.name, worker.name): groups[host.group].data_bytes / len(layouts[host.group].workers)
        for host in placed_hosts(cluster)
        for worker in host.workers
    }


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
