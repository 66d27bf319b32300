"""File systems that hold data, and advice on disks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from howdah.model.host import FileSystem
from howdah.model.inventory import DiskKind, DiskRole
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, MountJudgement, Observation, data_mounts, group_observations
from howdah.planner.rule import MAY, MUST
from howdah.planner.rules.declare import Rules
from howdah.planner.storage import data_bytes_per_s
from howdah.units import format_bytes, format_percent, format_rate

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


rules = Rules()


def _mounts(
    judge: Callable[[FileSystem], tuple[bool | None, str] | None], expected: str, fix: str
) -> _Inspect:
    """Look at every data file system with one question; those that do not concern it answer None."""

    def inspect(reading: Inspected, facts: Facts) -> Iterator[Observation]:
        answers = ((mount.mount, judge(mount)) for mount in data_mounts(reading))
        yield from group_observations(
            [MountJudgement(name, *answer) for name, answer in answers if answer], expected, fix
        )

    return inspect


def _kind(file_system: FileSystem) -> tuple[bool | None, str]:
    return file_system.kind in ("xfs", "ext4"), file_system.kind


rules.inspection("disks.kind-of-file-system", sources="D0 28, D4 127, X6").by(
    "Use XFS or ext4 on data disks.",
    _mounts(_kind, "xfs or ext4", "make XFS on the disk once its blocks have been moved away"),
)


def _groups(file_system: FileSystem) -> tuple[bool | None, str] | None:
    if file_system.kind != "xfs":
        return None
    if file_system.xfs is None:
        return None, "not known"
    most = max(_GROUPS_MOST, -(-file_system.size_bytes // _GROUP_LARGEST))
    return file_system.xfs.agcount <= most, f"{file_system.xfs.agcount} allocation groups"


rules.inspection("disks.allocation-groups", sources="D0 28, X6, X10").by(
    "Use few XFS allocation groups on data disks: a half-full disk is then as fast as an empty one.",
    _mounts(
        _groups,
        "at most 4, or one for each TiB",
        "decommission the disk and make it again with the plan's mkfs options (agcount)",
    ),
)


def _access_times(file_system: FileSystem) -> tuple[bool | None, str]:
    options = [option for option in file_system.options if option.endswith("atime")]
    return "noatime" in file_system.options, ", ".join(options) or "access times are written"


rules.inspection(
    "disks.access-times",
    sources="howdah",
    today="Linux writes access times once a day at most since 2.6.30 (relatime); noatime saves that too.",
).by(
    "Mount data disks with noatime.",
    _mounts(_access_times, "noatime", "add noatime to the mount's options in /etc/fstab and remount"),
)


def _discard(file_system: FileSystem) -> tuple[bool | None, str]:
    used = any(option == "discard" or option.startswith("discard=") for option in file_system.options)
    return not used, "discard" if used else "no discard"


rules.inspection("disks.discard", sources="howdah").by(
    "Trim flash once a week, not at every delete.",
    _mounts(_discard, "no discard option", "drop `discard` from /etc/fstab and enable fstrim.timer"),
)


def _slow_or_unsafe(file_system: FileSystem) -> tuple[bool | None, str]:
    bad = [option for option in file_system.options if option in _BAD_OPTIONS]
    return not bad, ", ".join(bad) or "no such option"


rules.inspection("disks.mount-options", sources="Linux, howdah").by(
    "Mount data disks neither synchronously nor without barriers.",
    _mounts(
        _slow_or_unsafe,
        "no sync, dirsync, data=journal or nobarrier",
        "drop these options from /etc/fstab and remount",
    ),
)


def _writable(file_system: FileSystem) -> tuple[bool | None, str]:
    return "ro" not in file_system.options, "read-only" if "ro" in file_system.options else "writable"


rules.inspection("disks.writable", MUST, sources="howdah").by(
    "Mount data disks for writing.",
    _mounts(
        _writable,
        "writable",
        "errors make a file system read-only: read the kernel log, then repair or replace the disk",
    ),
)


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


rules.inspection("disks.reserved-blocks", sources="D1 93, howdah").by(
    "Reserve at most 2 % of a data disk for root.",
    _mounts(_reserved, "at most 2 % (mkfs reserves 5 %)", "tune2fs -m 0 DEVICE"),
)


def _room(file_system: FileSystem) -> tuple[bool | None, str]:
    used = _used(file_system)
    return used <= _FILL_MOST, f"{format_percent(used)} full"


def _used(file_system: FileSystem) -> float:
    return 1 - file_system.free_bytes / file_system.size_bytes


rules.inspection("disks.room", sources="D0 28, D0 36, howdah").by(
    "Leave a tenth of every data disk free.",
    _mounts(_room, "at most 90 % full", "add hosts or delete data; see dfs.datanode.du.reserved"),
)


@rules.inspection("disks.system-room", sources="Hadoop 3.5.0: hdfs-default.xml, howdah")
def _system(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Leave room on the system's disk."""
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
            f"{format_bytes(_SYSTEM_FREE)} free or a tenth: daemons that cannot write logs stop, a NameNode "
            "goes into safe mode",
            fix="delete old logs and packages from /, and move HADOOP_LOG_DIR to a disk with room",
        )


