"""A lab's disks: images on loop devices with the planned file system and speed; created, mounted, removed."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from howdah.errors import HowdahError, RunFailed, UserError
from howdah.lab import registry
from howdah.lab.kernel import cgroups, namespaces
from howdah.lab.kernel.cgroups import machine_group
from howdah.lab.kernel.processes import LabMount, read_mounts, run
from howdah.lab.registry import Leftover
from howdah.lab.state import MACHINES, DiskSpec, Format, LabSpec, MachineSpec
from howdah.model.cluster import Deviation
from howdah.units import MIB, format_bytes, format_memory

_DETACH_S = 1.0
_SYSFS = Path("/sys/block")


class LoopDevice(NamedTuple):
    name: str  # ``loop3``.
    device: str  # Its device number, ``7:3``.
    image: Path  # Its file, which may have been deleted.

    @property
    def path(self) -> Path:
        return Path("/dev") / self.name

    @property
    def direct(self) -> bool:
        """Whether it bypasses this machine's page cache, which would serve reads instead of the disk."""
        return (_SYSFS / self.name / "loop/dio").read_text().strip() == "1"


def find_loops(lab: str) -> tuple[LoopDevice, ...]:
    """Return the loop devices of a lab, identified by the names of their files."""
    return tuple(loop for loop in _bound_loops() if loop.image.name.startswith(registry.prefix(lab)))


def attach_loop(lab: str, image: Path) -> LoopDevice:
    """Return the loop device of an image; create it if there is none."""
    for loop in _bound_loops():
        if loop.image == image:
            return loop
    shown = run(lab, "losetup", "--find", "--show", "--direct-io=on", str(image))
    return next(loop for loop in _bound_loops() if loop.path == Path(shown.strip()))


def detach_loops(lab: str, devices: Collection[LoopDevice]) -> None:
    """Detach loop devices and remove their limits; a device in use keeps its file."""
    for loop in devices:
        with suppress(HowdahError):
            cgroups.release(loop.device)
            run(lab, "losetup", "--detach", str(loop.path))
    # Programs such as udev may still inspect a device for a moment.
    end = time.monotonic() + _DETACH_S
    while set(devices) & set(find_loops(lab)) and time.monotonic() < end:
        time.sleep(0.02)


def _bound_loops() -> tuple[LoopDevice, ...]:
    result = []
    for path in sorted(_SYSFS.glob("loop*")):
        # Some have no file.
        with suppress(OSError):
            image = (path / "loop/backing_file").read_text().rstrip("\n")
            device = (path / "dev").read_text().strip()
            result.append(LoopDevice(path.name, device, Path(image.removesuffix(" (deleted)"))))
    return tuple(result)


_FORCED = {"xfs": ("-q", "-f"), "ext4": ("-q", "-F")}
_LEAST_BYTES = {"xfs": 300 * MIB, "ext4": 16 * MIB}
_SINGLE_GROUP = re.compile(r"(^|,)agcount=1(?=,|$)")
_FOLDER = "disks"


def check_format(form: Format, smallest_bytes: int) -> None:
    """Raise UserError for a file system that howdah does not create, or for forbidden options.

    Options with a path could make mkfs or mount, which run as root, use a device or file of this machine.
    """
    if form.file_system not in _FORCED:
        raise UserError("fs.type", f"howdah cannot create {form.file_system!r}", "one of xfs, ext4")
    for key, words in (("mkfs.options", form.mkfs_options), ("mount.options", form.mount_options)):
        for word in words:
            if "/" in word:
                raise UserError(key, f"{word!r} is a path of this machine", "give options without a path")
    least = _LEAST_BYTES[form.file_system]
    if smallest_bytes < least:
        problem = f"{format_memory(smallest_bytes)} is too small for mkfs.{form.file_system}"
        raise UserError("disks", problem, f"give at least {format_memory(least)}")


def possible(form: Format) -> tuple[Format, tuple[Deviation, ...]]:
    """Return the format with options that today's mkfs accepts: at least two allocation groups."""
    words = tuple(_SINGLE_GROUP.sub(r"\1agcount=2", word) for word in form.mkfs_options)
    if form.file_system != "xfs" or words == form.mkfs_options:
        return form, ()
    planned, used = shlex.join(form.mkfs_options), shlex.join(words)
    why = "mkfs.xfs creates at least two allocation groups"
    changed = Deviation(key="mkfs.options", planned=planned, used=used, why=why)
    return form.model_copy(update={"mkfs_options": words}), (changed,)


