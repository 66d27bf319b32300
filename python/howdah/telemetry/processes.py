"""CPU time and memory of processes and kernel threads from /proc."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from howdah.telemetry.device import Device, MetricReading

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_KERNEL_THREAD = 0x00200000  # PF_KTHREAD in include/linux/sched.h of the kernel

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
INTERVAL_S = 5.0
"""Seconds between two readings: reading hundreds of threads takes milliseconds."""


class RunningProcess(NamedTuple):
    """One process now; times are in the kernel's ticks."""

    pid: int
    parent: int
    kernel: bool
    """Whether it is a kernel thread."""
    used: int
    """CPU time of its own threads."""
    ended: int
    """CPU time of its ended descendants that were waited for."""


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
    """The processes of a machine for which ``is_selected`` is true, and their descendants.

    Other processes are read only once, so that many processes cost little.
    """

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
        """One process; None if it has ended by now."""
        try:
            descriptor = os.open(f"{self._proc}/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            return parsed(os.read(descriptor, 4096))
        except OSError:
            return None
        finally:
            os.close(descriptor)


class ProcessDevice(Device):
    """Resident set of this process."""

    name = "process"
    paths = ("proc/self/statm",)

    def tick(self) -> list[MetricReading]:
        """The resident set now."""
        return [MetricReading("process/rss_bytes", _resident(self._files[0].read()))]


def rss_bytes(statm: Path = Path("/proc/self/statm")) -> int:
    """The resident set of this process now, bytes."""
    return _resident(statm.read_text())


def _resident(statm: str | bytes) -> int:
    return int(statm.split()[1]) * _PAGE_BYTES


def peak_rss_bytes(status: Path = Path("/proc/self/status")) -> int | None:
    """Return the largest resident set (VmHWM) since the process began or ``reset_peak_rss``, bytes.

    Returns None if the kernel does not report it.
    """
    for line in status.read_text().splitlines():
        key, _, value = line.partition(":")
        if key == "VmHWM":
            return int(value.split()[0]) * 1024
    return None


def reset_peak_rss(clear_refs: Path = Path("/proc/self/clear_refs")) -> bool:
    """Let the peak resident set start again from the present one.

    False if the kernel refuses (writing 5 to clear_refs, man 5 proc): the peak then stays that of
    the whole process.
    """
    try:
        clear_refs.write_text("5\n")
    except OSError:
        return False
    return True


class KernelDevice(Device):
    """CPU time of all threads of the kernel.

    They write back, process packets and serve loop devices for all processes, and count for none. In a
    container they are invisible, and there is no reading.
    """

    name = "kernel"
    paths = ()

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._threads = Selection(lambda process: process.kernel, root / "proc")
        self._last: dict[int, int] | None = None
        self._grown = 0

    def tick(self) -> list[MetricReading]:
        """Growth since the first tick."""
        current = {pid: thread.used for pid, thread in self._threads.read().items()}
        if self._last is not None:
            # The time of an ended thread since the last reading is lost.
            self._grown += sum(max(0, used - self._last.get(pid, 0)) for pid, used in current.items())
        self._last = current
        return [MetricReading("kernel/cpu_s", self._grown / TICKS_PER_S)] if current else []
