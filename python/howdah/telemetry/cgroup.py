"""What a control group had of CPUs and memory."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from howdah.telemetry.device import Device, MetricReading
from howdah.telemetry.procfile import Counter

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_USED = ("cpu/all/user_s", "cpu/all/system_s")
_THROTTLED = "cpu/all/throttled_s"

# Controller, file, and its keys with their metrics and units in seconds.
_V1 = (
    (
        "cpuacct",
        "cpuacct.stat",
        {b"user": (_USED[0], 1 / _TICKS_PER_S), b"system": (_USED[1], 1 / _TICKS_PER_S)},
    ),
    ("cpu", "cpu.stat", {b"throttled_time": (_THROTTLED, 1e-9)}),
)
_V2 = (
    (
        "cpu",
        "cpu.stat",
        {
            b"user_usec": (_USED[0], 1e-6),
            b"system_usec": (_USED[1], 1e-6),
            b"throttled_usec": (_THROTTLED, 1e-6),
        },
    ),
)

_TOTAL_V1 = "memory.usage_in_bytes"
_GAUGES_V1 = {
    b"total_cache": "memory/cached_bytes",
    b"total_dirty": "memory/dirty_bytes",
    b"total_writeback": "memory/writeback_bytes",
}
_GAUGES_V2 = {
    b"file": "memory/cached_bytes",
    b"file_dirty": "memory/dirty_bytes",
    b"file_writeback": "memory/writeback_bytes",
}


class CgroupCpuDevice(Device):
    """The CPU time of a control group with a limit, as that of one CPU called ``all``.

    ``groups`` are its directories by controller, ``cpu`` and in version 1 ``cpuacct``. ``cpus`` is its
    limit; what is left of the limit is idle, so that user, system and idle time add up to it.
    """

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

    def tick(self) -> list[MetricReading]:
        """Seconds since the first tick."""
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
        # A group may run ahead of its limit for a moment: idle time then waits until it is even again.
        self._idle_s = max(self._idle_s, self._cpus * (now_ns - self._first_ns) / 1e9 - used_s)
        readings.append(MetricReading("cpu/all/idle_s", self._idle_s))
        return readings


class CgroupMemoryDevice(Device):
    """What a control group uses now, its page cache apart, and what is left of its limit.

    ``group`` is its directory of the memory controller, of either version.
    """

    name = "memory"

    def __init__(self, group: Path, limit_bytes: int) -> None:
        super().__init__(group)
        first = (group / _TOTAL_V1).is_file()
        self.paths = (_TOTAL_V1 if first else "memory.current", "memory.stat")
        self._gauges = _GAUGES_V1 if first else _GAUGES_V2
        self._faults_key = b"total_pgmajfault" if first else b"pgmajfault"
        self._faults = Counter("reset")
        self._limit_bytes = limit_bytes

    def tick(self) -> list[MetricReading]:
        """The gauges now, and the growth of page faults."""
        total = int(self._files[0].read())
        readings: list[MetricReading] = []
        cached = 0
        for line in self._files[1].read().split(b"\n"):
            key, _, number = line.partition(b" ")
            if key in self._gauges:
                metric = self._gauges[key]
                readings.append(MetricReading(metric, int(number)))
                if metric == "memory/cached_bytes":
                    cached = int(number)
            elif key == self._faults_key:
                readings.append(MetricReading("memory/major_faults", self._faults.advance(int(number))))
        # The two files are read one after the other, and the cache may have grown between them.
        used = max(0, total - cached)
        readings.append(MetricReading("memory/used_bytes", used))
        readings.append(MetricReading("memory/available_bytes", max(0, self._limit_bytes - used)))
        return readings
