"""Daemons of Hadoop and HBase through their /jmx, and the requests to each region."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase

from howdah.services.answer import Object
from howdah.services.errors import ServiceError
from howdah.services.jmx import JmxReader
from howdah.services.web import Line, Web
from howdah.telemetry.beans import Bean, BeanNumber, beans_of, called
from howdah.telemetry.device import Away, Counter, Device, MetricReading
from howdah.telemetry.source import Source

INTERVAL_S = 10.0
"""How often a daemon is asked.

Each answer costs it some milliseconds, and it works most numbers out anew no more often: ten seconds is
the ``*.period`` that hadoop-metrics2.properties ships with, and HBase's without such a file. Marks ask at
the ends of a workload besides.
"""
OFTEN_S = 2.0
"""How often a daemon may be asked that works its numbers out anew as often, by ``*.period``.

What a RegionServer is asked for costs it 7 ms of CPU time, measured with HBase 2.6.4: 0.3 % of a core.
"""


_LONG_S, _REST = 1.0, 9.0
"""A daemon that was waited for this long in vain is left alone for nine times as long."""


def daemon_source(machine: str, daemon: str, url: str, web: Web, interval_s: float = INTERVAL_S) -> Source:
    """A daemon (``datanode``) of a machine, at the address of its web server: ``http://w1:9864``.

    ``interval_s`` may be shorter, OFTEN_S for instance, where the daemon works its numbers out as often: else
    what happened in ten seconds would seem to have happened in the last of them.
    """
    line = Line(web)
    device = DaemonDevice(daemon, JmxReader(line, url), beans_of(daemon), line.close)
    return Source(machine, (device,), interval_s)


class DaemonDevice(Device):
    """What one daemon says of itself; it may go and come back, and then counts from zero again."""

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
        self._rested_s = -math.inf
        self._sums: dict[tuple[str, BeanNumber], _Sum] = {}
        self._answered = False

    @property
    def label(self) -> str:
        """The daemon as Hadoop writes it."""
        return f"the {called(self.name)}"

    def tick(self) -> list[MetricReading]:
        """Ask for the beans; raises Away where the daemon does not answer."""
        values: dict[str, float] = {}
        for question, beans in self._questions.items():
            for content in self._ask(question):
                for number in _numbers(content, beans):
                    value = self._value(content, number)
                    if value is None:
                        continue
                    if number.kind == "gauge":
                        values[number.metric] = values.get(number.metric, 0.0) + value
                    else:
                        values[number.metric] = self._grown(number.metric)
        self._answered = True
        return [MetricReading(metric, value) for metric, value in values.items()]

    def stop(self) -> None:
        """Hang up."""
        self._close()

    def _ask(self, question: str) -> list[Object]:
        asked_s = self._now_s()
        if asked_s < self._rested_s:
            raise Away("did not answer in time")
        try:
            return self._reader.beans(question)
        except ServiceError as error:
            # Those who refuse cost nothing; one that has to be waited for would hold up the others.
            waited_s = self._now_s() - asked_s
            self._rested_s = self._now_s() + _REST * waited_s if waited_s >= _LONG_S else -math.inf
            raise Away(str(error)) from error

    def _grown(self, metric: str) -> float:
        """What beans have counted of a metric, one for each port, those of former ports included."""
        return sum(total.sum for (_, number), total in self._sums.items() if number.metric == metric)

    def _value(self, content: Object, number: BeanNumber) -> float | None:
        """The number in its metric's unit; none where this release's bean has none, or an infinite one."""
        if number.kind == "mean":
            count, each = _mean(content, number.attribute)
        else:
            count, each = content.get(number.attribute), 1.0
        if not isinstance(count, int | float) or not isinstance(each, int | float):
            return None
        if not math.isfinite(count) or not math.isfinite(each):
            return None
        if number.kind == "gauge":
            return count * number.factor
        key = (str(content.get("name")), number)
        if key not in self._sums:
            self._sums[key] = _Sum()
            if self._answered:
                # What was not there before has counted from zero since.
                self._sums[key].advance(0, 0.0)
        return self._sums[key].advance(int(count), each * number.factor)


def _mean(content: Object, attribute: str) -> tuple[object, object]:
    """How many there were, and their mean, by the names that Hadoop or HBase gives the two."""
    for many, each in (("NumOps", "AvgTime"), ("_num_ops", "_mean")):
        if f"{attribute}{many}" in content:
            return content[f"{attribute}{many}"], content.get(f"{attribute}{each}")
    return None, None


def _numbers(content: Object, beans: Sequence[Bean]) -> Iterator[BeanNumber]:
    """What is read of a bean that a daemon answered with."""
    for bean in beans:
        if fnmatchcase(str(content.get("name")), bean.name):
            yield from bean.numbers


class _Sum:
    """The growth of a counter of things that last ``each`` long, or are worth ``each``."""

    def __init__(self) -> None:
        self._counter = Counter("reset")
        self._count = 0
        self.sum = 0.0

    def advance(self, count: int, each: float) -> float:
        """Take the present count and what those that came last are worth; the sum since the first call."""
        grown = self._counter.advance(count)
        self.sum += (grown - self._count) * each
        self._count = grown
        return self.sum


_BEAN = "Hadoop:service=HBase,name=RegionServer,sub=Regions"
_ASKED = re.compile(
    r"Namespace_(?P<space>.+)_table_(?P<table>.+)_region_(?P<region>[0-9a-f]+)"
    r"_metric_(?:read|write)RequestCount"
)
_OWN = "hbase"
"""The namespace of HBase's own tables, which nobody asks to be measured."""
_NAMED = 8
"""Letters of a region's name that tell it from all others of a cluster."""


def server_sources(
    machine: str, daemon: str, url: str, web: Web, interval_s: float = INTERVAL_S
) -> Iterator[Source]:
    """All that a daemon is asked for: of a RegionServer its regions too, in questions of their own."""
    yield daemon_source(machine, daemon, url, web, interval_s)
    if daemon == "regionserver":
        yield region_source(machine, url, web)


def region_source(machine: str, url: str, web: Web, interval_s: float = INTERVAL_S) -> Source:
    """The regions of the RegionServer of a machine, at the address of its web server."""
    line = Line(web)
    return Source(machine, (RegionDevice(JmxReader(line, url), line),), interval_s)


class RegionDevice(DaemonDevice):
    """Rows read and written in each region of users' tables, since it was first seen on this server."""

    def __init__(self, reader: JmxReader, line: Line) -> None:
        super().__init__("regionserver", reader, (Bean(_BEAN, ()),), line.close)
        self._counters: dict[str, Counter] = {}
        self._began = False

    @property
    def label(self) -> str:
        """What it is, for a reader."""
        return f"the regions of {super().label}"

    def tick(self) -> list[MetricReading]:
        """Ask for all regions; those that went elsewhere keep what they had."""
        counts: dict[str, int] = {}
        for content in self._ask(_BEAN):
            for attribute, value in content.items():
                found = _ASKED.fullmatch(attribute)
                if found and found["space"] != _OWN and isinstance(value, int):
                    name = f"region/{found['table']} {found['region'][:_NAMED]}/requests"
                    counts[name] = counts.get(name, 0) + value
        grown = []
        for name, count in counts.items():
            if name not in self._counters:
                self._counters[name] = Counter("reset")
                if self._began:
                    # What was opened or split meanwhile has counted from zero.
                    self._counters[name].advance(0)
            grown.append(MetricReading(name, float(self._counters[name].advance(count))))
        self._began = True
        return grown
