"""What a byte costs Hadoop's own tasks on one machine."""

from __future__ import annotations

from typing import NamedTuple


class StepCost(NamedTuple):
    """The CPU time of one step of a task, measured several times."""

    rounds: tuple[float, ...]
    """Seconds, or seconds for each byte, round by round."""


class TaskCosts(NamedTuple):
    """The steps of TeraSort's programs; seconds of a core of this machine for each byte."""

    generate: StepCost
    """A map of TeraGen: rows made and written."""
    sort: StepCost
    """A map of TeraSort: rows read, partitioned, sorted and kept."""
    reduce: StepCost
    """A reduce of TeraSort: rows fetched, merged and written."""
    validate: StepCost
    """A map of TeraValidate: rows read and compared."""
    start_s: StepCost
    """CPU seconds of a JVM and a task without a byte."""
    sorted_rows: int
    """Rows that one map sorted."""
