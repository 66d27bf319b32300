"""Hive on Tez: containers of tasks and application masters, what sorts and joins may keep in memory."""

from __future__ import annotations

from howdah.model.plan import Input
from howdah.planner.budget import HEAP_SHARE, kinds_of
from howdah.planner.conditions import WITH_TEZ
from howdah.planner.facts import Facts
from howdah.planner.heap import collector_threads
from howdah.planner.rule import MAY, MUST, Decision
from howdah.planner.rules.declare import Rules, anything, as_number, set_at_all
from howdah.planner.rules.queues import queue_of
from howdah.units import MIB, format_memory

TEZ = "tez-site.xml"
HIVE = "hive-site.xml"
_TEZ = "Tez: TezConfiguration"
_TEZ_RUNTIME = "Tez: TezRuntimeConfiguration"
_HIVE = "Hive: configuration properties"
_GUIDE = "Hortonworks: tuning Hive on Tez"
_CONTAINER_MOST_MB = 8192
_MASTER_MB = 4096
_MASTER_SHARE = 4
_STEP_MB = 512
_SORT, _SORT_MOST_MB = 0.4, 2047
_UNORDERED = 0.1
_JOIN = 3
"""A hash table that is broadcast may take a third of a task's container."""
rules = Rules(file=TEZ)
tez = rules.under(when=WITH_TEZ)

tez.fixed("tez.libraries", "tez.lib.uris", "hdfs:///apps/tez/tez.tar.gz", MUST, accepts=set_at_all).text(
    "Tez's libraries are in HDFS.",
    "no query starts without them; upload the release's share/tez.tar.gz",
    _TEZ,
)


@tez.setting("tez.queue", "tez.queue.name", sources=_TEZ, accepts=set_at_all)
def _queue(facts: Facts) -> Decision:
    """Queries go to Hive's queue."""
    queue = queue_of("tez", facts.request)
    return Decision(queue, "its own, with a guaranteed capacity" if queue != "default" else "the only one")


def _container_mb(facts: Facts) -> int:
    """A worker's memory for containers over its vcores, MB; raises MissingFact where they are not known."""
    memory = facts.number("yarn.nodemanager.resource.memory-mb")
    per_vcore = int(memory / max(1, facts.number("yarn.nodemanager.resource.cpu-vcores")))
    return min(_CONTAINER_MOST_MB, max(1024, per_vcore // _STEP_MB * _STEP_MB))


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


tez.setting(
    "tez.task",
    "tez.task.resource.memory.mb",
    sources=f"{_TEZ}, {_GUIDE}",
    accepts=lambda value, decision, facts: (
        0 < as_number(value) <= facts.number("yarn.scheduler.maximum-allocation-mb")
    ),
).by("A task's container is a vcore's part of a worker's containers, at most 8 GiB.", _container)


@tez.setting(
    "tez.master",
    "tez.am.resource.memory.mb",
    sources=f"{_TEZ}, howdah",
    accepts=lambda value, decision, facts: (
        0 < as_number(value) <= facts.number("yarn.scheduler.maximum-allocation-mb")
    ),
)
def _master(facts: Facts) -> Decision:
    """An application master has 4 GiB, on small workers a quarter of one."""
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


tez.setting(
    "tez.sort",
    "tez.runtime.io.sort.mb",
    sources=f"{_TEZ_RUNTIME}, {_GUIDE}",
    accepts=lambda value, decision, facts: 0 < as_number(value) <= min(2047, 0.6 * _container_mb(facts)),
).by(
    "A sort uses 40 % of its task's container.",
    lambda facts: _share(
        facts, _SORT, _SORT_MOST_MB, "data that do not fit are written, read and merged again"
    ),
)
tez.setting(
    "tez.unordered",
    "tez.runtime.unordered.output.buffer.size-mb",
    MAY,
    sources=f"{_TEZ_RUNTIME}, {_GUIDE}",
    accepts=anything,
).by(
    "Unsorted output is buffered in a tenth of its task's container.",
    lambda facts: _share(facts, _UNORDERED, _SORT_MOST_MB, "output that is only forwarded needs no more"),
)
tez.fixed("tez.engine", "hive.execution.engine", "tez", file=HIVE).text(
    "Hive runs on Tez.",
    "MapReduce writes intermediate results of a query into HDFS; Hive 4 supports only Tez",
    _HIVE,
)
tez.setting(
    "tez.hive-container",
    "hive.tez.container.size",
    sources=f"{_HIVE}, {_GUIDE}",
    file=HIVE,
    accepts=lambda value, decision, facts: (
        0 < as_number(value) <= facts.number("yarn.scheduler.maximum-allocation-mb")
    ),
).by("Hive requests containers of the same size.", _container)


def _few_collectors(facts: Facts) -> str:
    threads = None if not facts.planned else collector_threads(kinds_of(facts))
    return f" -XX:ParallelGCThreads={threads}" if threads else ""


tez.setting(
    "tez.hive-heap", "hive.tez.java.opts", sources=f"{_HIVE}, {_GUIDE}", file=HIVE, accepts=anything
).by(
    "The heap of Hive's tasks is 78 % of their containers.",
    lambda facts: Decision(
        f"-Xmx{int(_container_mb(facts) * HEAP_SHARE)}m{_few_collectors(facts)}",
        "the rest is for the JVM itself; garbage collection threads match a task's part of the CPUs",
    ),
)


@tez.setting(
    "tez.join",
    "hive.auto.convert.join.noconditionaltask.size",
    sources=f"{_HIVE}, {_GUIDE}",
    file=HIVE,
    accepts=lambda value, decision, facts: 0 <= as_number(value) <= 0.5 * _container_mb(facts) * MIB,
)
def _join(facts: Facts) -> Decision:
    """Tables of up to a third of a task's container are joined in memory."""
    container = _container_mb(facts)
    return Decision(
        container * MIB // _JOIN,
        f"a third of a task's {container} MB: smaller tables are joined without a shuffle",
        (Input(name="container of a task", value=container * MIB, unit="B"),),
    )


tez.fixed("tez.reducers", "hive.tez.auto.reducer.parallelism", True, MAY, file=HIVE).text(
    "A query starts no more reducers than its data turns out to need.",
    "the size of a filter's result is known only while the query runs",
    _HIVE,
)
