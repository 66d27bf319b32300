"""A physical machine with its ports, disks and file systems, as far as it could be read.

What could not be read is None, and ``unread`` says why; nothing is guessed.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Literal

from howdah.model.base import Model
from howdah.model.measured import Measured


class XfsGeometry(Model):
    """What mkfs.xfs laid out: allocation groups and their size."""

    agcount: int  # Allocation groups.
    agsize_bytes: int  # Size of one allocation group.


class FileSystem(Model):
    """One mounted file system on a block device."""

    mount: str  # Where it is mounted.
    device: str  # What is mounted there.
    disk: str | None  # The whole disk below it, where there is only one.
    kind: str  # Its type: ``ext4``, ``xfs`` and so on.
    options: tuple[str, ...]  # The mount's options and the file system's own.
    size_bytes: int  # Its size.
    free_bytes: int  # What an unprivileged user may still write.
    block_bytes: int  # Its block size.
    disks: tuple[str, ...] = ()  # The whole disks below it; several under RAID or LVM.
    xfs: XfsGeometry | None = None  # How it was laid out, if it is XFS.
    reserved_bytes: int | None = None  # Free room that only root may use.


class OtherMount(Model):
    """A mount that holds files on no block device of this host: overlay, tmpfs, NFS and their like."""

    mount: str  # Where it is mounted.
    device: str  # What the kernel names as its source.
    kind: str  # Its type: ``overlay``, ``tmpfs``, ``nfs4`` and so on.


class Disk(Model):
    """One whole block device."""

    name: str  # The kernel's name, ``sda`` for instance.
    kind: Literal["nvme", "ssd", "hdd", "virtual", "loop", "unknown"]
    """What it is, as far as the kernel reports it."""
    model: str | None  # The drive's own name.
    size_bytes: int  # Its size.
    rotational: bool | None  # Whether the kernel takes it for a spinning disk.
    scheduler: str | None  # The I/O scheduler chosen.
    read_ahead_bytes: int | None  # How far the kernel reads ahead.
    queue_depth: int | None  # Requests its queue holds (``nr_requests``).
    partition_starts_bytes: tuple[int, ...] = ()  # Where its partitions begin; none where it has none.


class Bond(Model):
    """How a bond spreads traffic over its members."""

    mode: str  # ``balance-xor``, ``802.3ad``, ``active-backup`` and so on.
    hash_policy: str | None
    """By what a member is chosen: ``layer2``, ``layer3+4``; none where the mode asks for nothing."""


class Nic(Model):
    """One network interface."""

    name: str  # The kernel's name, ``eth0`` for instance.
    driver: str | None  # The kernel's driver.
    speed_bits_per_s: int | None  # Link speed, if the driver reports it.
    mtu: int | None  # Largest packet, bytes.
    rx_queues: int | None  # Receive queues.
    tx_queues: int | None  # Transmit queues.
    up: bool  # Whether the interface is up.
    bond: Bond | None = None  # How it spreads traffic, if it is a bond.
    member_of: str | None = None  # The bond it belongs to.


class NetworkStack(Model):
    """The kernel's settings for TCP."""

    rmem_max_bytes: int | None = None  # net.core.rmem_max.
    wmem_max_bytes: int | None = None  # net.core.wmem_max.
    somaxconn: int | None = None  # net.core.somaxconn.
    tcp_mtu_probing: int | None = None  # net.ipv4.tcp_mtu_probing.
    arp_filter: int | None = None  # net.ipv4.conf.all.arp_filter.
    own_address: str | None = None
    """The address that /etc/hosts gives for the host's own name; None where it gives none."""


class Cache(Model):
    """One cache level as one CPU sees it."""

    level: int  # 1, 2 or 3.
    kind: Literal["data", "instruction", "unified"]  # What it holds.
    size_bytes: int  # Size of one of it.
    instances: int  # How many of it the host has.


class NumaNode(Model):
    """The CPUs (logical numbers) and memory of one NUMA node."""

    node: int  # The kernel's number for it.
    cpus: tuple[int, ...]  # Logical numbers of its CPUs.
    memory_bytes: int  # Memory attached to it.


class Cpu(Model):
    """The host's processors."""

    model: str | None  # The processor's own name.
    architecture: str  # As the kernel reports it, for example ``x86_64``.
    sockets: int  # Packages in the host.
    cores: int  # Physical cores over all sockets.
    threads: int  # Logical CPUs over all sockets.
    max_hz: int | None  # Highest clock of a core.
    caches: tuple[Cache, ...]  # Every cache level of the host.
    numa_nodes: tuple[NumaNode, ...]  # The NUMA nodes; one on a machine that is not NUMA.
    smt: str | None = None
    """The kernel's state of hardware threads: ``on``, ``off``, ``forceoff``, ``notsupported`` …"""
    turbo: bool | None = None  # Whether clocks may rise above the nominal one, if the driver reports it.
    governor: str | None = None  # The frequency governor of the first CPU, ``performance`` for instance.


