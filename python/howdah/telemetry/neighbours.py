"""What another laboratory uses of a host that both are on: CPU time of its machines, and their traffic."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from howdah.telemetry.device import Device, MetricReading
from howdah.telemetry.link import opened_in
from howdah.telemetry.own import GroupCpu
from howdah.telemetry.procfile import Counter

# At the host's end of a machine's cable the kernel receives what the machine sends.
_WAYS = (("sent_bytes", 0), ("received_bytes", 8))


class NeighbourDevice(Device):
    """One laboratory's use of one host.

    ``groups`` are the directories of its control group for that host by controller, ``namespace`` is the
    host's network, and ``cables`` are the interfaces there that lead to its machines.
    """

    name = "neighbour"

    def __init__(
        self,
        lab: str,
        groups: Mapping[str, Path],
        namespace: Path,
        cables: Collection[str],
        root: Path = Path("/"),
    ) -> None:
        super().__init__(root)
        self._group = GroupCpu(groups)
        self.paths = (self._group.path, "proc/thread-self/net/dev")
        self._namespace = namespace
        self._cables = {cable.encode() for cable in cables}
        self._metric = f"neighbour/{lab}"
        self._counters = {quantity: Counter("reset") for quantity, _ in _WAYS}

    def start(self) -> None:
        """Open the files, that of the network in the host's; raise OSError where there is none."""
        opened_in(self._namespace, super().start)

    def tick(self) -> list[MetricReading]:
        """Growth since the first tick."""
        group, network = (file.read() for file in self._files)
        moved = dict.fromkeys(self._counters, 0)
        for line in network.split(b"\n"):
            name, _, numbers = line.partition(b":")
            if name.strip() in self._cables:
                for quantity, column in _WAYS:
                    moved[quantity] += int(numbers.split()[column])
        return [
            MetricReading(f"{self._metric}/cpu_s", self._group.used_s(group)),
            *(
                MetricReading(f"{self._metric}/{quantity}", self._counters[quantity].advance(value))
                for quantity, value in moved.items()
            ),
        ]
