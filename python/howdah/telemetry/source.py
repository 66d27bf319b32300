"""Sources of samples: the devices of machines, and machines that join or leave during a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from howdah.telemetry.device import (
    PAGE_BYTES,
    Counter,
    CpuDevice,
    Device,
    DiskDevice,
    LoadDevice,
    MetricReading,
    PressureDevice,
)
from howdah.telemetry.nic import NicDevice
from howdah.telemetry.processes import INTERVAL_S, KernelDevice, ProcessDevice, howdah_devices

_GAUGES = {
    b"MemAvailable": "memory/available_bytes",
    b"Cached": "memory/cached_bytes",
    b"Dirty": "memory/dirty_bytes",
    b"Writeback": "memory/writeback_bytes",
}
_SWAP = {b"SwapTotal": 1, b"SwapFree": -1}
_COUNTERS = {
    b"nr_dirtied": ("memory/dirtied_bytes", PAGE_BYTES),
    b"nr_written": ("memory/written_back_bytes", PAGE_BYTES),
    b"pswpin": ("memory/swapped_in_bytes", PAGE_BYTES),
    b"pswpout": ("memory/swapped_out_bytes", PAGE_BYTES),
    b"pgmajfault": ("memory/major_faults", 1),
}


class MemoryDevice(Device):
    """The use of memory now, and the bytes of write-back and swapping since the first tick."""

    name = "memory"
    paths = ("proc/meminfo", "proc/vmstat")

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._counters = {name: Counter("reset") for name in _COUNTERS}

    def readings(self) -> Iterator[MetricReading]:
        """Gauges from meminfo, then growth from vmstat; values that a kernel lacks are left out."""
        swap_used = 0
        for line in self._files[0].read().split(b"\n"):
            key, _, value = line.partition(b":")
            if key in _GAUGES:
                yield MetricReading(_GAUGES[key], _kib(value))
            elif key in _SWAP:
                swap_used += _SWAP[key] * _kib(value)
        yield MetricReading("memory/swap_used_bytes", swap_used)
        for line in self._files[1].read().split(b"\n"):
            key, _, number = line.partition(b" ")
            if key in _COUNTERS:
                metric, unit = _COUNTERS[key]
                yield MetricReading(metric, self._counters[key].advance(int(number)) * unit)


def _kib(text: bytes) -> int:
    return int(text.split()[0]) * 1024


class Source(NamedTuple):
    """Devices of a machine in the plan; those with ``interval_s`` are read at it in another thread."""

    machine: str
    devices: tuple[Device, ...]
    interval_s: float | None = None


def host_devices(root: Path = Path("/")) -> tuple[Device, ...]:
    """Every device of the host whose /proc and /sys lie below ``root``."""
    return (*_shared(root), NicDevice(root), MemoryDevice(root), ProcessDevice(root), *howdah_devices(root))


def this_machine(name: str) -> tuple[Source, ...]:
    return Source(name, host_devices()), _kernel(name)


def shared_machine(name: str, own: tuple[Device, ...]) -> tuple[Source, ...]:
    """Return the sources of the machine below a lab; ``own`` are the devices of the lab's use."""
    return Source(name, (*_shared(Path("/")), *own)), _kernel(name)


def _shared(root: Path) -> tuple[Device, ...]:
    return CpuDevice(root), DiskDevice(root), PressureDevice(root), LoadDevice(root)


def _kernel(name: str) -> Source:
    return Source(name, (KernelDevice(),), INTERVAL_S)


class Member(NamedTuple):
    """A machine that joined a cluster, its place, and its sources."""

    name: str
    level: Literal["host", "worker", "master"]
    host: str
    rack: str
    sources: tuple[Source, ...]


class Membership(NamedTuple):
    """The changes since the last call."""

    joined: tuple[Member, ...] = ()
    leaving: frozenset[str] = frozenset()  # Machines being drained: no answers are expected.
    removed: frozenset[str] = frozenset()


Follow = Callable[[], Membership]  # Called once a second from a thread of the sampler; must not raise.
