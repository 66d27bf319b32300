"""Settings of data disks, and where HDFS's directories are on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from howdah.model.host import Disk, FileSystem
from howdah.model.inventory import DiskKind, DiskRole
from howdah.model.plan import Input
from howdah.planner.facts import Facts
from howdah.planner.reading import (
    Inspected,
    MountJudgement,
    Observation,
    data_dirs,
    data_disks,
    data_mounts,
    group_observations,
    is_system,
)
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules
from howdah.units import MIB

rules = read_rules("disks.toml")

_LARGEST_GROUP = 2**40  # an XFS allocation group holds 1 TiB at most
_RAID_VOLUME = re.compile(r"PERC|MegaRAID|LOGICAL VOLUME|ServeRAID|\bMR\d{4}|RAID", re.IGNORECASE)
_READ_AHEAD_LEAST = MIB
_Inspect = Callable[[Inspected, Facts], Iterator[Observation]]


def least_groups(size_bytes: int) -> int:
    """The fewest allocation groups mkfs.xfs makes on a file system of this size."""
    return max(2, -(-size_bytes // _LARGEST_GROUP))


rules.when("data disks spin")(lambda facts: facts.spinning)


@rules.decides("disks.make-file-system")
def _mkfs(facts: Facts) -> Decision:
    size = max(disk.size_bytes for disk in facts.group.disks if disk.role is DiskRole.DATA)
    groups = least_groups(size)
    return Decision(
        f"-d agcount={groups}",
        "with few allocation groups all disks fill from the fast outer zone inwards; "
        f"{groups} is the least mkfs.xfs makes at this size",
        (
            Input(name="disk size", value=size, unit="B"),
            Input(name="largest group", value=_LARGEST_GROUP, unit="B"),
        ),
    )


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


@rules.decides("disks.queue-scheduler")
def _scheduler(facts: Facts) -> Decision:
    kinds = {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA}
    if DiskKind.HDD in kinds:
        return Decision("mq-deadline", words="spinning")
    if DiskKind.SSD in kinds:
        return Decision("mq-deadline", words="sata")
    return Decision("none", words="nvme")


rules.when("data disks spin and HBase, which reads at random, does not run")(
    lambda facts: not facts.request.hbase_used and facts.spinning
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
            judged.append(MountJudgement(str(path), own, f"lies on {mount.mount} ({mount.kind})"))
    yield from group_observations(
        judged,
        "a file system on its own disk",
        "mount a data disk there, and list only directories on data disks in dfs.datanode.data.dir",
    )


@rules.inspects("disks.shared")
def _shared(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    mounts: dict[str, list[str]] = {}
    for mount in data_mounts(reading):
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
        yield Observation(
            len(paths) == 1,
            name,
            f"{len(paths)} data directories: {', '.join(paths)}" if len(paths) > 1 else paths[0],
        )


@rules.inspects("disks.jbod")
def _jbod(reading: Inspected, facts: Facts) -> Iterator[Observation]:
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
        "dissolve the array, and give each disk a file system and an entry in dfs.datanode.data.dir",
    )


_Judge = Callable[[Disk], tuple[bool | None, str] | None]


def _disks(expected: str, fix: str) -> Callable[[_Judge], _Inspect]:
    """Judge every data disk by one question; those that it does not concern have no answer."""

    def of_all(judge: _Judge) -> _Inspect:
        def inspect(reading: Inspected, facts: Facts) -> Iterator[Observation]:
            answers = ((disk.name, judge(disk)) for disk in data_disks(reading))
            judged = [MountJudgement(name, *answer) for name, answer in answers if answer]
            yield from group_observations(judged, expected, fix)

        return inspect

    return of_all


@rules.inspects("disks.alignment")
@_disks("a multiple of 1 MiB", "partition the disk again, beginning at 8 MiB")
def _aligned(disk: Disk) -> tuple[bool | None, str] | None:
    if not disk.partition_starts_bytes:
        return None
    off = [start for start in disk.partition_starts_bytes if start % MIB]
    return not off, f"a partition begins at byte {off[0]:,}" if off else "aligned"


@rules.inspects("disks.scheduler")
@_disks(
    "mq-deadline for disks that spin; none, mq-deadline or kyber for flash",
    "echo the name into /sys/block/DEVICE/queue/scheduler, and a udev rule for the next boot",
)
def _judge_scheduler(disk: Disk) -> tuple[bool | None, str] | None:
    if disk.kind == "loop":
        return None
    if disk.scheduler is None:
        return None, "not known"
    if disk.kind == "hdd":
        return disk.scheduler in ("mq-deadline", "deadline"), disk.scheduler
    return disk.scheduler in ("none", "noop", "mq-deadline", "deadline", "kyber"), disk.scheduler


@rules.inspects("disks.read-ahead")
def _inspect_read_ahead(reading: Inspected, facts: Facts) -> Iterator[Observation]:
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
