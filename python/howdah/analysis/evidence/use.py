"""What machines and executors did: CPUs, disks, network and memory, over stretches and time, and for whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Level = Literal["host", "worker", "master", "beneath", "other"]
"""What a machine is: a ``host`` carries workers that are machines of their own, a native worker is a
``worker`` and its own host. ``beneath`` is the machine that all of a laboratory is on, which is no part
of the plan. ``other`` is one that no plan and no task names: where howdah itself ran."""


@dataclass(frozen=True)
class MachineOfRun:
    """One machine of the plan, or the machine a local run was on (then a ``host``)."""

    name: str
    level: Level
    host: str  # The physical host it is on, its own name for a host.
    rack: str  # Empty where no plan tells.

    @property
    def planned(self) -> bool:
        """Whether it is part of the plan, or of what the tasks of a run were on."""
        return self.level not in ("beneath", "other")


FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class CpuShare:
    """How all CPUs of a machine spent a stretch of time; the five shares sum to 1."""

    user: float
    system: float
    iowait: float
    steal: float
    idle: float
    cpus: float  # How many CPUs it has, or how many its limit allows, which need not be whole.

    @property
    def busy(self) -> float:
        """The share spent computing: user and system."""
        return self.user + self.system


@dataclass(frozen=True)
class DiskUse:
    """What one device did in a stretch of time."""

    disk: str
    data: bool  # Whether it carries a data directory.
    read_bytes: float
    written_bytes: float
    busy_share: float
    seconds: float

    @property
    def read_bytes_per_s(self) -> float:
        return self.read_bytes / self.seconds if self.seconds > 0 else 0.0

    @property
    def write_bytes_per_s(self) -> float:
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
    """What one machine's resources did in a stretch of time."""

    host: str  # The machine's name, whatever its level.
    level: Level
    cpu: CpuShare | None
    disks: tuple[DiskUse, ...]
    nics: tuple[NicUse, ...]
    pressure: dict[str, float]  # Shares of the time by PSI line: ``cpu_some``, ``io_full`` …


@dataclass(frozen=True)
class StretchUse:
    """Resource use in one workload (``phase`` None) or one of its phases."""

    workload: str
    phase: str | None
    start_s: float
    end_s: float
    intervals: float  # How many sample intervals fit into the stretch.
    coarse: bool
    """Set below two intervals, unless samples were taken at its ends: figures then come from samples beyond
    the stretch. Set also below the time in which the kernel's counting of CPU time tells anything. No
    conclusion is drawn from a coarse stretch."""
    hosts: tuple[HostUse, ...]

    @property
    def seconds(self) -> float:
        return self.end_s - self.start_s

    @property
    def working(self) -> tuple[HostUse, ...]:
        """The machines that did the work, each once: workers where they were sampled, else hosts."""
        workers = tuple(host for host in self.hosts if host.level == "worker")
        return workers or tuple(host for host in self.hosts if host.level == "host")

    @property
    def cpu_busy(self) -> float | None:
        """The share of all workers' CPU time spent computing; None where it was not or hardly sampled."""
        if self.coarse:
            return None
        shares = [host.cpu for host in self.working if host.cpu is not None]
        cpus = sum(share.cpus for share in shares)
        return sum(share.busy * share.cpus for share in shares) / cpus if cpus else None

    @property
    def disk_busy(self) -> float | None:
        """The busy share of the busiest disk that carries data; None where it was not or hardly sampled."""
        if self.coarse:
            return None
        return max(
            (disk.busy_share for host in self.working for disk in host.disks if disk.data), default=None
        )


