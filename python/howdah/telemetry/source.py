"""What is sampled of one machine."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from howdah.telemetry.cpu import CpuDevice
from howdah.telemetry.device import Device
from howdah.telemetry.disk import DiskDevice
from howdah.telemetry.memory import MemoryDevice
from howdah.telemetry.nic import NicDevice
from howdah.telemetry.pressure import PressureDevice
from howdah.telemetry.process import ProcessDevice


class Source(NamedTuple):
    """Devices of one machine, by its name in the plan.

    ``interval_s`` is for devices that answer over a network, or cost much: they are read in a thread
    of their own, at most this often. Without one they are read at the sampler's interval, all at one
    moment.
    """

    machine: str
    devices: tuple[Device, ...]
    interval_s: float | None = None


def host_devices(root: Path = Path("/")) -> tuple[Device, ...]:
    """Every device of the host whose /proc and /sys lie below ``root``."""
    return (
        CpuDevice(root),
        DiskDevice(root),
        NicDevice(root),
        MemoryDevice(root),
        PressureDevice(root),
        ProcessDevice(root),
    )


def this_machine(name: str) -> Source:
    """The machine this process runs on, under the name it has in the plan."""
    return Source(name, host_devices())
