"""One interface of a network namespace: what it moved, and what TCP sent again."""

from __future__ import annotations

from pathlib import Path

from howdah.telemetry.counter import Counter
from howdah.telemetry.device import Device, Reading
from howdah.telemetry.namespace import opened_in
from howdah.telemetry.nic import COLUMNS, counted
from howdah.telemetry.qdisc import Qdisc


class LinkDevice(Device):
    """Bytes, packets and drops of an interface, its queue, and the retransmits of its namespace.

    Files and socket are opened in the namespace once and stay there: daemons may die and come back.
    """

    name = "nic"
    paths = ("proc/thread-self/net/dev", "proc/thread-self/net/snmp")

    def __init__(self, namespace: Path, interface: str) -> None:
        super().__init__()
        self._namespace = namespace
        self._interface = interface
        self._line = f"{interface}:".encode()
        self._counters = [
            (f"nic/{interface}/{quantity}", columns, Counter("reset")) for quantity, columns in COLUMNS
        ]
        self._retransmits = Counter("reset")
        self._qdisc: Qdisc | None = None

    def start(self) -> None:
        """Open the namespace's files; raise OSError if it has no such interface."""
        opened_in(self._namespace, self._open)

    def _open(self) -> None:
        super().start()
        try:
            self._qdisc = Qdisc(self._interface)
        except OSError:
            self.stop()
            raise

    def tick(self) -> list[Reading]:
        """Growth since the first tick, and the bytes that wait now."""
        readings: list[Reading] = []
        for line in self._files[0].read().split(b"\n"):
            name, _, numbers = line.partition(b":")
            if name.strip() + b":" == self._line:
                readings += counted(numbers, self._counters)
        readings.append(
            Reading(f"nic/{self._interface}/retransmits", self._retransmits.advance(self._resent()))
        )
        if self._qdisc is not None:
            readings.append(Reading(f"nic/{self._interface}/queue_bytes", self._qdisc.backlog_bytes()))
        return readings

    def _resent(self) -> int:
        """RetransSegs of the Tcp lines of /proc/net/snmp: names on the first, numbers on the second."""
        names, numbers = (line for line in self._files[1].read().split(b"\n") if line.startswith(b"Tcp:"))
        return int(numbers.split()[names.split().index(b"RetransSegs")])

    def stop(self) -> None:
        """Close the files and the socket."""
        super().stop()
        if self._qdisc is not None:
            self._qdisc.close()
            self._qdisc = None
