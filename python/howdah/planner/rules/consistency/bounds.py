"""Numbers beyond which a property does harm whatever the cluster is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.units import GIB, MIB


class _Bounds(NamedTuple):
    """The least and the most that will do, and what it comes to beyond them."""

    key: str
    least: float
    most: float
    usual: str
    harm: str


_ANY = float("inf")
_UNLIMITED = "0 is no limit"
_NO_LIMIT = "-1 is no limit"
_OF_QUEUES = (
    _Bounds(
        r"yarn\.scheduler\.capacity\.root\..+\.maximum-applications",
        20,
        _ANY,
        "1000",
        "applications of the queue are refused although there is room",
    ),
    _Bounds(
        r"yarn\.scheduler\.capacity\.root\..+\.maximum-am-resource-percent",
        0.01,
        1,
        "0.2",
        "application masters of the queue get no room",
    ),
)
"""Bounds of keys with a queue's name."""
_BOUNDS = (
    _Bounds(
        "mapreduce.job.max.map", 1000, _ANY, "-1", f"jobs of a few hundred gigabytes are refused; {_NO_LIMIT}"
    ),
    _Bounds(
        "mapreduce.shuffle.max.connections",
        100,
        _ANY,
        "0",
        f"reduce tasks are refused while others fetch; {_UNLIMITED}",
    ),
    _Bounds(
        "spark.rpc.message.maxSize",
        16,
        2047,
        "128",
        "tasks and the driver's list of map outputs are larger than a message, which fails; more than 2047 "
        "is refused",
    ),
    _Bounds("dfs.heartbeat.interval", 1, 30, "3", "dead DataNodes are found after ten heartbeats and more"),
    _Bounds(
        "dfs.namenode.safemode.threshold-pct",
        0.9,
        1,
        "0.999f",
        "the NameNode serves and replicates before DataNodes have reported, or never",
    ),
    _Bounds(
        "dfs.namenode.replication.min", 1, 2, "1", "a write fails unless as many DataNodes are available"
    ),
    _Bounds(
        "dfs.namenode.handler.count",
        1,
        400,
        "100",
        "handlers wait for the NameNode's one lock, and their stacks and queues of calls take its memory",
    ),
    _Bounds("dfs.datanode.handler.count", 1, 128, "10", "threads wait where no requests come"),
    _Bounds(
        "mapreduce.task.timeout", 60_000, _ANY, "600000", "a task that hangs is never ended, or too soon"
    ),
    _Bounds(
        "mapreduce.reduce.shuffle.input.buffer.percent",
        0.1,
        0.9,
        "0.7",
        "map output fills the reduce task's heap, or none of it stays in memory",
    ),
    _Bounds(
        "yarn.scheduler.capacity.maximum-am-resource-percent",
        0.01,
        0.9,
        "0.1",
        "application masters get no room, or leave none to their tasks",
    ),
    _Bounds("mapreduce.map.maxattempts", 2, _ANY, "4", "a job ends with the first disk or worker that fails"),
    _Bounds(
        "mapreduce.reduce.maxattempts", 2, _ANY, "4", "a job ends with the first disk or worker that fails"
    ),
    _Bounds(
        "dfs.datanode.balance.bandwidthPerSec",
        10 * MIB,
        _ANY,
        str(100 * MIB),
        "balancing and decommissioning never end: a terabyte takes days at 1 MiB/s, the default of Hadoop 1",
    ),
    _Bounds(
        "yarn.nodemanager.disk-health-checker.min-healthy-disks",
        0,
        0.9,
        "0.25",
        "one failed disk ends the NodeManager's work, although the others are sound",
    ),
    _Bounds(
        "spark.memory.fraction",
        0.1,
        0.85,
        "0.6",
        "what is left of the heap is too small for the objects of applications, which then end in "
        "collections",
    ),
    _Bounds(
        "dfs.namenode.fs-limits.max-directory-items",
        100_000,
        _ANY,
        "1048576",
        "directories of logs, of applications and of tables are refused more files",
    ),
    _Bounds(
        "dfs.namenode.fs-limits.max-blocks-per-file", 1000, _ANY, "10000", "large files cannot be written"
    ),
    _Bounds(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
        50,
        100,
        "90",
        "disks that are half empty count as failed, and get no containers",
    ),
    _Bounds(
        "yarn.resourcemanager.resource-tracker.client.thread-count",
        5,
        _ANY,
        "50",
        "heartbeats of NodeManagers wait for one another",
    ),
    _Bounds("yarn.resourcemanager.client.thread-count", 5, _ANY, "50", "clients wait for one another"),
    _Bounds(
        "yarn.resourcemanager.scheduler.client.thread-count",
        5,
        _ANY,
        "50",
        "application masters wait for one another",
    ),
    _Bounds(
        "yarn.scheduler.capacity.maximum-applications",
        100,
        _ANY,
        "10000",
        "applications are refused although there is room",
    ),
    _Bounds("mapreduce.job.counters.max", 100, _ANY, "120", "jobs with counters of their own fail"),
    _Bounds(
        "yarn.resourcemanager.am.max-attempts",
        2,
        _ANY,
        "2",
        "an application ends with the host of its application master",
    ),
    _Bounds(
        "ipc.server.listen.queue.size", 64, _ANY, "256", "connections are refused when many clients begin"
    ),
    _Bounds(
        "hbase.regionserver.global.memstore.size",
        0.1,
        0.8,
        "0.4",
        "writes wait while tiny files are flushed",
    ),
    _Bounds(
        "hbase.zookeeper.property.maxClientCnxns",
        10,
        _ANY,
        "300",
        "one host's RegionServer and clients are refused once they have so many connections; 0 is no limit",
    ),
    _Bounds(
        "spark.driver.maxResultSize",
        MIB,
        _ANY,
        "1g",
        "jobs are aborted by their first results: a number without a unit counts bytes; 0 is no limit",
    ),
    _Bounds(
        "yarn.nodemanager.vmem-pmem-ratio",
        1,
        _ANY,
        "2.1",
        "containers are ended before they use the memory that they have",
    ),
    _Bounds("zookeeper.session.timeout", 10_000, _ANY, "90000", "a pause of Java's ends a RegionServer"),
    _Bounds(
        "hbase.regionserver.handler.count", 10, 400, "30", "requests wait, or their buffers fill the heap"
    ),
    _Bounds(
        "hbase.hregion.max.filesize",
        5 * 10**9,
        _ANY,
        str(10 * GIB),
        "a RegionServer has thousands of regions",
    ),
    _Bounds(
        "hbase.hregion.memstore.flush.size", 32 * MIB, _ANY, str(128 * MIB), "tiny files, compacted for ever"
    ),
)
_FATAL = (
    _Bounds(
        "ipc.maximum.data.length",
        16 * MIB,
        2**31 - 1,
        str(64 * MIB),
        "reports of blocks and batches of edits are larger, and are refused: DataNodes are taken for dead, "
        "and the "
        "NameNode ends",
    ),
    _Bounds(
        "maxClientCnxns",
        10,
        _ANY,
        "400",
        "one host's RegionServer, NodeManager and clients are refused once they have so many connections; "
        "0 is no limit",
    ),
    _Bounds(
        "dfs.blockreport.intervalMsec",
        600_000,
        _ANY,
        "21600000",
        "every DataNode reports all of its blocks all the time",
    ),
    _Bounds(
        "yarn.nm.liveness-monitor.expiry-interval-ms",
        10_000,
        _ANY,
        "600000",
        "NodeManagers are lost and their containers ended by any pause",
    ),
    _Bounds(
        "dfs.namenode.heartbeat.recheck-interval", 10_000, _ANY, "300000", "DataNodes are taken for dead"
    ),
    _Bounds(
        "hfile.format.version", 3, 3, "3", "RegionServers write no file: HBase 2 writes this version only"
    ),
    _Bounds("tickTime", 100, _ANY, "2000", "sessions and quorums end with the smallest pause: it counts ms"),
    _Bounds(
        "mapreduce.job.split.metainfo.maxsize",
        1_000_000,
        _ANY,
        "10000000",
        f"jobs of some thousands of splits fail before their first task; {_NO_LIMIT}",
    ),
    _Bounds("dfs.datanode.max.transfer.threads", 256, _ANY, "8192", "reads and writes are refused"),
)
"""Numbers beyond which daemons end or work is lost."""


