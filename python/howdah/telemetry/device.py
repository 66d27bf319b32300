"""The life-cycle of a telemetry device, and the devices of CPUs and disks with their counters."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

_CHUNK = 64 * 1024

_WRAP = 2**32


class ProcFile:
    """A file below /proc that stays open, because opening costs more than reading it again from 0."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> bytes:
        """The whole text as it is now; raise OSError, with the file's name, if it cannot be read."""
        # The kernel may return less than requested although more follows: only an empty reading is
        # the end.
        pieces: list[bytes] = []
        offset = 0
        try:
            while piece := os.pread(self._descriptor, _CHUNK, offset):
                pieces.append(piece)
                offset += len(piece)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        return b"".join(pieces)

    def close(self) -> None:
        os.close(self._descriptor)


Backwards = Literal["hold", "reset", "wrap32"]
"""The meaning of a counter that decreases.

``hold``: an inaccuracy, and the growth stays where it is (the kernel documents this for iowait and
idle). ``reset``: the device was replaced and counts from zero. ``wrap32``: the kernel prints 32 bits,
and the counter ran over them, unless it was too small for that, which is a reset.
"""


class Counter:
    __slots__ = ("_backwards", "_growth", "_last")

    def __init__(self, backwards: Backwards) -> None:
        self._backwards = backwards
        self._last: int | None = None
        self._growth = 0

    def advance(self, value: int) -> int:
        """Take the counter's present value and return its growth since the first one."""
        if self._last is None:
            self._last = value
        elif value >= self._last:
            self._growth += value - self._last
            self._last = value
        elif self._backwards != "hold":
            self._growth += value
            if self._backwards == "wrap32" and self._last >= _WRAP // 2:
                self._growth += _WRAP - self._last
            self._last = value
        return self._growth


class MetricReading(NamedTuple):
    """One metric (named as in ``howdah.model.metrics``) and its value."""

    metric: str
    value: float


class Away(Exception):
    """The device does not answer at the moment; the message has the reason."""


class Device(ABC):
    """Something that is read at every tick through files that stay open.

    The hooks are called in order: ``start`` once, ``tick`` any number of times, ``stop`` once.
    ``start`` and ``tick`` raise OSError if the kernel lacks the device's files; the Sampler then
    leaves the device out and warns. A device that may return raises ``Away`` in ``tick`` instead, and is
    read again.
    """

    name: str
    paths: tuple[str, ...]

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._files: list[ProcFile] = []

    def start(self) -> None:
        """Open the device's files and check that they can be read."""
        try:
            for path in self.paths:
                self._files.append(ProcFile(self._root / path))
            for file in self._files:
                file.read()
        except OSError:
            self.stop()
            raise

    @property
    def label(self) -> str:
        """Its name in messages."""
        return self.name

    def tick(self) -> list[MetricReading]:
        """Read the device now."""
        return list(self.readings())

    @abstractmethod
    def readings(self) -> Iterable[MetricReading]:
        """Every metric now: counters as growth since the first tick, gauges as they are."""

    def stop(self) -> None:
        """Close the files; calling it again does nothing."""
        for file in self._files:
            file.close()
        self._files.clear()


TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_QUANTITIES = ("user_s", "system_s", "iowait_s", "steal_s", "idle_s")

# File and the kinds of stall read from it. For the CPU, "full" means nothing on a whole machine.
_STALLS = (("cpu", ("some",)), ("io", ("some", "full")), ("memory", ("some", "full")))


class CpuDevice(Device):
    """User, system, I/O wait, steal and idle time of each logical CPU."""

    name = "cpu"
    paths = ("proc/stat",)

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._cpus: dict[bytes, list[tuple[str, Counter]]] = {}

    def readings(self) -> Iterator[MetricReading]:
        # The lines of the CPUs come first; the interrupts after them can be many kilobytes.
        for line in self._files[0].read().partition(b"\nintr")[0].split(b"\n"):
            fields = line.split()
            if len(fields) < 9 or fields[0] == b"cpu" or not fields[0].startswith(b"cpu"):
                continue
            if fields[0] not in self._cpus:
                names = [f"cpu/{fields[0][3:].decode()}/{quantity}" for quantity in _QUANTITIES]
                self._cpus[fields[0]] = [(name, Counter("hold")) for name in names]
            user, nice, system, idle, iowait, irq, softirq, steal = map(int, fields[1:9])
            values = (user + nice, system + irq + softirq, iowait, steal, idle)
            for (metric, counter), value in zip(self._cpus[fields[0]], values, strict=True):
                yield MetricReading(metric, counter.advance(value) / TICKS_PER_S)


