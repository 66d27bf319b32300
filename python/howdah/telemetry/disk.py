"""Whole disks and volumes: /proc/diskstats, and /sys/class/block by a machine's own names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from howdah.telemetry.device import Backwards, Counter, Device, MetricReading

SECTOR_BYTES = 512  # the unit of /proc/diskstats, whatever the device's own sectors are
_NOT_DISKS = ("loop", "ram", "zram", "sr", "fd")

# Quantity, column in /proc/diskstats, factor to SI units, and what going backwards means. The
# kernel keeps operations and sectors in 64 bits and prints milliseconds in 32.
COLUMNS: tuple[tuple[str, int, float, Backwards], ...] = (
    ("read_bytes", 5, SECTOR_BYTES, "reset"),
    ("written_bytes", 9, SECTOR_BYTES, "reset"),
    ("reads", 3, 1, "reset"),
    ("writes", 7, 1, "reset"),
    ("busy_s", 12, 1e-3, "wrap32"),
)

_BEFORE = 3  # columns of /proc/diskstats that a device's own file lacks: its numbers and its name


class DiskDevice(Device):
    """Bytes, operations and busy time of each disk that nothing else lies below.

    Partitions and stacked devices (LVM, RAID, loop) are left out: the disk below counts the same
    bytes once more.
    """

    name = "disk"
    paths = ("proc/diskstats",)

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._disks: dict[bytes, list[tuple[str, int, float, Counter]] | None] = {}

    def tick(self) -> list[MetricReading]:
        """Growth per disk since it was first seen."""
        readings: list[MetricReading] = []
        for line in self._files[0].read().split(b"\n"):
            fields = line.split()
            if len(fields) < 14:
                continue
            if fields[2] not in self._disks:
                self._disks[fields[2]] = self._counters(fields[2].decode())
            for metric, column, factor, counter in self._disks[fields[2]] or ():
                readings.append(MetricReading(metric, counter.advance(int(fields[column])) * factor))
        return readings

    def _counters(self, name: str) -> list[tuple[str, int, float, Counter]] | None:
        name = name.replace("/", "!")  # as /sys does, and a metric's name must not gain a part
        folder = self._root / "sys/block" / name
        if name.startswith(_NOT_DISKS) or not folder.is_dir():
            return None
        slaves = folder / "slaves"
        if slaves.is_dir() and any(slaves.iterdir()):
            return None
        return [
            (f"disk/{name}/{quantity}", column, factor, Counter(backwards))
            for quantity, column, factor, backwards in COLUMNS
        ]


class VolumeDevice(Device):
    """Bytes, operations and busy time of the disks of one machine of a lab.

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

    def tick(self) -> list[MetricReading]:
        """Growth per disk since the first tick."""
        readings: list[MetricReading] = []
        for file, counters in zip(self._files, self._counters, strict=True):
            numbers = file.read().split()
            for metric, column, factor, counter in counters:
                readings.append(MetricReading(metric, counter.advance(int(numbers[column])) * factor))
        return readings
