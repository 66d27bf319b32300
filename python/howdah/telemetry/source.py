"""What is sampled of one machine."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from howdah.telemetry.cpu import CpuDevice, LoadDevice, PressureDevice
from howdah.telemetry.device import Device
from howdah.telemetry.disk import DiskDevice
from howdah.telemetry.memory import MemoryDevice
from howdah.telemetry.nic import NicDevice
from howdah.telemetry.own import howdah_devices
from howdah.telemetry.processes import INTERVAL_S, KernelDevice, ProcessDevice


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
        *_shared(root),
        NicDevice(root),
        MemoryDevice(root),
        ProcessDevice(root),
        *howdah_devices(root),
    )


def this_machine(name: str) -> tuple[Source, ...]:
    """The machine this process runs on and works on, under the name it has in the plan."""
    return Source(name, host_devices()), _kernel(name)


def machine_beneath(name: str, own: tuple[Device, ...]) -> tuple[Source, ...]:
    """The machine that a laboratory shares with others; ``own`` tells what the laboratory uses of it."""
    return Source(name, (*_shared(Path("/")), *own)), _kernel(name)


def _shared(root: Path) -> tuple[Device, ...]:
    """What all share who use a machine, and wait for where others do."""
    return CpuDevice(root), DiskDevice(root), PressureDevice(root), LoadDevice(root)


def _kernel(name: str) -> Source:
    return Source(name, (KernelDevice(),), INTERVAL_S)
