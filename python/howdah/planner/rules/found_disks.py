"""Data disks and their file systems as they were found on a host."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from howdah.model.found import Found
from howdah.model.host import Disk, FileSystem
from howdah.planner.facts import Facts
from howdah.planner.rule import Inspection, Observation, Rule, Severity
from howdah.planner.rules.data_mounts import Judged, data_dirs, data_disks, data_mounts, is_system, together
from howdah.units import MIB, format_bytes

_RAID_VOLUME = re.compile(r"PERC|MegaRAID|LOGICAL VOLUME|ServeRAID|\bMR\d{4}|RAID", re.IGNORECASE)
_GROUPS_MOST = 4
_GROUP_LARGEST = 2**40
_RESERVED_MOST = 0.02
_SIZE_SPREAD = 1.1
_FILL_MOST = 0.9
_FILL_SPREAD = 0.2
_READ_AHEAD_LEAST = MIB

_Look = Callable[[Found, Facts], Iterator[Observation]]


def _mounts(judge: Callable[[FileSystem], tuple[bool | None, str] | None], expected: str, fix: str) -> _Look:
    """Look at every data file system with one question; those that do not concern it answer None."""

    def inspect(found: Found, facts: Facts) -> Iterator[Observation]:
        answers = ((one.mount, judge(one)) for one in data_mounts(found))
        yield from together([Judged(name, *answer) for name, answer in answers if answer], expected, fix)

    return inspect


def _disks(judge: Callable[[Disk], tuple[bool | None, str] | None], expected: str, fix: str) -> _Look:
    """Look at every data disk with one question; those that do not concern it answer None."""

    def inspect(found: Found, facts: Facts) -> Iterator[Observation]:
        answers = ((one.name, judge(one)) for one in data_disks(found))
        yield from together([Judged(name, *answer) for name, answer in answers if answer], expected, fix)

    return inspect


def _apart(found: Found, facts: Facts) -> Iterator[Observation]:
    if found.host is None or found.config is None:
        return
    judged = []
    for path in data_dirs(found.config):
        mount = found.host.mount_of(path)
        if mount is not None:
            own = isinstance(mount, FileSystem) and not is_system(mount.mount)
            judged.append(Judged(str(path), own, f"lies on {mount.mount} ({mount.kind})"))
    yield from together(
        judged,
        "a file system on a disk of its own",
        "mount a data disk there, and list only directories on data disks in dfs.datanode.data.dir",
    )


def _one_each(found: Found, facts: Facts) -> Iterator[Observation]:
    if found.host is None or found.config is None:
        return
    mounts: dict[str, list[str]] = {}
    for path in data_dirs(found.config):
        mount = found.host.mount_of(path)
        if mount is not None:
            mounts.setdefault(mount.mount, []).append(str(path))
    for name, paths in mounts.items():
        yield Observation(
            len(paths) == 1,
            name,
            f"{len(paths)} data directories: {', '.join(paths)}" if len(paths) > 1 else paths[0],
            "one data directory",
            fix="keep one directory of each file system in dfs.datanode.data.dir",
        )


def _jbod(found: Found, facts: Facts) -> Iterator[Observation]:
    models = {disk.name: disk.model or "" for disk in found.host.disks} if found.host else {}
    judged = []
    for one in data_mounts(found):
        volumes = [models[name] for name in one.disks if _RAID_VOLUME.search(models.get(name, ""))]
        if len(one.disks) > 1:
            judged.append(Judged(one.mount, False, f"lies on {len(one.disks)} disks: {', '.join(one.disks)}"))
        elif volumes:
            judged.append(Judged(one.mount, None, f"lies on a volume of a RAID controller ({volumes[0]})"))
        elif one.disks:
            judged.append(Judged(one.mount, True, "one disk"))
    yield from together(
        judged,
        "one file system on each disk",
        "take the array apart and give each disk a file system and an entry in dfs.datanode.data.dir",
    )


def _kind(one: FileSystem) -> tuple[bool | None, str]:
    return one.kind in ("xfs", "ext4"), one.kind


def _groups(one: FileSystem) -> tuple[bool | None, str] | None:
    if one.kind != "xfs":
        return None
    if one.xfs is None:
        return None, "not known"
    most = max(_GROUPS_MOST, -(-one.size_bytes // _GROUP_LARGEST))
    return one.xfs.agcount <= most, f"{one.xfs.agcount} allocation groups"


def _access_times(one: FileSystem) -> tuple[bool | None, str]:
    said = [option for option in one.options if option.endswith("atime")]
    return "noatime" in one.options, ", ".join(said) or "access times are written"


def _discard(one: FileSystem) -> tuple[bool | None, str]:
    used = any(option == "discard" or option.startswith("discard=") for option in one.options)
    return not used, "discard" if used else "no discard"


def _writable(one: FileSystem) -> tuple[bool | None, str]:
    return "ro" not in one.options, "read-only" if "ro" in one.options else "writable"


def _reserved(one: FileSystem) -> tuple[bool | None, str] | None:
    if not one.kind.startswith("ext"):
        return None
    if one.reserved_bytes is None:
        return None, "not known"
    share = one.reserved_bytes / one.size_bytes
    return share <= _RESERVED_MOST, f"{share:.1%} reserved ({format_bytes(one.reserved_bytes)})"


def _room(one: FileSystem) -> tuple[bool | None, str]:
    used = _used(one)
    return used <= _FILL_MOST, f"{used:.0%} full"


def _used(one: FileSystem) -> float:
    return 1 - one.free_bytes / one.size_bytes


def _even(found: Found, facts: Facts) -> Iterator[Observation]:
    used = {one.mount: _used(one) for one in data_mounts(found)}
    if len(used) > 1:
        least, most = min(used, key=used.__getitem__), max(used, key=used.__getitem__)
        yield Observation(
            used[most] - used[least] <= _FILL_SPREAD,
            f"{least}, {most}",
            f"{used[least]:.0%} and {used[most]:.0%} full",
            "at most 20 points between the emptiest and the fullest",
            fix="hdfs diskbalancer -plan HOST, then -execute",
        )


def _equal(found: Found, facts: Facts) -> Iterator[Observation]:
    sizes = {one.mount: one.size_bytes for one in data_mounts(found)}
    if len(sizes) > 1:
        small, large = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        yield Observation(
            sizes[large] <= _SIZE_SPREAD * sizes[small],
            f"{small}, {large}",
            f"{format_bytes(sizes[small])} and {format_bytes(sizes[large])}",
            "data disks of one size",
            fix="make disks alike, or choose AvailableSpaceVolumeChoosingPolicy "
            "in dfs.datanode.fsdataset.volume.choosing.policy",
        )


def _aligned(one: Disk) -> tuple[bool | None, str] | None:
    if not one.partition_starts_bytes:
        return None
    off = [start for start in one.partition_starts_bytes if start % MIB]
    return not off, f"a partition begins at byte {off[0]:,}" if off else "aligned"


def _scheduler(one: Disk) -> tuple[bool | None, str] | None:
    if one.kind == "loop":
        return None
    if one.scheduler is None:
        return None, "not known"
    if one.kind == "hdd":
        return one.scheduler in ("mq-deadline", "deadline"), one.scheduler
    return one.scheduler in ("none", "noop", "mq-deadline", "deadline", "kyber"), one.scheduler


def _read_ahead(found: Found, facts: Facts) -> Iterator[Observation]:
    if facts.request.hbase_used:
        return
    judged = [
        Judged(
            one.name,
            None if one.read_ahead_bytes is None else one.read_ahead_bytes >= _READ_AHEAD_LEAST,
            "not known" if one.read_ahead_bytes is None else f"{one.read_ahead_bytes // 1024} KiB",
        )
        for one in data_disks(found)
        if one.kind == "hdd"
    ]
    yield from together(
        judged, "1 MiB or more", "blockdev --setra 2048 DEVICE, and a udev rule for the next boot"
    )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="disks.apart-from-system",
        says="Keep HDFS's data off the operating system's file systems.",
        sources=("D0 30",),
        severity=Severity.MUST,
        inspect=_apart,
    ),
    Inspection(
        id="disks.one-directory-each",
        says="Give HDFS one directory on each disk: it takes every directory for a disk of its own.",
        sources=("D0 30",),
        inspect=_one_each,
    ),
    Inspection(
        id="disks.jbod",
        says="Give HDFS single disks: no RAID, no striping, no volume over several.",
        sources=("D0 30", "D4 128"),
        inspect=_jbod,
    ),
    Inspection(
        id="disks.kind-of-file-system",
        says="Have XFS or ext4 on data disks.",
        sources=("D0 28", "D4 127", "X6"),
        inspect=_mounts(_kind, "xfs or ext4", "make XFS on the disk once its blocks have been moved away"),
    ),
    Inspection(
        id="disks.allocation-groups",
        says="Have few XFS allocation groups on data disks, so that a disk is as fast half full as empty.",
        sources=("D0 28", "X6", "X10"),
        inspect=_mounts(
            _groups,
            "at most 4, or one for each TiB",
            "decommission the disk and make it anew with the plan's mkfs options (agcount)",
        ),
    ),
    Inspection(
        id="disks.access-times",
        says="Mount data disks with noatime.",
        sources=("howdah",),
        inspect=_mounts(
            _access_times, "noatime", "add noatime to the mount's options in /etc/fstab and remount"
        ),
        today="Linux writes access times once a day at most since 2.6.30 (relatime); noatime saves that too.",
    ),
    Inspection(
        id="disks.discard",
        says="Trim flash once a week, not at every delete.",
        sources=("howdah",),
        inspect=_mounts(
            _discard, "no discard option", "drop `discard` from /etc/fstab and enable fstrim.timer"
        ),
    ),
    Inspection(
        id="disks.writable",
        says="Have data disks mounted for writing.",
        sources=("howdah",),
        severity=Severity.MUST,
        inspect=_mounts(
            _writable,
            "writable",
            "errors make a file system read-only: read the kernel log, then repair or replace the disk",
        ),
    ),
    Inspection(
        id="disks.reserved-blocks",
        says="Reserve next to nothing for root on data disks.",
        sources=("D1 93", "howdah"),
        inspect=_mounts(_reserved, "at most 2 % (mkfs reserves 5 %)", "tune2fs -m 0 DEVICE"),
    ),
    Inspection(
        id="disks.room",
        says="Leave a tenth of every data disk free.",
        sources=("D0 28", "D0 36", "howdah"),
        inspect=_mounts(_room, "at most 90 % full", "add hosts or delete data; see dfs.datanode.du.reserved"),
    ),
    Inspection(
        id="disks.even-fill",
        says="Fill a host's data disks evenly.",
        sources=("D0 151", "D0 36"),
        inspect=_even,
    ),
    Inspection(
        id="disks.equal-sizes",
        says="Have data disks of one size in a host.",
        sources=("D0 151", "D2 107"),
        inspect=_equal,
    ),
    Inspection(
        id="disks.alignment",
        says="Begin partitions on a MiB, so that no write touches two sectors or stripes where one would do.",
        sources=("D0 29",),
        inspect=_disks(_aligned, "a multiple of 1 MiB", "partition the disk anew, beginning at 8 MiB"),
    ),
    Inspection(
        id="disks.scheduler",
        says="Sort requests for disks that spin, and let fast ones sort for themselves.",
        sources=("howdah", "Linux 5.0"),
        inspect=_disks(
            _scheduler,
            "mq-deadline for disks that spin; none, mq-deadline or kyber for flash",
            "echo the name into /sys/block/DEVICE/queue/scheduler, and a udev rule for the next boot",
        ),
    ),
    Inspection(
        id="disks.read-ahead",
        says="Read ahead 1 MiB or more on disks that spin.",
        sources=("D0 56", "howdah"),
        severity=Severity.MAY,
        condition="HBase, which reads at random, does not run",
        inspect=_read_ahead,
    ),
)
