"""What grows with the number of hosts: heartbeats, reports, and the memory of those who receive them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.heap import heap_bytes
from howdah.planner.facts import Facts
from howdah.planner.named_hosts import worker_hosts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rules.declare import Rules
from howdah.units import MIB, format_memory

_LEAST_HOSTS = 100
"""Below this nothing here matters."""


class _Rate(NamedTuple):
    """A time between messages of each host, in so many parts of a second, and the most of them a second."""

    key: str
    parts: int
    most: float
    usual: int
    harm: str


_RATES = (
    _Rate("dfs.heartbeat.interval", 1, 1000, 3, "the NameNode answers heartbeats in place of clients"),
    _Rate(
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
        1000,
        5000,
        1000,
        "the ResourceManager's one scheduler does nothing else, and its queue of events grows",
    ),
)
_DELAY = "dfs.blockreport.initialDelay"


class _Heap(NamedTuple):
    """The heap of a daemon that remembers something of every host."""

    variables: tuple[str, ...]
    of_host: int
    remembers: str


_HEAPS = (
    _Heap(
        ("HDFS_NAMENODE_OPTS", "HADOOP_NAMENODE_OPTS"),
        10 * MIB,
        "the blocks of each host: 1 GiB is soon full with a million blocks, and a host has tens of thousands",
    ),
    _Heap(
        ("YARN_RESOURCEMANAGER_OPTS",),
        2 * MIB,
        "the containers and events of each host",
    ),
)
rules = Rules()


@rules.inspection(
    "consistency.heartbeats-of-hosts",
    sources="Hadoop 3.5.0: hdfs-default.xml, Hadoop 3.5.0: yarn-default.xml, howdah",
    when=f"where files list {_LEAST_HOSTS} workers at least",
)
def _rates(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Masters receive no more heartbeats than they can answer."""
    hosts = len(worker_hosts(reading))
    if hosts < _LEAST_HOSTS:
        return
    for rate in _RATES:
        given = reading.number(rate.key)
        if given is not None and given > 0:
            a_second = hosts * rate.parts / given
            yield reading.verdict(
                rate.key,
                a_second <= rate.most,
                found=f"{given:g}, with {hosts} workers: {a_second:,.0f} heartbeats a second",
                expected=f"{rate.most:,.0f} a second at most: {rate.harm}",
                fix=f"set {rate.key} to {rate.usual} in {reading.where(rate.key)}",
            )
    delay = reading.text(_DELAY)
    if delay is not None:
        yield reading.verdict(
            _DELAY,
            delay.strip().rstrip("smhd") != "0",
            found=f"{delay}, with {hosts} workers",
            expected="some minutes: after a restart all DataNodes report all of their blocks at once",
            fix=f"set {_DELAY} to 600s in {reading.where(_DELAY)}",
        )


@rules.inspection(
    "consistency.heaps-of-hosts", sources="howdah", when=f"where files list {_LEAST_HOSTS} workers at least"
)
def _heaps(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Masters have heaps for what they remember of their hosts."""
    hosts = len(worker_hosts(reading))
    if hosts < _LEAST_HOSTS:
        return
    for row in _HEAPS:
        name = next((name for name in row.variables if reading.variable(name)), None)
        heap = heap_bytes(reading.variable(name) or "") if name else None
        if name and heap:
            least = hosts * row.of_host
            yield Observation(
                ok=heap >= least,
                about=name,
                found=f"{format_memory(heap)}, with {hosts} workers",
                expected=f"{format_memory(least)} at least: it remembers {row.remembers}",
                fix=f"write -Xmx{max(1, round(least / 1024**3))}g or more in {reading.variable_where(name)}",
                where=reading.variable_where(name),
            )
