"""HDFS's storage: blocks and the heap that they take, the speed of data disks, and of links for replicas."""

from __future__ import annotations

from howdah.model.inventory import DiskKind, DiskRole, DiskSet, HostGroup
from howdah.model.request import PlanRequest
from howdah.units import GIB, MIB

BLOCK_BYTES = 256 * MIB
"""The block that is planned with before one is decided (D0 49, D1 77)."""
REPLICATION = 3
"""The replicas of a plan without a requested number (X5)."""
FILL_LIMIT = 0.8
"""The share of its room that HDFS should hold: balancing, deleting late and lost disks need the rest."""
FILE_BYTES = 64 * MIB
"""The mean file that is planned with where the user names none: far smaller than a block.

Vendors' sizes are for such files: Hortonworks' table is for 1.1 to 1.2 blocks a file, Cloudera counts 1.5.
"""
HEAP_BYTES_PER_BLOCK = 1100
"""Cloudera's 1 GB of NameNode heap for a million blocks and their files, and its tenth more for G1."""
USUAL_HEAP = 4 * GIB
"""A NameNode's where there is room: clients, reports and snapshots take some, however few the files."""
_HEAP_LEAST = GIB
HEAP_MOST = 186 * GIB
"""Of a NameNode, 200 GB: collections of larger heaps stop it for longer than its clients wait (howdah)."""


def file_bytes(request: PlanRequest) -> int:
    """The mean size of the files to be stored: the user's, or the one that is planned with."""
    return request.file_bytes or FILE_BYTES


def blocks_of(stored_bytes: float, block_bytes: float, mean_file_bytes: int) -> int:
    """The most blocks that so much data is, before replication: each file may end in a part of one."""
    return int(stored_bytes / block_bytes + stored_bytes / mean_file_bytes)


def namespace_blocks(
    raw_bytes: int, replication: int, *, block_bytes: int = BLOCK_BYTES, mean_file_bytes: int
) -> int:
    """Blocks that disks of this size hold when they are as full as they should ever be."""
    return blocks_of(raw_bytes * FILL_LIMIT / replication, block_bytes, mean_file_bytes)


def namenode_heap_bytes(blocks: int) -> int:
    """The heap a NameNode needs for so many blocks and their files."""
    return max(_HEAP_LEAST, blocks * HEAP_BYTES_PER_BLOCK)


TYPICAL_BYTES_PER_S = {DiskKind.HDD: 150 * MIB, DiskKind.SSD: 500_000_000, DiskKind.NVME: 2_500_000_000}
"""Sequential rate of one disk that the inventory gives no rate for, bytes per second.

D0 32 measured 190 MiB/s on a 10,000 rpm disk's outer zone and 110 MiB/s on its inner one, of which
this is the mean; SATA ends near 550 MB/s; server NVMe drives write 2 to 3 GB/s for hours.
"""


def disk_bytes_per_s(disks: DiskSet) -> int:
    """Mean sequential rate of one of these disks, bytes per second."""
    rates = [rate for rate in (disks.outer_bytes_per_s, disks.inner_bytes_per_s) if rate is not None]
    return sum(rates) // len(rates) if rates else TYPICAL_BYTES_PER_S[disks.kind]


def data_bytes_per_s(group: HostGroup) -> int:
    """Sequential rate of one host's data disks together, bytes per second."""
    return sum(disk.count * disk_bytes_per_s(disk) for disk in group.disks if disk.role is DiskRole.DATA)


def block_disks(group: HostGroup) -> tuple[DiskSet, ...]:
    """The data disks that hold blocks without a storage policy: spinning ones, or all where none spins."""
    data = tuple(disk for disk in group.disks if disk.role is DiskRole.DATA)
    return tuple(disk for disk in data if disk.kind is DiskKind.HDD) or data


def block_bytes_per_s(group: HostGroup) -> int:
    """Sequential rate of one host's disks that hold blocks without a storage policy, bytes per second."""
    return sum(disk.count * disk_bytes_per_s(disk) for disk in block_disks(group))


LINE_SHARE = 8950 * MIB / 10**10
"""What a port carries each way at once, of its nominal speed (D0 45: 8,950 Mib/s on 10GbE).

The paper's unit is Mib/s, of 2**20 bits: its 9,440 one way are 9,899 Mb/s, which is what jumbo frames leave
of 10 Gb/s for data: 8,948 of 9,038 bytes on the wire, 9,900 Mb/s.
"""


def replica_bits_per_s(group: HostGroup, replication: int) -> float:
    """What leaves and what reaches a host, bits per second, while all disks of all hosts write.

    One replica of each block stays where it is written; the others cross the network.
    """
    return data_bytes_per_s(group) * 8 * (replication - 1) / replication
