"""How fast a host's data disks are together, where the inventory says it and where it does not."""

from __future__ import annotations

from howdah.model.inventory import DiskKind, DiskRole, DiskSet, HostGroup
from howdah.units import MIB

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
