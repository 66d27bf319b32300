"""HDFS's storage policies: how erasure coding divides a file, and what a policy costs on a planned cluster.

A file is cut into cells. Each row of ``data`` cells gets ``parity`` cells, every one on another DataNode.
Sources: Hadoop 3.5.0's SystemErasureCodingPolicies, StripedBlockUtil, BlockPlacementPolicyRackFaultTolerant.
"""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple

from howdah.model.base import Model
from howdah.units import MIB


class CodingRate(NamedTuple):
    """What one core codes with Hadoop's Java coder, bytes per second of its CPU time."""

    encoded_bytes_per_s: float  # Bytes of data for which it computes the parity.
    rebuilt_bytes_per_s: float  # Bytes of one lost unit that it computes from the others.


class ErasurePolicy(NamedTuple):
    """One of Hadoop's policies."""

    name: str
    data: int  # Data units of a block group.
    parity: int  # Parity units of a block group: so many lost units can be rebuilt.
    java: CodingRate  # Speed of Hadoop's Java coder, without ISA-L; see benches/coder_speed.py.
    cell_bytes: int = MIB

    @property
    def units(self) -> int:
        """Units of a full block group, each on another DataNode."""
        return self.data + self.parity

    @property
    def overhead(self) -> float:
        """Bytes on disk for each byte of a large file."""
        return self.units / self.data

    def stored_bytes(self, file_bytes: float) -> float:
        """Bytes on disk of a file: its parity cells are as long as the longest data cell of their row."""
        row = self.data * self.cell_bytes
        rows, remainder = divmod(file_bytes, row)
        parity = self.parity * (rows * self.cell_bytes + min(remainder, self.cell_bytes))
        return file_bytes + parity

    def unit_count(self, file_bytes: float, block_bytes: float) -> int:
        """Blocks on DataNodes for a file; a short last group has only the data units that it needs."""
        group = self.data * block_bytes
        groups, remainder = divmod(file_bytes, group)
        last = min(self.data, math.ceil(remainder / self.cell_bytes)) + self.parity if remainder else 0
        return round(groups) * self.units + last

    def group_count(self, file_bytes: float, block_bytes: float) -> int:
        """Block groups of a file; the NameNode has one object for each."""
        return math.ceil(file_bytes / (self.data * block_bytes))


POLICIES: Final = {
    policy.name: policy
    for policy in (
        ErasurePolicy("RS-6-3-1024k", 6, 3, CodingRate(560e6, 277e6)),
        ErasurePolicy("RS-10-4-1024k", 10, 4, CodingRate(421e6, 167e6)),
        ErasurePolicy("RS-3-2-1024k", 3, 2, CodingRate(848e6, 557e6)),
        ErasurePolicy("XOR-2-1-1024k", 2, 1, CodingRate(1822e6, 816e6)),
    )
}  # The policies by name. RS-LEGACY-6-3-1024k, which exists for old files only, is left out.


class StoredData(Model):
    """The data to be stored."""

    data_bytes: int
    file_bytes: int
    age_days: float | None = None  # Age of the data, days; unknown if left out.
    reads_per_month: float = 0.0  # How often a byte is read in a month, on average.


class HostMove(Model):
    """What it takes to have the blocks of one host, or of one worker, elsewhere."""

    lost_bytes: int
    read_bytes: int
    network_bytes: int  # Bytes between DataNodes.
    core_s: float  # CPU time of coding, seconds of one core.
    elapsed_s: float  # Time from the first block to the last one, seconds.
    limit: Literal["network", "disks", "CPU", "settings"]  # What sets that time; settings are the NameNode's.
    simulated_s: float | None = None  # The same time, simulated block by block; None if not requested.


class PolicyCost(Model):
    """One policy on this cluster."""

    policy: str  # ``3 replicas``, or the name of an erasure coding policy.
    verdict: Literal["recommended", "possible", "unsafe", "impossible"]
    """``unsafe`` policies lose data with one host or one rack; ``impossible`` ones find too few DataNodes."""
    reasons: tuple[str, ...]
    least_hosts: int  # The fewest hosts on which it is safe and a lost host can be rebuilt.
    least_racks: int  # The fewest racks on which the loss of a rack loses no data.
    hosts_lost: int
    survives_rack: bool | None  # Whether it survives the loss of a rack; None if no racks are known.
    raw_bytes: int
    raw_per_byte: float  # Bytes on disks for each byte of data.
    write_network_per_byte: float  # Bytes between DataNodes for each byte that a task on a worker writes.
    read_network_per_byte: float  # The same for each byte that a task next to its data reads.
    read_network_per_month: int  # Bytes between DataNodes for a month's reads.
    encode_core_s_per_tb: float  # CPU time of coding 1 TB, seconds of one core; 0 for replicas.
    objects: int  # Files and blocks, or block groups, that the NameNode keeps.
    blocks: int
    rebuild: HostMove  # After the loss.
    drain: HostMove  # Before its removal in good order.


class StorageComparison(Model):
    """Policies compared for one kind of data."""

    data: StoredData
    hosts: int
    workers: int  # DataNodes.
    racks: int  # Racks with DataNodes, as HDFS is configured.
    real_racks: bool  # Whether these are racks of the inventory, not virtual ones.
    lost: Literal["host", "worker"]
    noticed_s: float  # Time until the NameNode gives up a lost DataNode, seconds.
    share: float  # The part of disks, network and cores that rebuilding may take from jobs.
    policies: tuple[PolicyCost, ...]
