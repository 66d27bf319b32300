"""Hive on Tez: containers of tasks and application masters, what sorts and joins may keep in memory."""

from __future__ import annotations

from howdah.model.plan import Input
from howdah.planner.budget import HEAP_SHARE, kinds_of
from howdah.planner.conditions import tez_rule
from howdah.planner.facts import Facts
from howdah.planner.heap import collector_threads
from howdah.planner.rule import Decision, Rule, Severity, equal
from howdah.planner.rules.queues import queue_of
from howdah.planner.values import anything, as_number, fixed, set_at_all
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


def _container_mb(facts: Facts) -> int:
    """A worker's memory for containers over its vcores, MB; raises CannotTell where they are not known."""
    memory = facts.number("yarn.nodemanager.resource.memory-mb")
    each = int(memory / max(1, facts.number("yarn.nodemanager.resource.cpu-vcores")))
    return min(_CONTAINER_MOST_MB, max(1024, each // _STEP_MB * _STEP_MB))


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


def _share(facts: Facts, share: float, most_mb: int, why: str) -> Decision:
    container = _container_mb(facts)
    return Decision(
        min(most_mb, int(container * share)),
        f"{100 * share:.0f} % of a task's {container} MB: {why}",
        (Input(name="container of a task", value=container * MIB, unit="B"),),
    )


def _master(facts: Facts) -> Decision:
    least = min(kind.memory_bytes for kind in kinds_of(facts)) // MIB
    value = max(1024, min(_MASTER_MB, least // _MASTER_SHARE // _STEP_MB * _STEP_MB))
    return Decision(
        value,
        "one application master plans and follows all queries of a session, with thousands of tasks each",
        (Input(name="memory of the smallest worker", value=least * MIB, unit="B"),),
    )


def _join(facts: Facts) -> Decision:
    container = _container_mb(facts)
    return Decision(
        container * MIB // _JOIN,
        f"a third of a task's {container} MB: tables that are smaller are joined without a shuffle",
        (Input(name="container of a task", value=container * MIB, unit="B"),),
    )


def _queue(facts: Facts) -> Decision:
    queue = queue_of("tez", facts.request)
    return Decision(
        queue, "its own, with a share that other jobs cannot keep" if queue != "default" else "the only one"
    )


def _few_collectors(facts: Facts) -> str:
    threads = None if facts.known_cluster is None else collector_threads(kinds_of(facts))
    return f" -XX:ParallelGCThreads={threads}" if threads else ""


RULES: tuple[Rule, ...] = (
    tez_rule(
        id="tez.libraries",
        file=TEZ,
        key="tez.lib.uris",
        says="Tez's libraries are in HDFS.",
        sources=(_TEZ,),
        severity=Severity.MUST,
        decide=fixed(
            "hdfs:///apps/tez/tez.tar.gz", "no query starts without; upload the release's share/tez.tar.gz"
        ),
        accepts=set_at_all,
    ),
    tez_rule(
        id="tez.queue",
        file=TEZ,
        key="tez.queue.name",
        says="Queries go to Hive's queue.",
        sources=(_TEZ,),
        decide=_queue,
        accepts=set_at_all,
    ),
    tez_rule(
        id="tez.task",
        file=TEZ,
        key="tez.task.resource.memory.mb",
        says="A task's container is a vcore's part of a worker's containers, 8 GiB at the most.",
        sources=(_TEZ, _GUIDE),
        decide=_container,
        accepts=lambda value, decision, facts: (
            0 < as_number(value) <= facts.number("yarn.scheduler.maximum-allocation-mb")
        ),
    ),
    tez_rule(
        id="tez.master",
        file=TEZ,
        key="tez.am.resource.memory.mb",
        says="An application master has 4 GiB, on small workers a quarter of one.",
        sources=(_TEZ, "howdah"),
        decide=_master,
        accepts=lambda value, decision, facts: (
            0 < as_number(value) <= facts.number("yarn.scheduler.maximum-allocation-mb")
        ),
    ),
    tez_rule(
        id="tez.sort",
        file=TEZ,
        key="tez.runtime.io.sort.mb",
        says="A sort uses 40 % of its task's container.",
        sources=(_TEZ_RUNTIME, _GUIDE),
        decide=lambda facts: _share(
            facts, _SORT, _SORT_MOST_MB, "what does not fit is written, read and merged again"
        ),
        accepts=lambda value, decision, facts: 0 < as_number(value) <= min(2047, 0.6 * _container_mb(facts)),
    ),
    tez_rule(
        id="tez.unordered",
        file=TEZ,
        key="tez.runtime.unordered.output.buffer.size-mb",
        says="Output that is not sorted is gathered in a tenth of its task's container.",
        sources=(_TEZ_RUNTIME, _GUIDE),
        severity=Severity.MAY,
        decide=lambda facts: _share(
            facts, _UNORDERED, _SORT_MOST_MB, "output that is only sent on needs no more"
        ),
        accepts=anything,
    ),
    tez_rule(
        id="tez.engine",
        file=HIVE,
        key="hive.execution.engine",
        says="Hive runs on Tez.",
        sources=(_HIVE,),
        decide=fixed(
            "tez", "MapReduce writes what is between two steps of a query into HDFS; Hive 4 has only Tez"
        ),
        accepts=equal,
    ),
    tez_rule(
        id="tez.hive-container",
        file=HIVE,
        key="hive.tez.container.size",
        says="Hive asks for containers of the same size.",
        sources=(_HIVE, _GUIDE),
        decide=_container,
        accepts=lambda value, decision, facts: (
            0 < as_number(value) <= facts.number("yarn.scheduler.maximum-allocation-mb")
        ),
    ),
    tez_rule(
        id="tez.hive-heap",
        file=HIVE,
        key="hive.tez.java.opts",
        says="The heap of Hive's tasks is 78 % of their containers.",
        sources=(_HIVE, _GUIDE),
        decide=lambda facts: Decision(
            f"-Xmx{int(_container_mb(facts) * HEAP_SHARE)}m{_few_collectors(facts)}",
            "the rest is the Java machine's own; threads that collect garbage are a task's part of the CPUs",
        ),
        accepts=anything,
    ),
    tez_rule(
        id="tez.join",
        file=HIVE,
        key="hive.auto.convert.join.noconditionaltask.size",
        says="Tables of up to a third of a task's container are joined in memory.",
        sources=(_HIVE, _GUIDE),
        decide=_join,
        accepts=lambda value, decision, facts: 0 <= as_number(value) <= 0.5 * _container_mb(facts) * MIB,
    ),
    tez_rule(
        id="tez.reducers",
        file=HIVE,
        key="hive.tez.auto.reducer.parallelism",
        says="A query starts no more reducers than its data turns out to need.",
        sources=(_HIVE,),
        severity=Severity.MAY,
        decide=fixed(True, "how much a filter leaves is known only while the query runs"),
        accepts=equal,
    ),
)
