"""What is done to a machine's data disks in use: slower, full, failing, emptied; and mended."""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
from pathlib import Path

from howdah.errors import RunFailed
from howdah.lab.kernel import disks
from howdah.lab.kernel.cgroups import machine_group
from howdah.lab.kernel.loops import find
from howdah.lab.kernel.tools import run
from howdah.lab.spec import LabSpec, MachineSpec

_FILL = ".howdah-fill"
"""The file that takes a disk's room."""
_SHUT_DOWN = 0x8004587D
"""The request by which XFS and ext4 stop at once: every read and write fails from then on."""
_WITHOUT_LOG = 2
_LEAST_BYTES = 1 << 16


def slow(spec: LabSpec, machine: MachineSpec, bytes_per_s: int | None) -> None:
    """Hold a machine's disks to a speed, both ways."""
    group, numbers = machine_group(spec, machine), _numbers(spec)
    for disk in machine.disks:
        group.throttle(numbers[disk.mount], bytes_per_s, bytes_per_s)


def restore_speed(spec: LabSpec, machine: MachineSpec) -> None:
    """Hold them to the speed they were built with."""
    group, numbers = machine_group(spec, machine), _numbers(spec)
    for disk in machine.disks:
        group.throttle(numbers[disk.mount], disk.read_bytes_per_s, disk.write_bytes_per_s)


def fill(machine: MachineSpec) -> None:
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


def fail(machine: MachineSpec) -> None:
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


def wipe(machine: MachineSpec) -> None:
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


def mend(spec: LabSpec, machine: MachineSpec) -> None:
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