@dataclass(frozen=True, eq=False)
class Series:
    """One quantity over time, constant between two samples: ``values[i]`` holds from ``edges_s[i]`` to
    ``edges_s[i + 1]``.

    ``subject`` is ``cpu``, ``disk``, ``nic``, ``pressure`` or ``shared``; ``instance`` names the device
    (``all`` for the CPUs of a host taken together); ``unit`` is ``B/s`` or ``1`` (a share). Quantities:
    cpu user, system, iowait, steal, idle; disk read, write, busy; nic rx, tx; pressure as in HostUse;
    shared own, kernel, others, steal as in OthersUse.
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
class DiskShare:
    """The busiest disk of a machine in a stretch of time, and how much of its bytes were the run's own."""

    disk: str
    busy_share: float
    all_bytes: float
    own_bytes: float
    seconds: float

    @property
    def others_bytes(self) -> float:
        """What the disk moved beyond what the run did."""
        return max(0.0, self.all_bytes - self.own_bytes)


@dataclass(frozen=True)
class NeighbourUse:
    """What another laboratory on the same ``hosts`` used of them in one workload."""

    workload: str
    lab: str
    hosts: tuple[str, ...]
    cpus: float  # CPUs' worth of time of all its machines there.
    link: float  # Share of the link of the host where it had most of it, in the direction it used more.


@dataclass(frozen=True)
class OthersUse:
    """How a machine's CPUs were shared in one workload (``phase`` None) or one of its phases."""

    workload: str
    phase: str | None
    machine: str
    seconds: float
    cpus: int
    own: float  # The share of all its CPUs' time that the run's own processes had.
    kernel: float | None  # That of the kernel's threads; None where they could not be seen, and are others'.
    others: float
    steal: float  # What a hypervisor gave to other machines.
    idle: float  # What nobody had.
    runnable: float | None  # Tasks that ran or waited for a CPU, on average; None where not sampled.
    waited: float | None  # The share of the time in which some did wait (PSI); None where not sampled.
    disk: DiskShare | None

    @property
    def others_cpu_s(self) -> float:
        return self.others * self.cpus * self.seconds


@dataclass(frozen=True)
class ExecutorEstimate:
    """The estimated time of the same work with another number of executors, seconds."""

    executors: int
    elapsed_s: float


@dataclass(frozen=True)
class ExecutorUse:
    """The tasks of one executor; sums are over those that succeeded."""

    id: str
    worker: str
    host: str
    cores: int
    lived_s: float  # How long it existed.
    tasks: int
    failed: int
    busy_share: float  # The part of its cores' time in which they ran tasks.
    task_s: float
    cpu_s: float
    gc_s: float
    fetch_wait_s: float
    input_bytes: int
    shuffle_read_bytes: int
    written_bytes: int
    peak_heap_share: float | None  # The largest use of its heap; None if it reported none.


@dataclass(frozen=True)
class SparkUse:
    """An application from its driver's start to its end.

    No task ran for ``before_s`` at its start, ``between_s`` between its tasks and ``after_s`` at its end:
    only the driver worked, or executors started.
    """

    workload: str
    elapsed_s: float
    executors: int
    cores: int
    before_s: float
    between_s: float
    after_s: float
    critical_s: float  # Time with any number of executors: the same driver, of each stage its longest task.
    ideal_s: float  # Time if all tasks filled all cores without a gap.
    idle_share: float  # The part of the time of executors' cores in which they ran no task.
    estimates: tuple[ExecutorEstimate, ...]  # Also for the executors that ran, which shows the error.
    cpu_floor_s: float  # CPU time of its tasks over all cores of its executors: its least time.
    by_executor: tuple[ExecutorUse, ...]
    hosts: Mapping[tuple[int, int], int]  # By stage and its attempt the hosts that ran tasks of it.

    @property
    def driver_s(self) -> float:
        """All the time in which no task ran."""
        return self.before_s + self.between_s + self.after_s

    @property
    def error(self) -> float:
        """How far the estimate for the executors that ran is from the measured time, as a fraction of it."""
        own = next(estimate.elapsed_s for estimate in self.estimates if estimate.executors == self.executors)
        return own / self.elapsed_s - 1 if self.elapsed_s > 0 else 0.0
