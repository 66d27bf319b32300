"""The HBase that a run goes to, and the machines that ask it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from howdah.engines.base import RunClock
from howdah.engines.processes import ConcurrentProgram
from howdah.faults.probes import ProbeAnswer, ProbeLog, probe_reports
from howdah.installation.installation import HBaseInstallation
from howdah.installation.java_programs import java_command
from howdah.model.cluster import Laboratory
from howdah.model.faults import ProbeReport
from howdah.model.tables import Job, Progress, SampleSink
from howdah.model.workloads.base import Workload
from howdah.model.workloads.ycsb_options import MOST_CLIENTS
from howdah.telemetry.daemons import ServerLogs
from howdah.telemetry.source import Follow, Source

if TYPE_CHECKING:
    from howdah.engines.hbase.admin import HBaseAdmin

SMALL_HEAP = ("-Xmx256m", "-XX:+UseSerialGC")


@dataclass(frozen=True)
class ClientPlace:
    """A machine of HBase's clients."""

    name: str
    prefix: tuple[str, ...] = ()  # The beginning of a command line that runs there.
    environment: Mapping[str, str] | None = None  # All that a program has; howdah's own if None.
    options: tuple[str, ...] = ()


def places_here(name: str) -> tuple[ClientPlace, ...]:
    """Return clients on this machine, each with its own name."""
    return (ClientPlace(name), *(ClientPlace(f"{name} {at}") for at in range(2, MOST_CLIENTS + 1)))


@dataclass(frozen=True)
class HBaseTarget:
    """All that the engine needs of a cluster."""

    installation: HBaseInstallation  # The jars that clients run from, with YCSB's and howdah's own classes.
    conf_dir: Path
    places: tuple[ClientPlace, ...]  # The machines that may ask, in the order in which they are taken.
    sources: Sequence[Source] = ()
    logs: Sequence[ServerLogs] = ()  # The daemons' logs, where they can be read.
    follow: Follow | None = None
    lab: Laboratory | None = None
    heal: Callable[[], None] | None = None  # Reverts all faults and injects no more; None without faults.

    def java(self, place: ClientPlace, main: str, *arguments: str, options: Sequence[str] = ()) -> list[str]:
        """The command line of a Java program on a machine."""
        options = (*place.options, *options)
        java = java_command(self.installation, self.conf_dir, main, *arguments, options=options)
        return [*place.prefix, *java]


MOST_REGIONS = 16  # More are not probed: each has two threads that ask.
_EVERY_MS = 100
_TIMEOUT_MS = 1000
_END_S = 60.0
_GOOD = "OK"


class RegionProbes:
    """A Java program that probes every region; it ends with howdah."""

    def __init__(self, target: HBaseTarget, table: str, seconds: Callable[[int], float]) -> None:
        self._seconds = seconds
        self._logs: dict[tuple[str, str], ProbeLog] = {}
        self._lock = Lock()
        self.lost: list[str] = []  # Its own writes that were acknowledged and are not there, in words.
        words = (table, str(MOST_REGIONS), str(_EVERY_MS), str(_TIMEOUT_MS))
        place = target.places[0]
        command = target.java(place, "HBaseProbe", *words, options=SMALL_HEAP)
        self._program = ConcurrentProgram(command, self._note, environment=place.environment)

    def reports(self) -> tuple[ProbeReport, ...]:
        """The observations of all probes so far."""
        with self._lock:
            return probe_reports(self._logs.values())

    def end(self) -> None:
        """Let it read its own writes back and end; one that does not is ended. Safe to repeat."""
        self._program.end(_END_S)

    def _note(self, line: str) -> None:
        words = line.split(" ", 4)
        if len(words) != 5:
            return
        kind, first, second, result, region = words
        if kind == "lost":
            text = f"write {first} was acknowledged, but the last one stored is {second}"
            self.lost.append(f"region {region}: {text}")
        elif kind in ("read", "write"):
            start_s, why = self._seconds(int(first)), None if result == _GOOD else result
            with self._lock:
                log = self._logs.setdefault((region, kind), ProbeLog(f"region {region}", kind))
                log.add(ProbeAnswer(start_s, int(second) / 1e6, why))


W = TypeVar("W", bound=Workload)


def table_name(run_id: str) -> str:
    """The table that a run makes."""
    return f"howdah-{run_id}"


@dataclass
class RunTable:
    """The table that a run's programs work on."""

    name: str
    fields: int
    field_bytes: int
    rows: int = 0
    made_here: bool = False
    keep: bool = False


@dataclass
class HBaseContext:
    """The context of all programs of a run; ``warn`` adds a warning by code and text."""

    job: Job
    target: HBaseTarget
    admin: HBaseAdmin
    clock: RunClock
    sink: SampleSink
    warn: Callable[[str, str], None]
    table: RunTable | None = None
    ledger: Path | None = None  # The folder of clients' ledgers of acknowledged writes, in runs with faults.
    probes: RegionProbes | None = None  # The probes of the table's regions, in runs with faults.

    @property
    def faulty(self) -> bool:
        """Whether faults are injected: operations may fail then, but no acknowledged write may be lost."""
        return self.target.heal is not None


@dataclass(frozen=True)
class HBaseWork(Generic[W]):
    """A workload, and the run that it belongs to."""

    workload: W
    context: HBaseContext
    start_s: float
    last: bool  # Whether it is the last one that uses the table.

    def progress(self, phase: str, done: int, total: int) -> None:
        context, kind = self.context, self.workload.kind
        elapsed_s = context.clock.now_s() - self.start_s
        context.sink.progress(Progress(kind, phase, done, total, "operations", elapsed_s))
