"""Data disks: one partition and one file system each, and what to buy."""

from __future__ import annotations

from howdah.model.inventory import DiskKind, DiskRole
from howdah.model.plan import Input, Value
from howdah.planner.facts import Facts
from howdah.planner.inspecting import disks as found_disks
from howdah.planner.inspecting import mounts as found_mounts
from howdah.planner.rule import Counsel, Decision, Rule, Scope, SettingRule, Severity
from howdah.planner.throughput import data_bytes_per_s
from howdah.planner.values import at_least
from howdah.units import MIB, format_rate

_FILE = "disks"
_LARGEST_GROUP = 2**40  # an XFS allocation group holds 1 TiB at most
_PARTITION_START = 8 * MIB
_SPARE_WORTH_FROM = 12
_CONTROLLER_BYTES_PER_S = 4_000_000_000


def least_groups(size_bytes: int) -> int:
    """The fewest allocation groups mkfs.xfs makes on a file system of this size."""
    return max(2, -(-size_bytes // _LARGEST_GROUP))


def _file_system(facts: Facts) -> Decision:
    return Decision("xfs", "made in seconds, large files in few extents, many writers at once")


def _file_system_accepts(found: Value, decision: Decision, facts: Facts) -> bool:
    return found in ("xfs", "ext4")


def _mkfs(facts: Facts) -> Decision:
    size = max(disk.size_bytes for disk in facts.group.disks if disk.role is DiskRole.DATA)
    groups = least_groups(size)
    return Decision(
        f"-d agcount={groups}",
        "few allocation groups fill a disk from its fast outer zone inwards, all disks alike; "
        f"{groups} is the least mkfs.xfs makes at this size",
        (
            Input(name="disk size", value=size, unit="B"),
            Input(name="largest group", value=_LARGEST_GROUP, unit="B"),
        ),
    )


def _mount(facts: Facts) -> Decision:
    return Decision(
        ("noatime", "nofail"),
        "else reading a block writes the time it was read to the same disk, and a host whose one disk failed "
        "does not start",
    )


def _mount_accepts(found: Value, decision: Decision, facts: Facts) -> bool:
    return isinstance(found, tuple) and "noatime" in found and "discard" not in found


def _partition(facts: Facts) -> Decision:
    return Decision(
        _PARTITION_START, "a multiple of every sector, stripe and erase block; it costs 8 MiB of a disk"
    )


def _partition_accepts(found: Value, decision: Decision, facts: Facts) -> bool:
    return isinstance(found, int) and found > 0 and found % MIB == 0


def _scheduler(facts: Facts) -> Decision:
    kinds = {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA}
    if DiskKind.HDD in kinds:
        return Decision("mq-deadline", "a spinning disk gains from sorted requests, and no task starves")
    if DiskKind.SSD in kinds:
        return Decision(
            "mq-deadline",
            "a SATA queue is shallow: ordered by deadline, no read waits behind a burst of writes",
        )
    return Decision("none", "NVMe sorts its own deep queues; ordering again costs CPU time")


def _scheduler_accepts(found: Value, decision: Decision, facts: Facts) -> bool:
    return found == decision.value or (not facts.spinning and found in ("none", "mq-deadline", "kyber"))


def _read_ahead(facts: Facts) -> Decision:
    return Decision(1024, "several streams share a disk: reading further ahead makes for fewer seeks")


def _streams(facts: Facts) -> bool:
    return not facts.request.hbase_used and facts.spinning


def _apart(facts: Facts) -> str | None:
    if any(disk.role is DiskRole.SYSTEM for disk in facts.group.disks):
        return None
    return (
        f"No disk of {facts.group.name} is for the operating system. Keep system and logs off the data "
        "disks: two small mirrored disks will do."
    )


def _spare(facts: Facts) -> str | None:
    disks = facts.group.data_disks
    if disks < _SPARE_WORTH_FROM or any(disk.role is DiskRole.SPARE for disk in facts.group.disks):
        return None
    return (
        f"With {disks} data disks in each host of {facts.group.name}, keep a spare in the host or the room."
    )


def _controller(facts: Facts) -> str | None:
    rate = data_bytes_per_s(facts.group)
    spinning = {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA} <= {
        DiskKind.HDD,
        DiskKind.SSD,
    }
    if not spinning or rate < _CONTROLLER_BYTES_PER_S / 2:
        return None
    return (
        f"The data disks of a host move about {format_rate(rate)} together. See that the controller and its "
        "PCIe lanes carry that: older ones gave half of what they promised."
    )


def _try_out(facts: Facts) -> str:
    return (
        "Before production, write and read every disk alone and all together (`howdah run storage`), then "
        "run TestDFSIO and TeraSort five times each: uniform disks matter more than fast ones."
    )


def _drivers(facts: Facts) -> str:
    return (
        "Bring controller and network drivers and firmware to one current version on all hosts, and hand "
        "disks through as single disks (HBA mode), not as RAID volumes of one disk."
    )


def _is_spinning(facts: Facts) -> bool:
    return facts.spinning


RULES: tuple[Rule, ...] = (
    SettingRule(
        id="disks.file-system",
        says="Make XFS on data disks; an ext4 that exists is fine.",
        sources=("D0 28", "D4 127", "X6"),
        key="fs.type",
        file=_FILE,
        decide=_file_system,
        accepts=_file_system_accepts,
        today="AMAX saw XFS delete slowly; delayed logging, the default since Linux 2.6.39, ended that.",
    ),
    SettingRule(
        id="disks.make-file-system",
        says="Make XFS with the fewest allocation groups.",
        sources=("D0 28", "X6", "X10"),
        condition="data disks spin",
        applies=_is_spinning,
        key="mkfs.options",
        file=_FILE,
        scope=Scope.WORKER,
        decide=_mkfs,
        today="The papers' agcount=1 is refused: mkfs.xfs 6.1 makes 2 at least, and one for each TiB.",
    ),
    SettingRule(
        id="disks.mount",
        says="Mount data disks without access times and discards, and let no lost one hold up a start.",
        sources=("howdah",),
        key="mount.options",
        file=_FILE,
        decide=_mount,
        accepts=_mount_accepts,
        today="noatime includes nodiratime. Without nofail systemd waits for a lost disk and then gives up "
        "the start. On flash a weekly fstrim does the work of `discard`.",
    ),
    SettingRule(
        id="disks.partition",
        says="Begin a data disk's one partition at 8 MiB.",
        sources=("D0 29", "D0 30", "D1 93", "D2 112", "D3 123"),
        key="partition.start",
        file=_FILE,
        decide=_partition,
        accepts=_partition_accepts,
    ),
    SettingRule(
        id="disks.queue-scheduler",
        says="Sort requests for disks that spin, and leave NVMe to itself.",
        sources=("howdah", "Linux 5.0"),
        key="queue.scheduler",
        file=_FILE,
        scope=Scope.WORKER,
        decide=_scheduler,
        accepts=_scheduler_accepts,
        today="The single-queue schedulers cfq, deadline and noop went with Linux 5.0.",
    ),
    SettingRule(
        id="disks.queue-read-ahead",
        says="Read ahead 1 MiB on disks that spin.",
        sources=("D0 56", "howdah"),
        severity=Severity.MAY,
        condition="data disks spin and HBase, which reads at random, does not run",
        applies=_streams,
        key="queue.read_ahead_kb",
        file=_FILE,
        scope=Scope.WORKER,
        decide=_read_ahead,
        accepts=at_least,
        today="HDFS asks for its own read-ahead (dfs.datanode.readahead.bytes); this serves the shuffle.",
    ),
    *found_disks.RULES,
    *found_mounts.RULES,
    Counsel(
        id="disks.system-disks",
        says="Keep the operating system and its logs off the data disks.",
        sources=("D0 30",),
        tell=_apart,
    ),
    Counsel(
        id="disks.spare",
        says="Keep a spare for a host with many disks.",
        sources=("D0 30",),
        severity=Severity.MAY,
        condition="a host has 12 data disks or more",
        tell=_spare,
    ),
    Counsel(
        id="disks.controller",
        says="Have a controller that carries all disks at once.",
        sources=("D0 33", "D1 97", "D2 110"),
        severity=Severity.MAY,
        condition="SAS or SATA disks move 2 GB/s or more together",
        tell=_controller,
    ),
    Counsel(
        id="disks.try-out",
        says="Test every disk, then the cluster, before production.",
        sources=("D4 127", "D4 139", "D0 151"),
        tell=_try_out,
    ),
    Counsel(
        id="disks.drivers",
        says="Run one current version of drivers and firmware everywhere.",
        sources=("D0 143", "D2 112"),
        severity=Severity.MAY,
        tell=_drivers,
    ),
)
