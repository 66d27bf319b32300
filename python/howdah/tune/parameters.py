"""What a search may vary: every parameter with its levels, and the settings of a plan that it decides.

A parameter is a row of ``_FOR_JOBS`` or ``_FOR_OPERATIONS``. Its levels are values as ``--set`` reads them,
so that a tuned plan has the values that an administrator would write: 256MiB, not 271,398,112 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from howdah.model.placement import at_once
from howdah.model.plan import Cluster, ClusterPlan, Worker
from howdah.model.run_request import RunRequest
from howdah.model.tuning import Fixed, TuneParameter
from howdah.model.workloads.terasort import REDUCES, ROWS, TERASORT, Codec
from howdah.planner.heap import COMPRESSED_MOST
from howdah.planner.suite.cluster import size_planned
from howdah.releases.values import QUICK_START, heap_bytes, starts_quickly
from howdah.simulation.settings import PlannedSettings
from howdah.units import GIB, MIB, exact_bytes, parse_bytes

SLOTS = "slots"
WORKERS = "workers"
HOSTS = "hosts"
"""A value of candidates for the goal ``hosts``; no parameter of a search, as fewer hosts are never faster."""
JVM, MASTER_JVM = "jvm", "am-jvm"  # How the JVMs of tasks, and of their application master, compile.
JVM_DEFAULT, JVM_QUICK = "default", "quick-start"
_MASTER_OPTIONS = "yarn.app.mapreduce.am.command-opts"
JAVA_OPTIONS = {
    JVM: ("mapreduce.map.java.opts", "mapreduce.reduce.java.opts"),
    MASTER_JVM: (_MASTER_OPTIONS,),
}
"""The settings that each choice of a compiler decides."""
CODEC = "mapreduce.map.output.compress.codec"
_COMPRESS = "mapreduce.map.output.compress"
_CLASSES = {
    Codec.SNAPPY: "org.apache.hadoop.io.compress.SnappyCodec",
    Codec.LZ4: "org.apache.hadoop.io.compress.Lz4Codec",
    Codec.ZSTD: "org.apache.hadoop.io.compress.ZStandardCodec",
}
RELEASED_CODECS = (Codec.NONE, Codec.SNAPPY)
"""Those that every release runs: since Hadoop 3.3.1 LZ4 needs lz4-java, which users add, and Zstandard needs
the native library."""
SERVER_OPTIONS, CACHE = "HBASE_REGIONSERVER_OPTS", "hbase.bucketcache.size"
_COMPACTED_FILES, _THRESHOLD = "hbase.hstore.compaction.min", "hbase.hstore.compactionThreshold"
CODEC_KEYS = (_COMPRESS, CODEC)
_REDUCES = "mapreduce.job.reduces"
_CONTAINER_STEP_MB = 256
_OF_JOBS = ("mapreduce.map.", "mapreduce.reduce.", "mapreduce.task.", "mapreduce.job.")
_MOST_WAVES = 1.75
"""Reduces of a job for each that runs at once: Hadoop's MapReduce Tutorial suggests 0.95 or 1.75.

With more, reduces fetch pieces of some tens of kB, for each of which a disk moves its head. The simulator
has this cost, but on 0.3 TB and seven hosts, which cache all map output, it would still prefer four waves."""


class Base(NamedTuple):
    """The rules' plan, from which ranges are derived."""

    plan: ClusterPlan
    cluster: Cluster
    worker: Worker  # The first kind of worker: settings of jobs are the same for all kinds.
    settings: PlannedSettings
    reduces: int | None  # Reduces of a job, planned or decided by the rules; None for operations on HBase.

    @property
    def operations(self) -> bool:
        """Whether the suite is of operations on HBase; otherwise it is of jobs."""
        return self.reduces is None

    @property
    def sole_kind(self) -> bool:
        """Whether all workers are of one kind, so that one number applies to all of them."""
        return len(self.plan.workers) == 1 and len(self.cluster.layouts) == 1


def base_of(plan: ClusterPlan, *, operations: bool = False, rows: int | None = None) -> Base:
    """A plan with what the ranges are derived from; ``rows`` are those to sort, if not as planned."""
    worker = plan.workers[0]
    reduces = None
    if not operations:
        options = {} if rows is None else {ROWS.name: rows}
        sized = size_planned(RunRequest(suite=TERASORT, given=options), plan).suite
        reduces = sized.first(REDUCES) or 1
    return Base(plan, plan.cluster, worker, PlannedSettings(plan, worker), reduces)


