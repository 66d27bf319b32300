"""A physical machine, as far as it could be read.

What could not be read is None, and ``unread`` says why; nothing is guessed.
"""

from __future__ import annotations

from pathlib import PurePath
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
    """One mounted file system on a block device.

    ``disks`` names the whole disks below it (several under RAID or LVM); ``disk`` is the one of
    them where there is only one. ``options`` are the mount's and the file system's own.
    ``free_bytes`` is what an unprivileged user may still write.
    """

    mount: str
    device: str
    disk: str | None
    kind: str
    options: tuple[str, ...]
    size_bytes: int
    free_bytes: int
    block_bytes: int
    disks: tuple[str, ...] = ()
    xfs: XfsGeometry | None = None


class OtherMount(Model):
    """A mount that holds files on no block device of this host: overlay, tmpfs, NFS and their like."""

    mount: str
    device: str
    kind: str


class Disk(Model):
    """One whole block device; ``queue_depth`` is the requests its queue holds (``nr_requests``)."""

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
    mtu: int | None
    rx_queues: int | None
    tx_queues: int | None
    up: bool


class Virtualisation(Model):
    """Whether the machine is virtual and what its hypervisor takes away from it.

    ``hypervisor`` and ``container`` are names (``KVM``, ``docker``), None where there is none or
    it cannot be told which. ``steal_share`` is stolen CPU time over all CPU time since boot, 0 to 1.
    """

    is_virtual: bool
    hypervisor: str | None
    container: str | None
    steal_share: float | None


class Cgroup(Model):
    """What control groups leave to this process, the tightest limit from its group to the root.

    ``cpu_quota`` counts CPUs (2.5 is two and a half), ``allowed_cpus`` are those the process may
    run on, ``memory_used_bytes`` leaves out page cache that the kernel gives back on demand. None:
    no limit.
    """

    version: Literal[1, 2] | None = None
    cpu_quota: float | None = None
    allowed_cpus: int | None = None
    memory_limit_bytes: int | None = None
    memory_used_bytes: int | None = None


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
    """A physical machine (or the virtual machine one sits in).

    ``cpu`` and ``memory`` describe the machine; ``cgroup`` says how much of it is ours.
    """

    name: str
    cpu: Cpu
    memory: Memory
    disks: tuple[Disk, ...]
    file_systems: tuple[FileSystem, ...]
    nics: tuple[Nic, ...]
    virtualisation: Virtualisation
    software: Software
    cgroup: Cgroup = Cgroup()
    other_mounts: tuple[OtherMount, ...] = ()
    unread: tuple[Unread, ...] = ()

    @property
    def usable_cpus(self) -> float:
        """CPUs this process can keep busy at once: all threads, or fewer under a quota or a CPU set."""
        limits = (self.cgroup.allowed_cpus, self.cgroup.cpu_quota)
        return float(min([self.cpu.threads, *(limit for limit in limits if limit is not None)]))

    @property
    def usable_memory_bytes(self) -> int:
        """Memory new work could have: what is available, or less where a control group limits it."""
        if self.cgroup.memory_limit_bytes is None:
            return self.memory.available_bytes
        left = self.cgroup.memory_limit_bytes - (self.cgroup.memory_used_bytes or 0)
        return max(0, min(self.memory.available_bytes, left))

    def mount_of(self, path: PurePath) -> FileSystem | OtherMount | None:
        """The mount that holds an absolute path; None if no known mount does."""
        mounts: tuple[FileSystem | OtherMount, ...] = (*self.file_systems, *self.other_mounts)
        holding = [mount for mount in mounts if path.is_relative_to(mount.mount)]
        return max(holding, key=lambda mount: len(mount.mount), default=None)
