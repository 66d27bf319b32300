"""Hadoop's daemons, through their /jmx."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

from howdah.services.answer import Object
from howdah.services.errors import ServiceError
from howdah.services.jmx import JmxReader
from howdah.services.web import Line, Web
from howdah.telemetry.device import Away, Device, MetricReading
from howdah.telemetry.procfile import Counter
from howdah.telemetry.source import Source

_MASTERS = ("namenode", "resourcemanager")
"""What limits a whole cluster when it is busy, and so is asked for its CPU time."""
_METRICS = "Metrics"
_SERVICES = {
    "namenode": "NameNode",
    "secondarynamenode": "SecondaryNameNode",
    "datanode": "DataNode",
    "journalnode": "JournalNode",
    "resourcemanager": "ResourceManager",
    "nodemanager": "NodeManager",
    "historyserver": "JobHistoryServer",
}
INTERVAL_S = 10.0
"""How often a daemon is asked.

Each answer costs it some milliseconds, and it works most numbers out anew no more often: ten seconds is
the ``*.period`` that hadoop-metrics2.properties ships with. Marks ask at the ends of a workload besides.
"""


class BeanNumber(NamedTuple):
    """One attribute of a bean, its metric, and the factor to the metric's unit.

    ``total`` only grows, ``gauge`` is the value now. A ``mean`` is a pair of attributes that begin
    with this name: how many there were in all (``NumOps``) and how long they took on average since
    it was last worked out (``AvgTime``).
    """

    attribute: str
    metric: str
    kind: Literal["total", "gauge", "mean"]
    factor: float = 1.0


class Bean(NamedTuple):
    """A bean by its name, in which ``*`` stands for anything, and what is read of it."""

    name: str
    numbers: tuple[BeanNumber, ...]

    @property
    def question(self) -> str:
        """What to ask for: one question gives all the small beans that are called metrics of something."""
        service, _, name = self.name.partition(",name=")
        return f"{service},name=*{_METRICS}" if name.endswith(_METRICS) else self.name


_NANO, _MILLI = 1e-9, 1e-3


_OWN: Mapping[str, tuple[Bean, ...]] = {
    "datanode": (
        Bean(
            "DataNodeActivity-*",
            (
                BeanNumber("BytesRead", "datanode/read_bytes", "total"),
                BeanNumber("BytesWritten", "datanode/written_bytes", "total"),
                BeanNumber("RemoteBytesRead", "datanode/remote_read_bytes", "total"),
                BeanNumber("RemoteBytesWritten", "datanode/remote_written_bytes", "total"),
                BeanNumber("PacketAckRoundTripTimeNanos", "datanode/packet_ack_s", "mean", _NANO),
                BeanNumber("FlushNanos", "datanode/flush_s", "mean", _NANO),
                BeanNumber("SendDataPacketBlockedOnNetworkNanos", "datanode/send_blocked_s", "mean", _NANO),
                BeanNumber("SendDataPacketTransferNanos", "datanode/send_transfer_s", "mean", _NANO),
            ),
        ),
    ),
    "nodemanager": (
        Bean("NodeManagerMetrics", (BeanNumber("ContainersRunning", "nodemanager/containers", "gauge"),)),
        Bean("ShuffleMetrics", (BeanNumber("ShuffleOutputBytes", "nodemanager/shuffled_bytes", "total"),)),
    ),
    "namenode": (
        Bean(
            "FSNamesystemState",
            (
                BeanNumber("NumLiveDataNodes", "namenode/live_datanodes", "gauge"),
                BeanNumber("BlocksTotal", "namenode/blocks", "gauge"),
                BeanNumber("UnderReplicatedBlocks", "namenode/under_replicated", "gauge"),
            ),
        ),
        Bean(
            "RpcActivityForPort*",
            (
                BeanNumber("RpcProcessingTimeNumOps", "namenode/calls", "total"),
                BeanNumber("RpcQueueTime", "namenode/queue_s", "mean", _MILLI),
                BeanNumber("RpcProcessingTime", "namenode/processing_s", "mean", _MILLI),
            ),
        ),
    ),
    "resourcemanager": (
        Bean("ClusterMetrics", (BeanNumber("NumActiveNMs", "resourcemanager/live_nodemanagers", "gauge"),)),
        Bean(
            "QueueMetrics,q0=root",
            (
                BeanNumber("AllocatedContainers", "resourcemanager/containers", "gauge"),
                BeanNumber("PendingContainers", "resourcemanager/pending_containers", "gauge"),
            ),
        ),
    ),
}


def called(daemon: str) -> str:
    """A daemon (``datanode``) as Hadoop writes it, ``DataNode``."""
    return _SERVICES.get(daemon, daemon)


def beans_of(daemon: str) -> tuple[Bean, ...]:
    """What is read of a daemon (``datanode``): its own beans and its JVM's, none without a web server."""
    service = _SERVICES.get(daemon)
    if service is None:
        return ()
    memory = Bean(
        "JvmMetrics",
        (
            BeanNumber("GcTimeMillis", f"jvm/{daemon}/gc_s", "total", _MILLI),
            BeanNumber("MemHeapUsedM", f"jvm/{daemon}/heap_bytes", "gauge", float(2**20)),
        ),
    )
    process = Bean(
        "java.lang:type=OperatingSystem",
        (BeanNumber("ProcessCpuTime", f"jvm/{daemon}/cpu_s", "total", _NANO),),
    )
    hadoops = tuple(
        bean._replace(name=f"Hadoop:service={service},name={bean.name}")
        for bean in (*_OWN.get(daemon, ()), memory)
    )
    return (*hadoops, process) if daemon in _MASTERS else hadoops


_LONG_S, _REST = 1.0, 9.0
"""A daemon that was waited for this long in vain is left alone for nine times as long."""


def daemon_source(machine: str, daemon: str, url: str, web: Web) -> Source:
    """A daemon (``datanode``) of a machine, at the address of its web server: ``http://w1:9864``."""
    line = Line(web)
    device = DaemonDevice(daemon, JmxReader(line, url), beans_of(daemon), line.close)
    return Source(machine, (device,), INTERVAL_S)


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
            count, each = content.get(f"{number.attribute}NumOps"), content.get(f"{number.attribute}AvgTime")
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
