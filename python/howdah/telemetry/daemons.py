"""Daemons of Hadoop and HBase through their /jmx, requests to each region, and events in servers' logs."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import Role
from howdah.model.tables import COLLECTION, COMPACTION, FLUSH, MOVE, SLOW_SYNC, SPLIT, ServerEvent
from howdah.services.errors import ServiceError
from howdah.services.web import JmxReader, Object, PlainClient, Web
from howdah.telemetry.beans import Bean, BeanNumber, beans_of, hadoop_name
from howdah.telemetry.device import Away, Counter, Device, MetricReading
from howdah.telemetry.source import Source

INTERVAL_S = 10.0
"""The interval of queries.

Each answer costs a daemon some milliseconds, and it updates most metrics no more often: ten seconds is the
default ``*.period`` of hadoop-metrics2.properties and of HBase. Marks also query at the ends of a workload.
"""
OFTEN_S = 2.0
"""The interval for daemons whose ``*.period`` is as short.

An answer costs a RegionServer 7 ms of CPU time, measured with HBase 2.6.4: 0.3 % of a core.
"""


_LONG_S, _PAUSE_FACTOR = 1.0, 9.0  # After so long a timeout, a daemon rests nine times as long.


def daemon_source(machine: str, daemon: str, url: str, web: Web, interval_s: float = INTERVAL_S) -> Source:
    """A daemon's source; ``interval_s`` must not be shorter than the interval of its metrics."""
    line = PlainClient(web)
    device = DaemonDevice(daemon, JmxReader(line, url), beans_of(daemon), line.close)
    return Source(machine, (device,), interval_s)


