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
    """How long operations of one kind took, step by step of a workload.

    ``edges_s`` has one more value than there are steps, seconds since the run's start; ``per_s`` is how many
    ended in a second; ``within_s`` has for each share of the operations the time within which so many ended,
    NaN where none did; ``longest_s`` the slowest one's. ``requests`` says that it is all of them together,
    each counted once.
    """

    workload: str
    operation: str
    requests: bool
    edges_s: FloatArray
    per_s: FloatArray
    within_s: tuple[tuple[float, FloatArray], ...]
    longest_s: FloatArray


TailKind = Literal[
    "collector",
    "WAL sync",
    "blocked writes",
    "regions in transition",
    "flushes",
    "compactions",
    "cache misses",
    "disk",
    "server CPU",
    "client CPU",
    "hot server",
    "outage",
]
"""What may hold up single operations."""


@dataclass(frozen=True)
class TailCause:
    """Something that was the case in some steps of a workload, and the slowest operations in these.

    ``caught`` is the share of the slowest operations that ended in them and are told by no cause before,
    ``held`` the share of all operations that did. ``without_s`` is the time within which 99 % of the
    operations ended in all other steps, None where there are none. ``most`` is the largest value of what is
    measured (``measure``, in ``unit``), and ``machine`` where that was. ``chance`` is how often a cause
    that has nothing to do with it would catch as many.
    """

    kind: TailKind
    caught: float
    held: float
    without_s: float | None
    measure: str
    most: float
    unit: str
    machine: str
    chance: float


@dataclass(frozen=True)
class Tail:
    """The slowest hundredth of a workload's requests, and what they coincided with.

    ``within_s`` is the time that 99 % stayed within, ``slow`` how many took longer, ``step_s`` how long a
    step is. ``causes`` tell the most first; ``steady`` is what was the case nearly all the time, so that it
    cannot be told from the slow operations when it held. ``sought`` is what could be looked for,
    ``unknown`` what nothing was sampled of.
    """

    workload: str
    within_s: float
    slow: int
    step_s: float
    causes: tuple[TailCause, ...]
    steady: tuple[TailCause, ...]
    sought: tuple[TailKind, ...]
    unknown: tuple[TailKind, ...]

    @property
    def explained(self) -> float:
        """The share of the slowest operations that any cause explains."""
        return sum(cause.caught for cause in self.causes)


@dataclass(frozen=True)
class RegionServerUse:
    """What one RegionServer did in a workload; shares are None where there was nothing to share.

    ``longest_pause_s`` is None where no log of its collector was read, ``sync_s`` the mean of its WAL's
    syncs, which HBase tells in whole milliseconds. Queues and regions are the most that were sampled.
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
    sync_s: float | None
    blocked_s: float
    gc_share: float
    longest_pause_s: float | None
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
    """The bytes of a workload's writes from layer to layer.

    ``cells`` is how many values clients wrote, ``client_bytes`` the values' own bytes. ``picture`` has
    every layer with what theory expects. ``amplification`` is what DataNodes (or, where those were not
    asked, HBase) wrote for each of the clients' bytes, ``expected`` what theory says of it, ``disk_bytes``
    what the data disks wrote meanwhile, None where they were not sampled. ``flushed_share`` is the part of
    what was written to the WAL that was flushed by the end: the rest is still in memory.
    """

    workload: str
    cells: float
    client_bytes: float
    wal_bytes: float
    flushed_bytes: float
    compacted_bytes: float
    replication: int
    datanode_bytes: float | None
    disk_bytes: float | None
    amplification: float
    expected: float
    flushed_share: float
    picture: ByteFlow


ThroughputBound = Literal[
    "the target", "server CPU", "client CPU", "disk", "log", "link", "blocked writes", "hot server", "waiting"
]


@dataclass(frozen=True)
class ThroughputLimit:
    """What kept a workload from doing more operations in a second, of which it reports ``per_s``.

    ``value`` is the share of it that was used, of ``machine`` where it is one machine's; ``waiting`` means
    that nothing was full. Clients could have so many requests ``at_once`` and had ``under_way`` on average,
    each for ``mean_s``. ``still_s`` is how long it got no answers after faults: what limited it is judged
    in the rest, of which ``apart_per_s`` is the rate.
    """

    workload: str
    per_s: float
    bound: ThroughputBound
    value: float
    machine: str
    at_once: int | None
    under_way: float
    mean_s: float
    still_s: float
    apart_per_s: float
