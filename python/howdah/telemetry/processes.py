"""Processes, the kernel's threads, and howdah's own load on the machine that it measures."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from howdah.telemetry.device import PAGE_BYTES, SECTOR_BYTES, TICKS_PER_S, Counter, Device, MetricReading

_KERNEL_THREAD = 0x00200000  # PF_KTHREAD in include/linux/sched.h of the kernel

INTERVAL_S = 5.0  # Seconds between two readings: reading hundreds of threads takes milliseconds.


class RunningProcess(NamedTuple):
    """One process now; times are in the kernel's ticks."""

    pid: int
    parent: int
    kernel: bool
    used: int  # CPU time of its own threads.
    ended: int  # CPU time of its ended descendants that were waited for.


def parsed(stat: bytes) -> RunningProcess:
    """A process from the text of its ``stat`` (man 5 proc)."""
    # The second field, a program's name, may hold blanks and brackets.
    fields = stat.rpartition(b")")[2].split()
    user, system, ended_user, ended_system = map(int, fields[11:15])
    return RunningProcess(
        pid=int(stat.partition(b" ")[0]),
        parent=int(fields[1]),
        kernel=bool(int(fields[6]) & _KERNEL_THREAD),
        used=user + system,
        ended=ended_user + ended_system,
    )


class Selection:
    """Selected processes of a machine and their descendants; others are read only once, to save time."""

    def __init__(self, is_selected: Callable[[RunningProcess], bool], proc: Path = Path("/proc")) -> None:
        self._is_selected = is_selected
        self._proc = str(proc)
        self._ignored: set[int] = set()

    def read(self) -> dict[int, RunningProcess]:
        """Return the selected processes by their ids."""
        with os.scandir(self._proc) as entries:
            pids = {int(entry.name) for entry in entries if entry.name.isdigit()}
        self._ignored &= pids
        result: dict[int, RunningProcess] = {}
        for pid in sorted(pids - self._ignored):
            process = self._process(pid)
            if process is None:
                continue
            if process.parent in result or self._is_selected(process):
                result[pid] = process
            else:
                self._ignored.add(pid)
        return result

    def _process(self, pid: int) -> RunningProcess | None:
        with suppress(OSError):
            descriptor = os.open(f"{self._proc}/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
            try:
                return parsed(os.read(descriptor, 4096))
            finally:
                os.close(descriptor)
        return None


class ProcessDevice(Device):
    """Resident set of this process."""

    name = "process"
    paths = ("proc/self/statm",)

    def readings(self) -> list[MetricReading]:
        return [MetricReading("process/rss_bytes", _resident(self._files[0].read()))]


def rss_bytes(statm: Path = Path("/proc/self/statm")) -> int:
    return _resident(statm.read_text())


def _resident(statm: str | bytes) -> int:
    return int(statm.split()[1]) * PAGE_BYTES


def peak_rss_bytes(status: Path = Path("/proc/self/status")) -> int | None:
    """The largest resident set (VmHWM) since ``reset_peak_rss``; None if the kernel does not report it."""
    peak = re.search(r"^VmHWM:\s*(\d+)", status.read_text(), re.MULTILINE)
    return int(peak[1]) * 1024 if peak else None


def reset_peak_rss(clear_refs: Path = Path("/proc/self/clear_refs")) -> bool:
    """Let the peak resident set start again (man 5 proc, clear_refs); False if the kernel refuses."""
    try:
        clear_refs.write_text("5\n")
    except OSError:
        return False
    return True


class KernelDevice(Device):
    """CPU time of all kernel threads, which serve every process; none is visible in a container."""

    name = "kernel"
    paths = ()

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._threads = Selection(lambda process: process.kernel, root / "proc")
        self._last: dict[int, int] | None = None
        self._grown = 0

    def readings(self) -> list[MetricReading]:
        current = {pid: thread.used for pid, thread in self._threads.read().items()}
        if self._last is not None:
            # The time of an ended thread since the last reading is lost.
            self._grown += sum(max(0, used - self._last.get(pid, 0)) for pid, used in current.items())
        self._last = current
        return [MetricReading("kernel/cpu_s", self._grown / TICKS_PER_S)] if current else []


HOWDAH = "howdah"
LAB = "lab"  # Instances of the metrics: howdah's process, and a whole lab.
_USAGE_V1 = "cpuacct.usage"
_READ_SECTORS, _WRITTEN_SECTORS = 2, 6  # columns of a block device's own stat


_Totals = tuple[int, ...]  # CPU ticks, bytes read and bytes written.


class OwnCpuDevice(Device):
    """CPU time of howdah's process, and of the programs that it ran unless they are counted elsewhere."""

    name = "own-cpu"
    paths = ("proc/self/stat",)

    def __init__(self, root: Path = Path("/"), *, with_programs: bool) -> None:
        super().__init__(root)
        self._with_programs = with_programs
        self._counter = Counter("hold")

    def readings(self) -> list[MetricReading]:
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

    def readings(self) -> list[MetricReading]:
        values = zip(self._counters, _disk_bytes(self._files[0].read()), strict=True)
        return _moved(HOWDAH, [counter.advance(value) for counter, value in values])


class GroupCpu:
    """CPU time of a control group, by its directories of ``cpu`` and, in version 1, ``cpuacct``."""

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
    """CPU time of a lab's group, and bytes of its loop devices, which bypass the page cache."""

    name = "laboratory"

    def __init__(self, groups: Mapping[str, Path], loops: Sequence[str] = (), root: Path = Path("/")) -> None:
        super().__init__(root)
        self._group = GroupCpu(groups)
        self.paths = (self._group.path, *(f"sys/class/block/{loop}/stat" for loop in loops))
        self._moved = [(Counter("reset"), Counter("reset")) for _ in loops]

    def readings(self) -> list[MetricReading]:
        cpu, *disks = (file.read() for file in self._files)
        totals = [0, 0]
        for counters, stat in zip(self._moved, disks, strict=True):
            columns = stat.split()
            totals[0] += counters[0].advance(int(columns[_READ_SECTORS])) * SECTOR_BYTES
            totals[1] += counters[1].advance(int(columns[_WRITTEN_SECTORS])) * SECTOR_BYTES
        return [MetricReading(f"own/{LAB}/cpu_s", self._group.used_s(cpu)), *_moved(LAB, totals)]


class ProcessesDevice(Device):
    """Use by processes for which ``belongs`` holds, with ended descendants, for labs without a group."""

    name = "laboratory"
    paths = ()

    def __init__(self, belongs: Callable[[int], bool], root: Path = Path("/")) -> None:
        super().__init__(root)
        self._proc = root / "proc"
        self._selection = Selection(lambda process: belongs(process.pid), self._proc)
        self._last: dict[int, tuple[RunningProcess, _Totals]] = {}
        self._ended: _Totals = (0, 0, 0)
        self._counters = (Counter("hold"), Counter("hold"), Counter("hold"))

    def readings(self) -> list[MetricReading]:
        current: dict[int, tuple[RunningProcess, _Totals]] = {
            pid: (process, (process.used + process.ended, *self._disk(pid)))
            for pid, process in self._selection.read().items()
        }
        gone = [
            last
            for pid, (process, last) in self._last.items()
            if pid not in current and process.parent not in current
        ]
        self._ended = _summed([self._ended, *gone])
        self._last = current
        totals = _summed([self._ended, *(own for _, own in current.values())])
        cpu, *moved = map(Counter.advance, self._counters, totals)
        return [MetricReading(f"own/{LAB}/cpu_s", cpu / TICKS_PER_S), *_moved(LAB, moved)]

    def _disk(self, pid: int) -> tuple[int, int]:
        """Return its disk bytes; the last ones if it has ended, or belongs to another user."""
        try:
            return _disk_bytes((self._proc / str(pid) / "io").read_bytes())
        except OSError:
            last = self._last.get(pid)
            return (last[1][1], last[1][2]) if last else (0, 0)


def howdah_devices(root: Path = Path("/")) -> tuple[Device, ...]:
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


def _summed(rows: Sequence[_Totals]) -> _Totals:
    return tuple(map(sum, zip(*rows, strict=True)))


def _moved(instance: str, totals: Sequence[int]) -> list[MetricReading]:
    read, written = totals
    return [
        MetricReading(f"own/{instance}/read_bytes", read),
        MetricReading(f"own/{instance}/written_bytes", written),
    ]
