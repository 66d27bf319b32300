"""What replicas and erasure codes share, and what the limits of a planned cluster come to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from howdah.model.plan import Value
from howdah.model.storage_policy import ErasurePolicy
from howdah.planner.block import BLOCK_BYTES, FILL_LIMIT
from howdah.planner.facts import ClusterFacts
from howdah.planner.throughput import LINE_SHARE, block_bytes_per_s
from howdah.planner.topology import MASTERS_RACK


class StorageLimits(NamedTuple):
    """What the limits of a plan come to."""

    facts: ClusterFacts
    settings: dict[str, float]
    racks: int
    block_bytes: float
    host_disk_bytes_per_s: float
    """What one host's disks move, of the slowest group."""
    host_link_bytes_per_s: float
    host_cores: float
    capacity_bytes: float
    """What all data disks hold when they are as full as they should be."""

    def number(self, key: str, default: float) -> float:
        """A setting of the plan, or Hadoop's default."""
        return self.settings.get(key, default)

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
    settings = {
        key: float(value)
        for key, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    groups = facts.worker_groups
    return StorageLimits(
        facts=facts,
        settings=settings,
        racks=sum(rack.name != MASTERS_RACK for rack in facts.topology.racks),
        block_bytes=settings.get("dfs.blocksize", BLOCK_BYTES),
        host_disk_bytes_per_s=min(block_bytes_per_s(group) for group in groups),
        host_link_bytes_per_s=min(group.network_bits_per_s / 8 * LINE_SHARE for group in groups),
        host_cores=min(group.cpu.cores for group in groups),
        capacity_bytes=facts.raw_bytes * FILL_LIMIT,
    )
