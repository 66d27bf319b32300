"""How evenly bytes and replicas fell on partitions, disks, data directories and hosts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import ceil, log, log1p, sqrt
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.use import StretchUse
from howdah.analysis.evidence.volumes import ReplicaBalance
from howdah.analysis.machines import data_dirs, dir_of, on_cluster
from howdah.analysis.phases import tasks_of
from howdah.analysis.uneven_tasks import succeeded
from howdah.analysis.wording import conclude, percent
from howdah.model.cluster import ReplicaSpread
from howdah.model.comparison import Finding
from howdah.model.plan import Placement
from howdah.model.run import RunRecord
from howdah.model.tables import RunData
from howdah.units import format_counted

_APART = {Placement.NODE_GROUPS: "node groups", Placement.UPGRADE_DOMAINS: "upgrade domains"}
_POLICY = "dfs.block.replicator.classname"
_KNOWING = {
    Placement.NODE_GROUPS: "BlockPlacementPolicyWithNodeGroup",
    Placement.UPGRADE_DOMAINS: "BlockPlacementPolicyWithUpgradeDomain",
}  # The policies that know them; a plan may have been told to do with another.
_COPIED = ("datanode-given-up", "datanode-drained")
_SELDOM = 0.05  # In how many layouts at random one may be called uneven.


def replica_balances(record: RunRecord, times: tuple[WorkloadTime, ...]) -> tuple[ReplicaBalance, ...]:
    """The replicas of every workload whose output fsck looked at."""
    return tuple(
        # Node groups and upgrade domains place replicas only, no units of coded files.
        ReplicaBalance(time.workload, spread, kept_apart=_how(record) is not None and spread.policy is None)
        for time in times
        if (spread := time.result.replicas) is not None
    )


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
    chance_of_one = _SELDOM / workers
    # Bernstein's inequality: nobody has more than this too often, so that no more need be looked at.
    odds = -log(chance_of_one)
    most = min(blocks, ceil(mean + odds / 3 + sqrt(odds**2 / 9 + 2 * mean * odds)))
    counts = np.arange(1, most + 1)
    steps = np.log((blocks - counts + 1) / counts * share / (1 - share))
    chances = np.exp(blocks * log1p(-share) + np.concatenate([[0.0], np.cumsum(steps)]))
    fullest = int(np.searchsorted(np.cumsum(chances), 1 - chance_of_one))
    return min(fullest, most) / mean


def find_replicas(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Blocks that share a host, blocks with too few replicas, and how even the spread is."""
    for balance in evidence.replicas:
        spread, coded, kept_apart = balance.spread, balance.spread.policy is not None, balance.kept_apart
        chance = by_chance(len(balance.replicas), balance.mean)
        odd = balance.max_over_mean > max(UNEVEN, chance)
        above = balance.max_over_mean - 1
        in_pieces = coded and spread.stored_bytes and spread.bytes
        values: dict[str, Any] = {
            "planned": _how(record),
            "all_blocks": format_counted(spread.blocks, "block group" if coded else "block"),
            "missing": spread.missing or None,
            "few": spread.under_replicated or None,
            "both": " and " if spread.missing and spread.under_replicated else "",
            "units": f"{sum(balance.replicas):,} {'units' if coded else 'replicas'}",
            "nodes": len(balance.replicas),
            "above": above,
            "for_each": (spread.stored_bytes or 0) / spread.bytes if in_pieces else None,
            "by_chance": chance - 1 if balance.max_over_mean > EVEN and not odd else None,
            "apart": _how(record) if kept_apart and not spread.sharing_host else None,
        }
        if spread.sharing_host:
            words = "coded" if coded else "planned" if kept_apart else "allowed"
            yield conclude("replicas-share-host", balance, words=words, warns=kept_apart or coded, **values)
        if spread.missing or spread.under_replicated:
            yield conclude("under-replicated", balance, **values)
        words = "even" if percent(above) == "0 %" else "uneven"
        yield conclude("replica-spread", balance, words=words, warns=odd, **values)