class _Range(NamedTuple):
    """The least and the most that is taken, and what happens otherwise."""

    least: float
    most: float
    usual: str
    otherwise: str


_RANGES = {
    "dfs.namenode.safemode.threshold-pct": _Range(
        0, 1, "0.999f", "more than all blocks are waited for: safe mode never ends"
    ),
    "dfs.namenode.fs-limits.max-xattr-size": _Range(1, 32_768, "16384", "the NameNode does not start"),
    "mapreduce.task.io.sort.mb": _Range(1, 2047, "512", "every map task fails: the buffer is one array"),
    "mapreduce.reduce.shuffle.input.buffer.percent": _Range(0, 1, "0.7", "every reduce task fails"),
    "mapreduce.reduce.shuffle.memory.limit.percent": _Range(0, 1, "0.25", "every reduce task fails"),
    "mapreduce.job.reduce.slowstart.completedmaps": _Range(
        0, 1, "0.8", "more than all map tasks are waited for: no reduce task begins"
    ),
}


rules = Rules()


@rules.inspection("consistency.bounds", sources="Hadoop 3.5.0, HBase 2.6.4, howdah")
def _beyond(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """No number is so small or so large that it does harm on every cluster."""
    names = [entry.name for entry in (reading.config.effective if reading.config else ())]
    of_queues = (
        bound._replace(key=name) for bound in _OF_QUEUES for name in names if re.fullmatch(bound.key, name)
    )
    return _outside((*_BOUNDS, *of_queues), reading)


def _outside(bounds: tuple[_Bounds, ...], reading: Inspected) -> Iterator[Observation]:
    for bound in bounds:
        # A size may have a suffix; what is neither a number nor a size is for the rule about types.
        number = reading.number(bound.key)
        value = number if number is not None else reading.size(bound.key)
        if (
            value is not None
            and not refused(bound.key, value)
            and (value or not bound.harm.endswith(_UNLIMITED))
            and (value >= 0 or not bound.harm.endswith(_NO_LIMIT))
        ):
            limits = (
                f"{bound.least:.15g} at least"
                if bound.most == _ANY
                else f"{bound.least:.15g} to {bound.most:.15g}"
            )
            yield reading.verdict(
                bound.key,
                bound.least <= value <= bound.most,
                found=reading.text(bound.key) or "",
                expected=f"{limits}: else {bound.harm}",
                fix=f"set {bound.key} to {bound.usual} in {reading.where(bound.key)}",
            )


@rules.inspection(
    "consistency.fatal-bounds", MUST, sources="Hadoop 3.5.0, ZooKeeper 3.8: administrator's guide, howdah"
)
def _fatal(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """No number is so small that daemons end or work is lost."""
    return _outside(_FATAL, reading)


@rules.inspection(
    "consistency.replication-bounds",
    MUST,
    sources="Hadoop 3.5.0: hdfs-default.xml",
    when="where the least or the most is set",
)
def _replicas(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Files have as many replicas as the least and the most allow."""
    given = {
        key: number
        for key in ("dfs.namenode.replication.min", "dfs.replication", "dfs.replication.max")
        if reading.text(key) and (number := reading.number(key)) is not None
    }
    if len(given) > 1:
        yield Observation(
            ok=list(given.values()) == sorted(given.values()),
            about="dfs.replication",
            found=", ".join(f"{key} {number:.15g}" for key, number in given.items()),
            expected="in this order: the NameNode refuses files or does not start",
            fix="set dfs.replication between dfs.namenode.replication.min and dfs.replication.max, "
            "or remove those two: their defaults are 1 and 512",
        )


@rules.inspection(
    "consistency.replicas-to-spare",
    MUST,
    sources="Hadoop 3.5.0: hdfs-default.xml, howdah",
    when="where the least is set to more than one",
)
def _spare_replicas(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """A write succeeds with fewer replicas than a block will have."""
    least = reading.number("dfs.namenode.replication.min")
    if least is None or least <= 1:
        return
    replicas = facts.number("dfs.replication")
    if least > replicas:
        # Out of order, which is a rule of its own.
        return
    yield reading.verdict(
        "dfs.namenode.replication.min",
        least < replicas,
        found=f"{least:.15g}, with {replicas:.15g} replicas of a block",
        expected="1: as it is, a write fails when one DataNode of its pipeline does, and a NameNode that is "
        "started while a DataNode is away waits in safe mode",
        fix=f"set dfs.namenode.replication.min to 1 in {reading.where('dfs.namenode.replication.min')}",
    )


@rules.inspection(
    "consistency.store-files",
    MUST,
    sources="HBase 2.6.4: hbase-default.xml",
    when="where the number of files that stops writes is set",
)
def _stalls(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """A store is compacted before it has so many files that writes stop."""
    key = "hbase.hstore.blockingStoreFiles"
    blocking = reading.number(key)
    compacting = reading.number("hbase.hstore.compaction.min") or 3
    if blocking is not None:
        yield reading.verdict(
            key,
            blocking > compacting,
            found=f"{blocking:.15g}, and compactions begin at {compacting:.15g} files",
            expected=f"more than {compacting:.15g}, 16 by default: writes stop before a compaction begins",
            fix=f"set {key} to 16 in {reading.where(key)}",
        )


def refused(key: str, value: float) -> bool:
    """Whether nothing runs with this value."""
    taken = _RANGES.get(key)
    return taken is not None and not taken.least <= value <= taken.most


@rules.inspection("consistency.refused-numbers", MUST, sources="Hadoop 3.5.0, HDFS-8900")
def _refused(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """No number is one that a daemon or a task refuses."""
    for key, taken in _RANGES.items():
        value = reading.number(key)
        if value is not None:
            yield reading.verdict(
                key,
                not refused(key, value),
                found=reading.text(key) or "",
                expected=f"{taken.least:.15g} to {taken.most:.15g}: else {taken.otherwise}",
                fix=f"set {key} to {taken.usual} in {reading.where(key)}",
            )
