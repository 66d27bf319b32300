"""Where replicas lie, how evenly, and what the NameNode had copied for DataNodes that were lost."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log, log1p, sqrt

import numpy as np

from howdah.analysis.balance import EVEN, UNEVEN
from howdah.analysis.evidence import Evidence, MachineOfRun, ReplicaBalance, WorkloadTime
from howdah.analysis.machines import workers_of
from howdah.analysis.wording import number, percent
from howdah.model.cluster import Event, ReplicaSpread
from howdah.model.finding import Finding
from howdah.model.plan import Placement
from howdah.model.run import RunRecord
from howdah.units import format_bytes, format_counted

_APART = {Placement.NODE_GROUPS: "node groups", Placement.UPGRADE_DOMAINS: "upgrade domains"}
_POLICY = "dfs.block.replicator.classname"
_KNOWING = {
    Placement.NODE_GROUPS: "BlockPlacementPolicyWithNodeGroup",
    Placement.UPGRADE_DOMAINS: "BlockPlacementPolicyWithUpgradeDomain",
}
"""The policies that know them; a plan may have been told to do with another."""
_SELDOM = 0.05
"""In how many layouts at random one may be called uneven."""


def replica_balances(
    record: RunRecord, machines: tuple[MachineOfRun, ...], times: tuple[WorkloadTime, ...]
) -> tuple[ReplicaBalance, ...]:
    """The replicas of every workload whose output fsck looked at."""
    hosts = workers_of(machines)
    result = []
    for time in times:
        spread = record.workloads[time.index].replicas
        if spread is None:
            continue
        names = tuple(sorted(spread.per_worker))
        counts = tuple(spread.per_worker[name] for name in names)
        mean = sum(counts) / len(counts) if counts else 0.0
        result.append(
            ReplicaBalance(
                workload=time.workload,
                path=spread.path,
                blocks=spread.blocks,
                names=names,
                hosts=tuple(hosts.get(name, name) for name in names),
                replicas=counts,
                max_over_mean=max(counts) / mean if mean else 1.0,
                sharing_host=spread.sharing_host,
                # Node groups and upgrade domains place replicas only.
                kept_apart=_how(record) is not None and spread.policy is None,
                under_replicated=spread.under_replicated,
                missing=spread.missing,
                policy=spread.policy,
                bytes=spread.bytes,
                stored_bytes=spread.stored_bytes,
            )
        )
    return tuple(result)


def _how(record: RunRecord) -> str | None:
    """What keeps replicas on different hosts by the plan; None where nothing is to, or was turned off."""
    cluster = record.plan.cluster
    if cluster is None or cluster.topology.placement not in _APART:
        return None
    placement = cluster.topology.placement
    policies = [str(setting.value) for setting in record.plan.settings if setting.key == _POLICY]
    turned_off = any(not policy.endswith(_KNOWING[placement]) for policy in policies)
    return None if turned_off else _APART[placement]


def by_chance(workers: int, mean: float) -> float:
    """How far the fullest of so many DataNodes may lie above the mean if blocks fall at random.

    Fewer than one layout in twenty goes beyond: what one DataNode has is binomial, and what it exceeds
    too seldom for one is too seldom for all of them together.
    """
    if workers < 2 or mean <= 0:
        return 1.0
    blocks, share = round(workers * mean), 1 / workers
    each = _SELDOM / workers
    # Bernstein's inequality: nobody has more than this too often, so that no more need be looked at.
    odds = -log(each)
    most = min(blocks, ceil(mean + odds / 3 + sqrt(odds**2 / 9 + 2 * mean * odds)))
    counts = np.arange(1, most + 1)
    steps = np.log((blocks - counts + 1) / counts * share / (1 - share))
    chances = np.exp(blocks * log1p(-share) + np.concatenate([[0.0], np.cumsum(steps)]))
    fullest = int(np.searchsorted(np.cumsum(chances), 1 - each))
    return min(fullest, most) / mean


def find_replicas(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Blocks that share a host, blocks with too few replicas, and how even the spread is."""
    for replica in evidence.replicas:
        if replica.sharing_host:
            yield _finding(
                record,
                replica,
                "replicas-share-host",
                _sharing(record, replica),
                warns=replica.kept_apart or replica.policy is not None,
            )
        short = [
            f"{format_counted(count, 'block')} {what}"
            for count, what in (
                (replica.missing, "without any replica"),
                (replica.under_replicated, "with fewer replicas than requested"),
            )
            if count
        ]
        if short:
            yield _finding(
                record, replica, "under-replicated", f"{replica.path} has {' and '.join(short)}", warns=True
            )
        yield _spread(record, replica)


