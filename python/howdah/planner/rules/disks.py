"""Data disks and their file systems: settings, what is on them, and advice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from howdah.model.host import Disk, FileSystem, Host
from howdah.model.inventory import DiskKind, DiskRole
from howdah.planner.capacity import data_bytes_per_s
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, Values, data_dirs, group_observations, is_system
from howdah.planner.rule import Decision, inputs_of
from howdah.planner.rules.declare import read_rules
from howdah.units import MIB, format_bytes, format_percent, format_rate

rules = read_rules("disks.toml")

_LARGEST_GROUP = 2**40  # an XFS allocation group holds 1 TiB at most
_RAID_VOLUME = re.compile(r"PERC|MegaRAID|LOGICAL VOLUME|ServeRAID|\bMR\d{4}|RAID", re.IGNORECASE)
_READ_AHEAD_LEAST = MIB
_Inspect = Callable[[Inspected, Facts], Iterator[Observation]]
_Thing = TypeVar("_Thing")
_Judge = Callable[[_Thing], tuple[bool | None, str] | None]


def least_groups(size_bytes: int) -> int:
    """The fewest allocation groups mkfs.xfs makes on a file system of this size."""
    return max(2, -(-size_bytes // _LARGEST_GROUP))


rules.when("data disks spin")(lambda facts: facts.spinning)


@rules.decides("disks.make-file-system")
def _mkfs(facts: Facts) -> Decision:
    size = max(disk.size_bytes for disk in facts.group.data_disk_sets)
    groups = least_groups(size)
    inputs = inputs_of(("disk size", size, "B"), ("largest group", _LARGEST_GROUP, "B"))
    return Decision(f"-d agcount={groups}", inputs=inputs, values={"groups": groups})


rules.accepts("noatime without discard")(
    lambda value, decision, facts: isinstance(value, tuple) and "noatime" in value and "discard" not in value
)
rules.accepts("multiple of 1 MiB")(
    lambda value, decision, facts: isinstance(value, int) and value > 0 and value % MIB == 0
)
rules.accepts("suits the disks")(
    lambda value, decision, facts: (
        value == decision.value or (not facts.spinning and value in ("none", "mq-deadline", "kyber"))
    )
)


rules.when("a data disk is a SATA SSD")(
    lambda facts: any(disk.kind is DiskKind.SSD for disk in facts.group.data_disk_sets)
)


@rules.inspects("disks.apart-from-system")
def _apart(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None:
        return
    judged = []
    for path in data_dirs(reading.config):
        mount = reading.host.mount_of(path)
        if mount is not None:
            own = isinstance(mount, FileSystem) and not is_system(mount.mount)
            judged.append((str(path), own, f"lies on {mount.mount} ({mount.kind})"))
    yield from group_observations(judged)


@rules.inspects("disks.shared")
def _shared(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    mounts: dict[str, list[str]] = {}
    for mount in reading.data_mounts:
        for disk in mount.disks:
            mounts.setdefault(disk, []).append(mount.mount)
    for disk, names in mounts.items():
        if len(names) > 1:
            yield Observation(False, disk, f"carries {len(names)} data file systems: {', '.join(names)}")


@rules.inspects("disks.one-directory-each")
def _one_each(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None:
        return
    mounts: dict[str, list[str]] = {}
    for path in data_dirs(reading.config):
        mount = reading.host.mount_of(path)
        if mount is not None:
            mounts.setdefault(mount.mount, []).append(str(path))
    for name, paths in mounts.items():
        shown = f"{len(paths)} data directories: {', '.join(paths)}" if len(paths) > 1 else paths[0]
        yield Observation(len(paths) == 1, name, shown)


def _of_all(
    things: Callable[[Inspected], Iterable[_Thing]], name_of: Callable[[_Thing], str]
) -> Callable[[_Judge[_Thing]], _Inspect]:
    """Judge everything by one question; what it does not concern has no answer."""

    def of_all(judge: _Judge[_Thing]) -> _Inspect:
        def inspect(reading: Inspected, facts: Facts) -> Iterator[Observation]:
            answers = ((name_of(thing), judge(thing)) for thing in things(reading))
            return group_observations((name, *answer) for name, answer in answers if answer)

        return inspect

    return of_all


_of_disks = _of_all(lambda reading: reading.data_disks, lambda disk: disk.name)
_of_mounts = _of_all(lambda reading: reading.data_mounts, lambda mount: mount.mount)


@rules.inspects("disks.alignment")
@_of_disks
def _aligned(disk: Disk) -> tuple[bool | None, str] | None:
    if not disk.partition_starts_bytes:
        return None
    off = [start for start in disk.partition_starts_bytes if start % MIB]
    return not off, f"a partition begins at byte {off[0]:,}" if off else "aligned"


@rules.inspects("disks.scheduler")
@_of_disks
def _judge_scheduler(disk: Disk) -> tuple[bool | None, str] | None:
    if disk.kind == "loop":
        return None
    if disk.scheduler is None:
        return None, "not known"
    if disk.kind == "hdd":
        return disk.scheduler in ("mq-deadline", "deadline"), disk.scheduler
    return disk.scheduler in ("none", "noop", "mq-deadline", "deadline", "kyber"), disk.scheduler


@rules.inspects("disks.read-ahead")
@_of_disks
def _read_ahead(disk: Disk) -> tuple[bool | None, str] | None:
    if disk.kind != "hdd":
        return None
    if disk.read_ahead_bytes is None:
        return None, "not known"
    return disk.read_ahead_bytes >= _READ_AHEAD_LEAST, f"{disk.read_ahead_bytes // 1024} KiB"


@rules.inspects("disks.jbod")
def _jbod(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    models = {disk.name: disk.model or "" for disk in reading.host.disks} if reading.host else {}
    judged: list[tuple[str, bool | None, str]] = []
    for mount in reading.data_mounts:
        volumes = [models[name] for name in mount.disks if _RAID_VOLUME.search(models.get(name, ""))]
        if len(mount.disks) > 1:
            text = f"lies on {len(mount.disks)} disks: {', '.join(mount.disks)}"
            judged.append((mount.mount, False, text))
        elif volumes:
            text = f"lies on a volume of a RAID controller ({volumes[0]})"
            judged.append((mount.mount, None, text))
        elif mount.disks:
            judged.append((mount.mount, True, "one disk"))
    return group_observations(judged)


_GROUPS_MOST = 4
_RESERVED_MOST = 0.02
_SIZE_SPREAD = 1.1
_FILL_MOST = 0.9
_FILL_SPREAD = 0.2
_SYSTEM_FREE = 10**10
_BAD_OPTIONS = ("sync", "dirsync", "data=journal", "nobarrier", "barrier=0")
"""What writes everything at once or twice, and what loses blocks that were acknowledged with the power."""
_SPARE_WORTH_FROM = 12
_CONTROLLER_BYTES_PER_S = 4_000_000_000


rules.inspects("disks.kind-of-file-system")(
    _of_mounts(lambda mount: (mount.kind in ("xfs", "ext4"), mount.kind))
)
rules.inspects("disks.writable")(
    _of_mounts(lambda mount: (False, "read-only") if "ro" in mount.options else (True, "writable"))
)
rules.inspects("disks.room")(
    _of_mounts(lambda mount: (_used(mount) <= _FILL_MOST, f"{format_percent(_used(mount))} full"))
)


@rules.inspects("disks.allocation-groups")
@_of_mounts
def _groups(file_system: FileSystem) -> tuple[bool | None, str] | None:
    if file_system.kind != "xfs":
        return None
    if file_system.xfs is None:
        return None, "not known"
    most = max(_GROUPS_MOST, -(-file_system.size_bytes // _LARGEST_GROUP))
    return file_system.xfs.agcount <= most, f"{file_system.xfs.agcount} allocation groups"


@rules.inspects("disks.access-times")
@_of_mounts
def _access_times(file_system: FileSystem) -> tuple[bool | None, str]:
    options = [option for option in file_system.options if option.endswith("atime")]
    return "noatime" in file_system.options, ", ".join(options) or "access times are written"


@rules.inspects("disks.discard")
@_of_mounts
def _discard(file_system: FileSystem) -> tuple[bool | None, str]:
    used = any(option == "discard" or option.startswith("discard=") for option in file_system.options)
    return not used, "discard" if used else "no discard"


@rules.inspects("disks.mount-options")
@_of_mounts
def _slow_or_unsafe(file_system: FileSystem) -> tuple[bool | None, str]:
    bad = [option for option in file_system.options if option in _BAD_OPTIONS]
    return not bad, ", ".join(bad) or "no such option"


@rules.inspects("disks.reserved-blocks")
@_of_mounts
def _reserved(file_system: FileSystem) -> tuple[bool | None, str] | None:
    if not file_system.kind.startswith("ext"):
        return None
    if file_system.reserved_bytes is None:
        return None, "not known"
    share = file_system.reserved_bytes / file_system.size_bytes
    shown = f"{format_percent(share)} reserved ({format_bytes(file_system.reserved_bytes)})"
    return share <= _RESERVED_MOST, shown


def _used(file_system: FileSystem) -> float:
    return 1 - file_system.free_bytes / file_system.size_bytes


@rules.inspects_hosts("disks.system-room")
def _system(host: Host, facts: Facts) -> Iterator[Observation]:
    root = next((file_system for file_system in host.file_systems if file_system.mount == "/"), None)
    if root is not None:
        shown = f"{format_percent(_used(root))} full, {format_bytes(root.free_bytes)} free"
        yield Observation(root.free_bytes >= _SYSTEM_FREE or _used(root) <= _FILL_MOST, "/", shown)


@rules.inspects("disks.even-fill")
def _even(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    used = {mount.mount: _used(mount) for mount in reading.data_mounts}
    if len(used) > 1:
        least, most = min(used, key=used.__getitem__), max(used, key=used.__getitem__)
        shown = f"{format_percent(used[least])} and {format_percent(used[most])} full"
        yield Observation(used[most] - used[least] <= _FILL_SPREAD, f"{least}, {most}", shown)


@rules.inspects("disks.equal-sizes")
def _equal(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    sizes = {mount.mount: mount.size_bytes for mount in reading.data_mounts}
    if len(sizes) > 1:
        small, large = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        shown = f"{format_bytes(sizes[small])} and {format_bytes(sizes[large])}"
        yield Observation(sizes[large] <= _SIZE_SPREAD * sizes[small], f"{small}, {large}", shown)


@rules.advises("disks.system-disks")
def _system_disks(facts: Facts) -> Values | None:
    has_system_disks = any(disk.role is DiskRole.SYSTEM for disk in facts.group.disks)
    return None if has_system_disks else {"facts": facts}


@rules.advises("disks.spare")
def _spare(facts: Facts) -> Values | None:
    disks = facts.group.data_disks
    if disks < _SPARE_WORTH_FROM or any(disk.role is DiskRole.SPARE for disk in facts.group.disks):
        return None
    return {"disks": disks, "facts": facts}


@rules.advises("disks.controller")
def _controller(facts: Facts) -> Values | None:
    rate = data_bytes_per_s(facts.group)
    kinds = {disk.kind for disk in facts.group.data_disk_sets}
    if not kinds <= {DiskKind.HDD, DiskKind.SSD} or rate < _CONTROLLER_BYTES_PER_S / 2:
        return None
    return {"rate": format_rate(rate)}
