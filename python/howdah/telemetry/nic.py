"""What every network interface moved: /proc/net/dev."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from howdah.telemetry.device import Device, MetricReading
from howdah.telemetry.procfile import Counter

# Quantity and the columns of /proc/net/dev that add up to it.
COLUMNS = (
    ("rx_bytes", (0,)),
    ("tx_bytes", (8,)),
    ("rx_packets", (1,)),
    ("tx_packets", (9,)),
    ("drops", (3, 11)),
)
_Counters = list[tuple[str, tuple[int, ...], Counter]]


def nic_counters(
    numbers: bytes, counters: Sequence[tuple[str, tuple[int, ...], Counter]]
) -> Iterator[MetricReading]:
    """The growth of one interface's counters, from the numbers of its line in /proc/net/dev."""
    fields = numbers.split()
    for metric, columns, counter in counters:
        yield MetricReading(metric, counter.advance(sum(int(fields[column]) for column in columns)))


class NicDevice(Device):
    """Bytes, packets and drops of each interface that is up.

    Where there are network cards, only these are read: a bond or a bridge above them would count
    the same bytes once more. In a container there are none, and everything but ``lo`` is read.
    An interface that is down is left out until it comes up.
    """

    name = "nic"
    paths = ("proc/net/dev",)

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._net = root / "sys/class/net"
        self._nics: dict[bytes, _Counters] = {}
        self._cards_only = False

    def start(self) -> None:
        """Open the file and find out whether there are network cards."""
        super().start()
        self._cards_only = any(self._net.glob("*/device"))

    def tick(self) -> list[MetricReading]:
        """Growth per interface since it was first seen up."""
        readings: list[MetricReading] = []
        for line in self._files[0].read().split(b"\n"):
            name, colon, numbers = line.partition(b":")
            if not colon:
                continue
            counters = self._nics.get(name)
            if counters is None:
                nic = name.strip().decode()
                if self._is_down(nic):
                    continue
                counters = self._nics[name] = self._counters(nic)
            readings += nic_counters(numbers, counters)
        return readings

    def _is_down(self, nic: str) -> bool:
        try:
            return (self._net / nic / "operstate").read_text().strip() in {"down", "lowerlayerdown"}
        except OSError:
            return False  # it left between the two readings, or /sys is not there: take what counts

    def _counters(self, nic: str) -> _Counters:
        if nic == "lo" or (self._cards_only and not (self._net / nic / "device").exists()):
            return []
        return [(f"nic/{nic}/{quantity}", columns, Counter("reset")) for quantity, columns in COLUMNS]
