"""How many tasks want a CPU: /proc/loadavg."""

from __future__ import annotations

from howdah.telemetry.device import Device, Reading


class LoadDevice(Device):
    """The length of the run queue of all CPUs together, with those tasks that run."""

    name = "load"
    paths = ("proc/loadavg",)

    def tick(self) -> list[Reading]:
        """The tasks that run or wait now; this reading is one of them."""
        return [Reading("load/runnable", int(self._files[0].read().split()[3].partition(b"/")[0]))]
