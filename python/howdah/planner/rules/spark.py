"""Spark, and Hive on Tez: containers, memory, shuffles, history, Kerberos; values that Spark reads."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.existing import FoundProperty
from howdah.model.plan import Role, Value
from howdah.model.request import WorkKind
from howdah.planner.budget import CORES, HEAP_SHARE, LEAST_OVERHEAD_MB, OVERHEAD, STEP_MB, executor, kinds_of
from howdah.planner.facts import Facts
from howdah.planner.heap import collector_threads
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rule import Decision, inputs_of, shuffles_in_nodemanagers, tracks_shuffles
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.scheduler import queue_of
from howdah.releases.catalogue import intended_spark_key, spark_keys, spark_size
from howdah.releases.similar import similar_text
from howdah.units import GIB, MIB, format_counted, format_memory

rules = read_rules("spark.toml")

_MASTER_MB, _MASTER_SHARE = 4096, 4  # A driver or an application master has a quarter of a worker at most.
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
    return Decision(f"{_master_mb(facts)}m")


def _master_mb(facts: Facts) -> int:
    least = min(kind.memory_bytes for kind in kinds_of(facts)) // MIB
    return max(1024, min(_MASTER_MB, least // _MASTER_SHARE // STEP_MB * STEP_MB))


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
_BUFFER_MOST_MB = 2047
_JOIN = 3  # A hash table that is broadcast may take a third of a task's container.


def _container_mb(facts: Facts) -> int:
    """A worker's memory for containers over its vcores, MB; raises MissingFact where they are not known."""
    memory = facts.number("yarn.nodemanager.resource.memory-mb")
    per_vcore = int(memory / max(1, facts.number("yarn.nodemanager.resource.cpu-vcores")))
    return min(_CONTAINER_MOST_MB, max(1024, per_vcore // STEP_MB * STEP_MB))


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
    return Decision(_master_mb(facts), inputs=inputs_of(("memory of the smallest worker", least * MIB, "B")))


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


_ADAPTIVE, _OF_SHUFFLES = "spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions"
_MANY = 5000
_FACTORS = (60.0, 3600.0, 86400.0, 1e3, 1024.0, 1024.0**2, 1024.0**3)
_CLOSE = 0.03
_MILD = ("spark.locality.wait", "spark.sql.autoBroadcastJoinThreshold")
"""Where as little as one asks for by mistake costs time only."""
_LEAST_HEAP = 450 * MIB
"""What UnifiedMemoryManager asks of a heap: one and a half times the 300 MiB that it reserves."""
_HEAPS = ("spark.executor.memory", "spark.driver.memory")
_LEAST_OVERHEAD = 64 * MIB
_FORMER_MASTERS = ("yarn-client", "yarn-cluster")
"""Masters of Spark 1, with which no application of a later one starts."""
_OVERHEADS = ("spark.executor.memoryOverhead", "spark.driver.memoryOverhead", "spark.yarn.am.memoryOverhead")
_TIMEOUT, _HEARTBEAT = "spark.network.timeout", "spark.executor.heartbeatInterval"
_LEAST_HEARTBEATS = 4
_DYNAMIC = "spark.dynamicAllocation."
_LOGS, _DIRECTORY, _READ = "spark.eventLog.enabled", "spark.eventLog.dir", "spark.history.fs.logDirectory"


@rules.inspects("spark.adaptive")
def _adaptive(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    partitions = reading.number(_OF_SHUFFLES)
    off = reading.truth(_ADAPTIVE) is False
    many = partitions is not None and partitions > _MANY
    if reading.text(_ADAPTIVE) is None and partitions is None:
        return
    key = _ADAPTIVE if off or not many else _OF_SHUFFLES
    shown = f"{reading.text(_ADAPTIVE) or 'true (default)'}, with {partitions or 200:.15g} partitions"
    words = "both" if off and many else "off" if off else "many"
    place = reading.where(_OF_SHUFFLES)
    yield reading.verdict(key, not (off or many), found=shown, words=words, most=_MANY, place=place)


@rules.inspects("spark.container-fits")
def _container_fits(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    key = "spark.executor.memory"
    if (heap := reading.size(key)) is not None:
        least = max(LEAST_OVERHEAD_MB * MIB, int(heap * OVERHEAD))
        overhead = reading.size("spark.executor.memoryOverhead") or least
        most = int(facts.number("yarn.scheduler.maximum-allocation-mb")) * MIB
        shown = f"{format_memory(heap)} and {format_memory(overhead)} of overhead"
        values = {"most": format_memory(most), "heap_gb": int(most / (1 + OVERHEAD)) // GIB}
        yield reading.verdict(key, heap + overhead <= most, found=shown, words="memory", values=values)
    key = "spark.executor.cores"
    if (cores := reading.number(key)) is not None:
        limit = facts.number("yarn.scheduler.maximum-allocation-vcores")
        values = {"limit": limit, "cores": min(CORES[0], int(limit))}
        yield reading.verdict(key, cores <= limit, found=f"{cores:g}", words="cores", values=values)


@rules.inspects("spark.former-names")
def _former(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for process in ("executor", "driver"):
        name = f"spark.yarn.{process}.memoryOverhead"
        if reading.text(name) is not None:
            yield reading.verdict(name, False, found="a former name", process=process)


def _entries(reading: Inspected) -> Iterator[FoundProperty]:
    own = (entry for entry in reading.effective if entry.base_name == "spark-defaults.conf")
    return (entry for entry in own if "${" not in entry.text)


@rules.inspects("spark.misspelt")
def _names(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in _entries(reading):
        near = intended_spark_key(entry.name) if entry.name.isascii() else None
        if near is not None:
            yield entry_verdict(entry, False, found="a name that no code of Spark reads", near=near)


@rules.inspects("spark.kinds")
def _kinds(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in _entries(reading):
        definition = spark_keys().get(entry.name)
        misfit = definition.misfit(entry.text) if definition and entry.text else None
        if entry.name == "spark.master" and entry.text in _FORMER_MASTERS:
            shown, mode = f"{entry.text}, a master of Spark 1", entry.text.removeprefix("yarn-")
            yield entry_verdict(entry, False, found=shown, words="master", mode=mode)
        if definition is not None and misfit is not None:
            near = similar_text(entry.text, definition.words) or definition.default
            shown, values = f"{entry.text!r} {misfit}", {"near": near, "definition": definition}
            yield entry_verdict(entry, False, found=shown, words="near" if near else "kind", values=values)


def _units(reading: Inspected) -> Iterator[tuple[bool, Observation]]:
    """Every number whose unit is another one than its writer meant, with whether work is lost by it."""
    for entry in _entries(reading):
        spark_key = spark_keys().get(entry.name) if entry.text.strip().isdigit() else None
        value = spark_key.quantity(entry.text) if spark_key else None
        default = spark_key.quantity(spark_key.default) if spark_key else None
        if spark_key is None or not value or not default or value < 0:
            continue
        ratio = value / default
        if all(abs(max(ratio, default / value) / factor - 1) > _CLOSE for factor in _FACTORS):
            # It is not off by a unit's factor.
            continue
        times = f"{1 / ratio:,.0f} times less" if ratio < 1 else f"{ratio:,.0f} times more"
        usual = spark_key.default
        shown = f"{entry.text}, {spark_key.kind} without a unit: {times} than the default {usual}"
        yield ratio < 1 and entry.name not in _MILD, entry_verdict(entry, False, found=shown, usual=usual)


rules.inspects("spark.units-too-small")(
    lambda reading, facts: (observation for fatal, observation in _units(reading) if fatal)
)
rules.inspects("spark.units")(
    lambda reading, facts: (observation for fatal, observation in _units(reading) if not fatal)
)


@rules.inspects("spark.heap-units")
def _heaps(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in _entries(reading):
        least = _LEAST_HEAP if entry.name in _HEAPS else _LEAST_OVERHEAD if entry.name in _OVERHEADS else None
        size = spark_keys()[entry.name].quantity(entry.text) if least is not None else None
        if least is None or size is None:
            continue
        shown = f"{entry.text}, which is {size / MIB:,.0f} MiB"
        words = "heap" if entry.name in _HEAPS else "overhead"
        values = {"least_mb": least // MIB, "number": entry.text.strip()}
        yield entry_verdict(entry, size >= least, found=shown, words=words, values=values)


def _quantity(reading: Inspected, key: str) -> float | None:
    definition = spark_keys()[key]
    return definition.quantity(reading.text(key) or definition.default)


def _times(reading: Inspected, least: int) -> Iterator[Observation]:
    keys = [key for key in (_TIMEOUT, _HEARTBEAT) if reading.text(key)]
    timeout, heartbeat = (_quantity(reading, key) for key in (_TIMEOUT, _HEARTBEAT))
    if not keys or not timeout or not heartbeat:
        return
    if least > 1 and timeout <= heartbeat:
        # Which fails by itself.
        return
    defaults = {_TIMEOUT: "120s (default)", _HEARTBEAT: "10s (default)"}
    shown = ", ".join(f"{key} {reading.text(key) or default}" for key, default in defaults.items())
    words = "lost" if timeout > heartbeat else "refused"
    yield reading.verdict(keys[0], timeout > heartbeat * least, found=shown, words=words)


rules.inspects("spark.heartbeats")(lambda reading, facts: _times(reading, least=1))
rules.inspects("spark.several-heartbeats")(lambda reading, facts: _times(reading, least=_LEAST_HEARTBEATS))


@rules.inspects("spark.executors")
def _executors(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    dynamic = reading.truth(f"{_DYNAMIC}enabled") is True
    most = reading.number(f"{_DYNAMIC}maxExecutors")
    if dynamic and most is not None:
        for key in (f"{_DYNAMIC}minExecutors", f"{_DYNAMIC}initialExecutors"):
            if (count := reading.number(key)) is not None:
                shown = f"{count:g}, and {_DYNAMIC}maxExecutors is {most:g}"
                yield reading.verdict(key, count <= most, found=shown, words="most", most=most)
    key = f"{_DYNAMIC}minExecutors" if dynamic else "spark.executor.instances"
    executors = reading.number(key)
    memory = reading.number("yarn.nodemanager.resource.memory-mb")
    workers = len(reading.worker_hosts)
    heap = _quantity(reading, "spark.executor.memory")
    if not executors or not memory or not workers or not heap:
        return
    overhead = _quantity(reading, "spark.executor.memoryOverhead")
    container = heap + (overhead or max(LEAST_OVERHEAD_MB * MIB, heap * OVERHEAD))
    room = int(memory * MIB // container) * workers
    size = format_memory(int(container))
    shown = f"{executors:g} executors of {size}; {workers} workers have room for {room}"
    yield reading.verdict(key, executors <= room, found=shown, words="room", room=room)


@rules.inspects("spark.history-written")
def _history(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    present = next((key for key in (_DIRECTORY, _READ) if reading.text(key)), None)
    if present is not None:
        shown = f"{reading.text(_LOGS) or 'false (default)'}, and {present} is {reading.text(present)}"
        ok, place = reading.truth(_LOGS) is True, reading.where(present)
        yield reading.verdict(_LOGS, ok, found=shown, elsewhere=place)
