"""What Spark is told: executors sized to containers, its shuffle in NodeManagers, its history in HDFS."""

from __future__ import annotations

from howdah.model.plan import Input, Value
from howdah.planner.budget import (
    LEAST_OVERHEAD_MB,
    OVERHEAD,
    STEP_MB,
    executor,
    kinds_of,
)
from howdah.planner.conditions import (
    secured,
    shuffles_in_nodemanagers,
    tracks_shuffles,
    with_spark,
)
from howdah.planner.facts import Facts
from howdah.planner.heap import collector_threads
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules
from howdah.planner.rules.queues import queue_of
from howdah.releases.catalogue import spark_size
from howdah.units import MIB, format_counted, format_memory

rules = read_rules("spark/settings.toml")

_DRIVER_MB = 4096
_DRIVER_SHARE = 4
_PARTITIONS, _PARTITIONS_MOST, _PARTITIONS_TOO_MANY = 200, 4_000, 20_000
"""The release's default, what 128 MB each of half a terabyte are, and what no driver remembers with ease."""
_TASKS_PER_CORE = 2
_HISTORY = "hdfs:///spark-history"
rules.when("with --secure and Spark")(lambda facts: with_spark(facts) and secured(facts))


@rules.decides("spark.queue")
def _queue(facts: Facts) -> Decision:
    queue = queue_of("spark", facts.request)
    return Decision(queue, "its own, with a guaranteed capacity" if queue != "default" else "the only one")


@rules.decides("spark.cores")
def _cores(facts: Facts) -> Decision:
    size = executor(facts)
    vcores = int(facts.number("yarn.nodemanager.resource.cpu-vcores"))
    return Decision(
        size.cores,
        f"{format_counted(size.per_worker, 'executor')} of {size.cores} use {size.per_worker * size.cores} "
        f"of a worker's {format_counted(vcores, 'vcore')}; with more tasks in one JVM garbage collections "
        "take longer, with fewer tasks each JVM keeps its own copy of shared data",
        (Input(name="vcores of a worker", value=vcores),),
    )


@rules.accepts("a heap that fits a container")
def _fits(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether a heap fits the largest container with its overhead."""
    heap = spark_size("spark.executor.memory", str(value))
    most = facts.number("yarn.scheduler.maximum-allocation-mb") * MIB
    return heap is not None and heap + max(LEAST_OVERHEAD_MB * MIB, heap * OVERHEAD) <= most


@rules.decides("spark.memory")
def _memory(facts: Facts) -> Decision:
    size = executor(facts)
    memory_mb = int(facts.number("yarn.nodemanager.resource.memory-mb"))
    return Decision(
        f"{size.heap_mb}m",
        f"{format_counted(size.per_worker, 'executor')} and an application master share a worker's "
        f"{format_memory(memory_mb * MIB)} of containers: {size.container_mb} MB each, the rest outside of "
        "the heap",
        (
            Input(name="containers of a worker", value=memory_mb * MIB, unit="B"),
            Input(name="executors on a worker", value=size.per_worker),
        ),
    )


@rules.when("with Spark, on workers of more than eight CPUs")
def _many_cpus(facts: Facts) -> bool:
    return with_spark(facts) and facts.planned and collector_threads(kinds_of(facts)) is not None


@rules.decides("spark.collectors")
def _collectors(facts: Facts) -> Decision:
    cores = executor(facts).cores
    return Decision(
        f"-XX:ParallelGCThreads={max(2, cores)}",
        "by default each executor starts threads for all CPUs of the host",
    )


@rules.decides("spark.overhead")
def _overhead(facts: Facts) -> Decision:
    size = executor(facts)
    return Decision(
        f"{size.container_mb - size.heap_mb}m",
        f"the rest of a container of {size.container_mb} MB: threads, buffers of the network, Python; at "
        f"least {LEAST_OVERHEAD_MB} MB and a tenth of the heap, as Spark's own default",
    )


@rules.decides("spark.driver")
def _driver(facts: Facts) -> Decision:
    least = min(kind.memory_bytes for kind in kinds_of(facts)) // MIB
    value = max(1024, min(_DRIVER_MB, least // _DRIVER_SHARE // STEP_MB * STEP_MB))
    return Decision(
        f"{value}m",
        "broadcast tables and collected results pass through the driver; the default of 1 GiB is soon full",
    )


@rules.when("with Spark, dynamic allocation and the external shuffle service")
def _given_back(facts: Facts) -> bool:
    """Whether executors are given back, and not kept for what they shuffled."""
    return shuffles_in_nodemanagers(facts) and not tracks_shuffles(facts)


@rules.decides("spark.partitions")
def _partitions(facts: Facts) -> Decision:
    size = executor(facts)
    cores = size.cores * size.in_all
    partitions = _TASKS_PER_CORE * cores
    value = min(max(_PARTITIONS, partitions), _PARTITIONS_MOST)
    joined = "adaptive execution merges small ones"
    because = {
        _PARTITIONS: f"the release's default; {joined}",
        _PARTITIONS_MOST: f"as many as one query can use, fewer than {_TASKS_PER_CORE} for each of "
        f"{cores:,} cores: each map task writes, and the driver remembers, a piece for every partition; "
        f"{joined}. Give more to queries that shuffle more than a terabyte",
    }.get(value, f"{_TASKS_PER_CORE} tasks for each of {cores:,} cores; {joined}")
    return Decision(value, because, (Input(name="cores of all executors", value=cores),))


def _shared(facts: Facts, key: str) -> str:
    """The folder that another key gives, if every host finds it."""
    folder = str(facts.decided.get(key) or "")
    return folder if _is_shared(folder) else _HISTORY


def _is_shared(folder: str) -> bool:
    return bool(folder) and not folder.startswith("file:")


@rules.accepts("in HDFS")
def _in_hdfs(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether every host finds it: a path without a scheme is one of the driver's own disks."""
    return _is_shared(str(value)) and not str(value).startswith("/")


rules.decides("spark.events-folder")(
    lambda facts: Decision(
        _shared(facts, "spark.history.fs.logDirectory"),
        "the default is /tmp of the machine that the driver runs on",
    )
)


@rules.accepts("where applications write")
def _same_folder(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether it is where applications write; where they write to no shared folder, that is what is wrong."""
    written = str(facts.decided.get("spark.eventLog.dir") or "")
    return value == decision.value or (bool(written) and not _is_shared(written) and _is_shared(str(value)))


rules.decides("spark.history")(
    lambda facts: Decision(_shared(facts, "spark.eventLog.dir"), "where applications write")
)


# The history server may have a file of its own, which whoever checks a client's cannot see.


rules.accepts("a principal with a host")(
    lambda value, decision, facts: "@" in str(value) and "_HOST" not in str(value)
)
