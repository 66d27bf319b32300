"""How much is asked of each region, through its RegionServer's /jmx.

One bean has some twenty numbers of every region, 3 kB each: asked for, it costs a RegionServer 0.2 ms of CPU
time a region (HBase 2.6.4, measured). It is a source of its own, so that a server with very many regions need
not be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.services.jmx import JmxReader
from howdah.services.web import Line, Web
from howdah.telemetry.beans import Bean
from howdah.telemetry.daemons import INTERVAL_S, DaemonDevice, daemon_source
from howdah.telemetry.device import MetricReading
from howdah.telemetry.procfile import Counter
from howdah.telemetry.source import Source

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
