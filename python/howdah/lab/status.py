"""The status of a lab at this moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import Field

from howdah.errors import HowdahError
from howdah.lab.faults import active_faults
from howdah.lab.hadoop.daemons import planned
from howdah.lab.hadoop.health import Health, health, missing
from howdah.lab.kernel import disks, network, processes
from howdah.lab.kernel.namespaces import network_of
from howdah.lab.kernel.processes import Key, Process
from howdah.lab.shared_hosts import shared_with
from howdah.lab.state import LabSpec, LabState, LabSystem
from howdah.model.base import Model
from howdah.model.cluster import Laboratory

_Link: TypeAlias = Literal["up", "down"]
_Links: TypeAlias = Mapping[str, _Link]
_Word: TypeAlias = Literal["up", "not redundant", "degraded", "incomplete"]


class DaemonStatus(Model):
    name: str
    pid: int | None
    log: Path


class DiskStatus(Model):
    mount: Path
    device: str | None  # Its loop device; None if there is none, or if it is not mounted.
    size_bytes: int | None  # None for a plain directory.
    bytes_per_s: int | None  # Its limit of speed; None is no limit.


class MachineStatus(Model):
    name: str
    kind: Literal["worker", "master"]
    host: str
    address: str
    cpus: float | None  # The limit of CPU time in CPUs; None is no limit.
    memory_bytes: int | None  # The limit of memory; None is no limit.
    uplink_bits_per_s: int | None  # The speed of its host's uplink; None is no limit.
    link: _Link | None  # Whether its link is up; None without root, or if it has no link.
    disks: tuple[DiskStatus, ...]
    daemons: tuple[DaemonStatus, ...]


class LabStatus(Model):
    name: str
    directory: Path
    plan: str
    hadoop: str
    hbase: str | None = None
    state: _Word
    """Up: complete. Not redundant: all daemons run, but one could not replace another yet. Degraded: parts
    are missing that existed. Incomplete: it was never complete."""
    missing: tuple[str, ...]
    shared: dict[str, tuple[str, ...]] = Field(default_factory=dict)  # Hosts that other labs use, too.
    faults: tuple[str, ...] = ()  # Its active faults, as lines of a schedule.
    machines: tuple[MachineStatus, ...]  # Masters first.
    health: Health | None  # Hadoop's state; None if it cannot be queried.
    laboratory: Laboratory
    notes: tuple[str, ...]


def status(state: LabState) -> LabStatus:
    """Return the status of a lab from its processes, its disks and Hadoop's daemons."""
    running = processes.daemons(state)
    answers = None
    # Its network or its files may be missing, which the status shows.
    with suppress(HowdahError), network_of(state):
        answers = health(state, running)
    links: dict[str, _Link] = {}
    if (spec := state.spec) is not None:
        for machine in spec.machines:
            with suppress(HowdahError):
                links[machine.name] = "down" if network.is_cut(spec, machine) else "up"
    lacking = tuple(_missing(state, answers, running, links))
    word: _Word = "not redundant" if answers and answers.behind else "up"
    if lacking or not state.complete:
        word = "degraded" if state.complete else "incomplete"
    return LabStatus(
        name=state.name,
        directory=state.directory,
        plan=state.source,
        hadoop=state.jars.version,
        hbase=state.hbase.version if state.hbase else None,
        state=word,
        missing=lacking,
        shared=dict(shared_with(state)),
        faults=tuple(fault.fault for fault in active_faults(state)),
        machines=tuple(_machines(state, {key: process.pid for key, process in running.items()}, links)),
        health=answers,
        laboratory=state.laboratory,
        notes=state.notes,
    )


def _missing(
    state: LabState, answers: Health | None, running: Mapping[Key, Process], links: _Links
) -> Iterator[str]:
    yield from (f"the link of {name}" for name, link in links.items() if link == "down")
    if answers is not None:
        yield from missing(state, answers, running)
        return
    yield from (
        f"{daemon.program} on {daemon.machine.name}" for daemon in planned(state) if daemon.key not in running
    )
    yield "its network"


def _machines(state: LabState, running: Mapping[Key, int], links: _Links) -> Iterator[MachineStatus]:
    spec, daemons = state.spec, list(planned(state))
    mounted = disks.devices(spec) if spec else {}
    hosts = {host.name: host for host in spec.hosts} if spec else {}
    for machine in state.machines:
        own, host = (spec.machine(machine.name), hosts[machine.host]) if spec else (None, None)
        yield MachineStatus(
            name=machine.name,
            kind=machine.kind,
            host=machine.host,
            address=machine.address,
            cpus=own.cpus or host.cpus if own and host else None,
            memory_bytes=own.memory_bytes or host.memory_bytes if own and host else None,
            uplink_bits_per_s=host.uplink_bits_per_s if host else None,
            link=links.get(machine.name),
            disks=tuple(_disks(state.spec, machine, mounted)),
            daemons=tuple(
                DaemonStatus(name=daemon.program, pid=running.get(daemon.key), log=daemon.log)
                for daemon in daemons
                if daemon.machine is machine
            ),
        )


def _disks(spec: LabSpec | None, machine: LabSystem, mounted: dict[Path, str]) -> Iterator[DiskStatus]:
    if spec is None:
        for path in machine.data_dirs:
            yield DiskStatus(mount=path, device=None, size_bytes=None, bytes_per_s=None)
        return
    for disk in spec.machine(machine.name).disks:
        device, rate = mounted.get(disk.mount), disk.read_bytes_per_s
        yield DiskStatus(mount=disk.mount, device=device, size_bytes=disk.size_bytes, bytes_per_s=rate)
