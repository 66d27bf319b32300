"""What analysis derives from a run: the data its findings stand on and the report's figures show.

Everything is in SI base units; times are seconds since the start of the run. A share runs from 0 to 1.
What a run does not hold (no samples, no limits, no tasks) leaves its tuple empty or its field None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from howdah.model.finding import Finding
from howdah.model.run import Outcome

FloatArray = NDArray[np.float64]

Bound = Literal["reading", "writing", "disk", "memory", "CPU", "waiting"]
"""What a phase was limited by: ``disk`` is reading as much as writing, ``waiting`` means that no measured
resource was near its limit."""


@dataclass(frozen=True)
class Rate:
    """Bytes over seconds; ``of`` says which bytes, ``rows written`` for instance."""

    bytes: int
    seconds: float
    of: str

    @property
    def bytes_per_s(self) -> float:
        """The rate, 0 where no time has passed."""
        return self.bytes / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class PhaseTime:
    """When one phase ran, and the bytes it had to move (None: nothing, or not known for this phase).

    The second phase of one name within a workload is called ``write #2``.
    """

    name: str
    start_s: float
    end_s: float
    read: Rate | None
    write: Rate | None

    @property
    def elapsed_s(self) -> float:
        """Seconds from start to end."""
        return self.end_s - self.start_s


@dataclass(frozen=True)
class WorkloadTime:
    """When one workload ran and how fast it was.

    ``workload`` is its kind's name; a second workload of the same kind is called ``terasort #2``.
    ``index`` is its place in the record. ``end_s`` of a workload that was cut off is the last moment
    the record knows of.
    """

    workload: str
    index: int
    outcome: Outcome
    start_s: float
    end_s: float
    rate: Rate | None
    phases: tuple[PhaseTime, ...]

    @property
    def elapsed_s(self) -> float:
        """Seconds from start to durable end."""
        return self.end_s - self.start_s


@dataclass(frozen=True)
class CpuShare:
    """How all CPUs of a host spent a stretch of time; the five shares sum to 1."""

    user: float
    system: float
    iowait: float
    steal: float
    idle: float
    cpus: int

    @property
    def busy(self) -> float:
        """The share spent computing: user and system."""
        return self.user + self.system


@dataclass(frozen=True)
class DiskUse:
    """What one device did in a stretch of time; ``data`` says whether it carries a data directory."""

    disk: str
    data: bool
    read_bytes: float
    written_bytes: float
    busy_share: float
    seconds: float

    @property
    def read_bytes_per_s(self) -> float:
        """Mean read rate."""
        return self.read_bytes / self.seconds if self.seconds > 0 else 0.0

    @property
    def write_bytes_per_s(self) -> float:
        """Mean write rate."""
        return self.written_bytes / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class NicUse:
    """What one network interface carried in a stretch of time."""

    nic: str
    rx_bytes: float
    tx_bytes: float
    drops: float
    seconds: float


@dataclass(frozen=True)
class HostUse:
    """What one host's resources did in a stretch of time; ``pressure`` maps a PSI line to its share of it.

    ``pressure`` keys are ``cpu_some``, ``io_some``, ``io_full``, ``memory_some``, ``memory_full``.
    """

    host: str
    cpu: CpuShare | None
    disks: tuple[DiskUse, ...]
    nics: tuple[NicUse, ...]
    pressure: dict[str, float]


@dataclass(frozen=True)
class StretchUse:
    """Resource use in one workload (``phase`` None) or one of its phases.

    ``intervals`` is how many sample intervals fit into the stretch. Below two of them, unless samples
    were taken at its ends, ``coarse`` is set: the figures then come from samples beyond the stretch.
    """

    workload: str
    phase: str | None
    start_s: float
    end_s: float
    intervals: float
    coarse: bool
    hosts: tuple[HostUse, ...]

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end_s - self.start_s

    @property
    def cpu_busy(self) -> float | None:
        """The share of all hosts' CPU time spent computing; None where no host's CPUs were sampled."""
        shares = [host.cpu for host in self.hosts if host.cpu is not None]
        cpus = sum(share.cpus for share in shares)
        return sum(share.busy * share.cpus for share in shares) / cpus if cpus else None

    @property
    def disk_busy(self) -> float | None:
        """The busy share of the busiest disk that carries data; None where none was sampled."""
        return max((disk.busy_share for host in self.hosts for disk in host.disks if disk.data), default=None)


@dataclass(frozen=True, eq=False)
class Series:
    """One quantity over time, constant between two samples: ``values[i]`` holds from ``edges_s[i]`` to
    ``edges_s[i + 1]``.

    ``subject`` is ``cpu``, ``disk``, ``nic`` or ``pressure``; ``instance`` names the device (``all`` for
    the CPUs of a host taken together); ``unit`` is ``B/s`` or ``1`` (a share). Quantities: cpu user,
    system, iowait, steal, idle; disk read, write, busy; nic rx, tx; pressure as in HostUse.
    """

    host: str
    subject: str
    instance: str
    quantity: str
    unit: str
    edges_s: FloatArray
    values: FloatArray


@dataclass(frozen=True, eq=False)
class Gauge:
    """One quantity as it stood at each sample, ``memory/dirty_bytes`` for instance."""

    host: str
    metric: str
    unit: str
    times_s: FloatArray
    values: FloatArray


@dataclass(frozen=True)
class Explanation:
    """A part of the difference between devices and counters, signed like it, and why it is there."""

    what: str
    bytes: float
    sure: Literal["measured", "likely", "guess"]


@dataclass(frozen=True)
class ByteSide:
    """One direction (reading or writing) of a workload's byte account.

    ``should`` is theory (None: nothing to compute it from, or the workload did not finish); ``said``
    are the workload's own counters; ``devices`` is what the data disks counted (None: no samples);
    ``resolution`` bounds the error that comes from samples not falling on the workload's ends.
    """

    should: float | None
    said: float
    devices: float | None
    resolution: float
    explained: tuple[Explanation, ...]

    @property
    def remainder(self) -> float | None:
        """Bytes on the devices beyond those the workload says it moved; negative where there were fewer."""
        return None if self.devices is None else self.devices - self.said

    @property
    def unexplained(self) -> float | None:
        """The part of the remainder for which there is no explanation."""
        if self.remainder is None:
            return None
        return self.remainder - sum(part.bytes for part in self.explained)


@dataclass(frozen=True)
class ByteAccount:
    """What a workload should move, says it moved, and what the data disks did meanwhile."""

    workload: str
    disks: tuple[str, ...]
    read: ByteSide
    write: ByteSide


@dataclass(frozen=True)
class TaskSpread:
    """The task times of one kind within a workload: how even they were and what waiting cost.

    ``phase`` is the phase in which the last of them ended. ``tail_share`` is the part of all slot time
    that lay idle between a slot's last task and the end of the last task; ``saving_s`` is how much
    sooner that last task could have ended with the same work spread evenly over the slots.
    ``spread_s`` is the tasks' median absolute deviation. ``drift`` is the time per byte of the last
    third of the tasks over that of the first (1: steady), ``drift_rank`` the rank correlation of time
    per byte with start, -1 to 1.
    """

    workload: str
    phase: str | None
    kind: str
    tasks: int
    failed: int
    slots: int
    start_s: float
    end_s: float
    median_s: float
    spread_s: float
    longest_s: float
    longest_task: int
    longest_host: str
    tail_share: float
    saving_s: float
    drift: float
    drift_rank: float

    @property
    def longest_over_median(self) -> float:
        """The long pole: the longest task against the median one (1: all alike)."""
        return self.longest_s / self.median_s if self.median_s > 0 else 1.0


@dataclass(frozen=True)
class Balance:
    """How evenly bytes fell on several places: ``of`` is ``partitions``, ``disks read``,
    ``disks written``, ``data directories`` or ``hosts``.
    """

    workload: str
    of: str
    names: tuple[str, ...]
    bytes: tuple[float, ...]
    max_over_mean: float
    variation: float


@dataclass(frozen=True)
class Spills:
    """Intermediate data on disk: rows spilled per input row, and raw over stored bytes."""

    workload: str
    codec: str
    rows_per_row: float
    raw_bytes: int
    stored_bytes: int
    read_bytes: int

    @property
    def ratio(self) -> float:
        """Compression ratio, raw over stored."""
        return self.raw_bytes / self.stored_bytes if self.stored_bytes > 0 else 1.0


@dataclass(frozen=True)
class LimitShare:
    """How close a workload (``phase`` None) or phase came to the raw limits of this host.

    ``disk_s`` is the time the data disks need at their raw rates for the bytes that must move: each
    byte that can be paired (one read, one written) at the copy rate, the rest at the read or write
    rate. ``memory_s`` is one memcpy of the larger of the two directions. ``limit_s`` is the larger of
    both. ``cpu_busy`` and ``disk_busy`` are measured shares (None: no samples).
    ``name`` is what the disk limit amounts to in words, ``the disk's own copy``.
    """

    workload: str
    phase: str | None
    elapsed_s: float
    read_bytes: float
    write_bytes: float
    disk_s: float
    memory_s: float
    cpu_busy: float | None
    disk_busy: float | None
    bound: Bound
    name: str

    @property
    def limit_s(self) -> float:
        """The least time the raw hardware needs for the same bytes."""
        return max(self.disk_s, self.memory_s)

    @property
    def times_limit(self) -> float:
        """Measured time over the limit (1: as fast as the raw hardware)."""
        return self.elapsed_s / self.limit_s if self.limit_s > 0 else 0.0


@dataclass(frozen=True)
class DfsioFigures:
    """TestDFSIO's figures by its own definitions; MB is 2**20 bytes there.

    Throughput is all MB over the sum of the files' I/O seconds; the average is the mean of the files'
    own rates, the deviation sqrt(|mean of squared rates - squared mean|).
    """

    workload: str
    files: int
    total_mb: float
    throughput_mb_per_s: float
    average_mb_per_s: float
    deviation_mb_per_s: float
    exec_s: float


@dataclass(frozen=True)
class StorageZones:
    """Throughput of files written or read one after another on one data directory, first to last.

    ``drop`` is the share lost between the outermost and the innermost files (robustly: medians of the
    first and last tenth).
    """

    workload: str
    data_dir: str
    operation: Literal["write", "read"]
    rates_bytes_per_s: tuple[float, ...]
    drop: float


@dataclass(frozen=True, eq=False)
class Evidence:
    """All derived data of one run. ``data_disks`` are the devices that carry data directories."""

    workloads: tuple[WorkloadTime, ...]
    data_disks: tuple[str, ...]
    use: tuple[StretchUse, ...]
    series: tuple[Series, ...]
    gauges: tuple[Gauge, ...]
    accounts: tuple[ByteAccount, ...]
    spreads: tuple[TaskSpread, ...]
    balances: tuple[Balance, ...]
    spills: tuple[Spills, ...]
    limits: tuple[LimitShare, ...]
    dfsio: tuple[DfsioFigures, ...]
    storage: tuple[StorageZones, ...]

    def time_of(self, workload: str) -> WorkloadTime:
        """The times of a workload by its name in this evidence."""
        return next(time for time in self.workloads if time.workload == workload)


@dataclass(frozen=True, eq=False)
class Analysis:
    """The findings in the order a reader should meet them (the answer first), and their evidence."""

    findings: tuple[Finding, ...]
    evidence: Evidence
