"""Data disks, and where HDFS's directories lie on them, as they were found on a host."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from howdah.model.storage import Disk, FileSystem
from howdah.planner.data_mounts import (
    MountJudgement,
    data_dirs,
    data_disks,
    data_mounts,
    group_observations,
    is_system,
)
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MAY, MUST
from howdah.planner.rules.declare import Rules
from howdah.units import MIB

_RAID_VOLUME = re.compile(r"PERC|MegaRAID|LOGICAL VOLUME|ServeRAID|\bMR\d{4}|RAID", re.IGNORECASE)
_READ_AHEAD_LEAST = MIB
_Look = Callable[[Reading, Facts], Iterator[Observation]]
rules = Rules()


@rules.inspection("disks.apart-from-system", MUST, sources="D0 30")
def _apart(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Keep HDFS's data off the operating system's file systems."""
    if reading.host is None or reading.config is None:
        return
    judged = []
    for path in data_dirs(reading.config):
        mount = reading.host.mount_of(path)
        if mount is not None:
            own = isinstance(mount, FileSystem) and not is_system(mount.mount)
            judged.append(MountJudgement(str(path), own, f"lies on {mount.mount} ({mount.kind})"))
    yield from group_observations(
        judged,
        "a file system on a disk of its own",
        "mount a data disk there, and list only directories on data disks in dfs.datanode.data.dir",
    )


@rules.inspection("disks.shared", sources="D0 30, D4 128")
def _shared(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Have one data file system on a disk: HDFS takes every file system for a disk of its own."""
    mounts: dict[str, list[str]] = {}
    for mount in data_mounts(reading):
        for disk in mount.disks:
            mounts.setdefault(disk, []).append(mount.mount)
    for disk, names in mounts.items():
        if len(names) > 1:
            yield Observation(
                ok=False,
                about=disk,
                found=f"carries {len(names)} data file systems: {', '.join(names)}",
                expected="one data file system",
                fix="give each a disk of its own: these share one disk's arm and fail together",
            )


@rules.inspection("disks.one-directory-each", sources="D0 30")
def _one_each(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Give HDFS one directory on each disk: it takes every directory for a disk of its own."""
    if reading.host is None or reading.config is None:
        return
    mounts: dict[str, list[str]] = {}
    for path in data_dirs(reading.config):
        mount = reading.host.mount_of(path)
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


@rules.inspection("disks.jbod", sources="D0 30, D4 128")
def _jbod(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Give HDFS single disks: no RAID, no striping, no volume over several."""
    models = {disk.name: disk.model or "" for disk in reading.host.disks} if reading.host else {}
    judged = []
    for mount in data_mounts(reading):
        volumes = [models[name] for name in mount.disks if _RAID_VOLUME.search(models.get(name, ""))]
        if len(mount.disks) > 1:
            judged.append(
                MountJudgement(
                    mount.mount, False, f"lies on {len(mount.disks)} disks: {', '.join(mount.disks)}"
                )
            )
        elif volumes:
            judged.append(
                MountJudgement(mount.mount, None, f"lies on a volume of a RAID controller ({volumes[0]})")
            )
        elif mount.disks:
            judged.append(MountJudgement(mount.mount, True, "one disk"))
    yield from group_observations(
        judged,
        "one file system on each disk",
        "take the array apart and give each disk a file system and an entry in dfs.datanode.data.dir",
    )


def _disks(judge: Callable[[Disk], tuple[bool | None, str] | None], expected: str, fix: str) -> _Look:
    """Look at every data disk with one question; those that do not concern it answer None."""

    def inspect(reading: Reading, facts: Facts) -> Iterator[Observation]:
        answers = ((disk.name, judge(disk)) for disk in data_disks(reading))
        yield from group_observations(
            [MountJudgement(name, *answer) for name, answer in answers if answer], expected, fix
        )

    return inspect


def _aligned(disk: Disk) -> tuple[bool | None, str] | None:
    if not disk.partition_starts_bytes:
        return None
    off = [start for start in disk.partition_starts_bytes if start % MIB]
    return not off, f"a partition begins at byte {off[0]:,}" if off else "aligned"


rules.inspection("disks.alignment", sources="D0 29").by(
    "Begin partitions on a MiB, so that no write touches two sectors or stripes where one would do.",
    _disks(_aligned, "a multiple of 1 MiB", "partition the disk again, beginning at 8 MiB"),
)


def _scheduler(disk: Disk) -> tuple[bool | None, str] | None:
    if disk.kind == "loop":
        return None
    if disk.scheduler is None:
        return None, "not known"
    if disk.kind == "hdd":
        return disk.scheduler in ("mq-deadline", "deadline"), disk.scheduler
    return disk.scheduler in ("none", "noop", "mq-deadline", "deadline", "kyber"), disk.scheduler


rules.inspection("disks.scheduler", sources="howdah, Linux 5.0").by(
    "Sort requests for disks that spin, and let fast ones sort for themselves.",
    _disks(
        _scheduler,
        "mq-deadline for disks that spin; none, mq-deadline or kyber for flash",
        "echo the name into /sys/block/DEVICE/queue/scheduler, and a udev rule for the next boot",
    ),
)


@rules.inspection(
    "disks.read-ahead", MAY, sources="D0 56, howdah", when="HBase, which reads at random, does not run"
)
def _read_ahead(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Read ahead 1 MiB or more on disks that spin."""
    if facts.request.hbase_used:
        return
    judged = [
        MountJudgement(
            disk.name,
            None if disk.read_ahead_bytes is None else disk.read_ahead_bytes >= _READ_AHEAD_LEAST,
            "not known" if disk.read_ahead_bytes is None else f"{disk.read_ahead_bytes // 1024} KiB",
        )
        for disk in data_disks(reading)
        if disk.kind == "hdd"
    ]
    yield from group_observations(
        judged, "1 MiB or more", "blockdev --setra 2048 DEVICE, and a udev rule for the next boot"
    )
