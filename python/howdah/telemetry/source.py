"""What is sampled of a machine, and machines that join or leave while a run is on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from howdah.telemetry.cpu import CpuDevice, LoadDevice, PressureDevice
from howdah.telemetry.device import Counter, Device, MetricReading
from howdah.telemetry.disk import DiskDevice
from howdah.telemetry.nic import NicDevice
from howdah.telemetry.own import howdah_devices
from howdah.telemetry.processes import INTERVAL_S, KernelDevice, ProcessDevice

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_GAUGES = {
    b"MemAvailable": "memory/available_bytes",
    b"Cached": "memory/cached_bytes",
    b"Dirty": "memory/dirty_bytes",
    b"Writeback": "memory/writeback_bytes",
}
_COUNTERS = {
    b"nr_dirtied": ("memory/dirtied_bytes", _PAGE_BYTES),
    b"nr_written": ("memory/written_back_bytes", _PAGE_BYTES),
    b"pswpin": ("memory/swapped_in_bytes", _PAGE_BYTES),
    b"pswpout": ("memory/swapped_out_bytes", _PAGE_BYTES),
    b"pgmajfault": ("memory/major_faults", 1),
}


class MemoryDevice(Device):
    """How memory is used now, and what write-back and swapping moved since the first tick."""

    name = "memory"
    paths = ("proc/meminfo", "proc/vmstat")

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._counters = {name: Counter("reset") for name in _COUNTERS}

    def tick(self) -> list[MetricReading]:
        """Gauges from meminfo, then growth from vmstat; what a kernel does not list is left out."""
        readings: list[MetricReading] = []
        swap_total = swap_free = 0
        for line in self._files[0].read().split(b"\n"):
            key, _, rest = line.partition(b":")
            if key in _GAUGES:
                readings.append(MetricReading(_GAUGES[key], _kib(rest)))
            elif key == b"SwapTotal":
                swap_total = _kib(rest)
            elif key == b"SwapFree":
                swap_free = _kib(rest)
        readings.append(MetricReading("memory/swap_used_bytes", swap_total - swap_free))
        for line in self._files[1].read().split(b"\n"):
            key, _, number = line.partition(b" ")
            if key in _COUNTERS:
                metric, unit = _COUNTERS[key]
                readings.append(MetricReading(metric, self._counters[key].advance(int(number)) * unit))
        return readings


def _kib(text: bytes) -> int:
    return int(text.split()[0]) * 1024


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


class Member(NamedTuple):
    """A machine that joined a cluster, where it is, and what is sampled of it."""

    name: str
    level: Literal["host", "worker", "master"]
    host: str
    rack: str
    sources: tuple[Source, ...]


class Membership(NamedTuple):
    """What changed since the last time."""

    joined: tuple[Member, ...] = ()
    leaving: frozenset[str] = frozenset()
    """Machines that are being emptied, in good order: from now on it is no fault that they do not answer."""
    left: frozenset[str] = frozenset()
    """Machines that are gone."""


Follow = Callable[[], Membership]
"""Called once a second from a thread of the sampler's; it must not raise."""
