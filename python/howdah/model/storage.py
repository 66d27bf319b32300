"""A host's disks and file systems, as far as they could be read.

What could not be read is None.
"""

from __future__ import annotations

from typing import Literal

from howdah.model.base import Model


class XfsGeometry(Model):
    """What mkfs.xfs laid out: allocation groups and their size."""

    agcount: int
    """Allocation groups."""
    agsize_bytes: int
    """Size of one allocation group."""


class FileSystem(Model):
    """One mounted file system on a block device."""

    mount: str
    """Where it is mounted."""
    device: str
    """What is mounted there."""
    disk: str | None
    """The whole disk below it, where there is only one."""
    kind: str
    """Its type: ``ext4``, ``xfs`` and so on."""
    options: tuple[str, ...]
    """The mount's options and the file system's own."""
    size_bytes: int
    """Its size."""
    free_bytes: int
    """What an unprivileged user may still write."""
    block_bytes: int
    """Its block size."""
    disks: tuple[str, ...] = ()
    """The whole disks below it; several under RAID or LVM."""
    xfs: XfsGeometry | None = None
    """How it was laid out, if it is XFS."""
    reserved_bytes: int | None = None
    """Free room that only root may use."""


class OtherMount(Model):
    """A mount that holds files on no block device of this host: overlay, tmpfs, NFS and their like."""

    mount: str
    """Where it is mounted."""
    device: str
    """What the kernel names as its source."""
    kind: str
    """Its type: ``overlay``, ``tmpfs``, ``nfs4`` and so on."""


class Disk(Model):
    """One whole block device."""

    name: str
    """The kernel's name, ``sda`` for instance."""
    kind: Literal["nvme", "ssd", "hdd", "virtual", "loop", "unknown"]
    """What it is, as far as the kernel reports it."""
    model: str | None
    """The drive's own name."""
    size_bytes: int
    """Its size."""
    rotational: bool | None
    """Whether the kernel takes it for a spinning disk."""
    scheduler: str | None
    """The I/O scheduler chosen."""
    read_ahead_bytes: int | None
    """How far the kernel reads ahead."""
    queue_depth: int | None
    """Requests its queue holds (``nr_requests``)."""
    partition_starts_bytes: tuple[int, ...] = ()
    """Where its partitions begin; none where it has none."""