class _Row(NamedTuple):
    """A parameter: its levels and the planned one, both as ``--set`` reads them."""

    name: str
    about: str
    levels: Callable[[Base], Iterable[str]]
    planned: Callable[[Base], str]
    unit: str = ""
    ordered: bool = True
    only_by_name: tuple[str, ...] = ()  # Levels that are tried only if a file names them.


def _ladder(low: float, high: float, ratio: float) -> Iterator[str]:
    """Whole numbers of two digits from ``low`` to ``high``, each about ``ratio`` times the one before."""
    value = max(1.0, low)
    while value <= high:
        digits = max(0, len(str(int(value))) - 2)
        yield str(int(round(value, -digits)))
        value = max(value * ratio, value + 1)


def _number(name: str, about: str, levels: Callable[[Base], Iterable[str]], unit: str = "") -> _Row:
    return _Row(name, about, levels, lambda base: f"{base.settings.number(name):g}", unit)


def _steps(name: str, about: str, low: float, high: float, *, ratio: float = 1.4, unit: str = "") -> _Row:
    return _number(name, about, lambda base: _ladder(low, high, ratio), unit)


def _listed(name: str, about: str, values: str, unit: str = "") -> _Row:
    return _number(name, about, lambda base: values.split(), unit)


def _size(name: str, about: str, low: int, high: int) -> _Row:
    def levels(base: Base) -> Iterator[str]:
        size = low
        while size <= high:
            yield exact_bytes(size)
            size *= 2

    return _Row(name, about, levels, lambda base: exact_bytes(base.settings.size(name)))


def _flag(name: str, about: str) -> _Row:
    levels = ("false", "true")
    return _Row(name, about, lambda base: levels, lambda base: base.settings.text(name), ordered=False)


def _compiler(name: str, about: str) -> _Row:
    def planned(base: Base) -> str:
        return JVM_QUICK if starts_quickly(base.settings.text(JAVA_OPTIONS[name][0])) else JVM_DEFAULT

    about = f"compiler of {about}; quick-start: {QUICK_START}"
    return _Row(name, about, lambda base: (JVM_DEFAULT, JVM_QUICK), planned, ordered=False)


def _container(kind: str) -> _Row:
    name = f"mapreduce.{kind}.memory.mb"

    def levels(base: Base) -> Iterator[str]:
        planned = base.settings.container(kind) // MIB
        for text in _ladder(max(1024, planned / 2), 3 * planned, 1.25):
            yield str(round(int(text) / _CONTAINER_STEP_MB) * _CONTAINER_STEP_MB)

    return _number(name, f"memory of a {kind} task's container", levels, "MB")


def _worker_counts(base: Base) -> Iterator[str]:
    """The numbers of workers per host that the hosts allow; workers of several sizes have none."""
    if base.sole_kind and base.cluster.request.weighs_virtual:
        for candidate in base.cluster.candidates:
            if candidate.verdict != "refused" and len(candidate.kinds) == 1:
                yield str(candidate.kinds[0].per_host)


def _slots(base: Base) -> Iterator[str]:
    if base.sole_kind:
        planned = base.worker.map_slots
        yield from _ladder(planned / 6, 2 * max(planned, base.worker.vcpus or 1), 1.15)


def _reduces(base: Base) -> Iterator[str]:
    at_once_now = at_once(base.plan).reduces
    yield from _ladder(at_once_now / 8, _MOST_WAVES * at_once_now, 1.25)


def codec_of(class_name: str, *, compressed: bool) -> Codec:
    """The codec that properties of jobs name; none for a class that is not one of the search's."""
    codecs = {name: codec for codec, name in _CLASSES.items()}
    return codecs.get(class_name, Codec.NONE) if compressed else Codec.NONE


def _local_delay(base: Base) -> Iterator[str]:
    yield from ("-1", "0")
    yield from _ladder(5, 4 * base.settings.number("yarn.scheduler.capacity.node-locality-delay"), 2)


def _planned_heap_mb(base: Base) -> int:
    return (heap_bytes(base.settings.text(SERVER_OPTIONS)) or 0) // MIB


