"""Disks, /sys/block, and the file systems that are mounted on them."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from howdah.model.host import Disk, FileSystem, OtherMount
from howdah.probe.tree import FileTree, Inquiry

# Kinds that hold a user's files on no block device of this host.
_OTHER_KINDS = re.compile(
    r"overlay|aufs|tmpfs|ramfs|nfs4?|cifs|smb3|ceph|9p|virtiofs|lustre|gpfs|beegfs|glusterfs|zfs|fuse(\..+)?"
)
_KERNEL_FOLDERS = re.compile(r"/(proc|sys|run|dev(?!/shm))(/|$)")


class Mount(NamedTuple):
    """One line of the mount table; ``top`` is the folder of the file system that is shown at ``point``."""

    number: str
    top: str
    point: str
    options: tuple[str, ...]
    kind: str
    source: str


def read_mounts(tree: FileTree) -> list[Mount]:
    """The mounts one can see: of several at one place the last hides the others."""
    mounts: dict[str, Mount] = {}
    for line in tree.lines("proc/self/mountinfo", "file systems"):
        # Optional fields stand before the lone hyphen, so both halves are read from their starts.
        mount_half, _, system_half = line.partition(" - ")
        _, _, number, top, point, options, *_ = mount_half.split(" ")
        kind, source, *system_options = system_half.split(" ")
        # Both halves say rw or ro; the mount's own word is the one that counts.
        own = options.split(",")
        system = [word for word in ",".join(system_options).split(",") if word and word not in {"rw", "ro"}]
        # The kernel has octal escapes for white space and backslashes.
        top, point, source = (
            re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), field)
            for field in (top, point, source)
        )
        mounts.pop(point, None)
        mounts[point] = Mount(number, top, point, tuple(dict.fromkeys([*own, *system])), kind, source)
    return list(mounts.values())


def read_file_systems(
    tree: FileTree, inquiry: Inquiry
) -> tuple[tuple[FileSystem, ...], tuple[OtherMount, ...]]:
    """The file systems on block devices, and the other mounts that hold files."""
    on_disks: list[FileSystem] = []
    unsupported: list[OtherMount] = []
    for mount in read_mounts(tree):
        # A container gets single files (/etc/hosts) from its host's disk; nothing can be put there.
        if (tree.root / mount.point.lstrip("/")).is_file():
            continue
        device = _device(tree, mount)
        if device is not None:
            file_system = _read_file_system(tree, inquiry, mount, device)
            if file_system is not None:
                on_disks.append(file_system)
        elif _OTHER_KINDS.fullmatch(mount.kind) and not _KERNEL_FOLDERS.match(mount.point):
            unsupported.append(OtherMount(mount=mount.point, device=mount.source, kind=mount.kind))
    return tuple(on_disks), tuple(unsupported)


def _device(tree: FileTree, mount: Mount) -> str | None:
    """The kernel's name of the block device (``sda1``, ``dm-0``), None if there is none."""
    link = tree.link(f"sys/dev/block/{mount.number}")
    if link is not None:
        return link.name
    # Btrfs mounts carry a number of their own; its source is a device all the same.
    name = mount.source.removeprefix("/dev/")
    return name if name != mount.source and tree.exists(f"sys/class/block/{name}") else None


def _disks_below(tree: FileTree, device: str) -> tuple[str, ...]:
    """The whole disks a block device rests on: through partitions, LVM and RAID."""
    below = tree.names(f"sys/class/block/{device}/slaves")
    if below:
        return tuple(dict.fromkeys(disk for slave in below for disk in _disks_below(tree, slave)))
    if tree.exists(f"sys/block/{device}"):
        return (device,)
    # A partition's folder lies in its disk's.
    link = tree.link(f"sys/class/block/{device}")
    return (link.parent.name,) if link else ()


