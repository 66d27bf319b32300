"""Numbers that a daemon or a task refuses, or with which it waits for ever."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules


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


def refused(key: str, value: float) -> bool:
    """Whether nothing runs with this value."""
    taken = _RANGES.get(key)
    return taken is not None and not taken.least <= value <= taken.most


@rules.inspection("consistency.refused-numbers", MUST, sources="Hadoop 3.5.0, HDFS-8900")
def _refused(reading: Reading, facts: Facts) -> Iterator[Observation]:
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
