"""The use of a machine by the run itself: howdah's own process, and a lab's processes and disks.

The rest of the machine's use, without its kernel's threads, is that of other programs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from howdah.telemetry.device import Counter, Device, MetricReading
from howdah.telemetry.disk import SECTOR_BYTES
from howdah.telemetry.processes import TICKS_PER_S, RunningProcess, Selection, parsed

HOWDAH = "howdah"
LAB = "lab"
"""Instances of the metrics: howdah's process, and a whole lab."""

_USAGE_V1 = "cpuacct.usage"
_READ_SECTORS, _WRITTEN_SECTORS = 2, 6  # columns of a block device's own stat


_Totals = tuple[int, int, int]
"""CPU ticks, bytes read and bytes written."""


class OwnCpuDevice(Device):
    """CPU time of howdah's process, and of the programs that it ran unless they are counted elsewhere."""

    name = "own-cpu"
    paths = ("proc/self/stat",)

    def __init__(self, root: Path = Path("/"), *, with_programs: bool) -> None:
        super().__init__(root)
        self._with_programs = with_programs
        self._counter = Counter("hold")

    def tick(self) -> list[MetricReading]:
        """Growth since the first tick."""
        own = parsed(self._files[0].read())
        used = own.used + (own.ended if self._with_programs else 0)
        return [MetricReading(f"own/{HOWDAH}/cpu_s", self._counter.advance(used) / TICKS_PER_S)]


class OwnDiskDevice(Device):
    """Bytes that howdah's process and its programs read from disks and wrote: /proc/PID/io."""

    name = "own-disk"
    paths = ("proc/self/io",)

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._counters = (Counter("hold"), Counter("hold"))

    def tick(self) -> list[MetricReading]:
        """Growth since the first tick."""
        values = zip(self._counters, _disk_bytes(self._files[0].read()), strict=True)
        return _moved(HOWDAH, [counter.advance(value) for counter, value in values])


class GroupCpu:
    """The CPU time of a control group of either version.

    ``groups`` are the group's directories by controller, ``cpu`` and in version 1 ``cpuacct``.
    """

    def __init__(self, groups: Mapping[str, Path]) -> None:
        usage = groups["cpuacct"] / _USAGE_V1 if "cpuacct" in groups else None
        self._first = usage is not None and usage.is_file()
        self.path = str(usage if self._first else groups["cpu"] / "cpu.stat")
        self._counter = Counter("hold")

    def used_s(self, content: bytes) -> float:
        """Seconds since the first content."""
        if self._first:
            return self._counter.advance(int(content)) * 1e-9
        usage_us = next(line.split()[1] for line in content.split(b"\n") if line.startswith(b"usage_usec"))
        return self._counter.advance(int(usage_us)) * 1e-6


class GroupDevice(Device):
    """CPU time of a lab's control group, and the bytes of its loop devices.

    ``groups`` are the group's directories by controller, ``cpu`` and in version 1 ``cpuacct``; ``loops``
    are kernel names (``loop3``). They bypass the machine's page cache, so their bytes are those of its disks
    at the same time.
    """

    name = "laboratory"

    def __init__(self, groups: Mapping[str, Path], loops: Sequence[str] = (), root: Path = Path("/")) -> None:
        super().__init__(root)
        self._group = GroupCpu(groups)
        self.paths = (self._group.path, *(f"sys/class/block/{loop}/stat" for loop in loops))
        self._moved = [(Counter("reset"), Counter("reset")) for _ in loops]

    def tick(self) -> list[MetricReading]:
        """Growth since the first tick."""
        cpu, *disks = (file.read() for file in self._files)
        totals = [0, 0]
        for counters, stat in zip(self._moved, disks, strict=True):
            columns = stat.split()
            totals[0] += counters[0].advance(int(columns[_READ_SECTORS])) * SECTOR_BYTES
            totals[1] += counters[1].advance(int(columns[_WRITTEN_SECTORS])) * SECTOR_BYTES
        return [MetricReading(f"own/{LAB}/cpu_s", self._group.used_s(cpu)), *_moved(LAB, totals)]


class ProcessesDevice(Device):
    """CPU time and disk bytes of the processes for which ``belongs`` is true, and of their descendants.

    For labs without a control group. The kernel adds an ended process to the parent that waited for it;
    without a parent, its last values are kept.
    """

    name = "laboratory"
    paths = ()

    def __init__(self, belongs: Callable[[int], bool], root: Path = Path("/")) -> None:
        super().__init__(root)
        self._proc = root / "proc"
        self._selection = Selection(lambda process: belongs(process.pid), self._proc)
        self._last: dict[int, tuple[RunningProcess, _Totals]] = {}
        self._ended: _Totals = (0, 0, 0)
        self._counters = (Counter("hold"), Counter("hold"), Counter("hold"))

    def tick(self) -> list[MetricReading]:
        """Growth since the first tick."""
        current = {
            pid: (process, (process.used + process.ended, *self._disk(pid)))
            for pid, process in self._selection.read().items()
        }
        for pid, (process, last) in self._last.items():
            if pid not in current and process.parent not in current:
                self._ended = _added(self._ended, last)
        self._last = current
        totals = self._ended
        for _, totals_now in current.values():
            totals = _added(totals, totals_now)
        cpu, *moved = (counter.advance(total) for counter, total in zip(self._counters, totals, strict=True))
        return [MetricReading(f"own/{LAB}/cpu_s", cpu / TICKS_PER_S), *_moved(LAB, moved)]

    def _disk(self, pid: int) -> tuple[int, int]:
        """Return its disk bytes; the last ones if it has ended, or belongs to another user."""
        try:
            return _disk_bytes((self._proc / str(pid) / "io").read_bytes())
        except OSError:
            last = self._last.get(pid)
            return (last[1][1], last[1][2]) if last else (0, 0)


def howdah_devices(root: Path = Path("/")) -> tuple[Device, ...]:
    """Return the devices of howdah's own use without a lab."""
    return OwnCpuDevice(root, with_programs=True), OwnDiskDevice(root)


def grouped_lab(groups: Mapping[str, Path], loops: Sequence[str]) -> tuple[Device, ...]:
    """Return the devices of a lab with a control group, which also contains the clients of howdah."""
    return GroupDevice(groups, loops), OwnCpuDevice(with_programs=False)


def loose_lab(belongs: Callable[[int], bool]) -> tuple[Device, ...]:
    """Return the device of a lab without a control group, with howdah's process and its clients."""
    own = os.getpid()
    return (ProcessesDevice(lambda pid: pid == own or belongs(pid)),)


def _disk_bytes(io: bytes) -> tuple[int, int]:
    values = dict(line.split(b": ") for line in io.split(b"\n") if b": " in line)
    written = int(values[b"write_bytes"]) - int(values[b"cancelled_write_bytes"])
    return int(values[b"read_bytes"]), written


def _moved(instance: str, totals: Sequence[int]) -> list[MetricReading]:
    read, written = totals
    return [
        MetricReading(f"own/{instance}/read_bytes", read),
        MetricReading(f"own/{instance}/written_bytes", written),
    ]


def _added(totals: _Totals, addition: _Totals) -> _Totals:
    return totals[0] + addition[0], totals[1] + addition[1], totals[2] + addition[2]
