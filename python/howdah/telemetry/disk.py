"""What every whole disk did: /proc/diskstats (Documentation/admin-guide/iostats.rst in the kernel)."""

from __future__ import annotations

from pathlib import Path

from howdah.telemetry.counter import Backwards, Counter
from howdah.telemetry.device import Device, Reading

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

    def tick(self) -> list[Reading]:
        """Growth per disk since it was first seen."""
        readings: list[Reading] = []
        for line in self._files[0].read().split(b"\n"):
            fields = line.split()
            if len(fields) < 14:
                continue
            if fields[2] not in self._disks:
                self._disks[fields[2]] = self._counters(fields[2].decode())
            for metric, column, factor, counter in self._disks[fields[2]] or ():
                readings.append(Reading(metric, counter.advance(int(fields[column])) * factor))
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
