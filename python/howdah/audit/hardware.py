"""A probed host as the hardware that rules reason about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import PurePosixPath

from howdah.model.host import Host
from howdah.model.hostname import is_hostname
from howdah.model.inventory import CpuLayout, DiskKind, DiskRole, DiskSet, HostGroup, NicSet
from howdah.model.storage import Disk

_SYSTEM_MOUNTS = ("/", "/boot", "/boot/efi", "/usr", "/var", "/home")
_KINDS = {"hdd": DiskKind.HDD, "ssd": DiskKind.SSD, "nvme": DiskKind.NVME}


def group_of(host: Host, data_dirs: Collection[str] = ()) -> HostGroup | None:
    """The host as a group of one; its data disks are those below ``data_dirs``, or else all but the system's.

    None where the probe knows no disk's kind or no port's speed, for half a host would mislead the rules.
    """
    sockets = max(1, host.cpu.sockets)
    cores = max(1, host.cpu.cores // sockets)
    system, data = _system_disks(host), _disks_below(host, data_dirs)
    disks = Counter(
        (kind, disk.size_bytes, _role(disk, system, data))
        for disk in host.disks
        if (kind := _kind(disk)) is not None and disk.size_bytes > 0
    )
    ports = (nic.speed_bits_per_s for nic in host.nics if nic.up and nic.bond is None)
    nics = Counter(speed for speed in ports if speed)
    if not disks or not nics:
        return None
    return HostGroup(
        name="found",
        count=1,
        hosts=(host.name,) if is_hostname(host.name) else (),
        cpu=CpuLayout(
            sockets=sockets,
            cores_per_socket=cores,
            threads_per_core=max(1, host.cpu.threads // (sockets * cores)),
            numa_nodes_per_socket=max(1, len(host.cpu.numa_nodes) // sockets),
            model=host.cpu.model,
        ),
        memory=f"{host.memory.total_bytes}B",
        disks=tuple(
            DiskSet(count=count, kind=kind, size=f"{size}B", role=role)
            for (kind, size, role), count in disks.items()
        ),
        nics=tuple(
            NicSet(count=count, speed=f"{speed // 10**6}Mb/s") for speed, count in nics.items() if speed
        ),
    )


def _kind(disk: Disk) -> DiskKind | None:
    """What the disk is made of; a virtual one is what the kernel takes it for."""
    if disk.kind == "virtual" and disk.rotational is not None:
        return DiskKind.HDD if disk.rotational else DiskKind.SSD
    return _KINDS.get(disk.kind)


def _system_disks(host: Host) -> frozenset[str]:
    return frozenset(disk for fs in host.file_systems if fs.mount in _SYSTEM_MOUNTS for disk in fs.disks)


def _disks_below(host: Host, data_dirs: Collection[str]) -> frozenset[str]:
    mounts = (host.mount_of(PurePosixPath(path)) for path in data_dirs)
    return frozenset(disk for mount in mounts for disk in getattr(mount, "disks", ()))


def _role(disk: Disk, system: frozenset[str], data: frozenset[str]) -> DiskRole:
    if disk.name in data:
        return DiskRole.DATA
    if disk.name in system:
        return DiskRole.SYSTEM
    return DiskRole.SPARE if data else DiskRole.DATA
