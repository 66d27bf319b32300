"""Faults of links and disks: cut, slow, full, failed, and restored."""

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
from howdah.lab.kernel.disks import find_loops
from howdah.lab.kernel.network import Link, queueing
from howdah.lab.kernel.processes import run
from howdah.lab.state import LabSpec, MachineSpec

Way = Literal["in", "out"]
"""The direction as seen from the machine or host at the cable's end."""

_DROP = "pfifo limit 0"
"""A queue of zero packets, which drops everything."""


def cut_link(lab: str, link: Link) -> None:
    """Disconnect a cable at the bridge; the other end keeps its address and sees nothing."""
    run(lab, "ip", "-n", link.near_space, "link", "set", link.near, "down")


def drop_packets(lab: str, link: Link, way: Way) -> None:
    """Drop all packets in one direction."""
    space, device = (link.far_space, link.far) if way == "out" else (link.near_space, link.near)
    run(lab, "tc", "-n", space, "-batch", "-", text=f"qdisc replace dev {device} root {_DROP}\n")


def slow_link(lab: str, link: Link, bits_per_s: int) -> None:
    """Limit both directions to a speed."""
    for space, device in _ends(link):
        run(lab, "tc", "-n", space, "-batch", "-", text=f"{queueing(device, bits_per_s)}\n")


def restore_link(lab: str, link: Link) -> None:
    """Restore a cable after any fault; safe to repeat."""
    run(lab, "ip", "-n", link.near_space, "link", "set", link.near, "up")
    for space, device in _ends(link):
        if link.bits_per_s is None:
            _unqueue(lab, space, device)
        else:
            run(lab, "tc", "-n", space, "-batch", "-", text=f"{queueing(device, link.bits_per_s)}\n")


def _ends(link: Link) -> tuple[tuple[str, str], tuple[str, str]]:
    return (link.near_space, link.near), (link.far_space, link.far)


def _unqueue(lab: str, space: str, device: str) -> None:
    """Remove a device's queue; the kernel refuses if there is only its default."""
    try:
        run(lab, "tc", "-n", space, "qdisc", "delete", "dev", device, "root")
    except RunFailed:
        if "noqueue" not in run(lab, "tc", "-n", space, "qdisc", "show", "dev", device):
            raise


_FILL = ".howdah-fill"
"""The file that fills a disk."""
_SHUT_DOWN = 0x8004587D
"""The ioctl that shuts down XFS and ext4: every read and write fails from then on."""
_WITHOUT_LOG = 2
_LEAST_BYTES = 1 << 16


def slow_disks(spec: LabSpec, machine: MachineSpec, bytes_per_s: int | None) -> None:
    """Limit reads and writes of a machine's disks to a speed."""
    group, numbers = machine_group(spec, machine), _numbers(spec)
    for disk in machine.disks:
        group.throttle(numbers[disk.mount], bytes_per_s, bytes_per_s)


def restore_disk_speed(spec: LabSpec, machine: MachineSpec) -> None:
    """Restore the planned speed of a machine's disks."""
    group, numbers = machine_group(spec, machine), _numbers(spec)
    for disk in machine.disks:
        group.throttle(numbers[disk.mount], disk.read_bytes_per_s, disk.write_bytes_per_s)


def fill_disks(machine: MachineSpec) -> None:
    """Fill a machine's disks; blocks are reserved without being written."""
    for disk in machine.disks:
        with (disk.mount / _FILL).open("ab") as file:
            part = _free(disk.mount)
            while part >= _LEAST_BYTES:
                at = os.fstat(file.fileno()).st_size
                try:
                    os.posix_fallocate(file.fileno(), at, min(part, _free(disk.mount)) or _LEAST_BYTES)
                except OSError:
                    # The file system's reserved blocks count as free.
                    part //= 2


def make_room(machine: MachineSpec) -> None:
    """Free the space of ``fill_disks``."""
    for disk in machine.disks:
        (disk.mount / _FILL).unlink(missing_ok=True)


def fail_disks(machine: MachineSpec) -> None:
    """Make every read and write of a machine's disks fail."""
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
    """Delete everything on a machine's disks, which no process uses."""
    for disk in machine.disks:
        empty(disk.mount)


def empty(folder: Path) -> None:
    """Delete everything in a folder, which no process uses."""
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def repair_disks(spec: LabSpec, machine: MachineSpec) -> None:
    """Mount a machine's disks again; no process uses them."""
    mounted = disks.devices(spec)
    for disk in machine.disks:
        if disk.mount in mounted:
            run(spec.name, "umount", str(disk.mount))
    disks.build(spec, lambda text: None)


def _free(mount: Path) -> int:
    system = os.statvfs(mount)
    return system.f_bavail * system.f_frsize


def _numbers(spec: LabSpec) -> dict[Path, str]:
    """Return the device number of the loop device at each mount: ``7:3``."""
    by_name = {loop.name: loop.device for loop in find_loops(spec.name)}
    return {mount: by_name[name] for mount, name in disks.devices(spec).items()}
