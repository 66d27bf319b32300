"""Spark, and Hive on Tez: containers, memory, shuffles, history, Kerberos."""

from __future__ import annotations

from howdah.model.plan import Role, Value
from howdah.model.request import WorkKind
from howdah.planner.budget import HEAP_SHARE, LEAST_OVERHEAD_MB, OVERHEAD, STEP_MB, executor, kinds_of
from howdah.planner.facts import Facts
from howdah.planner.heap import collector_threads
from howdah.planner.rule import Decision, inputs_of, shuffles_in_nodemanagers, tracks_shuffles
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.scheduler import queue_of
from howdah.releases.catalogue import spark_size
from howdah.units import MIB, format_counted, format_memory

rules = read_rules("spark.toml")

_DRIVER_MB = 4096
_DRIVER_SHARE = 4
_PARTITIONS, _PARTITIONS_MOST = 200, 4_000
"""The release's default, and what 128 MB each of half a terabyte are."""
_TASKS_PER_CORE = 2
_HISTORY = "hdfs:///spark-history"
rules.when("with --secure and Spark")(lambda facts: facts.request.spark_used and facts.request.secure)


def _queue(facts: Facts, kind: WorkKind) -> Decision:
    queue = queue_of(kind, facts.request)
    return Decision(queue, words="own" if queue != "default" else "only")


rules.decides("spark.queue")(lambda facts: _queue(facts, "spark"))
rules.decides("tez.queue")(lambda facts: _queue(facts, "tez"))


@rules.decides("spark.cores")
def _cores(facts: Facts) -> Decision:
    size = executor(facts)
    vcores = int(facts.number("yarn.nodemanager.resource.cpu-vcores"))
    executors, counted = format_counted(size.per_worker, "executor"), format_counted(vcores, "vcore")
    used = size.per_worker * size.cores
    values = {"executors": executors, "vcores": counted, "cores": size.cores, "used": used}
    return Decision(size.cores, inputs=inputs_of(("vcores of a worker", vcores)), values=values)


