"""Numbers beyond which a property does harm whatever the cluster is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from math import inf
from typing import NamedTuple

from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules, read_table


class _Bounds(NamedTuple):
    """The least and the most that will do, and what it comes to beyond them."""

    key: str
    least: float
    most: float
    usual: str
    harm: str


_UNLIMITED = "0 is no limit"
_NO_LIMIT = "-1 is no limit"


@cache
def _bounds(section: str) -> tuple[_Bounds, ...]:
    """The bounds in a section of bounds.toml."""
    rows = read_table("consistency/bounds.toml")[section]
    return tuple(_Bounds(key=key, **{"most": inf, **row}) for key, row in rows.items())


class _Range(NamedTuple):
    """The least and the most that is taken, and what happens otherwise."""

    least: float
    most: float
    usual: str
    otherwise: str


_RANGES = {
    "dfs.namenode.safemode.threshold-pct": _Range(
        0, 1, "0.999f", "it waits for more blocks than there are: safe mode never ends"
    ),
    "dfs.namenode.fs-limits.max-xattr-size": _Range(1, 32_768, "16384", "the NameNode does not start"),
    "mapreduce.task.io.sort.mb": _Range(1, 2047, "512", "every map task fails: the buffer is one array"),
    "mapreduce.reduce.shuffle.input.buffer.percent": _Range(0, 1, "0.7", "every reduce task fails"),
    "mapreduce.reduce.shuffle.memory.limit.percent": _Range(0, 1, "0.25", "every reduce task fails"),
    "mapreduce.job.reduce.slowstart.completedmaps": _Range(
        0, 1, "0.8", "it waits for more map tasks than there are: no reduce task starts"
    ),
}


rules = Rules()


@rules.inspection("consistency.bounds", sources="Hadoop 3.5.0, HBase 2.6.4, howdah")
def _beyond(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """No number is so small or so large that it does harm on every cluster."""
    names = [entry.name for entry in reading.effective]
    of_queues = (
        bound._replace(key=name)
        for bound in _bounds("queues")
        for name in names
        if re.fullmatch(bound.key, name)
    )
    return _outside((*_bounds("harmful"), *of_queues), reading)


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
                if bound.most == inf
                else f"{bound.least:.15g} to {bound.most:.15g}"
            )
            yield reading.verdict(
                bound.key,
                bound.least <= value <= bound.most,
                found=reading.text(bound.key) or "",
                expected=f"{limits}: otherwise {bound.harm}",
                fix=f"set {bound.key} to {bound.usual} in {reading.where(bound.key)}",
            )


@rules.inspection(
    "consistency.fatal-bounds", MUST, sources="Hadoop 3.5.0, ZooKeeper 3.8: administrator's guide, howdah"
)
def _fatal(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """No number is so small that daemons end or work is lost."""
    return _outside(_bounds("fatal"), reading)


@rules.inspection(
    "consistency.replication-bounds",
    MUST,
    sources="Hadoop 3.5.0: hdfs-default.xml",
    when="the minimum or maximum number of replicas is set",
)
def _replicas(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Files have as many replicas as the least and the most allow."""
    counts = {
        key: number
        for key in ("dfs.namenode.replication.min", "dfs.replication", "dfs.replication.max")
        if reading.text(key) and (number := reading.number(key)) is not None
    }
    if len(counts) > 1:
        yield Observation(
            ok=list(counts.values()) == sorted(counts.values()),
            about="dfs.replication",
            found=", ".join(f"{key} {number:.15g}" for key, number in counts.items()),
            expected="minimum, default and maximum in this order: otherwise the NameNode refuses "
            "files or does not start",
            fix="set dfs.replication between dfs.namenode.replication.min and dfs.replication.max, "
            "or remove those two: their defaults are 1 and 512",
        )


@rules.inspection(
    "consistency.replicas-to-spare",
    MUST,
    sources="Hadoop 3.5.0: hdfs-default.xml, howdah",
    when="the minimum number of replicas is above one",
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
        expected="1: otherwise a write fails as soon as one DataNode of its pipeline fails, and a NameNode "
        "that starts while a DataNode is down stays in safe mode",
        fix=f"set dfs.namenode.replication.min to 1 in {reading.where('dfs.namenode.replication.min')}",
    )


@rules.inspection(
    "consistency.store-files",
    MUST,
    sources="HBase 2.6.4: hbase-default.xml",
    when="hbase.hstore.blockingStoreFiles is set",
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
                expected=f"{taken.least:.15g} to {taken.most:.15g}: otherwise {taken.otherwise}",
                fix=f"set {key} to {taken.usual} in {reading.where(key)}",
            )
