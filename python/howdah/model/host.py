"""A physical machine, as far as it could be read.

What could not be read is None, and ``unread`` says why; nothing is guessed.
"""

from __future__ import annotations

from typing import Literal

from howdah.model.base import Model


class Cache(Model):
    """One cache level as one CPU sees it; ``instances`` counts how many of it the host has."""

    level: int
    kind: Literal["data", "instruction", "unified"]
    size_bytes: int
    instances: int


class NumaNode(Model):
    """The CPUs (logical numbers) and memory of one NUMA node."""

    node: int
    cpus: tuple[int, ...]
    memory_bytes: int


class Cpu(Model):
    """The host's processors; ``cores`` and ``threads`` are totals over all sockets."""

    model: str | None
    architecture: str
    sockets: int
    cores: int
    threads: int
    max_hz: int | None
    caches: tuple[Cache, ...]
    numa_nodes: tuple[NumaNode, ...]


class Memory(Model):
    """Memory and the kernel settings that decide how it is used."""

    total_bytes: int
    available_bytes: int
    swap_total_bytes: int
    huge_page_bytes: int | None
    huge_pages_total: int | None
    transparent_huge_pages: str | None
    swappiness: int | None
    overcommit_memory: int | None
    dirty_ratio: int | None
    dirty_background_ratio: int | None
    dirty_bytes: int | None
    dirty_background_bytes: int | None


class XfsGeometry(Model):
    """What mkfs.xfs laid out: allocation groups and their size."""

    agcount: int
    agsize_bytes: int


class FileSystem(Model):
    """One mounted file system on a block device; ``disk`` names the whole disk below it."""

    mount: str
    device: str
    disk: str | None
    kind: str
    options: tuple[str, ...]
    size_bytes: int
    free_bytes: int
    block_bytes: int
    xfs: XfsGeometry | None = None


class Disk(Model):
    """One whole block device."""

    name: str
    kind: Literal["nvme", "ssd", "hdd", "virtual", "loop", "unknown"]
    model: str | None
    size_bytes: int
    rotational: bool | None
    scheduler: str | None
    read_ahead_bytes: int | None
    queue_depth: int | None


class Nic(Model):
    """One network interface; ``speed_bits_per_s`` is None where the driver does not say."""

    name: str
    driver: str | None
    speed_bits_per_s: int | None
    mtu: int
    rx_queues: int | None
    tx_queues: int | None
    up: bool


class Virtualisation(Model):
    """Whether the machine is virtual and what its hypervisor takes away from it.

    ``steal_share`` is stolen CPU time over all CPU time since boot, 0 to 1.
    """

    is_virtual: bool
    hypervisor: str | None
    container: str | None
    steal_share: float | None


class Software(Model):
    """The versions that matter: kernel, distribution, Java (None: not installed)."""

    kernel: str
    distribution: str | None
    java: str | None


class Unread(Model):
    """Something that could not be read, and why."""

    what: str
    why: str


class Host(Model):
    """A physical machine (or the virtual machine one sits in)."""

    name: str
    cpu: Cpu
    memory: Memory
    disks: tuple[Disk, ...]
    file_systems: tuple[FileSystem, ...]
    nics: tuple[Nic, ...]
    virtualisation: Virtualisation
    software: Software
    unread: tuple[Unread, ...] = ()
