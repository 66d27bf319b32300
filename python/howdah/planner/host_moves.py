"""The time and the traffic of a rebuild after a loss, and of draining: a closed form of physical limits.

The limits of a planned cluster are disks, links, cores, and the blocks that the NameNode hands out; replicas
and erasure codes have one form. ``docs/erasure-coding.md`` compares it with rebuilds on labs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

from howdah.model.plan import Value
from howdah.model.storage_policy import ErasurePolicy, HostMove, StoredData
from howdah.planner.capacity import BLOCK_BYTES, FILL_LIMIT, LINE_SHARE, REPLICATION, block_bytes_per_s
from howdah.planner.facts import ClusterFacts


class StorageLimits(NamedTuple):
    """The limits of a plan."""

    facts: ClusterFacts
    settings: dict[str, float]
    rack_hosts: tuple[int, ...]  # Hosts with workers on each rack.
    block_bytes: float
    host_disk_bytes_per_s: float  # What one host's disks move, of the slowest group.
    host_link_bytes_per_s: float
    host_cores: float
    capacity_bytes: float  # What all data disks hold when they are as full as they should be.

    def number(self, key: str) -> float:
        """A setting of the plan, or Hadoop's default."""
        return self.settings.get(key, _DEFAULTS[key])

    @property
    def racks(self) -> int:
        """Racks with workers."""
        return len(self.rack_hosts)

    @property
    def hosts(self) -> int:
        """Hosts with workers."""
        return self.facts.worker_hosts

    @property
    def workers(self) -> int:
        """DataNodes."""
        return self.facts.workers

    @property
    def most_per_host(self) -> int:
        """The most workers on one host."""
        return math.ceil(self.workers / max(1, self.hosts))


class Scheme(NamedTuple):
    """Replicas or a code, in one form: replicas are one data unit, and each copy a parity unit."""

    name: str
    data: int
    parity: int
    code: ErasurePolicy | None

    @property
    def units(self) -> int:
        """Replicas of a block, or units of a block group."""
        return self.data + self.parity

    def per_byte(self, file_bytes: float) -> float:
        """Bytes on disks for each byte of a file of this size."""
        return self.code.stored_bytes(file_bytes) / file_bytes if self.code else float(self.units)

    def groups(self, file_bytes: float, block_bytes: float) -> int:
        """Blocks, or block groups, that the NameNode keeps for a file."""
        if self.code:
            return self.code.group_count(file_bytes, block_bytes)
        return math.ceil(file_bytes / block_bytes)

    def blocks(self, file_bytes: float, block_bytes: float) -> int:
        """Replicas or units of a file on DataNodes."""
        if self.code:
            return self.code.unit_count(file_bytes, block_bytes)
        return self.units * math.ceil(file_bytes / block_bytes)

    def data_units(self, file_bytes: float) -> int:
        """Data units that a file of this size fills."""
        return min(self.data, math.ceil(file_bytes / self.code.cell_bytes)) if self.code else 1


def limits_of(facts: ClusterFacts, values: Mapping[str, Value]) -> StorageLimits:
    """The limits of a plan with these settings; raises MissingFact."""
    numbers = {key: value for key, value in values.items() if isinstance(value, int | float)}
    settings = {key: float(value) for key, value in numbers.items() if not isinstance(value, bool)}
    groups = facts.worker_groups
    return StorageLimits(
        facts=facts,
        settings=settings,
        rack_hosts=facts.rack_hosts,
        block_bytes=settings.get("dfs.blocksize", BLOCK_BYTES),
        host_disk_bytes_per_s=min(block_bytes_per_s(group) for group in groups),
        host_link_bytes_per_s=min(group.network_bits_per_s / 8 * LINE_SHARE for group in groups),
        host_cores=min(group.cpu.cores for group in groups),
        capacity_bytes=facts.raw_bytes * FILL_LIMIT,
    )


_HEARTBEAT, _INTERVAL = "dfs.heartbeat.interval", "dfs.namenode.redundancy.interval.seconds"
_WORK = "dfs.namenode.replication.work.multiplier.per.iteration"
_STREAMS = "dfs.namenode.replication.max-streams"
_XMITS = "dfs.datanode.ec.reconstruction.xmits.weight"
_DEFAULTS = {
    "dfs.replication": REPLICATION,
    "dfs.namenode.heartbeat.recheck-interval": 300_000.0,
    _HEARTBEAT: 3.0, _INTERVAL: 3.0, _WORK: 2.0, _STREAMS: 2.0, f"{_STREAMS}-hard-limit": 4.0, _XMITS: 0.5,
}  # fmt: skip
"""Hadoop's own."""