class LoadDevice(Device):
    """The length of the run queue of all CPUs together, with those tasks that run."""

    name = "load"
    paths = ("proc/loadavg",)

    def readings(self) -> Iterator[MetricReading]:
        # This reading is one of the tasks that run.
        yield MetricReading("load/runnable", int(self._files[0].read().split()[3].partition(b"/")[0]))


class PressureDevice(Device):
    """Time in which tasks waited for CPU, I/O or memory; a control group's files are ``{}.pressure``."""

    name = "pressure"

    def __init__(self, root: Path = Path("/"), files: str = "proc/pressure/{}") -> None:
        super().__init__(root)
        self.paths = tuple(files.format(resource) for resource, _ in _STALLS)
        self._counters = [
            {kind.encode(): (f"pressure/{resource}_{kind}_s", Counter("reset")) for kind in kinds}
            for resource, kinds in _STALLS
        ]

    def readings(self) -> Iterator[MetricReading]:
        for file, counters in zip(self._files, self._counters, strict=True):
            for line in file.read().split(b"\n"):
                kind = line.partition(b" ")[0]
                if kind in counters:
                    metric, counter = counters[kind]
                    total_us = int(line.rpartition(b"total=")[2])
                    yield MetricReading(metric, counter.advance(total_us) * 1e-6)


SECTOR_BYTES = 512  # the unit of /proc/diskstats, whatever the device's own sectors are
NOT_DISKS = ("loop", "ram", "zram", "sr", "fd")

# Quantity, column in /proc/diskstats, factor to SI units, and what going backwards means. The
# kernel keeps operations and sectors in 64 bits and prints milliseconds in 32.
COLUMNS: tuple[tuple[str, int, float, Backwards], ...] = (
    ("read_bytes", 5, SECTOR_BYTES, "reset"),
    ("written_bytes", 9, SECTOR_BYTES, "reset"),
    ("reads", 3, 1, "reset"),
    ("writes", 7, 1, "reset"),
    ("busy_s", 12, 1e-3, "wrap32"),
)

_BEFORE = 3  # columns of /proc/diskstats that a device's own file lacks: its numbers and its name


class DiskDevice(Device):
    """Use of each disk that nothing else lies below: stacked devices would count bytes once more."""

    name = "disk"
    paths = ("proc/diskstats",)

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._disks: dict[bytes, list[tuple[str, int, float, Counter]]] = {}

    def readings(self) -> Iterator[MetricReading]:
        for line in self._files[0].read().split(b"\n"):
            fields = line.split()
            if len(fields) < 14:
                continue
            if fields[2] not in self._disks:
                self._disks[fields[2]] = self._counters(fields[2].decode())
            for metric, column, factor, counter in self._disks[fields[2]]:
                yield MetricReading(metric, counter.advance(int(fields[column])) * factor)

    def _counters(self, name: str) -> list[tuple[str, int, float, Counter]]:
        name = name.replace("/", "!")  # as /sys does, and a metric's name must not gain a part
        folder = self._root / "sys/block" / name
        if name.startswith(NOT_DISKS) or not folder.is_dir() or any(folder.glob("slaves/*")):
            return []
        return _disk_counters(name, 0)


def _disk_counters(name: str, missing: int) -> list[tuple[str, int, float, Counter]]:
    """The counters of a disk in a file that lacks so many columns of /proc/diskstats."""
    return [
        (f"disk/{name}/{quantity}", column - missing, factor, Counter(backwards))
        for quantity, column, factor, backwards in COLUMNS
    ]


class VolumeDevice(Device):
    """Use of the disks of a lab's machine: kernel names (``loop3``) by mount name."""

    name = "disk"

    def __init__(self, disks: Mapping[str, str], root: Path = Path("/")) -> None:
        super().__init__(root)
        self.paths = tuple(f"sys/class/block/{device}/stat" for device in disks.values())
        self._counters = [_disk_counters(name, _BEFORE) for name in disks]

    def readings(self) -> Iterator[MetricReading]:
        for file, counters in zip(self._files, self._counters, strict=True):
            numbers = file.read().split()
            for metric, column, factor, counter in counters:
                yield MetricReading(metric, counter.advance(int(numbers[column])) * factor)