class DaemonDevice(Device):
    """The metrics of one daemon; a restarted one counts from zero again."""

    paths = ()

    def __init__(
        self,
        daemon: str,
        reader: JmxReader,
        beans: Sequence[Bean],
        close: Callable[[], None],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.name = daemon
        self._reader = reader
        self._questions: dict[str, list[Bean]] = {}
        for bean in beans:
            self._questions.setdefault(bean.question, []).append(bean)
        self._close = close
        self._now_s = now_s
        self._paused_until_s = -math.inf
        self._sums: dict[tuple[str, BeanNumber], _Sum] = {}
        self._answered = False

    @property
    def label(self) -> str:
        return f"the {hadoop_name(self.name)}"

    def readings(self) -> list[MetricReading]:
        """Read the beans; raise Away if the daemon does not answer."""
        values: dict[str, float] = {}
        for question, beans in self._questions.items():
            for content in self._read_beans(question):
                name = str(content.get("name"))
                numbers = [
                    number for bean in beans if fnmatchcase(name, bean.name) for number in bean.numbers
                ]
                for number in numbers:
                    value = self._value(content, number)
                    if value is not None and number.kind == "gauge":
                        values[number.metric] = values.get(number.metric, 0.0) + value
                    elif value is not None:
                        # There may be a bean for each port, former ports included.
                        own = (
                            total.sum for key, total in self._sums.items() if key[1].metric == number.metric
                        )
                        values[number.metric] = sum(own)
        self._answered = True
        return [MetricReading(metric, value) for metric, value in values.items()]

    def stop(self) -> None:
        self._close()

    def _read_beans(self, question: str) -> list[Object]:
        start_s = self._now_s()
        if start_s < self._paused_until_s:
            raise Away("did not answer in time")
        try:
            return self._reader.beans(question)
        except ServiceError as error:
            # A refusal costs no time, but a timeout delays the other daemons.
            waited_s = self._now_s() - start_s
            pause_s = _PAUSE_FACTOR * waited_s if waited_s >= _LONG_S else -math.inf
            self._paused_until_s = self._now_s() + pause_s
            raise Away(str(error)) from error

    def _value(self, content: Object, number: BeanNumber) -> float | None:
        """Return the number in its metric's unit; None if the bean has none, or an infinite one."""
        if number.kind == "mean":
            count, mean = _mean(content, number.attribute)
        else:
            count, mean = content.get(number.attribute), 1.0
        if not isinstance(count, int | float) or not isinstance(mean, int | float):
            return None
        if not math.isfinite(count) or not math.isfinite(mean):
            return None
        if number.kind == "gauge":
            return count * number.factor
        key = (str(content.get("name")), number)
        if key not in self._sums:
            self._sums[key] = _Sum()
            if self._answered:
                # A new bean has counted from zero.
                self._sums[key].advance(0, 0.0)
        return self._sums[key].advance(int(count), mean * number.factor)


def _mean(content: Object, attribute: str) -> tuple[object, object]:
    """Return count and mean, by Hadoop's or HBase's names."""
    for count_suffix, mean_suffix in (("NumOps", "AvgTime"), ("_num_ops", "_mean")):
        if f"{attribute}{count_suffix}" in content:
            return content[f"{attribute}{count_suffix}"], content.get(f"{attribute}{mean_suffix}")
    return None, None


class _Sum:
    def __init__(self) -> None:
        self._counter = Counter("reset")
        self._count = 0
        self.sum = 0.0

    def advance(self, count: int, mean: float) -> float:
        """Add the growth since the last call times its mean; return the sum since the first call."""
        grown = self._counter.advance(count)
        self.sum += (grown - self._count) * mean
        self._count = grown
        return self.sum


_BEAN = DAEMONS[Role.REGIONSERVER].bean("RegionServer,sub=Regions")
_REQUEST_COUNT = re.compile(
    r"Namespace_(?P<space>.+)_table_(?P<table>.+)_region_(?P<region>[0-9a-f]+)"
    r"_metric_(?:read|write)RequestCount"
)
_SYSTEM_NAMESPACE = "hbase"  # The namespace of HBase's own tables, which are not sampled.
_REGION_LETTERS = 8  # Letters that identify a region of a cluster.


def server_sources(
    machine: str, daemon: str, url: str, web: Web, interval_s: float = INTERVAL_S
) -> Iterator[Source]:
    yield daemon_source(machine, daemon, url, web, interval_s)
    if daemon == "regionserver":
        yield region_source(machine, url, web)


def region_source(machine: str, url: str, web: Web, interval_s: float = INTERVAL_S) -> Source:
    """Return the source of the regions on a machine's RegionServer, at the address of its web server."""
    line = PlainClient(web)
    return Source(machine, (RegionDevice(JmxReader(line, url), line),), interval_s)


class RegionDevice(DaemonDevice):
    """Rows read and written in each region of users' tables, since it was first seen on this server."""

    def __init__(self, reader: JmxReader, line: PlainClient) -> None:
        super().__init__("regionserver", reader, (Bean(_BEAN, ()),), line.close)
        self._counters: dict[str, Counter] = {}
        self._began = False

    @property
    def label(self) -> str:
        return f"the regions of {super().label}"

    def readings(self) -> list[MetricReading]:
        """Read all regions; those that moved to another server keep their values."""
        counts: dict[str, int] = {}
        for content in self._read_beans(_BEAN):
            for attribute, value in content.items():
                match = _REQUEST_COUNT.fullmatch(attribute)
                if match and match["space"] != _SYSTEM_NAMESPACE and isinstance(value, int):
                    name = f"region/{match['table']} {match['region'][:_REGION_LETTERS]}/requests"
                    counts[name] = counts.get(name, 0) + value
        grown = []
        for name, count in counts.items():
            if name not in self._counters:
                self._counters[name] = Counter("reset")
                if self._began:
                    # A region that was opened or split since has counted from zero.
                    self._counters[name].advance(0)
            grown.append(MetricReading(name, float(self._counters[name].advance(count))))
        self._began = True
        return grown


_MILLI = 1e-3
# [2026-11-25T10:05:51.819+0000][0.326s][info][gc          ] GC(0) Pause Young (Normal) 20M->11M(380M) 6.602ms
_LINE = re.compile(
    r"^\[(?P<when>\d{4}-\d\d-\d\dT[\d:.]+[+-]\d{4})\].*\[gc(?:,phases)? *\] "
    r"(?:GC\(\d+\) )?(?:[YyOo]: )?(?P<what>(?:Pause|Allocation Stall)\b.*?)"
    r"(?: \d+[KMG]->\d+[KMG]\(\d+[KMG]\))? (?P<ms>[\d.]+)ms$"
)


def pauses(lines: Iterable[str], machine: str, daemon: str, start_epoch_s: float) -> Iterator[ServerEvent]:
    """Yield the pauses in a log since the run's start; it begins with settings and may end within a line."""
    for line in lines:
        match = _LINE.match(line.rstrip("\n"))
        if match is None:
            continue
        end_s = datetime.strptime(match["when"], "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() - start_epoch_s
        length_s = float(match["ms"]) * _MILLI
        if end_s >= 0:
            yield ServerEvent(end_s - length_s, end_s, machine, daemon, COLLECTION, match["what"], None)


_UNITS = {"B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# Both forms of log4j's times: of its default layout, with a comma, and HBase's own, in ISO 8601.
_WHEN = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)[,.](\d{3})")
_FLUSH = re.compile(
    r"Finished flush of dataSize ~[^/]+/(?P<bytes>\d+),.* for (?P<region>\w+) in (?P<ms>\d+)ms"
)
_COMPACTING = re.compile(r"HRegion: Starting compaction of (?P<region>\w+)/(?P<family>\S+) in ")
_COMPACTED = re.compile(
    r"Completed (?:major )?compaction of .* file\(s\) in (?P<family>\S+) of (?P<region>\w+) into "
    r"\S+?\(size=(?P<size>[\d.]+) ?(?P<unit>[KMGT]?)"
)
_FINISHED = re.compile(
    r"Finished pid=\d+,.* (?P<what>SplitTableRegionProcedure|TransitRegionStateProcedure) .*?"
    r"(?:parent|region)=(?P<region>\w+)(?P<rest>.*) in (?P<took>.+)$"
)
_SLOW_SYNC = re.compile(r"Slow sync cost: (?P<ms>\d+) ?ms")
_TOOK = re.compile(r"([\d.]+) (min|sec|msec|hrs|mins)\b")
_SECONDS = {"msec": _MILLI, "sec": 1.0, "min": 60.0, "mins": 60.0, "hrs": 3600.0}
_LONG_MOVES = "REOPEN/MOVE"


def logged_epoch_s(line: str, zone: tzinfo | None = None) -> float | None:
    """When a line of log4j was written, if it has a time; ``zone`` is by default this machine's."""
    when = _WHEN.match(line)
    if when is None:
        return None
    return datetime.fromisoformat(f"{when[1]}T{when[2]}.{when[3]}").replace(tzinfo=zone).timestamp()


def region_events(
    lines: Iterable[str], machine: str, daemon: str, start_epoch_s: float, zone: tzinfo | None = None
) -> Iterator[ServerEvent]:
    """Yield regions' events in a log since the run's start; ``zone`` is by default this machine's."""
    compacting: dict[str, float] = {}
    for line in lines:
        logged_s = logged_epoch_s(line, zone)
        if logged_s is None:
            continue
        at_s = logged_s - start_epoch_s
        if match := _COMPACTING.search(line):
            compacting[f"{match['region']}/{match['family']}"] = at_s
        elif match := _COMPACTED.search(line):
            family = match["family"].rpartition("/")[2]
            began_s = compacting.pop(f"{match['region']}/{family}", at_s)
            size = int(float(match["size"]) * _UNITS[match["unit"] or "B"])
            if at_s >= 0:
                yield ServerEvent(began_s, at_s, machine, daemon, COMPACTION, match["region"], size)
        else:
            for kind, region, length_s, written in _logged(line) if at_s >= 0 else ():
                yield ServerEvent(at_s - length_s, at_s, machine, daemon, kind, region, written)


def _logged(line: str) -> Iterator[tuple[str, str, float, int | None]]:
    if match := _FLUSH.search(line):
        yield FLUSH, match["region"], int(match["ms"]) * _MILLI, int(match["bytes"])
    if match := _FINISHED.search(line):
        length_s = sum(float(amount) * _SECONDS[unit] for amount, unit in _TOOK.findall(match["took"]))
        if match["what"].startswith("Split"):
            yield SPLIT, match["region"], length_s, None
        elif _LONG_MOVES in match["rest"]:
            yield MOVE, match["region"], length_s, None
    if match := _SLOW_SYNC.search(line):
        yield SLOW_SYNC, "WAL", int(match["ms"]) * _MILLI, None


class ServerLogs(NamedTuple):
    machine: str
    daemon: str  # ``regionserver`` or ``hmaster``.
    own: Path
    collector: Path  # Its JVM's unified log of collections.


def logged_events(logs: ServerLogs, start_epoch_s: float) -> tuple[ServerEvent, ...]:
    """Return every event since the run's start, in order; a missing log has none."""
    events: list[ServerEvent] = []
    for path, read in ((logs.collector, pauses), (logs.own, region_events)):
        # A log may be rotated away while it is read, and end within a character.
        with suppress(FileNotFoundError), path.open(encoding="utf-8", errors="replace") as lines:
            events += read(lines, logs.machine, logs.daemon, start_epoch_s)
    return tuple(sorted(events, key=lambda event: event.start_s))
