"""What is sampled of a laboratory's machines, from the names of what the kernel holds of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS, OF_HBASE
from howdah.services.web import Web
from howdah.telemetry.cgroup import CgroupCpuDevice, CgroupMemoryDevice
from howdah.telemetry.cpu import PressureDevice
from howdah.telemetry.daemons import INTERVAL_S, OFTEN_S
from howdah.telemetry.device import Device
from howdah.telemetry.disk import VolumeDevice
from howdah.telemetry.link import LinkDevice
from howdah.telemetry.regions import server_sources
from howdah.telemetry.source import Source

_SERVE_ROWS = tuple(DAEMONS[role].name for role in OF_HBASE)


class LabMachine(NamedTuple):
    """A host, worker or master of a laboratory, as far as the kernel can tell of it.

    ``groups`` are the directories of its control group by controller, ``cpu``, ``cpuacct`` and
    ``memory``; empty where it has none. ``cpus`` and ``memory_bytes`` are its limits,
    those of the machine it is on where it has none of its own. ``namespace`` is that of its network
    (``/run/netns/NAME``) and ``interface`` its link to others in there. ``disks`` are kernel names of
    block devices (``loop3``) by mount name, ``jmx`` the web addresses of its daemons by what they
    are called: ``datanode``.
    """

    name: str
    cpus: float
    memory_bytes: int
    groups: Mapping[str, Path] = {}
    namespace: Path | None = None
    interface: str | None = None
    disks: Mapping[str, str] = {}
    jmx: Mapping[str, str] = {}


def lab_sources(machines: Sequence[LabMachine], web: Web | None = None) -> tuple[Source, ...]:
    """What can be sampled of these machines, and of their daemons, where these are asked through ``web``."""
    return tuple(source for machine in machines for source in _sources(machine, web))


def _sources(machine: LabMachine, web: Web | None) -> Iterator[Source]:
    devices = tuple(_devices(machine))
    if devices:
        yield Source(machine.name, devices)
    if web is None:
        return
    for daemon, url in machine.jmx.items():
        # Here they work their numbers out each second, and what sets the tail of operations lasts no longer.
        interval_s = OFTEN_S if daemon in _SERVE_ROWS else INTERVAL_S
        yield from server_sources(machine.name, daemon, url, web, interval_s)


def _devices(machine: LabMachine) -> Iterator[Device]:
    if machine.groups:
        yield CgroupCpuDevice(machine.groups, machine.cpus)
        yield CgroupMemoryDevice(machine.groups["memory"], machine.memory_bytes)
        if (machine.groups["memory"] / "io.pressure").is_file():
            yield PressureDevice(machine.groups["memory"], "{}.pressure")
    if machine.disks:
        yield VolumeDevice(machine.disks)
    if machine.namespace is not None and machine.interface is not None:
        yield LinkDevice(machine.namespace, machine.interface)
