"""Whole disks: /sys/block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from howdah.model.storage import Disk
from howdah.probe.tree import FileTree

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
    what = f"disk {name}"
    model = _model(tree, folder)
    rotational = tree.integer(f"{folder}/queue/rotational", f"{what} rotational")
    read_ahead_kib = tree.integer(f"{folder}/queue/read_ahead_kb", f"{what} read_ahead_bytes")
    return Disk(
        name=name,
        kind=_kind(name, model, rotational),
        model=model,
        size_bytes=(tree.integer(f"{folder}/size") or 0) * _SECTOR_BYTES,
        rotational=None if rotational is None else bool(rotational),
        scheduler=_scheduler(tree, folder, what),
        read_ahead_bytes=None if read_ahead_kib is None else read_ahead_kib * 1024,
        queue_depth=tree.integer(f"{folder}/queue/nr_requests", f"{what} queue_depth"),
        partition_starts_bytes=tuple(_partition_starts(tree, name)),
    )


def _partition_starts(tree: FileTree, name: str) -> Iterator[int]:
    for entry in tree.names(f"{_BLOCK}/{name}"):
        start = tree.integer(f"{_BLOCK}/{name}/{entry}/start")
        if entry.startswith(name) and start is not None:
            yield start * _SECTOR_BYTES


def _model(tree: FileTree, folder: str) -> str | None:
    vendor = tree.text(f"{folder}/device/vendor")
    model = tree.text(f"{folder}/device/model")
    # SCSI shows the vendor of a SATA disk as "ATA", virtio a PCI number; neither names anyone.
    if vendor and model and vendor != "ATA" and not vendor.startswith("0x"):
        return f"{vendor} {model}"
    return model or None


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


def _scheduler(tree: FileTree, folder: str, what: str) -> str | None:
    text = tree.text(f"{folder}/queue/scheduler", f"{what} scheduler")
    if text is None:
        return None
    chosen = re.search(r"\[([\w-]+)\]", text)
    return chosen.group(1) if chosen else text  # a device with no choice prints the bare name