def _read_file_system(tree: FileTree, inquiry: Inquiry, mount: Mount, device: str) -> FileSystem | None:
    space = tree.answer(f"file system {mount.point}", mount.point, lambda: inquiry.space(mount.point))
    if space is None:
        return None
    xfs = None
    if mount.kind == "xfs":
        xfs = tree.answer(f"xfs geometry of {mount.point}", mount.point, lambda: inquiry.xfs(mount.point))
    disks = _disks_below(tree, device)
    return FileSystem(
        mount=mount.point,
        device=device,
        disk=disks[0] if len(disks) == 1 else None,
        kind=mount.kind,
        options=mount.options,
        size_bytes=space.size_bytes,
        free_bytes=space.free_bytes,
        block_bytes=space.block_bytes,
        disks=disks,
        xfs=xfs,
        reserved_bytes=space.reserved_bytes,
    )


_BLOCK = "sys/block"
_SECTOR_BYTES = 512  # the unit of /sys/block/*/size, whatever the device's own sectors are
_NOT_DISKS = ("ram", "zram", "sr", "fd")
_VIRTUAL_NAMES = ("vd", "xvd", "nbd", "rbd")
_VIRTUAL_MODELS = ("QEMU", "VMware", "Virtual", "VBOX", "PersistentDisk", "Msft")
_Kind = Literal["nvme", "ssd", "hdd", "virtual", "loop", "unknown"]


def read_disks(tree: FileTree) -> tuple[Disk, ...]:
    """The disks that hold data: no empty or read-only loop devices, nothing that is stacked on others."""
    names = tree.names(_BLOCK)
    if not names:
        tree.note("disks", f"/{_BLOCK}: is empty")
    return tuple(_read_disk(tree, name) for name in names if _is_disk(tree, name))


def _is_disk(tree: FileTree, name: str) -> bool:
    folder = f"{_BLOCK}/{name}"
    if name.startswith(_NOT_DISKS) or tree.integer(f"{folder}/hidden") == 1:
        return False
    if name.startswith("loop") and tree.integer(f"{folder}/ro") == 1:
        return False  # it carries a package (snap, installation image), not data
    return bool(tree.integer(f"{folder}/size")) and not tree.names(f"{folder}/slaves")


def _read_disk(tree: FileTree, name: str) -> Disk:
    folder = f"{_BLOCK}/{name}"
    subject = f"disk {name}"
    vendor, model = (tree.text(f"{folder}/device/{part}") for part in ("vendor", "model"))
    # SCSI shows the vendor of a SATA disk as "ATA", virtio a PCI number; neither names anyone.
    if vendor and model and vendor != "ATA" and not vendor.startswith("0x"):
        model = f"{vendor} {model}"
    rotational = tree.integer(f"{folder}/queue/rotational", f"{subject} rotational")
    read_ahead_kib = tree.integer(f"{folder}/queue/read_ahead_kb", f"{subject} read_ahead_bytes")
    scheduler = tree.text(f"{folder}/queue/scheduler", f"{subject} scheduler")
    # A device with no choice prints the bare name.
    chosen = re.search(r"\[([\w-]+)\]", scheduler or "")
    starts = {entry: tree.integer(f"{folder}/{entry}/start") for entry in tree.names(folder)}
    return Disk(
        name=name,
        kind=_kind(name, model, rotational),
        model=model or None,
        size_bytes=(tree.integer(f"{folder}/size") or 0) * _SECTOR_BYTES,
        rotational=None if rotational is None else bool(rotational),
        scheduler=chosen[1] if chosen else scheduler,
        read_ahead_bytes=None if read_ahead_kib is None else read_ahead_kib * 1024,
        queue_depth=tree.integer(f"{folder}/queue/nr_requests", f"{subject} queue_depth"),
        partition_starts_bytes=tuple(
            start * _SECTOR_BYTES
            for entry, start in starts.items()
            if entry.startswith(name) and start is not None
        ),
    )


def _kind(name: str, model: str | None, rotational: int | None) -> _Kind:
    if name.startswith("loop"):
        return "loop"
    if name.startswith("nvme"):
        return "nvme"
    # A hypervisor's disk says rotational or not as it pleases.
    if name.startswith(_VIRTUAL_NAMES) or any(word in (model or "") for word in _VIRTUAL_MODELS):
        return "virtual"
    if rotational is None:
        return "unknown"
    return "hdd" if rotational else "ssd"
