"""Links that are cut or slowed and disks that fail, and both as they were built."""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
from pathlib import Path
from typing import Literal

from howdah.errors import RunFailed
from howdah.lab.kernel import disks
from howdah.lab.kernel.cgroups import machine_group
from howdah.lab.kernel.loops import find
from howdah.lab.kernel.network import Link, queueing
from howdah.lab.kernel.tools import run
from howdah.lab.spec import LabSpec, MachineSpec

Way = Literal["in", "out"]
"""Seen from the machine or the host that the cable leads to."""

_DROP = "pfifo limit 0"
"""A queue with no room, which the kernel does not pass by as it does with one that is empty."""


def cut_link(lab: str, link: Link) -> None:
    """Take a cable out at the bridge: the other end keeps its address, and nobody is told anything."""
    run(lab, "ip", "-n", link.near_space, "link", "set", link.near, "down")


def drop_packets(lab: str, link: Link, way: Way) -> None:
    """Let nothing pass in one direction."""
    space, device = (link.far_space, link.far) if way == "out" else (link.near_space, link.near)
    run(lab, "tc", "-n", space, "-batch", "-", text=f"qdisc replace dev {device} root {_DROP}\n")


def slow_link(lab: str, link: Link, bits_per_s: int) -> None:
    """Hold both directions to a speed."""
    for space, device in _ends(link):
        run(lab, "tc", "-n", space, "-batch", "-", text=f"{queueing(device, bits_per_s)}\n")


def restore_link(lab: str, link: Link) -> None:
    """Make a cable as it was built, whatever was done to it; safe to repeat."""
    run(lab, "ip", "-n", link.near_space, "link", "set", link.near, "up")
    for space, device in _ends(link):
        if link.bits_per_s is None:
            _unqueue(lab, space, device)
        else:
            run(lab, "tc", "-n", space, "-batch", "-", text=f"{queueing(device, link.bits_per_s)}\n")


def _ends(link: Link) -> tuple[tuple[str, str], tuple[str, str]]:
    return (link.near_space, link.near), (link.far_space, link.far)


def _unqueue(lab: str, space: str, device: str) -> None:
    """Remove what a device queues by; the kernel refuses where there is nothing but its own."""
    try:
        run(lab, "tc", "-n", space, "qdisc", "delete", "dev", device, "root")
    except RunFailed:
        if "noqueue" not in run(lab, "tc", "-n", space, "qdisc", "show", "dev", device):
            raise


_FILL = ".howdah-fill"
"""The file that takes a disk's room."""
_SHUT_DOWN = 0x8004587D
"""The request by which XFS and ext4 stop at once: every read and write fails from then on."""
_WITHOUT_LOG = 2
_LEAST_BYTES = 1 << 16


def slow_disks(spec: LabSpec, machine: MachineSpec, bytes_per_s: int | None) -> None:
    """Hold a machine's disks to a speed, both ways."""
    group, numbers = machine_group(spec, machine), _numbers(spec)
    for disk in machine.disks:
        group.throttle(numbers[disk.mount], bytes_per_s, bytes_per_s)


def restore_disk_speed(spec: LabSpec, machine: MachineSpec) -> None:
    """Hold them to the speed they were built with."""
    group, numbers = machine_group(spec, machine), _numbers(spec)
    for disk in machine.disks:
        group.throttle(numbers[disk.mount], disk.read_bytes_per_s, disk.write_bytes_per_s)


def fill_disks(machine: MachineSpec) -> None:
    """Take all room that is left on a machine's disks; the blocks are reserved, and not written."""
    for disk in machine.disks:
        with (disk.mount / _FILL).open("ab") as file:
            part = _free(disk.mount)
            while part >= _LEAST_BYTES:
                at = os.fstat(file.fileno()).st_size
                try:
                    os.posix_fallocate(file.fileno(), at, min(part, _free(disk.mount)) or _LEAST_BYTES)
                except OSError:
                    # What a file system keeps for itself is free and not to be had.
                    part //= 2


def make_room(machine: MachineSpec) -> None:
    """Give the room back."""
    for disk in machine.disks:
        (disk.mount / _FILL).unlink(missing_ok=True)


def fail_disks(machine: MachineSpec) -> None:
    """Let every read and write of a machine's disks fail."""
    for disk in machine.disks:
        folder = os.open(disk.mount, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.ioctl(folder, _SHUT_DOWN, struct.pack("I", _WITHOUT_LOG))
        except OSError as error:
            raise RunFailed(
                str(disk.mount), f"this kernel cannot shut down a file system: {error.strerror}"
            ) from error
        finally:
            os.close(folder)


def wipe_disks(machine: MachineSpec) -> None:
    """Delete all that lies on a machine's disks; nobody uses them."""
    for disk in machine.disks:
        empty(disk.mount)


def empty(folder: Path) -> None:
    """Delete all that lies in a folder; nobody uses it."""
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def repair_disks(spec: LabSpec, machine: MachineSpec) -> None:
    """Mount a machine's disks anew; nobody uses them."""
    mounted = disks.devices(spec)
    for disk in machine.disks:
        if disk.mount in mounted:
            run(spec.name, "umount", str(disk.mount))
    disks.build(spec, lambda text: None)


def _free(mount: Path) -> int:
    system = os.statvfs(mount)
    return system.f_bavail * system.f_frsize


def _numbers(spec: LabSpec) -> dict[Path, str]:
    """The numbers of the loop device at each mount: ``7:3``."""
    by_name = {loop.name: loop.device for loop in find(spec.name)}
    return {mount: by_name[name] for mount, name in disks.devices(spec).items()}
