"""HDFS's storage: blocks, the speed of disks and links, how much data hosts hold, and what is full first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from howdah.errors import UserError
from howdah.model.inventory import DiskKind, DiskSet, HostGroup, Inventory
from howdah.model.plan import Capacity, Layout, Master, Role, Setting, Value, Worker, Year
from howdah.model.request import Growth, PlanRequest
from howdah.planner.facts import remaining_workers
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB, format_bytes, format_percent

BLOCK_BYTES = 256 * MIB  # The block that is planned with before one is decided (D0 49, D1 77).
REPLICATION = 3  # The replicas of a plan without a requested number (X5).
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
    return sum(disk.count * disk_bytes_per_s(disk) for disk in group.data_disk_sets)


def block_disks(group: HostGroup) -> tuple[DiskSet, ...]:
    """The data disks that hold blocks without a storage policy: spinning ones, or all where none spins."""
    return tuple(disk for disk in group.data_disk_sets if disk.kind is DiskKind.HDD) or group.data_disk_sets


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


_HOSTS_MOST = 10_000  # As many as the largest cluster of HDFS that was published.
_RESERVED = "dfs.datanode.du.reserved"
BLOCKS_PER_DATANODE = 1_000_000
"""Replicas beyond which a DataNode's reports and heap become a burden: practice, not a paper."""
_HEAP = "NameNode heap"
_BLOCKS = "blocks of a DataNode"


@dataclass(frozen=True, slots=True)
class Holding:
    """The cluster as planned; ``host_bytes`` and ``host_workers`` are what one more host would add.

    ``usable_bytes`` and ``host_bytes`` are data before replication; ``fewest_hosts`` is what masters,
    replicas and the other groups need without any data.
    """

    group: str
    hosts: int
    fewest_hosts: int
    workers: int
    raw_bytes: int
    usable_bytes: int
    host_workers: int
    host_bytes: int
    replication: float
    block_bytes: float
    mean_file_bytes: int
    heap_bytes: float


def capacity(
    inventory: Inventory,
    layouts: Sequence[Layout],
    kinds: Sequence[Worker],
    masters: Sequence[Master],
    settings: Sequence[Setting],
    *,
    request: PlanRequest,
) -> Capacity:
    """What the planned hosts hold and, where growth was asked for, what every year needs.

    Hosts that are added are like those of the largest group of workers. Raises UserError where a reserve
    leaves HDFS nothing of a disk.
    """
    groups = {group.name: group for group in inventory.groups}
    by_name = {kind.name: kind for kind in kinds}
    replication = _number(settings, "dfs.replication", kinds[0], REPLICATION)
    workers = raw_bytes = usable_bytes = 0
    for layout in layouts:
        group = groups[layout.group]
        for name, many in remaining_workers(group, layout, masters).items():
            workers += many
            own_bytes = (by_name[name].data_disks or 0) * group.data_bytes / group.data_disks
            raw_bytes += round(many * own_bytes)
            usable_bytes += round(many * _usable(by_name[name], group, settings, replication))
    largest = max(layouts, key=lambda layout: groups[layout.group].count)
    group, of_host = groups[largest.group], [by_name[name] for name in largest.workers]
    apart = inventory.host_count - group.count
    options = _decided(settings, "HDFS_NAMENODE_OPTS", kinds[0])
    heap = heap_bytes(str(options)) if options is not None else None
    filled = Holding(
        group=largest.group,
        hosts=inventory.host_count,
        fewest_hosts=max(len({master.host for master in masters}), int(replication), apart),
        workers=workers,
        raw_bytes=raw_bytes,
        usable_bytes=usable_bytes,
        host_workers=len(largest.workers),
        host_bytes=round(sum(_usable(kind, group, settings, replication) for kind in of_host)),
        replication=replication,
        block_bytes=_number(settings, "dfs.blocksize", kinds[0], BLOCK_BYTES),
        mean_file_bytes=file_bytes(request),
        heap_bytes=heap or min(home.memory_bytes for home in masters if Role.NAMENODE in home.roles),
    )
    growth = request.growth
    years = tuple(_years(filled, growth)) if growth else ()
    if growth and years and years[-1].hosts > _HOSTS_MOST:
        first = next(year for year in years if year.hosts > _HOSTS_MOST)
        when = f" in year {first.year}" if first.year else ""
        take = f"take {first.hosts:,} hosts like those of {filled.group}"
        problem = f"{format_bytes(first.need_bytes)}{when} {take}; the largest known HDFS has {_HOSTS_MOST:,}"
        hint = "give hosts with more disks, larger files (--mean-file), or data for several clusters"
        raise UserError("--need", problem, hint + (" or fewer years" if growth.years else ""))
    return Capacity(
        raw_bytes=filled.raw_bytes,
        usable_bytes=filled.usable_bytes,
        bytes_per_host=filled.host_bytes,
        years=years,
        hosts_needed=years[-1].hosts if years else None,
        group=filled.group,
    )


def _years(filled: Holding, growth: Growth) -> Iterator[Year]:
    for year in range(growth.years + 1):
        need = round(growth.need_bytes * (1 + growth.per_year) ** year)
        blocks = blocks_of(need, filled.block_bytes, filled.mean_file_bytes)
        # At 1 a resource holds the most it should.
        fill = {
            "disks": need / filled.usable_bytes,
            _HEAP: blocks * HEAP_BYTES_PER_BLOCK / filled.heap_bytes,
            _BLOCKS: blocks * filled.replication / (filled.workers * BLOCKS_PER_DATANODE),
        }
        first = max(fill, key=fill.__getitem__)
        # A percentage, or a multiple for large numbers: ``81% of``, ``120 times``.
        of_limit = fill[first]
        full = f"{format_percent(of_limit)} of" if of_limit < 10 else f"{min(of_limit, 10**6):,.0f} times"
        # The fewest hosts that hold so much, masters' included; more do not widen the NameNode's heap.
        by_disks = math.ceil((need - filled.usable_bytes) / filled.host_bytes)
        datanodes = blocks * filled.replication / BLOCKS_PER_DATANODE
        by_blocks = math.ceil((datanodes - filled.workers) / filled.host_workers)
        yield Year(
            year=year,
            need_bytes=need,
            hosts=max(filled.fewest_hosts, filled.hosts + max(by_disks, by_blocks)),
            first_full=f"{first}, {full} the limit",
            fill=fill,
        )


def _usable(kind: Worker, group: HostGroup, settings: Sequence[Setting], replication: float) -> float:
    disk = group.data_bytes / group.data_disks
    reserved = _number(settings, _RESERVED, kind, 0)
    if reserved >= disk:
        problem = f"{format_bytes(reserved)} is all of a data disk of {group.name} ({format_bytes(disk)})"
        raise UserError(f"--set {_RESERVED}", problem, "reserve less than one disk")
    return (kind.data_disks or 0) * (disk - reserved) * FILL_LIMIT / replication


def _decided(settings: Sequence[Setting], key: str, kind: Worker) -> Value | None:
    own = (setting for setting in settings if setting.worker in (None, kind.name))
    return next((setting.value for setting in own if setting.key == key), None)


def _number(settings: Sequence[Setting], key: str, kind: Worker, otherwise: float) -> float:
    value = _decided(settings, key, kind)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else otherwise