def make_image(lab: str, path: Path, size_bytes: int, form: Format) -> None:
    """Create a file with a file system, atomically; raise UserError if mkfs refuses."""
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("wb") as file:
        file.truncate(size_bytes)
    program = f"mkfs.{form.file_system}"
    options = (*_FORCED[form.file_system], *form.mkfs_options)
    try:
        # In the image's folder, an option that mkfs takes for a file name finds no other file.
        run(lab, program, *options, partial.name, folder=path.parent)
    except HowdahError as error:
        partial.unlink()
        problem = f"{program} refuses {shlex.join(form.mkfs_options)!r}: {error.what}"
        raise UserError("mkfs.options", problem, f"see the manual of {program}") from error
    partial.rename(path)


def check(spec: LabSpec) -> None:
    """Raise UserError, before any change, if the disks would not fit or cannot be mounted."""
    disks = list(_disks(spec))
    if not disks:
        return
    check_format(spec.format, min(disk.size_bytes for _, disk, _ in disks))
    mounted = {mount.point: mount.device for mount in read_mounts()}
    own = {loop.device for loop in find_loops(spec.name)}
    hint = "give an empty or new directory for a disk"
    for mount in (disk.mount for _, disk, _ in disks if mounted.get(disk.mount) not in own):
        if mount in mounted:
            raise UserError(str(mount), "is already a mount point", hint)
        if mount.exists() and not mount.is_dir():
            raise UserError(str(mount), "is not a directory", hint)
        if mount.exists() and any(mount.iterdir()):
            raise UserError(str(mount), "is not empty", hint)
    # Images are sparse, and a full file system would look like a failure.
    directory = spec.directory
    system = os.statvfs(next(path for path in (directory, *directory.parents) if path.exists()))
    free = system.f_bavail * system.f_frsize
    allocated = sum(image.stat().st_blocks * 512 for _, _, image in disks if image.exists())
    needed = sum(disk.size_bytes for _, disk, _ in disks) - allocated
    if needed > free:
        problem = f"the lab's disks may grow by {format_bytes(needed)}, but {format_bytes(free)} are free"
        hint = "give another directory (--dir), fewer hosts or smaller disks"
        raise UserError(str(directory), problem, hint)


def build(spec: LabSpec, progress: Callable[[str], None]) -> tuple[Deviation, ...]:
    """Create, attach, limit and mount missing disks; return the deviations from the plan."""
    form, deviations = possible(spec.format)
    mounted = {mount.point: mount.device for mount in read_mounts()}
    buffered = False
    if any(machine.disks for machine in spec.machines):
        folder = str(spec.directory / MACHINES)
        if spec.directory / MACHINES not in mounted:
            (spec.directory / MACHINES).mkdir(parents=True, exist_ok=True)
            run(spec.name, "mount", "--bind", folder, folder)
        run(spec.name, "mount", "--make-shared", folder)
    for machine, disk, image in _disks(spec):
        if not image.exists():
            progress(f"disk {disk.mount.name} of {machine.name}, {format_bytes(disk.size_bytes)}")
            image.parent.mkdir(parents=True, exist_ok=True)
            make_image(spec.name, image, disk.size_bytes, form)
        loop = attach_loop(spec.name, image)
        buffered = buffered or not loop.direct
        machine_group(spec, machine).throttle(loop.device, disk.read_bytes_per_s, disk.write_bytes_per_s)
        if mounted.get(disk.mount) != loop.device:
            disk.mount.mkdir(parents=True, exist_ok=True)
            options = ",".join(form.mount_options) or "defaults"
            words = ("-t", form.file_system, "-o", options, str(loop.path), str(disk.mount))
            try:
                run(spec.name, "mount", *words)
            except RunFailed as error:
                problem = f"mount rejects {options!r}: {error.what}"
                raise UserError("mount.options", problem, "see mount(8)") from error
    if buffered:
        why = "the file system of the lab's directory does not support direct I/O"
        why = f"{why}, so reads may come from memory"
        deviations += (Deviation(key="losetup --direct-io", planned="on", used="off", why=why),)
    return deviations


