"""What CPUs, disks, network and memory did, in stretches of time and over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howdah.analysis.evidence.machine import Level

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class CpuShare:
    """How all CPUs of a machine spent a stretch of time; the five shares sum to 1.

    ``cpus`` is how many CPUs it has, or how many its limit allows, which need not be whole.
    """

    user: float
    system: float
    iowait: float
    steal: float
    idle: float
    cpus: float

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
    """What one machine's resources did in a stretch of time.

    ``host`` is the machine's name, ``level`` says whether that is a host, a worker or a master.
    ``pressure`` maps a PSI line to its share of the time: ``cpu_some``, ``io_some``, ``io_full``,
    ``memory_some``, ``memory_full``.
    """

    host: str
    level: Level
    cpu: CpuShare | None
    disks: tuple[DiskUse, ...]
    nics: tuple[NicUse, ...]
    pressure: dict[str, float]


@dataclass(frozen=True)
class StretchUse:
    """Resource use in one workload (``phase`` None) or one of its phases.

    ``intervals`` is how many sample intervals fit into the stretch. Below two of them, unless samples
    were taken at its ends, ``coarse`` is set: the figures then come from samples beyond the stretch. So
    it is below the time in which the kernel's own counting of CPU time tells anything. No conclusion is
    drawn from a coarse stretch.
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