def _heaps(base: Base) -> Iterator[str]:
    """Heaps of a RegionServer, MiB, of which each leaves another size to the cache outside it."""
    if base.sole_kind and base.settings.text(CACHE):
        planned = _planned_heap_mb(base)
        whole = planned + base.settings.number(CACHE)
        yield from _ladder(max(4096, whole / 8), min(0.8 * whole, COMPRESSED_MOST / MIB), 1.25)


def _shares(base: Base) -> Iterator[str]:
    """Parts of the heap for memstores; with the cache in the heap at most four fifths of it."""
    cache = base.settings.number_or("hfile.block.cache.size", 0.4)
    shares = (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
    yield from (f"{share:g}" for share in shares if share + cache <= 0.8)


_WORKERS = _Row(
    WORKERS, "virtual machines per host", _worker_counts, lambda base: str(base.worker.per_host), "per host"
)
_FOR_OPERATIONS: tuple[_Row, ...] = (
    _WORKERS,
    _Row(SERVER_OPTIONS, "heap of a RegionServer; the cache outside it has the rest of its memory",
         _heaps, lambda base: str(_planned_heap_mb(base)), "MB"),
    _number("hbase.regionserver.global.memstore.size", "part of the heap for writes in memory", _shares),
    _size("hbase.hregion.memstore.flush.size", "a region's writes in memory, before a file", 32 * MIB, GIB),
    _Row(_COMPACTED_FILES, "files of a region before they are merged", lambda base: _ladder(2, 12, 1.3),
         lambda base: f"{base.settings.number_or(_COMPACTED_FILES, base.settings.number(_THRESHOLD)):g}"),
    _listed("hbase.regionserver.handler.count", "requests that a RegionServer handles at once",
            "8 16 24 32 48 64 96 128 192 256"),
)  # fmt: skip
_FOR_JOBS: tuple[_Row, ...] = (
    _WORKERS,
    _Row(SLOTS, "map and reduce tasks at once on a worker", _slots, lambda base: str(base.worker.map_slots),
         "per worker"),
    _container("map"),
    _container("reduce"),
    _compiler(JVM, "tasks' JVMs"),
    _compiler(MASTER_JVM, "application masters' JVMs"),
    _size("dfs.blocksize", "HDFS block, and so the input of a map task", 64 * MIB, GIB),
    _steps("mapreduce.task.io.sort.mb", "sort buffer of a map task", 50, 2047, unit="MB"),
    _listed("mapreduce.map.sort.spill.percent", "how full the buffer is when it spills",
            "0.5 0.7 0.8 0.9 0.95 0.99"),
    _steps("mapreduce.task.io.sort.factor", "files merged at once", 10, 250, ratio=1.5),
    _Row(CODEC, "compression of map output", lambda base: RELEASED_CODECS,
         lambda base: codec_of(base.settings.text(CODEC), compressed=base.settings.flag(_COMPRESS)),
         ordered=False, only_by_name=(Codec.LZ4, Codec.ZSTD)),
    _Row(_REDUCES, "reduce tasks of a job", _reduces, lambda base: str(base.reduces)),
    _listed("mapreduce.job.reduce.slowstart.completedmaps", "part of the maps that end before reduces start",
            "0 0.05 0.2 0.4 0.6 0.8 0.9 0.95 1"),
    _steps("mapreduce.reduce.shuffle.parallelcopies", "map outputs that a reduce fetches at once",
           3, 100, ratio=1.6),
    _listed("mapreduce.reduce.shuffle.input.buffer.percent", "part of a reduce's heap for fetched map output",
            "0.2 0.3 0.4 0.5 0.6 0.7 0.75 0.8 0.85 0.9"),
    _listed("mapreduce.reduce.shuffle.merge.percent", "how full that part is when it is merged to disk",
            "0.3 0.4 0.5 0.66 0.8 0.9 0.95 0.99"),
    _listed("mapreduce.reduce.input.buffer.percent",
            "part of a reduce's heap that may keep map output while it reduces", "0 0.2 0.4 0.6 0.7 0.8 0.9"),
    _size("dfs.datanode.readahead.bytes", "read-ahead of a DataNode", MIB, 64 * MIB),
    _flag("dfs.datanode.drop.cache.behind.writes",
          "whether a DataNode drops what it wrote from the page cache"),
    _flag("dfs.datanode.sync.behind.writes", "whether a DataNode starts writing back at once"),
    _listed("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
            "time between a NodeManager's heartbeats", "100 250 500 1000 2000 3000", "ms"),
    _flag("yarn.scheduler.capacity.schedule-asynchronously.enable",
          "whether containers wait for no heartbeat"),
    _number("yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments",
            "containers without local data per heartbeat",
            lambda base: _ladder(1, 2 * max(1, base.worker.map_slots), 1.7)),
    _number("yarn.scheduler.capacity.node-locality-delay",
            "offers that a task lets pass to be near its data", _local_delay),
)  # fmt: skip


def _rows(base: Base) -> tuple[_Row, ...]:
    return _FOR_OPERATIONS if base.operations else _FOR_JOBS


_FIXED_FOR_OPERATIONS = {
    "dfs.replication": "it decides how safe the data are, not how fast",
    "hfile.block.cache.size": "with a cache outside the heap, that in the heap has only indexes",
    "hbase.wal.provider": "the rules decide how safe a write is, not how fast",
    "BLOCKSIZE": "blocks of tables are not simulated",
    "DATA_BLOCK_ENCODING": "encodings of tables are not simulated",
}
_FIXED = {
    "dfs.replication": "it decides how safe the data are, not how fast",
    "mapreduce.terasort.output.replication": "it decides how safe the output is, not how fast",
    "mapreduce.map.java.opts": "the heap follows the container; jvm varies the compiler",
    "mapreduce.map.speculative": "no task of the simulated cluster hangs",
}
"""What is not varied, and why."""


def parameters(base: Base) -> tuple[list[TuneParameter], list[Fixed]]:
    """What may vary on a plan, and what may not."""
    varied: list[TuneParameter] = []
    reasons = _FIXED_FOR_OPERATIONS if base.operations else _FIXED
    fixed = [Fixed(name=name, why=why) for name, why in reasons.items()]
    for row in _rows(base):
        possible = list(row.levels(base))
        if not possible:
            fixed.append(Fixed(name=row.name, why=_WHY_NONE.get(row.name, _NO_LEVEL)))
            continue
        planned = row.planned(base)
        levels = dict.fromkeys((*possible, planned))
        if row.ordered:
            levels = dict.fromkeys(sorted(levels, key=magnitude))
        varied.append(
            TuneParameter(
                name=row.name,
                unit=row.unit,
                levels=tuple(levels),
                ordered=row.ordered,
                planned=planned,
                about=row.about,
                others=tuple(value for value in row.only_by_name if value not in levels),
            )
        )
    return varied, fixed


_NO_LEVEL = "the other planned values leave it no range"
_WHY_NONE = {
    SERVER_OPTIONS: "RegionServers are of several kinds, or have no cache outside the heap",
    SLOTS: "the cluster has several kinds of workers, which no one number fits",
    WORKERS: "the plan does not weigh virtual machines: --hypervisor or --weigh-virtual",
}


def decided_values(plan: ClusterPlan, *, operations: bool = False, rows: int | None = None) -> dict[str, str]:
    """The value of every parameter in the plan of a cluster, decided by a rule or by a candidate."""
    base = base_of(plan, operations=operations, rows=rows)
    return {row.name: row.planned(base) for row in _rows(base)}


def is_per_job(key: str) -> bool:
    """Whether a job can set a key for itself, so that another value needs no restart of a daemon."""
    return key in ("dfs.blocksize", *JAVA_OPTIONS, _MASTER_OPTIONS) or key.startswith(_OF_JOBS)


def magnitude(level: str) -> float:
    """The number in a level: 134217728 for ``128MiB``."""
    return float(parse_bytes(level, "") if level.endswith("B") else level)


def keys_of(name: str) -> tuple[str, ...]:
    """The settings of a plan that a parameter decides."""
    if name == SLOTS:
        return "worker.map_slots", "worker.reduce_slots"
    if name in JAVA_OPTIONS:
        return JAVA_OPTIONS[name]
    return CODEC_KEYS if name == CODEC else (name,)


def codec_properties(codec: Codec) -> dict[str, str]:
    """The properties of jobs that compress map output so."""
    if codec is Codec.NONE:
        return {_COMPRESS: "false"}
    return {_COMPRESS: "true", CODEC: _CLASSES[codec]}
