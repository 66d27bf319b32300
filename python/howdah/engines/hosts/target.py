"""The machines that commands can be run on, and how."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from howdah.model.cluster import Laboratory
from howdah.model.sink import Progress, SampleSink
from howdah.model.workloads.base import Workload
from howdah.telemetry.source import Source


@dataclass(frozen=True)
class Station:
    """A worker, or a host that is one, and how a command comes to run there."""

    name: str
    host: str
    address: str
    """The name or address by which the others reach it."""
    prefix: tuple[str, ...]
    """The beginning of a command line that runs there: how to enter a laboratory's machine, or ``ssh``."""
    nominal_bits_per_s: int | None = None
    """What its host's ports are planned to carry together, each way."""
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    """What a command finds in its environment."""


class Tools(NamedTuple):
    """What the machines have to measure with."""

    iperf: str
    """The versions of iperf3 on them."""
    ping_interval_s: float | None
    """How soon after one another their pings may follow; None where some have no ping."""


@dataclass(frozen=True)
class HostsTarget:
    """Everything that the engine needs to know of the hosts."""

    stations: tuple[Station, ...]
    """The machines, host by host."""
    tools: Tools
    """What they have to measure with."""
    sources: tuple[Source, ...] = ()
    """What is sampled meanwhile."""
    lab: Laboratory | None = None
    """What they were built of, where they are a laboratory."""

    def by_host(self) -> tuple[tuple[Station, ...], ...]:
        """The machines of each host."""
        hosts: dict[str, list[Station]] = {}
        for station in self.stations:
            hosts.setdefault(station.host, []).append(station)
        return tuple(map(tuple, hosts.values()))


W = TypeVar("W", bound=Workload)


@dataclass(frozen=True)
class HostsWork(Generic[W]):
    """A workload, the machines it runs on, and where what it measures goes."""

    workload: W
    """What is to be run, every size decided."""
    target: HostsTarget
    sink: SampleSink
    """Takes what is measured."""
    now_s: Callable[[], float]
    """Seconds since the start of the run."""
    start_s: float
    """When the workload began."""

    def progress(self, phase: str, done: int, total: int) -> None:
        """Say how many parts of the workload are done."""
        elapsed_s = self.now_s() - self.start_s
        self.sink.progress(Progress(self.workload.kind, phase, done, total, "share", elapsed_s))