def devices(spec: LabSpec) -> dict[Path, str]:
    """Return the mounted loop device of each disk's mount: ``loop3``."""
    by_number = {loop.device: loop.name for loop in find_loops(spec.name)}
    mounts = {disk.mount for _, disk, _ in _disks(spec)}
    return {
        mount.point: by_number[mount.device]
        for mount in read_mounts()
        if mount.point in mounts and mount.device in by_number
    }


def leftover_disks(lab: str, directory: Path | None) -> tuple[Leftover, ...]:
    """Return the mounts, loop devices and images of a lab; images only below ``directory``, if given."""
    return (
        *(Leftover("mount", str(mount.point)) for mount in _mounts(find_loops(lab))),
        *(Leftover("mount", str(mount.point)) for mount in (_shared(directory) if directory else ())),
        *(Leftover("loop device", f"{loop.path} ({loop.image})") for loop in find_loops(lab)),
        *(Leftover("file", str(path)) for path in _images(lab, directory)),
    )


def remove(lab: str, directory: Path | None) -> tuple[Leftover, ...]:
    """Unmount, detach and delete a lab's disks; return those that remain, and their users."""
    loop_devices = find_loops(lab)
    homes = {loop.image.parent.parent for loop in loop_devices} | ({directory} if directory else set())
    remaining = [leftover for mount in reversed(_mounts(loop_devices)) for leftover in _unmount(lab, mount)]
    if not remaining:
        shared = [mount for home in homes for mount in _shared(home)]
        remaining = [leftover for mount in shared for leftover in _unmount(lab, mount)]
    mounted = {mount.device for mount in _mounts(loop_devices)}
    detach_loops(lab, [loop for loop in loop_devices if loop.device not in mounted])
    attached = {loop.image: loop for loop in find_loops(lab)}
    for loop in attached.values():
        keepers = namespaces.keepers_of(loop.device)
        why = f"is mounted for {', '.join(keepers)}" if keepers else "is in use"
        remaining.append(Leftover("loop device", str(loop.path), why))
    for home in homes:
        for path in (image for image in _images(lab, home) if image not in attached):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                remaining.append(Leftover("file", str(path), error.strerror or str(error)))
        with suppress(OSError):  # It does not exist, or contains an image in use.
            (home / _FOLDER).rmdir()
    return tuple(remaining)


def remove_machine(spec: LabSpec, machine: MachineSpec) -> None:
    """Unmount, detach and delete the disks of one machine, which no process uses; raises RunFailed."""
    images = {image: disk for owner, disk, image in _disks(spec) if owner.name == machine.name}
    own_loops = [loop for loop in find_loops(spec.name) if loop.image in images]
    for mount in reversed(_mounts(tuple(own_loops))):
        run(spec.name, "umount", str(mount.point))
    detach_loops(spec.name, own_loops)
    for image in images:
        image.unlink(missing_ok=True)


def _disks(spec: LabSpec) -> Iterator[tuple[MachineSpec, DiskSpec, Path]]:
    for machine in spec.machines:
        for number, disk in enumerate(machine.disks, start=1):
            name = registry.image_name(spec.name, machine.name, number)
            yield machine, disk, spec.directory / _FOLDER / name


def _images(lab: str, directory: Path | None) -> list[Path]:
    return sorted((directory / _FOLDER).glob(f"{registry.prefix(lab)}*")) if directory else []


def _mounts(loop_devices: tuple[LoopDevice, ...]) -> list[LabMount]:
    numbers = {loop.device for loop in loop_devices}
    return [mount for mount in read_mounts() if mount.device in numbers]


def _shared(home: Path) -> list[LabMount]:
    return [mount for mount in read_mounts() if mount.point == home / MACHINES]


def _unmount(lab: str, mount: LabMount) -> Iterator[Leftover]:
    try:
        run(lab, "umount", str(mount.point))
    except HowdahError as error:
        users = namespaces.users_of(mount.point)
        yield Leftover("mount", str(mount.point), f"is in use by {', '.join(users)}" if users else error.what)
