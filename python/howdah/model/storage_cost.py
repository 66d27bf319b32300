"""What a storage policy costs on a planned cluster: disks, network, CPU, repair, and what it survives."""

from __future__ import annotations

from typing import Literal

from howdah.model.base import Model


class StoredData(Model):
    """The data to be stored."""

    data_bytes: int
    """Bytes, each once."""
    file_bytes: int
    """Mean size of the files."""
    age_days: float | None = None
    """Age of the data, days; unknown if left out."""
    reads_per_month: float = 0.0
    """How often a byte is read in a month, on average."""


class HostMove(Model):
    """What it takes to have the blocks of one host, or of one worker, elsewhere."""

    lost_bytes: int
    """Bytes of its blocks."""
    read_bytes: int
    """Bytes read from disks."""
    network_bytes: int
    """Bytes between DataNodes."""
    core_s: float
    """CPU time of coding, seconds of one core."""
    elapsed_s: float
    """Time from the first block to the last one, seconds."""
    limit: Literal["network", "disks", "CPU", "settings"]
    """What sets that time. Settings are those of the NameNode that hand out blocks."""
    simulated_s: float | None = None
    """The same time, simulated block by block; None if that was not requested."""


class PolicyCost(Model):
    """One policy on this cluster."""

    policy: str
    """``3 replicas``, or the name of an erasure coding policy."""
    verdict: Literal["recommended", "possible", "unsafe", "impossible"]
    """``unsafe`` policies lose data with one host or one rack; ``impossible`` ones find too few DataNodes."""
    reasons: tuple[str, ...]
    """Why, with the numbers."""
    least_hosts: int
    """The fewest hosts on which it is safe and a lost host can be rebuilt."""
    least_racks: int
    """The fewest racks on which the loss of a rack loses no data."""
    hosts_lost: int
    """So many hosts may be lost at once."""
    survives_rack: bool | None
    """Whether it survives the loss of a rack; None if no racks are known."""
    raw_bytes: int
    """Bytes on all disks."""
    raw_per_byte: float
    """Bytes on disks for each byte of data."""
    write_network_per_byte: float
    """Bytes between DataNodes for each byte that a task on a worker writes."""
    read_network_per_byte: float
    """The same for each byte that a task next to its data reads."""
    read_network_per_month: int
    """Bytes between DataNodes for a month's reads."""
    encode_core_s_per_tb: float
    """CPU time of coding 1 TB, seconds of one core; 0 for replicas."""
    objects: int
    """Files and blocks, or block groups, that the NameNode keeps."""
    blocks: int
    """Blocks on all DataNodes."""
    rebuild: HostMove
    """After the loss."""
    drain: HostMove
    """Before its removal in good order."""


class StorageComparison(Model):
    """Policies compared for one kind of data."""

    data: StoredData
    hosts: int
    """Hosts with workers."""
    workers: int
    """DataNodes."""
    racks: int
    """Racks with DataNodes, as HDFS is configured."""
    real_racks: bool
    """Whether these are racks of the inventory, not virtual ones."""
    lost: Literal["host", "worker"]
    """What is rebuilt and drained."""
    noticed_s: float
    """Time until the NameNode gives up a lost DataNode, seconds."""
    share: float
    """The part of disks, network and cores that rebuilding may take from jobs."""
    policies: tuple[PolicyCost, ...]