@rules.accepts("a heap that fits a container")
def _fits(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether a heap fits the largest container with its overhead."""
    heap = spark_size("spark.executor.memory", str(value))
    most = facts.number("yarn.scheduler.maximum-allocation-mb") * MIB
    return heap is not None and heap + max(LEAST_OVERHEAD_MB * MIB, heap * OVERHEAD) <= most


@rules.decides("spark.memory")
def _memory(facts: Facts) -> Decision:
    size = executor(facts)
    memory = int(facts.number("yarn.nodemanager.resource.memory-mb")) * MIB
    inputs = inputs_of(("containers of a worker", memory, "B"), ("executors on a worker", size.per_worker))
    executors = format_counted(size.per_worker, "executor")
    values = {"executors": executors, "memory": format_memory(memory), "size": size}
    return Decision(f"{size.heap_mb}m", inputs=inputs, values=values)


rules.when("with Spark, on workers of more than eight CPUs")(
    lambda facts: (
        facts.request.spark_used and facts.planned and collector_threads(kinds_of(facts)) is not None
    )
)


@rules.decides("spark.collectors")
def _collectors(facts: Facts) -> Decision:
    cores = executor(facts).cores
    return Decision(f"-XX:ParallelGCThreads={max(2, cores)}")


@rules.decides("spark.overhead")
def _overhead(facts: Facts) -> Decision:
    size = executor(facts)
    return Decision(f"{size.container_mb - size.heap_mb}m", values={"size": size})


@rules.decides("spark.driver")
def _driver(facts: Facts) -> Decision:
    least = min(kind.memory_bytes for kind in kinds_of(facts)) // MIB
    value = max(1024, min(_DRIVER_MB, least // _DRIVER_SHARE // STEP_MB * STEP_MB))
    return Decision(f"{value}m")


@rules.when("with Spark, dynamic allocation and the external shuffle service")
def _given_back(facts: Facts) -> bool:
    """Whether executors are given back, and not kept for what they shuffled."""
    return shuffles_in_nodemanagers(facts) and not tracks_shuffles(facts)


@rules.decides("spark.partitions")
def _partitions(facts: Facts) -> Decision:
    size = executor(facts)
    cores = size.cores * size.in_all
    value = min(max(_PARTITIONS, _TASKS_PER_CORE * cores), _PARTITIONS_MOST)
    words = {_PARTITIONS: "least", _PARTITIONS_MOST: "most"}.get(value, "between")
    inputs = inputs_of(("cores of all executors", cores))
    return Decision(value, inputs=inputs, words=words, values={"cores": cores})


def _shared(facts: Facts, key: str) -> str:
    """The folder that another key gives, if every host finds it."""
    folder = str(facts.decided.get(key) or "")
    return folder if _is_shared(folder) else _HISTORY


def _is_shared(folder: str) -> bool:
    return bool(folder) and not folder.startswith("file:")


rules.decides("spark.events-folder")(lambda facts: Decision(_shared(facts, "spark.history.fs.logDirectory")))


@rules.accepts("where applications write")
def _same_folder(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether it is where applications write; where they write to no shared folder, that is what is wrong."""
    written = str(facts.decided.get("spark.eventLog.dir") or "")
    return value == decision.value or (bool(written) and not _is_shared(written) and _is_shared(str(value)))


rules.decides("spark.history")(lambda facts: Decision(_shared(facts, "spark.eventLog.dir")))

TEZ = "tez-site.xml"
HIVE = "hive-site.xml"
_CONTAINER_MOST_MB = 8192
_MASTER_MB = 4096
_MASTER_SHARE = 4
_STEP_MB = 512
_BUFFER_MOST_MB = 2047
_JOIN = 3  # A hash table that is broadcast may take a third of a task's container.


def _container_mb(facts: Facts) -> int:
    """A worker's memory for containers over its vcores, MB; raises MissingFact where they are not known."""
    memory = facts.number("yarn.nodemanager.resource.memory-mb")
    per_vcore = int(memory / max(1, facts.number("yarn.nodemanager.resource.cpu-vcores")))
    return min(_CONTAINER_MOST_MB, max(1024, per_vcore // _STEP_MB * _STEP_MB))


@rules.decides("tez.task", "tez.hive-container")
def _container(facts: Facts) -> Decision:
    memory = int(facts.number("yarn.nodemanager.resource.memory-mb")) * MIB
    vcores = int(facts.number("yarn.nodemanager.resource.cpu-vcores"))
    inputs = inputs_of(("containers of a worker", memory, "B"), ("vcores of a worker", vcores))
    values = {"memory": format_memory(memory), "vcores": vcores}
    return Decision(_container_mb(facts), inputs=inputs, values=values)


@rules.decides("tez.master")
def _master(facts: Facts) -> Decision:
    least = min(kind.memory_bytes for kind in kinds_of(facts)) // MIB
    value = max(1024, min(_MASTER_MB, least // _MASTER_SHARE // _STEP_MB * _STEP_MB))
    return Decision(value, inputs=inputs_of(("memory of the smallest worker", least * MIB, "B")))


def _share(facts: Facts, share: float) -> Decision:
    container = _container_mb(facts)
    inputs = inputs_of(("container of a task", container * MIB, "B"))
    value = min(_BUFFER_MOST_MB, int(container * share))
    return Decision(value, inputs=inputs, values={"container": container})


rules.accepts("fits the task")(
    lambda value, decision, facts: 0 < as_number(value) <= min(_BUFFER_MOST_MB, 0.6 * _container_mb(facts))
)
rules.decides("tez.sort")(lambda facts: _share(facts, 0.4))
rules.decides("tez.unordered")(lambda facts: _share(facts, 0.1))


@rules.decides("tez.hive-heap")
def _hive_heap(facts: Facts) -> Decision:
    threads = collector_threads(kinds_of(facts)) if facts.planned else None
    few = f" -XX:ParallelGCThreads={threads}" if threads else ""
    return Decision(f"-Xmx{int(_container_mb(facts) * HEAP_SHARE)}m{few}")


rules.accepts("up to half of the task")(
    lambda value, decision, facts: 0 <= as_number(value) <= 0.5 * _container_mb(facts) * MIB
)


@rules.decides("tez.join")
def _join(facts: Facts) -> Decision:
    container = _container_mb(facts)
    inputs = inputs_of(("container of a task", container * MIB, "B"))
    return Decision(container * MIB // _JOIN, inputs=inputs, values={"container": container})


rules.when("with --secure and Hive")(lambda facts: facts.request.tez_used and facts.request.secure)
rules.accepts("named hosts")(lambda value, decision, facts: bool(value) and "*" not in str(value))
rules.decides("hive.proxy-hosts")(lambda facts: Decision(facts.cluster.addresses(Role.RESOURCEMANAGER)))
