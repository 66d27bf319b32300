"""Commands on machines: iperf3 and ping, run to their end or as a server."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from howdah.engines.processes import end_with_parent
from howdah.errors import RunFailed
from howdah.model.cluster import Laboratory
from howdah.model.reported import LatencyHistogram, LinkRate, encoded
from howdah.model.tables import Progress, SampleSink
from howdah.model.workloads.base import Workload
from howdah.model.workloads.hadoop_programs import BOTH_WAYS, NETWORK
from howdah.telemetry.source import Source

_LOG = logging.getLogger(__name__)
_REACH_S = 30.0  # Time limit for connecting to a machine, in addition to the command's own.
_LAST_CHARACTERS = 300


@dataclass(frozen=True)
class Station:
    """A worker, or a host that is one, and the prefix of commands on it."""

    name: str
    host: str
    address: str  # The name or address by which the others reach it.
    prefix: tuple[str, ...]  # Begins a command that runs there: entering a lab's machine, or ``ssh``.
    nominal_bits_per_s: int | None = None  # Planned for all ports of its host, in each direction.
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


@dataclass(frozen=True)
class HostsTarget:
    """All that the engine needs of the hosts."""

    stations: tuple[Station, ...]
    iperf: str  # The releases of iperf3 that the machines have.
    ping_interval_s: float | None  # The shortest interval between pings; None if a machine has no ping.
    sources: tuple[Source, ...] = ()
    lab: Laboratory | None = None

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
    target: HostsTarget
    sink: SampleSink
    now_s: Callable[[], float]
    start_s: float

    def progress(self, phase: str, done: int, total: int) -> None:
        """Report how many parts of the workload are done."""
        elapsed_s = self.now_s() - self.start_s
        self.sink.progress(Progress(self.workload.kind, phase, done, total, "share", elapsed_s))


class Ended(NamedTuple):
    """The result of a command."""

    code: int
    output: str
    errors: str

    @property
    def complaint(self) -> str:
        """Its last line of error output, or its exit code."""
        lines = f"{self.output}\n{self.errors}".strip().splitlines()
        return lines[-1].strip()[-_LAST_CHARACTERS:] if lines else f"exit code {self.code}"


async def run(station: Station, words: Sequence[str], within_s: float) -> Ended:
    """Run a command on a machine, at most for its time, and return its output."""
    process = await _start(station, words, within_s)
    try:
        output, errors = await asyncio.wait_for(process.communicate(), within_s + _REACH_S)
    except TimeoutError:
        return Ended(-1, "", f"no end within {within_s + _REACH_S:g} s")
    finally:
        await _end(process)
    return Ended(process.returncode or 0, output.decode(errors="replace"), errors.decode(errors="replace"))


@asynccontextmanager
async def serving(
    station: Station, words: Sequence[str], *, ready: str, within_s: float
) -> AsyncIterator[None]:
    """Run a server until it prints ``ready`` and through the context; raises RunFailed if it ends before."""
    process = await _start(station, words, within_s)
    try:
        await asyncio.wait_for(_until(process, ready, station), _REACH_S)
        yield
        # A server that has served its only client exits and thereby frees its port.
        with suppress(TimeoutError):
            await asyncio.wait_for(process.communicate(), 1.0)
    except TimeoutError as error:
        raise RunFailed(station.name, f"{words[0]} did not begin within {_REACH_S:g} s") from error
    finally:
        await _end(process)


async def _start(station: Station, words: Sequence[str], within_s: float) -> Process:
    command = [*station.prefix, "timeout", f"{within_s:g}", *words]
    _LOG.info("%s: %s", station.name, " ".join(words))
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=station.environment,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
    except OSError as error:
        raise RunFailed(station.name, f"cannot be reached by {command[0]}: {error.strerror}") from error


async def _until(process: Process, ready: str, station: Station) -> None:
    assert process.stdout is not None
    lines = []
    async for raw in process.stdout:
        line = raw.decode(errors="replace").strip()
        if ready in line:
            return
        lines.append(line)
    _, errors = await process.communicate()
    ended = Ended(process.returncode or 0, "\n".join(lines), errors.decode(errors="replace"))
    raise RunFailed(station.name, ended.complaint)


async def _end(process: Process) -> None:
    for stop in (signal.SIGTERM, signal.SIGKILL):
        if process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, stop)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 2.0)


How = Literal["one way", "both ways", "all at once"]

_LEFT_OUT_S = 1  # The first second, in which TCP finds its speed.
_SPARE_S = 10  # The time for connecting and reporting, in addition to the measurement itself.
_CONNECT_MS = 5_000
_MICROSECONDS = 1e-6

Report = Mapping[str, Any]


async def measure(
    source: Station, target: Station, how: How, *, streams: int, seconds: int
) -> tuple[LinkRate, ...]:
    """Throughput to the target and, with ``both ways``, back; a pair without connection has an ``error``."""
    within_s = seconds + _LEFT_OUT_S + _SPARE_S
    server = ("iperf3", "--server", "--one-off", "--forceflush")
    client = (
        *("iperf3", "--client", target.address, "--time", str(seconds), "--omit", str(_LEFT_OUT_S)),
        *("--parallel", str(streams), "--connect-timeout", str(_CONNECT_MS), "--json"),
        *(["--bidir"] if how == BOTH_WAYS else []),
    )
    report: Report = {}
    try:
        async with serving(target, server, ready="Server listening", within_s=within_s):
            ended = await run(source, client, within_s)
        wrong: str | None = ended.complaint
        with suppress(ValueError):
            report = json.loads(ended.output)
            wrong = report.get("error")
        wrong = f"{source.name}: {wrong}" if wrong else None
    except RunFailed as error:
        wrong = f"{error.where}: {error.what}"
    if wrong is None:
        return tuple(rates(report, source, target, how, streams))
    ends = [(source, target), (target, source)] if how == BOTH_WAYS else [(source, target)]
    return tuple(
        LinkRate(
            source=near.name,
            target=far.name,
            how=how,
            streams=streams,
            seconds=0.0,
            bits_per_s=0.0,
            nominal_bits_per_s=nominal(near, far),
            error=wrong,
        )
        for near, far in ends
    )


def rates(report: Report, source: Station, target: Station, how: How, streams: int) -> list[LinkRate]:
    """The rates in a client's report; raises KeyError for what is no such report."""
    end = report["end"]
    cpu = end["cpu_utilization_percent"]
    own = [stream["sender"] for stream in end["streams"] if stream["sender"]["sender"]]
    cpus = (cpu["host_total"] / 100, cpu["remote_total"] / 100)

    def rate(ends: tuple[Station, Station], way: str, cpus: Sequence[float]) -> LinkRate:
        return LinkRate(
            source=ends[0].name,
            target=ends[1].name,
            how=how,
            streams=streams,
            seconds=end[f"sum_received{way}"]["seconds"],
            bits_per_s=end[f"sum_received{way}"]["bits_per_second"],
            nominal_bits_per_s=nominal(source, target),
            retransmits=end[f"sum_sent{way}"].get("retransmits"),
            source_cpu=cpus[0],
            target_cpu=cpus[1],
        )

    forth = rate((source, target), "", cpus)
    if own:
        times = {
            "round_trip_s": _MICROSECONDS * sum(stream["mean_rtt"] for stream in own) / len(own),
            "longest_round_trip_s": _MICROSECONDS * max(stream["max_rtt"] for stream in own),
        }
        forth = forth.model_copy(update=times)
    return [forth, *([rate((target, source), "_bidir_reverse", cpus[::-1])] if how == BOTH_WAYS else [])]


