"""The memory of a control group (cgroup-v1/memory.rst and cgroup-v2.rst in the kernel)."""

from __future__ import annotations

from pathlib import Path

from howdah.telemetry.counter import Counter
from howdah.telemetry.device import Device, Reading

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

    def tick(self) -> list[Reading]:
        """The gauges now, and the growth of page faults."""
        total = int(self._files[0].read())
        readings: list[Reading] = []
        cached = 0
        for line in self._files[1].read().split(b"\n"):
            key, _, number = line.partition(b" ")
            if key in self._gauges:
                metric = self._gauges[key]
                readings.append(Reading(metric, int(number)))
                if metric == "memory/cached_bytes":
                    cached = int(number)
            elif key == self._faults_key:
                readings.append(Reading("memory/major_faults", self._faults.advance(int(number))))
        # The two files are read one after the other, and the cache may have grown between them.
        used = max(0, total - cached)
        readings.append(Reading("memory/used_bytes", used))
        readings.append(Reading("memory/available_bytes", max(0, self._limit_bytes - used)))
        return readings