class Memory(Model):
    """Memory and the kernel settings that decide how it is used."""

    total_bytes: int  # Memory the kernel manages.
    available_bytes: int  # What new work could have without swapping, when probed.
    swap_total_bytes: int  # Swap space, zero where there is none.
    huge_page_bytes: int | None  # Size of a default huge page.
    huge_pages_total: int | None  # Huge pages set aside.
    transparent_huge_pages: str | None  # The chosen mode: ``always``, ``madvise`` or ``never``.
    transparent_huge_pages_defrag: str | None = None
    """Who waits while the kernel makes room for one: ``always``, ``defer``, ``madvise`` …"""
    swappiness: int | None  # vm.swappiness.
    overcommit_memory: int | None  # vm.overcommit_memory.
    dirty_ratio: int | None  # vm.dirty_ratio, per cent; 0 where the limit is given in bytes.
    dirty_background_ratio: int | None
    """vm.dirty_background_ratio, per cent; 0 where the limit is given in bytes."""
    dirty_bytes: int | None  # vm.dirty_bytes; 0 where the limit is given as a ratio.
    dirty_background_bytes: int | None  # vm.dirty_background_bytes; 0 where the limit is given as a ratio.


class UserLimits(Model):
    """What the user who probed may have, soft limits; a daemon's own user may have others."""

    open_files: int | Literal["unlimited"] | None = None  # nofile.
    processes: int | Literal["unlimited"] | None = None  # nproc.
    locked_memory_bytes: int | Literal["unlimited"] | None = None  # memlock.


class Virtualisation(Model):
    """Whether the machine is virtual and what its hypervisor takes away from it."""

    is_virtual: bool  # Whether the machine is virtual.
    hypervisor: str | None  # Its name, ``KVM`` for instance; none where it is not known.
    container: str | None  # The container's kind, ``docker`` for instance; none outside one.
    steal_share: float | None  # Stolen CPU time over all CPU time since boot, 0 to 1.


class Cgroup(Model):
    """What control groups leave to this process, the tightest limit from its group to the root.

    None: no limit.
    """

    version: Literal[1, 2] | None = None  # Of the hierarchy that was found.
    cpu_quota: float | None = None  # CPUs it may use on average; 2.5 is two and a half.
    allowed_cpus: int | None = None  # How many CPUs it may run on.
    memory_limit_bytes: int | None = None  # Memory it may have.
    memory_used_bytes: int | None = None
    """Memory it has, page cache left out that the kernel gives back on demand."""


class Software(Model):
    """The versions that matter."""

    kernel: str  # The kernel's release.
    distribution: str | None  # The distribution's own name for itself.
    java: str | None  # The version of the Java on the path; none where it is not installed.
    clock_synchronised: bool | None = None
    """Whether the kernel knows its clock to be kept in step with others."""


class Unread(Model):
    """Something that could not be read, and why."""

    what: str  # The file, command or value.
    why: str  # What kept it from being read.


class Host(Model):
    """A physical machine (or the virtual machine one sits in)."""

    name: str  # Its host name.
    cpu: Cpu  # Its processors.
    memory: Memory  # Its memory.
    disks: tuple[Disk, ...]  # Its whole block devices.
    file_systems: tuple[FileSystem, ...]  # What is mounted from them.
    nics: tuple[Nic, ...]  # Its network interfaces.
    virtualisation: Virtualisation  # Whether it is virtual itself.
    software: Software  # The versions that matter.
    network: NetworkStack = NetworkStack()  # How its kernel handles TCP.
    limits: UserLimits = UserLimits()  # What the user who probed may have.
    cgroup: Cgroup = Cgroup()  # How much of it is this process's.
    other_mounts: tuple[OtherMount, ...] = ()  # Mounts that hold files on none of its disks.
    measured: Measured | None = None  # Measured speeds, if the host was measured.
    unread: tuple[Unread, ...] = ()  # What could not be read.

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
        remaining = self.cgroup.memory_limit_bytes - (self.cgroup.memory_used_bytes or 0)
        return max(0, min(self.memory.available_bytes, remaining))

    def mount_of(self, path: PurePath) -> FileSystem | OtherMount | None:
        """The mount that holds an absolute path; None if no known mount does."""
        mounts: tuple[FileSystem | OtherMount, ...] = (*self.file_systems, *self.other_mounts)
        holding = [mount for mount in mounts if path.is_relative_to(mount.mount)]
        return max(holding, key=lambda mount: len(mount.mount), default=None)
