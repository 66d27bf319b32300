"""Faults of a lab: links and disks cut, slow, full or failed, and the list of those that are active."""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from howdah.errors import RunFailed
from howdah.files import replacing
from howdah.lab.kernel import disks
from howdah.lab.kernel.cgroups import machine_group
from howdah.lab.kernel.disks import find_loops
from howdah.lab.kernel.network import Link, queueing, set_link
from howdah.lab.kernel.processes import began_ticks, run
from howdah.lab.state import DiskSpec, LabSpec, LabState, MachineSpec, damaged
from howdah.model.base import Model

Way = Literal["in", "out"]  # The direction as seen from the machine or host at the cable's end.
_DROP = "pfifo limit 0"  # A queue of zero packets, which drops everything.


def drop_packets(lab: str, link: Link, way: Way) -> None:
    space, device = (link.far_space, link.far) if way == "out" else (link.near_space, link.near)
    run(lab, "tc", "-n", space, "-batch", "-", text=f"qdisc replace dev {device} root {_DROP}\n")


def slow_link(lab: str, link: Link, bits_per_s: int) -> None:
    """Limit both directions to a speed."""
    for space, device in (link[:2], link[2:4]):
        run(lab, "tc", "-n", space, "-batch", "-", text=f"{queueing(device, bits_per_s)}\n")


def restore_link(lab: str, link: Link) -> None:
    """Restore a cable after any fault; safe to repeat."""
    set_link(lab, link, "up")
    if link.bits_per_s is not None:
        slow_link(lab, link, link.bits_per_s)
        return
    for space, device in (link[:2], link[2:4]):
        # The kernel refuses to remove a device's queue if there is only its default.
        try:
            run(lab, "tc", "-n", space, "qdisc", "delete", "dev", device, "root")
        except RunFailed:
            if "noqueue" not in run(lab, "tc", "-n", space, "qdisc", "show", "dev", device):
                raise


_FILL = ".howdah-fill"
_SHUT_DOWN = 0x8004587D  # The ioctl that shuts down XFS and ext4: every read and write fails from then on.
_WITHOUT_LOG = 2
_LEAST_BYTES = 1 << 16


def slow_disks(spec: LabSpec, machine: MachineSpec, bytes_per_s: int | None) -> None:
    """Limit reads and writes of a machine's disks to a speed."""
    _throttle(spec, machine, lambda disk: (bytes_per_s, bytes_per_s))


def restore_disk_speed(spec: LabSpec, machine: MachineSpec) -> None:
    """Restore the planned speed of a machine's disks."""
    _throttle(spec, machine, lambda disk: (disk.read_bytes_per_s, disk.write_bytes_per_s))


def _throttle(
    spec: LabSpec, machine: MachineSpec, speeds: Callable[[DiskSpec], tuple[int | None, int | None]]
) -> None:
    by_name = {loop.name: loop.device for loop in find_loops(spec.name)}
    names = disks.devices(spec)
    for disk in machine.disks:
        machine_group(spec, machine).throttle(by_name[names[disk.mount]], *speeds(disk))


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
            problem = f"this kernel cannot shut down a file system: {error.strerror}"
            raise RunFailed(str(disk.mount), problem) from error
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


ACTIVE_FAULTS = "faults.json"


class RevertStep(Model):
    """One step that reverts a part of a fault; safe to repeat."""

    how: Literal["start", "start all", "resume", "link", "disk speed", "disk room", "disk", "drained"]
    """Start a daemon or all of a machine, resume processes, restore a link, a disk's speed, its free space or
    the disk itself, or make a drained worker a member again."""
    machine: str = ""  # Empty for a host's link.
    daemon: str = ""
    host: str = ""
    processes: tuple[tuple[int, int], ...] = ()  # Paused ones: ids and start times in ticks since boot.


class ActiveFault(Model):
    """A fault that is active, or about to be injected."""

    id: int
    fault: str  # Its line in a schedule.
    hit: tuple[str, ...]  # Its targets, in words.
    undo: tuple[RevertStep, ...]  # The steps that revert it, in order.
    owner: tuple[int, int] | None  # The process that will revert it, by id and start time; None for a user.

    @property
    def orphaned(self) -> bool:
        """Whether the process that would revert it has ended."""
        return self.owner is not None and self.owner != _identity(self.owner[0])


_LIST = TypeAdapter(tuple[ActiveFault, ...])
_CHANGING = Lock()  # Threads of one run share the lab's lock, but change the list one after the other.


def active_faults(state: LabState) -> tuple[ActiveFault, ...]:
    """Return the active faults; raise UserError if the list is damaged."""
    path = state.directory / ACTIVE_FAULTS
    try:
        return _LIST.validate_json(path.read_bytes())
    except FileNotFoundError:
        return ()
    except ValidationError as error:
        raise damaged(path) from error


def record_fault(
    state: LabState, fault: str, hit: tuple[str, ...], undo: tuple[RevertStep, ...], *, own: bool
) -> ActiveFault:
    """Record a fault before its injection, with the lab's lock. ``own``: this process reverts it."""
    owner = _identity(os.getpid()) if own else None
    with _CHANGING:
        recorded = active_faults(state)
        number = max((entry.id for entry in recorded), default=0) + 1
        active = ActiveFault(id=number, fault=fault, hit=hit, undo=undo, owner=owner)
        _write(state, (*recorded, active))
    return active


def remove_fault(state: LabState, active: ActiveFault) -> None:
    """Remove a reverted fault from the list; the caller has the lab's lock."""
    with _CHANGING:
        _write(state, tuple(entry for entry in active_faults(state) if entry.id != active.id))


def _write(state: LabState, faults: tuple[ActiveFault, ...]) -> None:
    path = state.directory / ACTIVE_FAULTS
    if not faults:
        path.unlink(missing_ok=True)
        return
    with replacing(path) as file:
        file.write(_LIST.dump_json(faults, indent=1))


def _identity(pid: int) -> tuple[int, int] | None:
    with suppress(OSError):
        if (began := began_ticks(pid)) is not None:
            return pid, began
    return None
