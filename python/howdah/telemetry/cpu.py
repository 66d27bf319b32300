"""The times of every CPU, the run queue and the time of waiting: /proc/stat, loadavg, pressure."""

from __future__ import annotations

import os
from pathlib import Path

from howdah.telemetry.device import Counter, Device, MetricReading

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
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

    def tick(self) -> list[MetricReading]:
        """Seconds per CPU since the first tick."""
        readings: list[MetricReading] = []
        # The lines of the CPUs come first; the interrupts after them can be many kilobytes.
        for line in self._files[0].read().partition(b"\nintr")[0].split(b"\n"):
            fields = line.split()
            if len(fields) < 9 or fields[0] == b"cpu" or not fields[0].startswith(b"cpu"):
                continue
            counters = self._cpus.get(fields[0])
            if counters is None:
                counters = self._cpus[fields[0]] = _counters(fields[0][3:].decode())
            user, nice, system, idle, iowait, irq, softirq, steal = map(int, fields[1:9])
            values = (user + nice, system + irq + softirq, iowait, steal, idle)
            for (metric, counter), value in zip(counters, values, strict=True):
                readings.append(MetricReading(metric, counter.advance(value) / _TICKS_PER_S))
        return readings


def _counters(cpu: str) -> list[tuple[str, Counter]]:
    return [(f"cpu/{cpu}/{quantity}", Counter("hold")) for quantity in _QUANTITIES]


class LoadDevice(Device):
    """The length of the run queue of all CPUs together, with those tasks that run."""

    name = "load"
    paths = ("proc/loadavg",)

    def tick(self) -> list[MetricReading]:
        """The tasks that run or wait now; this reading is one of them."""
        return [MetricReading("load/runnable", int(self._files[0].read().split()[3].partition(b"/")[0]))]


class PressureDevice(Device):
    """Time in which tasks waited for a CPU, for I/O or for memory.

    ``files`` is the pattern of the kernel's files below ``root``: those of a control group are
    ``{}.pressure``.
    """

    name = "pressure"

    def __init__(self, root: Path = Path("/"), files: str = "proc/pressure/{}") -> None:
        super().__init__(root)
        self.paths = tuple(files.format(resource) for resource, _ in _STALLS)
        self._counters = [
            {kind.encode(): (f"pressure/{resource}_{kind}_s", Counter("reset")) for kind in kinds}
            for resource, kinds in _STALLS
        ]

    def tick(self) -> list[MetricReading]:
        """Stalled seconds since the first tick."""
        readings: list[MetricReading] = []
        for file, counters in zip(self._files, self._counters, strict=True):
            for line in file.read().split(b"\n"):
                kind = line.partition(b" ")[0]
                if kind in counters:
                    metric, counter = counters[kind]
                    total_us = int(line.rpartition(b"total=")[2])
                    readings.append(MetricReading(metric, counter.advance(total_us) * 1e-6))
        return readings
