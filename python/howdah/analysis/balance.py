"""How evenly bytes and replicas fell on partitions, disks, data directories and hosts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import ceil, log, log1p, sqrt

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import Balance, WorkloadTime
from howdah.analysis.evidence.use import StretchUse
from howdah.analysis.evidence.volumes import ReplicaBalance
from howdah.analysis.machines import data_dirs, dir_of, on_cluster
from howdah.analysis.phases import tasks_of
from howdah.analysis.uneven_tasks import succeeded
from howdah.analysis.wording import finding, percent
from howdah.model.cluster import Event, ReplicaSpread
from howdah.model.comparison import Finding
from howdah.model.plan import Placement
from howdah.model.run import RunRecord
from howdah.model.tables import RunData
from howdah.units import format_bytes, format_counted

_APART = {Placement.NODE_GROUPS: "node groups", Placement.UPGRADE_DOMAINS: "upgrade domains"}
_POLICY = "dfs.block.replicator.classname"
_KNOWING = {
    Placement.NODE_GROUPS: "BlockPlacementPolicyWithNodeGroup",
    Placement.UPGRADE_DOMAINS: "BlockPlacementPolicyWithUpgradeDomain",
}
"""The policies that know them; a plan may have been told to do with another."""
_SELDOM = 0.05  # In how many layouts at random one may be called uneven.


def replica_balances(record: RunRecord, times: tuple[WorkloadTime, ...]) -> tuple[ReplicaBalance, ...]:
    """The replicas of every workload whose output fsck looked at."""
    spreads = ((time, record.workloads[time.index].replicas) for time in times)
    return tuple(
        # Node groups and upgrade domains place replicas only, no units of coded files.
        ReplicaBalance(time.workload, spread, kept_apart=_how(record) is not None and spread.policy is None)
        for time, spread in spreads
        if spread is not None
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
        spread = balance.spread
        if spread.sharing_host:
            warns = balance.kept_apart or spread.policy is not None
            yield _finding(balance, "replicas-share-host", _sharing(record, balance), warns=warns)
        short = [
            f"{format_counted(count, 'block')} {shortage}"
            for count, shortage in (
                (spread.missing, "without any replica"),
                (spread.under_replicated, "with fewer replicas than requested"),
            )
            if count
        ]
        if short:
            text = f"{spread.path} has {' and '.join(short)}"
            yield _finding(balance, "under-replicated", text, warns=True)
        yield _spread(record, balance)


def _sharing(record: RunRecord, balance: ReplicaBalance) -> str:
    spread = balance.spread
    if spread.policy is not None:
        return (
            f"{spread.sharing_host:,} of {format_counted(spread.blocks, 'block group')} have more units on "
            f"one host than {spread.policy} can lose: losing that host loses data"
        )
    text = (
        f"{spread.sharing_host:,} of {format_counted(spread.blocks, 'block')} have two replicas on one host"
    )
    if balance.kept_apart:
        return f"{text}, which the planned {_how(record)} should have prevented: losing that host loses both"
    return f"{text}: the plan does not keep them apart, and losing that host loses both"


def _spread(record: RunRecord, balance: ReplicaBalance) -> Finding:
    spread, replicas, coded = balance.spread, balance.replicas, balance.spread.policy is not None
    chance = by_chance(len(replicas), balance.mean)
    odd = balance.max_over_mean > max(UNEVEN, chance)
    units = f"{sum(replicas):,} {'units' if coded else 'replicas'}"
    blocks = format_counted(spread.blocks, "block group" if coded else "block")
    nodes, above = format_counted(len(replicas), "DataNode"), percent(balance.max_over_mean - 1)
    text = f"{units} of {blocks} are spread evenly over {nodes}"
    if above != "0 %":
        text = f"{units} of {blocks} are on {nodes}, of which the fullest has {above} more than the mean"
    if coded and spread.stored_bytes and spread.bytes:
        text += (
            f"; {spread.policy} keeps {format_bytes(spread.bytes)} in {format_bytes(spread.stored_bytes)} "
            f"on disks, {spread.stored_bytes / spread.bytes:.2f} bytes for each"
        )
    if balance.max_over_mean > EVEN and not odd:
        text += f", no more than chance explains for so few blocks ({percent(chance - 1)})"
    if balance.kept_apart and not spread.sharing_host:
        text += f"; none share a host, as planned with {_how(record)}"
    return _finding(balance, "replica-spread", text, warns=odd)


def _finding(balance: ReplicaBalance, name: str, text: str, *, warns: bool) -> Finding:
    return finding(
        name,
        f"{balance.workload}: {text}",
        ("blocks", balance.spread.blocks, "1"),
        ("max over mean", balance.max_over_mean, "1"),
        ("blocks sharing a host", balance.spread.sharing_host, "1"),
        severity="warning" if warns else "note",
        workload=balance.workload,
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


# D0's best platform had 4 % more blocks on its fullest DataNode than on the mean one, its
# worst 9 % (RULES 152).
EVEN = 1.04
UNEVEN = 1.09


def balances(
    run: RunData, workloads: tuple[WorkloadTime, ...], uses: Iterable[StretchUse]
) -> tuple[Balance, ...]:
    """The balance of every workload over whatever it has at least two of."""
    whole = {use.workload: use for use in uses if use.phase is None}
    dirs = data_dirs(run.record)
    uneven: list[Balance | None] = []
    for time in workloads:
        result = run.record.workloads[time.index]
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
        uneven += [balance(time.workload, of, bytes_at) for of, bytes_at in places.items()]
        if time.workload in whole:
            uneven += _disks(whole[time.workload])
    return tuple(item for item in uneven if item is not None)


def _places(tasks: pa.Table, level: str) -> dict[str, float]:
    """The bytes all tasks on a host or worker moved: work done, which the like should share evenly."""
    moved: defaultdict[str, float] = defaultdict(float)
    sizes = tasks.column("input_bytes").to_numpy() + tasks.column("output_bytes").to_numpy()
    for host, size in zip(tasks.column(level).to_pylist(), sizes, strict=True):
        moved[str(host)] += float(size)
    return dict(moved)


def balance(workload: str, of: str, places: Mapping[str, float]) -> Balance | None:
    """How even the bytes are; None where there is nothing to compare, not as much as a byte."""
    sizes = np.array(list(places.values()))
    if len(sizes) < 2 or sizes.sum() < 1:
        return None
    mean = float(sizes.mean())
    return Balance(
        workload=workload,
        of=of,
        names=tuple(places),
        bytes=tuple(float(size) for size in sizes),
        max_over_mean=float(sizes.max()) / mean,
        variation=float(sizes.std()) / mean,
    )


def _disks(use: StretchUse) -> Iterator[Balance | None]:
    for of, attribute in (("disks read", "read_bytes"), ("disks written", "written_bytes")):
        # A disk's name is told apart by its host only where there are several hosts.
        yield balance(
            use.workload,
            of,
            {
                f"{host.host}:{disk.disk}" if len(use.working) > 1 else disk.disk: getattr(disk, attribute)
                for host in use.working
                for disk in host.disks
                if disk.data
            },
        )


def _was_hit(record: RunRecord, evidence: Evidence, workload: str) -> bool:
    """Whether a fault was done while a workload ran, or before it and not undone."""
    time = evidence.time_of(workload)
    return any(
        fault.begun_s is not None
        and fault.begun_s <= time.end_s
        and (fault.ended_s is None or fault.ended_s >= time.start_s)
        for fault in record.faults
    )


def find_imbalance(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Places that got noticeably more than their share, and whose end everything else waits for."""
    cluster = on_cluster(record)
    accounts = {account.workload: account for account in evidence.accounts}
    for item in evidence.balances:
        # What a cluster's disks read is what its page caches did not have, which nobody spreads evenly.
        if cluster and item.of == "disks read":
            continue
        account, reported = accounts.get(item.workload), None
        if account is not None and item.of in ("disks read", "disks written"):
            reported = (account.read if item.of == "disks read" else account.write).reported
        # Others do the work of a machine that a fault hit, as they must.
        if item.of != "partitions" and _was_hit(record, evidence, item.workload):
            continue
        # What little a disk does besides the workload's own bytes need not be even.
        if item.max_over_mean <= EVEN or (reported is not None and reported < 0.5 * sum(item.bytes)):
            continue
        fullest = int(np.argmax(item.bytes))
        name = item.names[fullest]
        has = f"tasks on {name} moved" if item.of in ("hosts", "workers") else f"{name} has"
        odd = item.max_over_mean > UNEVEN and (item.of == "partitions" or not cluster)
        yield finding(
            "imbalance",
            f"{item.workload}: {item.of} are uneven: {has} "
            f"{format_bytes(item.bytes[fullest])}, {percent(item.max_over_mean - 1)} above the mean of "
            f"{len(item.names)} (coefficient of variation {percent(item.variation)})",
            ("max over mean", item.max_over_mean, "1"),
            ("coefficient of variation", item.variation, "1"),
            severity="warning" if odd else "note",
            workload=item.workload,
        )
