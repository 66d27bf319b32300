"""Pressure stall information: /proc/pressure (Documentation/accounting/psi.rst in the kernel)."""

from __future__ import annotations

from pathlib import Path

from howdah.telemetry.counter import Counter
from howdah.telemetry.device import Device, Reading

# File and the kinds of stall read from it. For the CPU, "full" means nothing on a whole machine.
_STALLS = (("cpu", ("some",)), ("io", ("some", "full")), ("memory", ("some", "full")))


class PressureDevice(Device):
    """Time in which tasks waited for a CPU, for I/O or for memory.

    ``files`` says where below ``root`` the kernel tells of each resource: a control group has files
    of its own, ``{}.pressure``.
    """

    name = "pressure"

    def __init__(self, root: Path = Path("/"), files: str = "proc/pressure/{}") -> None:
        super().__init__(root)
        self.paths = tuple(files.format(resource) for resource, _ in _STALLS)
        self._counters = [
            {kind.encode(): (f"pressure/{resource}_{kind}_s", Counter("reset")) for kind in kinds}
            for resource, kinds in _STALLS
        ]

    def tick(self) -> list[Reading]:
        """Stalled seconds since the first tick."""
        readings: list[Reading] = []
        for file, counters in zip(self._files, self._counters, strict=True):
            for line in file.read().split(b"\n"):
                kind = line.partition(b" ")[0]
                if kind in counters:
                    metric, counter = counters[kind]
                    total_us = int(line.rpartition(b"total=")[2])
                    readings.append(Reading(metric, counter.advance(total_us) * 1e-6))
        return readings