def nominal(source: Station, target: Station) -> int | None:
    """The planned bandwidth of the slower of two hosts."""
    rates = [end.nominal_bits_per_s for end in (source, target)]
    return None if None in rates else min(filter(None, rates), default=None)


_ANSWER = re.compile(r"^\[(\d+\.\d+)\] .*\btime=([\d.]+) ms", re.MULTILINE)
_PING_SPARE_S = 5


async def round_trips(
    source: Station,
    target: Station,
    operation: str,
    *,
    seconds: float,
    interval_s: float,
    now_s: Callable[[], float],
) -> tuple[LatencyHistogram, ...]:
    """The times of the answers that came within so many seconds; ``now_s`` is the run's clock."""
    number = max(1, round(seconds / interval_s))
    limits = ("-i", f"{interval_s:g}", "-c", str(number), "-w", str(round(seconds) + 1))
    words = ("ping", "-D", "-n", *limits, target.address)
    start_s = now_s()
    ended = await run(source, words, seconds + _PING_SPARE_S)
    return tuple(histograms(ended.output, source.name, target.name, operation, start_s))


def histograms(
    output: str, source: str, target: str, operation: str, start_s: float
) -> Iterator[LatencyHistogram]:
    """A histogram for every second of what ping printed with ``-D`` from ``start_s`` on."""
    answers = [(float(when), float(time_ms) / 1000) for when, time_ms in _ANSWER.findall(output)]
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    for when, time_s in answers:
        seconds[int(when - answers[0][0])].append(time_s)
    for second, times_s in sorted(seconds.items()):
        yield LatencyHistogram(
            workload=NETWORK,
            operation=operation,
            host=source,
            peer=target,
            start_s=start_s + second,
            end_s=start_s + second + 1,
            operations=len(times_s),
            histogram=encoded(times_s),
        )