def _sharing(record: RunRecord, balance: ReplicaBalance) -> str:
    if balance.policy is not None:
        groups = format_counted(balance.blocks, "block group")
        return (
            f"{balance.sharing_host:,} of {groups} have more units on one host than "
            f"{balance.policy} can lose: losing that host loses data"
        )
    text = (
        f"{balance.sharing_host:,} of {format_counted(balance.blocks, 'block')} have two replicas on one host"
    )
    if balance.kept_apart:
        return f"{text}, which the planned {_how(record)} should have prevented: losing that host loses both"
    return f"{text}: the plan does not keep them apart, and losing that host loses both"


def _spread(record: RunRecord, balance: ReplicaBalance) -> Finding:
    mean = sum(balance.replicas) / max(1, len(balance.replicas))
    chance = by_chance(len(balance.replicas), mean)
    odd = balance.max_over_mean > max(UNEVEN, chance)
    coded = balance.policy is not None
    text = (
        f"{sum(balance.replicas):,} {'units' if coded else 'replicas'} of "
        f"{format_counted(balance.blocks, 'block group' if coded else 'block')} are on "
        f"{format_counted(len(balance.replicas), 'DataNode')}, {_evenness(balance)}"
    )
    if coded and balance.stored_bytes and balance.bytes:
        text += (
            f"; {balance.policy} keeps {format_bytes(balance.bytes)} in {format_bytes(balance.stored_bytes)} "
            f"on disks, {balance.stored_bytes / balance.bytes:.2f} bytes for each"
        )
    if balance.max_over_mean > EVEN and not odd:
        text += f", no more than chance explains for so few blocks ({percent(chance - 1)})"
    if balance.kept_apart and not balance.sharing_host:
        text += f"; none share a host, as planned with {_how(record)}"
    return _finding(record, balance, "replica-spread", text, warns=odd)


def _evenness(balance: ReplicaBalance) -> str:
    above = percent(balance.max_over_mean - 1)
    return "spread evenly" if above == "0 %" else f"the fullest {above} above the mean"


def _finding(record: RunRecord, balance: ReplicaBalance, name: str, text: str, *, warns: bool) -> Finding:
    return Finding(
        id=name,
        severity="warning" if warns else "note",
        workload=balance.workload,
        text=f"{balance.workload}: {text}",
        sure="measured",
        origin=record.origin,
        numbers=(
            number("blocks", balance.blocks, "1"),
            number("max over mean", balance.max_over_mean, "1"),
            number("blocks sharing a host", balance.sharing_host, "1"),
        ),
    )


def copied_bytes(record: RunRecord, time: WorkloadTime) -> float:
    """The most that may have been copied meanwhile: what DataNodes given up or drained held of the run's.

    Of what was written before, fsck has counted it; of what was being written it is one part of many.
    """
    lost = {
        event.worker
        for event in record.events
        if _declared_dead(event) and time.start_s <= event.time_s <= time.end_s
    }
    copied = 0.0
    for index, result in enumerate(record.workloads[: time.index + 1]):
        spread = result.replicas
        if spread is None or not spread.blocks or not spread.per_worker:
            continue
        for worker in lost:
            if index < time.index:
                copied += _replica_bytes(spread) * spread.per_worker.get(worker, 0)
            else:
                copied += _replica_bytes(spread) * spread.replicas / len(spread.per_worker)
    return copied


def _declared_dead(event: Event) -> bool:
    """Whether the NameNode gave up a DataNode, before which nothing is copied for it, or has drained it."""
    if event.kind == "datanode-drained":
        return True
    # Older records have no word of their own for it.
    return event.kind == "datanode-given-up" or (event.kind == "datanode-lost" and "declares" in event.text)


def _replica_bytes(spread: ReplicaSpread) -> float:
    """The mean size of a replica, or of a unit."""
    if spread.policy is not None and spread.stored_bytes is not None and spread.replicas:
        return spread.stored_bytes / spread.replicas
    return spread.bytes / spread.blocks
