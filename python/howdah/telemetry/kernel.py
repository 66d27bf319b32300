"""The CPU time of the kernel's own threads: /proc/PID/stat."""

from __future__ import annotations

from pathlib import Path

from howdah.telemetry.device import Device, Reading
from howdah.telemetry.processes import TICKS_PER_S, Selection

INTERVAL_S = 5.0
"""Seconds between two readings: there are hundreds of threads, which takes milliseconds."""


class KernelDevice(Device):
    """CPU time of all threads of the kernel.

    They write back, sort packets and serve loop devices for whoever asked, which nobody counts. In a
    container they cannot be seen, and nothing is said of them.
    """

    name = "kernel"
    paths = ()

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._threads = Selection(lambda process: process.kernel, root / "proc")
        self._last: dict[int, int] | None = None
        self._grown = 0

    def tick(self) -> list[Reading]:
        """Growth since the first tick."""
        now = {pid: thread.used for pid, thread in self._threads.read().items()}
        if self._last is not None:
            # One that has ended took its time with it: what it had since it was last seen is lost.
            self._grown += sum(max(0, used - self._last.get(pid, 0)) for pid, used in now.items())
        self._last = now
        return [Reading("kernel/cpu_s", self._grown / TICKS_PER_S)] if now else []