class Loss(NamedTuple):
    """What is lost or drained, and the part of what remains that jobs leave for it."""

    unit: Literal["host", "worker"]
    share: float

    def part(self, limits: StorageLimits) -> float:
        """The fraction of the cluster that is lost."""
        return 1 / max(1, limits.hosts if self.unit == "host" else limits.workers)


def rebuild(scheme: Scheme, limits: StorageLimits, data: StoredData, loss: Loss) -> HostMove:
    """After a loss: replicas are copied, units are computed from others, as many as there are data units."""
    lost, blocks, remaining = _lost(scheme, limits, data, loss)
    read = lost * scheme.data_units(data.file_bytes)
    accepted = streams(limits) / stream_weight(scheme, limits)
    core_s = lost / scheme.code.java.rebuilt_bytes_per_s if scheme.code else 0.0
    times = {
        # The worker that computes a unit keeps it, so all that is read crosses the network.
        "network": read / remaining / (loss.share * limits.host_link_bytes_per_s),
        "disks": (read + lost) / remaining / (loss.share * limits.host_disk_bytes_per_s),
        "CPU": core_s / remaining / (loss.share * limits.host_cores),
        "settings": _settings_s(limits, blocks, remaining, accepted),
    }
    return _move(limits, lost, read, core_s, times)


def drain(scheme: Scheme, limits: StorageLimits, data: StoredData, loss: Loss) -> HostMove:
    """What is drained is read itself: units are copied from it, replicas from any host that has one."""
    lost, blocks, remaining = _lost(scheme, limits, data, loss)
    sources = loss.part(limits) * limits.hosts if scheme.code else remaining
    most = draining_streams(limits) if scheme.code else streams(limits)
    times = {
        "network": lost / sources / (loss.share * limits.host_link_bytes_per_s),
        "disks": max(lost / sources, 2 * lost / remaining) / (loss.share * limits.host_disk_bytes_per_s),
        "CPU": 0.0,
        "settings": _settings_s(limits, blocks, sources, most),
    }
    return _move(limits, lost, lost, 0.0, times)


def _lost(scheme: Scheme, limits: StorageLimits, data: StoredData, loss: Loss) -> tuple[float, float, float]:
    """The bytes and the blocks that are lost or drained, and the hosts that remain."""
    part = loss.part(limits)
    files = max(1, data.data_bytes / data.file_bytes)
    blocks = part * (files * scheme.blocks(data.file_bytes, limits.block_bytes))
    lost = part * scheme.per_byte(data.file_bytes) * data.data_bytes
    return lost, blocks, max(1 - part, part) * limits.hosts


def _settings_s(limits: StorageLimits, blocks: float, hosts: float, most: float) -> float:
    """How long blocks take to be handed out and taken, ``most`` at once by each DataNode of so many hosts."""
    accepted_per_s = limits.workers * hosts / max(1, limits.hosts) * max(1.0, most) / heartbeat_s(limits)
    return blocks / min(work_each_round(limits) / interval_s(limits), accepted_per_s)


def _move(
    limits: StorageLimits, lost: float, read: float, core_s: float, times: dict[str, float]
) -> HostMove:
    limit = max(times, key=times.__getitem__)
    # The first block waits for the NameNode's round and for a heartbeat.
    first_s = interval_s(limits) + heartbeat_s(limits)
    sizes = {"lost_bytes": round(lost), "read_bytes": round(read), "network_bytes": round(read)}
    elapsed_s = first_s + times[limit]
    return HostMove.model_validate({**sizes, "core_s": core_s, "elapsed_s": elapsed_s, "limit": limit})


def work_each_round(limits: StorageLimits) -> float:
    """Blocks that the NameNode hands out in each of its rounds."""
    return limits.number(_WORK) * limits.workers


def streams(limits: StorageLimits) -> float:
    """Blocks that a DataNode takes at once."""
    return limits.number(_STREAMS)


def draining_streams(limits: StorageLimits) -> float:
    """Blocks that a DataNode sends at once while it is drained."""
    return limits.number(f"{_STREAMS}-hard-limit")


def stream_weight(scheme: Scheme, limits: StorageLimits) -> float:
    """Streams that the rebuild of one block counts as."""
    if scheme.code is None:
        return 1.0
    return max(1.0, scheme.data * limits.number(_XMITS))


def interval_s(limits: StorageLimits) -> float:
    """Seconds between the NameNode's rounds."""
    return limits.number(_INTERVAL)


def heartbeat_s(limits: StorageLimits) -> float:
    """Seconds between the heartbeats of a DataNode."""
    return limits.number(_HEARTBEAT)
