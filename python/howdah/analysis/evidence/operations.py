"""Operations on a table over time, what set their tail, and what servers did for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from howdah.analysis.evidence.use import FloatArray
from howdah.analysis.evidence.volumes import ByteFlow


@dataclass(frozen=True)
class OperationLatency:
    """How long one operation of a workload took, over all machines; seconds."""

    workload: str
    operation: str
    count: int
    within_s: tuple[tuple[float, float], ...]  # By share of all operations the time within which they ended.
    longest_s: float  # The slowest one's time.
    curve: tuple[tuple[float, float], ...]  # The same at many shares, as far as so many operations can tell.


@dataclass(frozen=True, eq=False)
class LatencyCourse:
    """How long operations of one kind took, step by step of a workload."""

    workload: str
    operation: str
    requests: bool  # Whether it is all of them together, each counted once.
    edges_s: FloatArray  # One value more than there are steps, seconds since the run's start.
    per_s: FloatArray  # How many ended in a second.
    within_s: tuple[tuple[float, FloatArray], ...]  # By share of the operations the time until so many ended.
    longest_s: FloatArray  # The slowest one's.


TailKind = Literal[
    "collector", "WAL sync", "blocked writes", "regions in transition", "flushes", "compactions",
    "cache misses", "disk", "server CPU", "client CPU", "hot server", "outage",
]  # fmt: skip
"""What may hold up single operations."""


@dataclass(frozen=True)
class TailCause:
    """Something that was the case in some steps of a workload, and the slowest operations in these."""

    kind: TailKind
    caught: float  # Share of the slowest operations that ended in them and are told by no cause before.
    held: float  # Share of all operations that did.
    without_s: float | None  # Time within which 99 % ended in all other steps; None where there are none.
    measure: str
    most: float  # The largest value of the measure, in ``unit``.
    unit: str
    machine: str  # Where that was.
    chance: float  # How often a cause that has nothing to do with it would catch as many.


@dataclass(frozen=True)
class Tail:
    """The slowest hundredth of a workload's requests, and what they coincided with."""

    workload: str
    within_s: float  # The time that 99 % stayed within.
    slow: int  # How many took longer.
    step_s: float  # How long a step is.
    causes: tuple[TailCause, ...]  # Those that tell the most first.
    steady: tuple[TailCause, ...]  # What was the case nearly always, so that it explains nothing.
    sought: tuple[TailKind, ...]  # What could be looked for.
    unknown: tuple[TailKind, ...]  # What nothing was sampled of.

    @property
    def explained(self) -> float:
        """The share of the slowest operations that any cause explains."""
        return sum(cause.caught for cause in self.causes)


@dataclass(frozen=True)
class RegionServerUse:
    """What one RegionServer did in a workload; shares are None where there was nothing to share.

    Queues and regions are the most that were sampled.
    """

    workload: str
    machine: str
    gets: float
    mutations: float
    scans: float
    seconds: float
    hit_share: float | None
    memstore_bytes: float
    flushes: float
    flushed_bytes: float
    compactions: float
    compacted_bytes: float
    compaction_queue: float
    wal_appends: float
    wal_bytes: float
    sync_s: float | None  # The mean of its WAL's syncs, which HBase tells in whole milliseconds.
    blocked_s: float
    gc_share: float
    longest_pause_s: float | None  # None where no log of its collector was read.
    exceptions: float
    too_busy: float
    not_serving: float
    cpu_s: float
    regions: float
    local_share: float | None
    judged: float  # Requests while all servers did their part: before a fault hit one, outside of outages.

    @property
    def requests(self) -> float:
        """Gets, mutations and scans."""
        return self.gets + self.mutations + self.scans


@dataclass(frozen=True)
class RegionUse:
    """Rows read or written in one region in a workload, and the machine that served most of them."""

    workload: str
    region: str
    machine: str
    rows: float


@dataclass(frozen=True)
class TableFlow:
    """The bytes of a workload's writes from layer to layer."""

    workload: str
    cells: float  # Values that clients wrote.
    client_bytes: float  # The values' own bytes.
    wal_bytes: float
    flushed_bytes: float
    compacted_bytes: float
    replication: int
    datanode_bytes: float | None
    disk_bytes: float | None  # What the data disks wrote meanwhile; None where they were not sampled.
    amplification: float  # What DataNodes, or HBase if not asked, wrote for each of these bytes.
    expected: float  # What theory says of it.
    flushed_share: float  # Part of what the WAL got that was flushed by the end; else in memory.
    picture: ByteFlow  # Every layer with what theory expects.


ThroughputBound = Literal[
    "the target", "server CPU", "client CPU", "disk", "log", "link", "blocked writes", "hot server", "waiting"
]


@dataclass(frozen=True)
class ThroughputLimit:
    """What kept a workload from doing more operations in a second."""

    workload: str
    per_s: float  # What it reports.
    bound: ThroughputBound  # ``waiting`` means that nothing was full.
    value: float  # The share of it that was used.
    machine: str  # Where, if it is one machine's.
    at_once: int | None  # So many requests clients could have under way.
    under_way: float  # So many they had on average.
    mean_s: float  # For so long each.
    still_s: float  # How long it got no answers after faults: what limited it is judged in the rest.
    apart_per_s: float  # The rate of that rest.
