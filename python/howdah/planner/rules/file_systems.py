"""File systems that hold data, and advice on disks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from howdah.model.host import FileSystem
from howdah.model.inventory import DiskKind, DiskRole
from howdah.planner.capacity import data_bytes_per_s
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, MountJudgement, Observation, data_mounts, group_observations
from howdah.planner.rule import Values
from howdah.planner.rules.declare import read_rules
from howdah.units import format_bytes, format_percent, format_rate

rules = read_rules("disks.toml")

_GROUPS_MOST = 4
_GROUP_LARGEST = 2**40
_RESERVED_MOST = 0.02
_SIZE_SPREAD = 1.1
_FILL_MOST = 0.9
_FILL_SPREAD = 0.2
_SYSTEM_FREE = 10**10
_BAD_OPTIONS = ("sync", "dirsync", "data=journal", "nobarrier", "barrier=0")
"""What writes everything at once or twice, and what loses blocks that were acknowledged with the power."""
_Inspect = Callable[[Inspected, Facts], Iterator[Observation]]
_SPARE_WORTH_FROM = 12
_CONTROLLER_BYTES_PER_S = 4_000_000_000

_Judge = Callable[[FileSystem], tuple[bool | None, str] | None]


def _mounts(expected: str, fix: str) -> Callable[[_Judge], _Inspect]:
    """Judge every data file system by one question; those that it does not concern have no answer."""

    def of_all(judge: _Judge) -> _Inspect:
        def inspect(reading: Inspected, facts: Facts) -> Iterator[Observation]:
            answers = ((mount.mount, judge(mount)) for mount in data_mounts(reading))
            judged = [MountJudgement(name, *answer) for name, answer in answers if answer]
            yield from group_observations(judged, expected, fix)

        return inspect

    return of_all


@rules.inspects("disks.kind-of-file-system")
@_mounts("xfs or ext4", "make XFS on the disk once its blocks have been moved away")
def _kind(file_system: FileSystem) -> tuple[bool | None, str]:
    return file_system.kind in ("xfs", "ext4"), file_system.kind


@rules.inspects("disks.allocation-groups")
@_mounts(
    "at most 4, or one for each TiB",
    "decommission the disk and make it again with the plan's mkfs options (agcount)",
)
def _groups(file_system: FileSystem) -> tuple[bool | None, str] | None:
    if file_system.kind != "xfs":
        return None
    if file_system.xfs is None:
        return None, "not known"
    most = max(_GROUPS_MOST, -(-file_system.size_bytes // _GROUP_LARGEST))
    return file_system.xfs.agcount <= most, f"{file_system.xfs.agcount} allocation groups"


@rules.inspects("disks.access-times")
@_mounts("noatime", "add noatime to the mount's options in /etc/fstab and remount")
def _access_times(file_system: FileSystem) -> tuple[bool | None, str]:
    options = [option for option in file_system.options if option.endswith("atime")]
    return "noatime" in file_system.options, ", ".join(options) or "access times are written"


@rules.inspects("disks.discard")
@_mounts("no discard option", "drop `discard` from /etc/fstab and enable fstrim.timer")
def _discard(file_system: FileSystem) -> tuple[bool | None, str]:
    used = any(option == "discard" or option.startswith("discard=") for option in file_system.options)
    return not used, "discard" if used else "no discard"


@rules.inspects("disks.mount-options")
@_mounts("no sync, dirsync, data=journal or nobarrier", "drop these options from /etc/fstab and remount")
def _slow_or_unsafe(file_system: FileSystem) -> tuple[bool | None, str]:
    bad = [option for option in file_system.options if option in _BAD_OPTIONS]
    return not bad, ", ".join(bad) or "no such option"


@rules.inspects("disks.writable")
@_mounts(
    "writable", "errors make a file system read-only: read the kernel log, then repair or replace the disk"
)
def _writable(file_system: FileSystem) -> tuple[bool | None, str]:
    return "ro" not in file_system.options, "read-only" if "ro" in file_system.options else "writable"


@rules.inspects("disks.reserved-blocks")
@_mounts("at most 2 % (mkfs reserves 5 %)", "tune2fs -m 0 DEVICE")
def _reserved(file_system: FileSystem) -> tuple[bool | None, str] | None:
    if not file_system.kind.startswith("ext"):
        return None
    if file_system.reserved_bytes is None:
        return None, "not known"
    share = file_system.reserved_bytes / file_system.size_bytes
    return (
        share <= _RESERVED_MOST,
        f"{format_percent(share)} reserved ({format_bytes(file_system.reserved_bytes)})",
    )


@rules.inspects("disks.room")
@_mounts("at most 90 % full", "add hosts or delete data; see dfs.datanode.du.reserved")
def _room(file_system: FileSystem) -> tuple[bool | None, str]:
    used = _used(file_system)
    return used <= _FILL_MOST, f"{format_percent(used)} full"


def _used(file_system: FileSystem) -> float:
    return 1 - file_system.free_bytes / file_system.size_bytes


@rules.inspects("disks.system-room")
def _system(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    root = (
        next((file_system for file_system in reading.host.file_systems if file_system.mount == "/"), None)
        if reading.host
        else None
    )
    if root is not None:
        yield Observation(
            root.free_bytes >= _SYSTEM_FREE or _used(root) <= _FILL_MOST,
            "/",
            f"{format_percent(_used(root))} full, {format_bytes(root.free_bytes)} free",
            values={"least": format_bytes(_SYSTEM_FREE)},
        )


@rules.inspects("disks.even-fill")
def _even(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    used = {mount.mount: _used(mount) for mount in data_mounts(reading)}
    if len(used) > 1:
        least, most = min(used, key=used.__getitem__), max(used, key=used.__getitem__)
        yield Observation(
            used[most] - used[least] <= _FILL_SPREAD,
            f"{least}, {most}",
            f"{format_percent(used[least])} and {format_percent(used[most])} full",
        )


@rules.inspects("disks.equal-sizes")
def _equal(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    sizes = {mount.mount: mount.size_bytes for mount in data_mounts(reading)}
    if len(sizes) > 1:
        small, large = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        yield Observation(
            sizes[large] <= _SIZE_SPREAD * sizes[small],
            f"{small}, {large}",
            f"{format_bytes(sizes[small])} and {format_bytes(sizes[large])}",
        )


@rules.advises("disks.system-disks")
def _apart(facts: Facts) -> Values | None:
    if any(disk.role is DiskRole.SYSTEM for disk in facts.group.disks):
        return None
    return {"facts": facts}


@rules.advises("disks.spare")
def _spare(facts: Facts) -> Values | None:
    disks = facts.group.data_disks
    if disks < _SPARE_WORTH_FROM or any(disk.role is DiskRole.SPARE for disk in facts.group.disks):
        return None
    return {"disks": disks, "facts": facts}


@rules.advises("disks.controller")
def _controller(facts: Facts) -> str | None:
    rate = data_bytes_per_s(facts.group)
    spinning = {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA} <= {
        DiskKind.HDD,
        DiskKind.SSD,
    }
    if not spinning or rate < _CONTROLLER_BYTES_PER_S / 2:
        return None
    return (
        f"The data disks of a host move about {format_rate(rate)} together. Check that the controller and "
        "its PCIe lanes can carry that: older ones delivered half of their rating."
    )