@rules.inspection("disks.even-fill", sources="D0 151, D0 36")
def _even(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Fill a host's data disks evenly."""
    used = {mount.mount: _used(mount) for mount in data_mounts(reading)}
    if len(used) > 1:
        least, most = min(used, key=used.__getitem__), max(used, key=used.__getitem__)
        yield Observation(
            used[most] - used[least] <= _FILL_SPREAD,
            f"{least}, {most}",
            f"{format_percent(used[least])} and {format_percent(used[most])} full",
            "at most 20 points between the emptiest and the fullest",
            fix="hdfs diskbalancer -plan HOST, then -execute",
        )


@rules.inspection("disks.equal-sizes", sources="D0 151, D2 107")
def _equal(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Have data disks of one size in a host."""
    sizes = {mount.mount: mount.size_bytes for mount in data_mounts(reading)}
    if len(sizes) > 1:
        small, large = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        yield Observation(
            sizes[large] <= _SIZE_SPREAD * sizes[small],
            f"{small}, {large}",
            f"{format_bytes(sizes[small])} and {format_bytes(sizes[large])}",
            "data disks of one size",
            fix="use disks of one size, or choose AvailableSpaceVolumeChoosingPolicy "
            "in dfs.datanode.fsdataset.volume.choosing.policy",
        )


@rules.advice("disks.system-disks", sources="D0 30")
def _apart(facts: Facts) -> str | None:
    """Keep the operating system and its logs off the data disks."""
    if any(disk.role is DiskRole.SYSTEM for disk in facts.group.disks):
        return None
    return (
        f"{facts.group.name} has no disk for the operating system. Keep system and logs off the data "
        "disks: two small mirrored disks are enough."
    )


@rules.advice("disks.spare", MAY, sources="D0 30", when="a host has 12 data disks or more")
def _spare(facts: Facts) -> str | None:
    """Keep a spare for a host with many disks."""
    disks = facts.group.data_disks
    if disks < _SPARE_WORTH_FROM or any(disk.role is DiskRole.SPARE for disk in facts.group.disks):
        return None
    return (
        f"With {disks} data disks in each host of {facts.group.name}, keep a spare disk in the "
        f"host or on the site."
    )


@rules.advice(
    "disks.controller",
    MAY,
    sources="D0 33, D1 97, D2 110",
    when="SAS or SATA disks move 2 GB/s or more together",
)
def _controller(facts: Facts) -> str | None:
    """Have a controller that carries all disks at once."""
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


rules.advice("disks.try-out", sources="D4 127, D4 139, D0 151").text(
    "Test every disk, then the cluster, before production.",
    "Before production, write and read every disk, first alone, then all at once (`howdah run "
    "storage`), then "
    "run TestDFSIO and TeraSort five times each: uniform disks matter more than fast ones.",
)


rules.advice("disks.drivers", MAY, sources="D0 143, D2 112").text(
    "Run one current version of drivers and firmware everywhere.",
    "Bring controller and network drivers and firmware to one current version on all hosts, and "
    "present disks as single disks (HBA mode), not as RAID volumes of one disk.",
)
