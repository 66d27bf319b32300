"""Hive on Tez: containers of tasks and application masters, what sorts and joins may keep in memory."""

from __future__ import annotations

from howdah.model.plan import Input
from howdah.planner.budget import HEAP_SHARE, kinds_of
from howdah.planner.facts import Facts
from howdah.planner.heap import collector_threads
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.queues import queue_of
from howdah.units import MIB, format_memory

rules = read_rules("tez.toml")

TEZ = "tez-site.xml"
HIVE = "hive-site.xml"
_CONTAINER_MOST_MB = 8192
_MASTER_MB = 4096
_MASTER_SHARE = 4
_STEP_MB = 512
_SORT, _SORT_MOST_MB = 0.4, 2047
_UNORDERED = 0.1
_JOIN = 3
"""A hash table that is broadcast may take a third of a task's container."""


@rules.decides("tez.queue")
def _queue(facts: Facts) -> Decision:
    queue = queue_of("tez", facts.request)
    return Decision(queue, "its own, with a guaranteed capacity" if queue != "default" else "the only one")


def _container_mb(facts: Facts) -> int:
    """A worker's memory for containers over its vcores, MB; raises MissingFact where they are not known."""
    memory = facts.number("yarn.nodemanager.resource.memory-mb")
    per_vcore = int(memory / max(1, facts.number("yarn.nodemanager.resource.cpu-vcores")))
    return min(_CONTAINER_MOST_MB, max(1024, per_vcore // _STEP_MB * _STEP_MB))


@rules.decides("tez.task", "tez.hive-container")
def _container(facts: Facts) -> Decision:
    memory, vcores = (
        int(facts.number(f"yarn.nodemanager.resource.{key}")) for key in ("memory-mb", "cpu-vcores")
    )
    return Decision(
        _container_mb(facts),
        f"a worker's {format_memory(memory * MIB)} of containers over its {vcores} vcores: as many tasks run "
        "at once as it has room for",
        (
            Input(name="containers of a worker", value=memory * MIB, unit="B"),
            Input(name="vcores of a worker", value=vcores),
        ),
    )


rules.accepts("fits a container of YARN")(
    lambda value, decision, facts: (
        0 < as_number(value) <= facts.number("yarn.scheduler.maximum-allocation-mb")
    )
)


@rules.decides("tez.master")
def _master(facts: Facts) -> Decision:
    least = min(kind.memory_bytes for kind in kinds_of(facts)) // MIB
    value = max(1024, min(_MASTER_MB, least // _MASTER_SHARE // _STEP_MB * _STEP_MB))
    return Decision(
        value,
        "one application master plans and follows all queries of a session, with thousands of tasks each",
        (Input(name="memory of the smallest worker", value=least * MIB, unit="B"),),
    )


def _share(facts: Facts, share: float, most_mb: int, why: str) -> Decision:
    container = _container_mb(facts)
    return Decision(
        min(most_mb, int(container * share)),
        f"{100 * share:.0f} % of a task's {container} MB: {why}",
        (Input(name="container of a task", value=container * MIB, unit="B"),),
    )


rules.accepts("fits the task")(
    lambda value, decision, facts: 0 < as_number(value) <= min(2047, 0.6 * _container_mb(facts))
)
rules.decides("tez.sort")(
    lambda facts: _share(
        facts, _SORT, _SORT_MOST_MB, "data that do not fit are written, read and merged again"
    )
)
rules.decides("tez.unordered")(
    lambda facts: _share(facts, _UNORDERED, _SORT_MOST_MB, "output that is only forwarded needs no more")
)


def _few_collectors(facts: Facts) -> str:
    threads = None if not facts.planned else collector_threads(kinds_of(facts))
    return f" -XX:ParallelGCThreads={threads}" if threads else ""


rules.decides("tez.hive-heap")(
    lambda facts: Decision(
        f"-Xmx{int(_container_mb(facts) * HEAP_SHARE)}m{_few_collectors(facts)}",
        "the rest is for the JVM itself; garbage collection threads match a task's part of the CPUs",
    )
)


rules.accepts("up to half of the task")(
    lambda value, decision, facts: 0 <= as_number(value) <= 0.5 * _container_mb(facts) * MIB
)


@rules.decides("tez.join")
def _join(facts: Facts) -> Decision:
    container = _container_mb(facts)
    return Decision(
        container * MIB // _JOIN,
        f"a third of a task's {container} MB: smaller tables are joined without a shuffle",
        (Input(name="container of a task", value=container * MIB, unit="B"),),
    )
