"""Sources of a lab's machines: control groups, disks, links and daemons."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS, OF_HBASE
from howdah.services.web import Web
from howdah.telemetry.daemons import INTERVAL_S, OFTEN_S, server_sources
from howdah.telemetry.device import TICKS_PER_S, Counter, Device, MetricReading, PressureDevice, VolumeDevice
from howdah.telemetry.nic import LinkDevice, open_in_namespace
from howdah.telemetry.processes import GroupCpu
from howdah.telemetry.source import Source

_USED = ("cpu/all/user_s", "cpu/all/system_s")
_THROTTLED = "cpu/all/throttled_s"

# Controller, file, and its keys with their metrics and units in seconds.
_TICKS = {b"user": (_USED[0], 1 / TICKS_PER_S), b"system": (_USED[1], 1 / TICKS_PER_S)}
_V1 = (("cpuacct", "cpuacct.stat", _TICKS), ("cpu", "cpu.stat", {b"throttled_time": (_THROTTLED, 1e-9)}))
_MICROSECONDS = {b"user_usec": _USED[0], b"system_usec": _USED[1], b"throttled_usec": _THROTTLED}
_V2 = (("cpu", "cpu.stat", {key: (metric, 1e-6) for key, metric in _MICROSECONDS.items()}),)

_TOTAL_V1 = "memory.usage_in_bytes"
_GAUGES = ("memory/cached_bytes", "memory/dirty_bytes", "memory/writeback_bytes")
_KEYS_V1 = (b"total_cache", b"total_dirty", b"total_writeback")
_KEYS_V2 = (b"file", b"file_dirty", b"file_writeback")


class CgroupCpuDevice(Device):
    """CPU time of a limited control group, as that of one CPU ``all`` with the limit's rest as idle."""

    name = "cpu"

    def __init__(
        self, groups: Mapping[str, Path], cpus: float, now_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        super().__init__()
        first = "cpuacct" in groups and (groups["cpuacct"] / _V1[0][1]).is_file()
        files = _V1 if first else _V2
        self.paths = tuple(str(groups[controller] / file) for controller, file, _ in files)
        self._counters = [
            {key: (metric, unit, Counter("hold")) for key, (metric, unit) in keys.items()}
            for _, _, keys in files
        ]
        self._cpus = cpus
        self._now_ns = now_ns
        self._first_ns: int | None = None
        self._idle_s = 0.0

    def readings(self) -> list[MetricReading]:
        now_ns = self._now_ns()
        if self._first_ns is None:
            self._first_ns = now_ns
        readings: list[MetricReading] = []
        for file, counters in zip(self._files, self._counters, strict=True):
            for line in file.read().split(b"\n"):
                key, _, number = line.partition(b" ")
                if key in counters:
                    metric, unit, counter = counters[key]
                    readings.append(MetricReading(metric, counter.advance(int(number)) * unit))
        used_s = sum(value for metric, value in readings if metric in _USED)
        # A group may exceed its limit for a moment; idle time then stays constant.
        self._idle_s = max(self._idle_s, self._cpus * (now_ns - self._first_ns) / 1e9 - used_s)
        readings.append(MetricReading("cpu/all/idle_s", self._idle_s))
        return readings


class CgroupMemoryDevice(Device):
    """A control group's memory without page cache, and the rest of its limit, in either version."""

    name = "memory"

    def __init__(self, group: Path, limit_bytes: int) -> None:
        super().__init__(group)
        first = (group / _TOTAL_V1).is_file()
        self.paths = (_TOTAL_V1 if first else "memory.current", "memory.stat")
        self._gauges = dict(zip(_KEYS_V1 if first else _KEYS_V2, _GAUGES, strict=True))
        self._faults_key = b"total_pgmajfault" if first else b"pgmajfault"
        self._faults = Counter("reset")
        self._limit_bytes = limit_bytes

    def readings(self) -> list[MetricReading]:
        total = int(self._files[0].read())
        readings: list[MetricReading] = []
        for line in self._files[1].read().split(b"\n"):
            key, _, number = line.partition(b" ")
            if key in self._gauges:
                readings.append(MetricReading(self._gauges[key], int(number)))
            elif key == self._faults_key:
                readings.append(MetricReading("memory/major_faults", self._faults.advance(int(number))))
        # The two files are read one after the other, and the cache may have grown between them.
        used = max(0, total - sum(value for metric, value in readings if metric == _GAUGES[0]))
        available = MetricReading("memory/available_bytes", max(0, self._limit_bytes - used))
        return [*readings, MetricReading("memory/used_bytes", used), available]


_SERVE_ROWS = tuple(DAEMONS[role].name for role in OF_HBASE)


class LabMachine(NamedTuple):
    """A host, worker or master of a lab with its kernel objects."""

    name: str
    cpus: float  # Its limit, or that of its host.
    memory_bytes: int
    groups: Mapping[str, Path] = {}  # Its control group by controller: ``cpu``, ``cpuacct`` and ``memory``.
    namespace: Path | None = None  # Its network namespace, ``/run/netns/NAME``.
    interface: str | None = None  # Its link in it.
    disks: Mapping[str, str] = {}  # Kernel names of block devices (``loop3``) by mount name.
    jmx: Mapping[str, str] = {}  # The web addresses of its daemons by name: ``datanode``.


def lab_sources(machines: Sequence[LabMachine], web: Web | None = None) -> tuple[Source, ...]:
    """Return the sources of these machines, and with ``web`` those of their daemons."""
    sources: list[Source] = []
    for machine in machines:
        if devices := tuple(_devices(machine)):
            sources.append(Source(machine.name, devices))
        for daemon, url in machine.jmx.items():
            # Daemons of a lab update their metrics each second, and causes of slow operations last as long.
            interval_s = OFTEN_S if daemon in _SERVE_ROWS else INTERVAL_S
            if web is not None:
                sources += server_sources(machine.name, daemon, url, web, interval_s)
    return tuple(sources)


def _devices(machine: LabMachine) -> Iterator[Device]:
    if machine.groups:
        yield CgroupCpuDevice(machine.groups, machine.cpus)
        yield CgroupMemoryDevice(machine.groups["memory"], machine.memory_bytes)
        if (machine.groups["memory"] / "io.pressure").is_file():
            yield PressureDevice(machine.groups["memory"], "{}.pressure")
    if machine.disks:
        yield VolumeDevice(machine.disks)
    if machine.namespace is not None and machine.interface is not None:
        yield LinkDevice(machine.namespace, machine.interface)


# At the host's end of a machine's cable the kernel receives what the machine sends.
_WAYS = (("sent_bytes", 0), ("received_bytes", 8))


class NeighbourDevice(Device):
    """Another lab's use of a host: its group, and the cables of its machines in the host's network."""

    name = "neighbour"

    def __init__(
        self,
        lab: str,
        groups: Mapping[str, Path],
        namespace: Path,
        cables: Collection[str],
        root: Path = Path("/"),
    ) -> None:
        super().__init__(root)
        self._group = GroupCpu(groups)
        self.paths = (self._group.path, "proc/thread-self/net/dev")
        self._namespace = namespace
        self._cables = {cable.encode() for cable in cables}
        self._metric = f"neighbour/{lab}"
        self._counters = {quantity: Counter("reset") for quantity, _ in _WAYS}

    def start(self) -> None:
        """Open the files, that of the network in the host's namespace; raise OSError without a namespace."""
        open_in_namespace(self._namespace, super().start)

    def readings(self) -> list[MetricReading]:
        group, network = (file.read() for file in self._files)
        moved = dict.fromkeys(self._counters, 0)
        for line in network.split(b"\n"):
            name, _, numbers = line.partition(b":")
            if name.strip() in self._cables:
                for quantity, column in _WAYS:
                    moved[quantity] += int(numbers.split()[column])
        grown = {quantity: self._counters[quantity].advance(value) for quantity, value in moved.items()}
        values = {"cpu_s": self._group.used_s(group), **grown}
        return [MetricReading(f"{self._metric}/{quantity}", value) for quantity, value in values.items()]
