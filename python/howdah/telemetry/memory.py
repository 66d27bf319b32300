"""Memory and page cache: /proc/meminfo, and /proc/vmstat for what moved through them."""

from __future__ import annotations

import os
from pathlib import Path

from howdah.telemetry.device import Device, MetricReading
from howdah.telemetry.procfile import Counter

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_GAUGES = {
    b"MemAvailable": "memory/available_bytes",
    b"Cached": "memory/cached_bytes",
    b"Dirty": "memory/dirty_bytes",
    b"Writeback": "memory/writeback_bytes",
}
_COUNTERS = {
    b"nr_dirtied": ("memory/dirtied_bytes", _PAGE_BYTES),
    b"nr_written": ("memory/written_back_bytes", _PAGE_BYTES),
    b"pswpin": ("memory/swapped_in_bytes", _PAGE_BYTES),
    b"pswpout": ("memory/swapped_out_bytes", _PAGE_BYTES),
    b"pgmajfault": ("memory/major_faults", 1),
}


class MemoryDevice(Device):
    """How memory is used now, and what write-back and swapping moved since the first tick."""

    name = "memory"
    paths = ("proc/meminfo", "proc/vmstat")

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._counters = {name: Counter("reset") for name in _COUNTERS}

    def tick(self) -> list[MetricReading]:
        """Gauges from meminfo, then growth from vmstat; what a kernel does not list is left out."""
        readings: list[MetricReading] = []
        swap_total = swap_free = 0
        for line in self._files[0].read().split(b"\n"):
            key, _, rest = line.partition(b":")
            if key in _GAUGES:
                readings.append(MetricReading(_GAUGES[key], _kib(rest)))
            elif key == b"SwapTotal":
                swap_total = _kib(rest)
            elif key == b"SwapFree":
                swap_free = _kib(rest)
        readings.append(MetricReading("memory/swap_used_bytes", swap_total - swap_free))
        for line in self._files[1].read().split(b"\n"):
            key, _, number = line.partition(b" ")
            if key in _COUNTERS:
                metric, unit = _COUNTERS[key]
                readings.append(MetricReading(metric, self._counters[key].advance(int(number)) * unit))
        return readings


def _kib(text: bytes) -> int:
    return int(text.split()[0]) * 1024