def copied_bytes(record: RunRecord, time: WorkloadTime) -> float:
    """The most that may have been copied meanwhile: what DataNodes given up or drained held of the run's.

    Of what was written before, fsck has counted it; of what was being written it is one part of many.
    """
    # Nothing is copied before the NameNode gives a DataNode up, for which older records have no own word.
    lost = {
        event.worker
        for event in record.events
        if time.start_s <= event.time_s <= time.end_s
        and (event.kind in _COPIED or (event.kind == "datanode-lost" and "declares" in event.text))
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


def _replica_bytes(spread: ReplicaSpread) -> float:
    """The mean size of a replica, or of a unit."""
    if spread.policy is not None and spread.stored_bytes is not None and spread.replicas:
        return spread.stored_bytes / spread.replicas
    return spread.bytes / spread.blocks


# D0's best platform had 4 % more blocks on its fullest DataNode than on the mean one, its
# worst 9 % (RULES 152).
EVEN = 1.04
UNEVEN = 1.09


class Balance(NamedTuple):
    """How evenly bytes fell on several places: ``of`` is ``partitions``, ``disks read``,
    ``disks written``, ``data directories``, ``hosts`` or ``workers``.
    """

    of: str
    names: tuple[str, ...]
    bytes: tuple[float, ...]
    max_over_mean: float
    variation: float


def balances(run: RunData, time: WorkloadTime, use: StretchUse | None) -> list[Balance]:
    """The balance of a workload over whatever it has at least two of; ``use`` is what its machines did."""
    result, dirs = time.result, data_dirs(run.record)
    tasks = succeeded(tasks_of(run.tasks, result.workload.kind, time))
    reduces = tasks.filter(pc.equal(tasks.column("kind"), pa.scalar("reduce"))).sort_by("task")
    names = (f"{number:05d}" for number in reduces.column("task").to_numpy())
    sizes = reduces.column("output_bytes").to_numpy().astype(float)
    placed = dict.fromkeys(dirs, 0.0) if result.files else {}
    for file in result.files:
        home = dir_of(dirs, file.path)
        if home is not None:
            placed[home] += file.bytes
    places = {
        "partitions": dict(zip(names, sizes, strict=True)),
        "hosts": _places(tasks, "host"),
        "workers": _places(tasks, "worker") if on_cluster(run.record) else {},
        "data directories": placed,
    }
    machines = use.working if use else ()
    for of, attribute in (("disks read", "read_bytes"), ("disks written", "written_bytes")):
        # A disk's name is told apart by its host only where there are several hosts.
        places[of] = {
            f"{host.host}:{disk.disk}" if len(machines) > 1 else disk.disk: getattr(disk, attribute)
            for host in machines
            for disk in host.disks
            if disk.data
        }
    return [even for of, bytes_at in places.items() if (even := balance(of, bytes_at)) is not None]


def balance(of: str, places: Mapping[str, float]) -> Balance | None:
    """How even the bytes are; None where there is nothing to compare, not as much as a byte."""
    sizes = np.array(list(places.values()))
    if len(sizes) < 2 or sizes.sum() < 1:
        return None
    mean = float(sizes.mean())
    uneven = float(sizes.max()) / mean, float(sizes.std()) / mean
    return Balance(of, tuple(places), tuple(float(size) for size in sizes), *uneven)


def _places(tasks: pa.Table, level: str) -> dict[str, float]:
    """The bytes all tasks on a host or worker moved: work done, which the like should share evenly."""
    moved: defaultdict[str, float] = defaultdict(float)
    sizes = tasks.column("input_bytes").to_numpy() + tasks.column("output_bytes").to_numpy()
    for host, size in zip(tasks.column(level).to_pylist(), sizes, strict=True):
        moved[str(host)] += float(size)
    return dict(moved)


def find_imbalance(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Places that got noticeably more than their share, and whose end everything else waits for."""
    cluster = on_cluster(record)
    accounts = {account.workload: account for account in evidence.accounts}
    whole = {use.workload: use for use in evidence.use if use.phase is None}
    for time in evidence.workloads:
        account = accounts.get(time.workload)
        # A fault was done while it ran, or before it and not undone.
        hit = any(
            fault.begun_s is not None
            and fault.begun_s <= time.end_s
            and (fault.ended_s is None or fault.ended_s >= time.start_s)
            for fault in record.faults
        )
        reported = {}
        if account is not None:
            reported = {"disks read": account.read.reported, "disks written": account.write.reported}
        for item in balances(evidence.timed.run, time, whole.get(time.workload)):
            # What a cluster's disks read is what its page caches did not have, which nobody spreads evenly.
            # Others do the work of a machine that a fault hit, as they must.
            if (cluster and item.of == "disks read") or (hit and item.of != "partitions"):
                continue
            # What little a disk does besides the workload's own bytes need not be even.
            if item.max_over_mean <= EVEN or reported.get(item.of, math.inf) < 0.5 * sum(item.bytes):
                continue
            fullest = int(np.argmax(item.bytes))
            name = item.names[fullest]
            yield conclude(
                "imbalance",
                item,
                workload=time.workload,
                warns=item.max_over_mean > UNEVEN and (item.of == "partitions" or not cluster),
                has=f"tasks on {name} moved" if item.of in ("hosts", "workers") else f"{name} has",
                most=item.bytes[fullest],
                above=item.max_over_mean - 1,
                places=len(item.names),
            )
