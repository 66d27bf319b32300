"""Block devices by the names a machine knows them by: /sys/class/block/*/stat."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from howdah.telemetry.counter import Counter
from howdah.telemetry.device import Device, Reading
from howdah.telemetry.disk import COLUMNS

_BEFORE = 3  # columns of /proc/diskstats that a device's own file lacks: its numbers and its name


class VolumeDevice(Device):
    """Bytes, operations and busy time of the disks of one machine of a laboratory.

    ``disks`` are kernel names of block devices (``loop3``) by the names the machine mounts them under.
    """

    name = "disk"

    def __init__(self, disks: Mapping[str, str], root: Path = Path("/")) -> None:
        super().__init__(root)
        self.paths = tuple(f"sys/class/block/{device}/stat" for device in disks.values())
        self._counters = [
            [
                (f"disk/{name}/{quantity}", column - _BEFORE, factor, Counter(backwards))
                for quantity, column, factor, backwards in COLUMNS
            ]
            for name in disks
        ]

    def tick(self) -> list[Reading]:
        """Growth per disk since the first tick."""
        readings: list[Reading] = []
        for file, counters in zip(self._files, self._counters, strict=True):
            numbers = file.read().split()
            for metric, column, factor, counter in counters:
                readings.append(Reading(metric, counter.advance(int(numbers[column])) * factor))
        return readings
