"""What every CPU did: /proc/stat (see proc_stat in man 5 proc)."""

from __future__ import annotations

import os
from pathlib import Path

from howdah.telemetry.counter import Counter
from howdah.telemetry.device import Device, Reading

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_QUANTITIES = ("user_s", "system_s", "iowait_s", "steal_s", "idle_s")


class CpuDevice(Device):
    """User, system, I/O wait, steal and idle time of each logical CPU."""

    name = "cpu"
    paths = ("proc/stat",)

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._cpus: dict[bytes, list[tuple[str, Counter]]] = {}

    def tick(self) -> list[Reading]:
        """Seconds per CPU since the first tick."""
        readings: list[Reading] = []
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
                readings.append(Reading(metric, counter.advance(value) / _TICKS_PER_S))
        return readings


def _counters(cpu: str) -> list[tuple[str, Counter]]:
    return [(f"cpu/{cpu}/{quantity}", Counter("hold")) for quantity in _QUANTITIES]
