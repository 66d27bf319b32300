"""How data disks are partitioned, formatted, mounted and read."""

from __future__ import annotations

from howdah.model.inventory import DiskKind, DiskRole
from howdah.model.plan import Input, Value
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY, Decision, Scope
from howdah.planner.rules.declare import Condition, Rules
from howdah.planner.values import at_least
from howdah.units import MIB

_FILE = "disks"
_LARGEST_GROUP = 2**40  # an XFS allocation group holds 1 TiB at most
_PARTITION_START = 8 * MIB
rules = Rules(file=_FILE)


def _file_system_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    return value in ("xfs", "ext4")


@rules.setting(
    "disks.file-system",
    "fs.type",
    sources="D0 28, D4 127, X6",
    accepts=_file_system_accepts,
    today="AMAX saw XFS delete slowly; delayed logging, the default since Linux 2.6.39, ended that.",
)
def _file_system(facts: Facts) -> Decision:
    """Make XFS on data disks; an ext4 that exists is fine."""
    return Decision("xfs", "made in seconds, large files in few extents, many writers at once")


def _is_spinning(facts: Facts) -> bool:
    return facts.spinning


def least_groups(size_bytes: int) -> int:
    """The fewest allocation groups mkfs.xfs makes on a file system of this size."""
    return max(2, -(-size_bytes // _LARGEST_GROUP))


@rules.setting(
    "disks.make-file-system",
    "mkfs.options",
    sources="D0 28, X6, X10",
    when=Condition("data disks spin", _is_spinning),
    scope=Scope.WORKER,
    today="The papers' agcount=1 is refused: mkfs.xfs 6.1 makes 2 at least, and one for each TiB.",
)
def _mkfs(facts: Facts) -> Decision:
    """Make XFS with the fewest allocation groups."""
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


def _mount_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    return isinstance(value, tuple) and "noatime" in value and "discard" not in value


@rules.setting(
    "disks.mount",
    "mount.options",
    sources="howdah",
    accepts=_mount_accepts,
    today="noatime includes nodiratime. Without nofail systemd waits for a lost disk and then gives up "
    "the start. On flash a weekly fstrim does the work of `discard`.",
)
def _mount(facts: Facts) -> Decision:
    """Mount data disks without access times and discards, and let no lost one hold up a start."""
    return Decision(
        ("noatime", "nofail"),
        "else reading a block writes the time it was read to the same disk, and a host whose one disk failed "
        "does not start",
    )


def _partition_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    return isinstance(value, int) and value > 0 and value % MIB == 0


@rules.setting(
    "disks.partition",
    "partition.start",
    sources="D0 29, D0 30, D1 93, D2 112, D3 123",
    accepts=_partition_accepts,
)
def _partition(facts: Facts) -> Decision:
    """Begin a data disk's one partition at 8 MiB."""
    return Decision(
        _PARTITION_START, "a multiple of every sector, stripe and erase block; it costs 8 MiB of a disk"
    )


def _scheduler_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    return value == decision.value or (not facts.spinning and value in ("none", "mq-deadline", "kyber"))


@rules.setting(
    "disks.queue-scheduler",
    "queue.scheduler",
    sources="howdah, Linux 5.0",
    scope=Scope.WORKER,
    accepts=_scheduler_accepts,
    today="The single-queue schedulers cfq, deadline and noop went with Linux 5.0.",
)
def _scheduler(facts: Facts) -> Decision:
    """Sort requests for disks that spin, and leave NVMe to itself."""
    kinds = {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA}
    if DiskKind.HDD in kinds:
        return Decision("mq-deadline", "a spinning disk gains from sorted requests, and no task starves")
    if DiskKind.SSD in kinds:
        return Decision(
            "mq-deadline",
            "a SATA queue is shallow: ordered by deadline, no read waits behind a burst of writes",
        )
    return Decision("none", "NVMe sorts its own deep queues; ordering again costs CPU time")


def _streams(facts: Facts) -> bool:
    return not facts.request.hbase_used and facts.spinning


@rules.setting(
    "disks.queue-read-ahead",
    "queue.read_ahead_kb",
    MAY,
    sources="D0 56, howdah",
    when=Condition("data disks spin and HBase, which reads at random, does not run", _streams),
    scope=Scope.WORKER,
    accepts=at_least,
    today="HDFS asks for its own read-ahead (dfs.datanode.readahead.bytes); this serves the shuffle.",
)
def _read_ahead(facts: Facts) -> Decision:
    """Read ahead 1 MiB on disks that spin."""
    return Decision(1024, "several streams share a disk: reading further ahead makes for fewer seeks")
