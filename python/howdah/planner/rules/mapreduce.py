"""MapReduce: containers and heaps, second attempts, job history; sorting, spills, fetching of map output."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from howdah.model.plan import Role, Value
from howdah.planner import budget
from howdah.planner import heap as heaps
from howdah.planner.budget import HEAP_SHARE, chosen_sizes, kinds_of, task_sizes, under_half
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Decision, in_study, inputs_of
from howdah.planner.rules.declare import as_number, read_rules
from howdah.releases.values import heap_bytes
from howdah.units import MIB, format_count, format_memory

rules = read_rules("mapreduce.toml")

_RELEASES_HEAP, _SMALL_MASTER_MB = "-Xmx1024m", 512


def _container(facts: Facts, kind: str) -> Decision:
    sizes = task_sizes(facts)
    value = sizes.map_mb if kind == "map" else sizes.reduce_mb
    least = min(kinds_of(facts), key=lambda worker: worker.memory_bytes)
    slots = ("map tasks at once on it", least.map_slots), ("reduce tasks at once on it", least.reduce_slots)
    inputs = inputs_of(("memory of the smallest worker", least.memory_bytes, "B"), *slots)
    values = {"heap": int(value * HEAP_SHARE), "memory": format_memory(least.memory_bytes)}
    words = "sorts" if facts.request.sorts_only else "jobs"
    return Decision(value, inputs=inputs, values=values, words=words)


def _container_will_do(kind: str, value: Value, decision: Decision, facts: Facts) -> bool:
    sorted_from_memory = facts.request.sorts_only and facts.request.overrides
    if as_number(value) > as_number(decision.value) and sorted_from_memory:
        size = {f"{kind}_mb": int(as_number(value))}
        if not all(under_half(chosen_sizes(facts)._replace(**size), worker) for worker in kinds_of(facts)):
            return False
    least = min(kinds_of(facts), key=lambda worker: worker.memory_bytes)
    most = max(as_number(decision.value), least.memory_bytes / MIB / 4)
    # Where none is given, Hadoop makes it of the heap in the Java options.
    return as_number(value) == -1 or as_number(decision.value) / 2 <= as_number(value) <= most


def _java_options(facts: Facts, kind: str) -> Decision:
    container = int(facts.number(f"mapreduce.{kind}.memory.mb"))
    heap = int(container * HEAP_SHARE)
    young = " -Xmn256m" if in_study(facts) else ""
    first = f" -Xms{heap}m" if in_study(facts) and kind == "map" else ""
    threads = None if in_study(facts) or not facts.planned else heaps.collector_threads(kinds_of(facts))
    few = f" -XX:ParallelGCThreads={threads}" if threads else ""
    value, words = f"-Xmx{heap}m{first}{young}{few}", "collectors" if threads else "heap"
    inputs = inputs_of(("container", container * MIB, "B"))
    return Decision(value, inputs=inputs, words=words, values={"container": container})


def _options_will_do(kind: str, value: Value, decision: Decision, facts: Facts) -> bool:
    heap = heap_bytes(str(value))
    if heap is None:
        return True
    container = facts.number(f"mapreduce.{kind}.memory.mb") * MIB
    # A container of -1 is made of the heap.
    return container < 0 or 0.5 * container <= heap <= 0.9 * container


for _kind in ("map", "reduce"):
    rules.decides(f"mapreduce.{_kind}-memory")(partial(_container, kind=_kind))
    rules.accepts(f"a container of {_kind}s")(partial(_container_will_do, _kind))
    rules.decides(f"mapreduce.{_kind}-heap")(partial(_java_options, kind=_kind))
    rules.accepts(f"a heap of {_kind}s")(partial(_options_will_do, _kind))


@rules.inspects("mapreduce.heap-in-container")
def _heap_over_container(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    for kind in ("map", "reduce"):
        options = f"mapreduce.{kind}.java.opts"
        heap = heap_bytes(reading.text(options) or reading.text("mapred.child.java.opts") or "")
        container = reading.number(f"mapreduce.{kind}.memory.mb")
        if heap is None or container is None or container <= 0:
            # The container is then made to fit the heap (JobConf.getMemoryRequiredHelper).
            continue
        shown = f"a heap of {format_memory(heap)} in a container of {container:.15g} MB"
        sizes = {"most": 0.8 * container, "heap_mb": int(container * HEAP_SHARE)}
        yield reading.verdict(options, heap <= 0.95 * container * MIB, found=shown, values=sizes)


@rules.decides("mapreduce.master-memory")
def _master_memory(facts: Facts) -> Decision:
    value = task_sizes(facts).master_mb
    dataset = facts.request.dataset_bytes
    inputs = inputs_of(("dataset", dataset, "B")) if dataset else ()
    return Decision(value, inputs=inputs, values={"kb": budget.MASTER_BYTES_PER_TASK // 1000})


@rules.accepts("heap of an application master")
def _master_options_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    heap = heap_bytes(str(value))
    container = facts.number("yarn.app.mapreduce.am.resource.mb")
    if str(value).strip() == _RELEASES_HEAP and container >= _SMALL_MASTER_MB:
        # The release's own, of which a small application master never uses half.
        return True
    return heap is None or heap <= 0.9 * container * MIB


@rules.decides("mapreduce.master-heap")
def _master_options(facts: Facts) -> Decision:
    container = int(facts.number("yarn.app.mapreduce.am.resource.mb"))
    return Decision(f"-Xmx{int(container * budget.MASTER_HEAP_SHARE)}m", values={"container": container})


@rules.decides("jobs.history-cache")
def _history_cache(facts: Facts) -> Decision:
    size = heaps.size_of(facts)
    value = min(heaps.cached_tasks(size), heaps.tasks_in(heaps.master_heap(Role.JOB_HISTORY, facts)))
    inputs = inputs_of(("tasks of the largest job", size.job_tasks))
    return Decision(value, inputs=inputs, values={"tasks": format_count(size.job_tasks)})


@rules.decides("jobs.history-heap")
def _history_heap(facts: Facts) -> Decision:
    cache = facts.decided.get("mapreduce.jobhistory.loadedtasks.cache.size")
    if not isinstance(cache, int) or isinstance(cache, bool) or cache <= 0:
        return heaps.sized_heap(Role.JOB_HISTORY, facts)._replace(words="unset")
    decided = heaps.limited_heap(heaps.history_heap(cache), tasks=format_count(cache))
    return decided._replace(words="cache", inputs=inputs_of(("tasks in its cache", cache)))


_EARLY, _LATE, _LATEST = 0.05, 0.8, 0.9
_BLOCK = 256 * MIB
_FEW_WAVES = 2.0
_COPIES = 20
_COPIES_OF_SMALL = 5


@rules.decides("shuffle.slow-start")
def _slow_start(facts: Facts) -> Decision:
    if in_study(facts):
        return Decision(0.0, words="study")
    if facts.request.sorts_only and not facts.request.dataset_bytes:
        return Decision(_LATEST, words="unknown")
    if facts.request.sorts_only:
        waves = (facts.request.dataset_bytes or 0) / _BLOCK / max(1, facts.cluster.map_slots)
        inputs = inputs_of(("waves of map tasks", round(waves, 1)))
        if waves < _FEW_WAVES:
            return Decision(_EARLY, inputs=inputs, words="early")
        return Decision(min(_LATEST, round(1 - 1 / waves, 2)), inputs=inputs, words="late")
    return Decision(_LATE, words="shared")


@rules.decides("shuffle.copies")
def _copies(facts: Facts) -> Decision:
    kinds = kinds_of(facts)
    slots = max(kind.reduce_slots for kind in kinds)
    inputs = inputs_of(("reduce tasks at once on a worker", slots))
    if slots <= 1 and len(kinds) == 1 and facts.cluster.workers > len(kinds):
        return Decision(_COPIES_OF_SMALL, inputs=inputs, words="small")
    return Decision(_COPIES, inputs=inputs, words="usual")


rules.when("only TeraSort runs")(lambda facts: facts.request.sorts_only)

_RECORD_BYTES = 100
_RECORD_EXTRA_BYTES = 18
"""The buffer keeps 16 bytes of metadata of each record and, of TeraSort's, the lengths of key and value."""
_SPILL_SHARE = 0.8
_SORT_STEP_MB = 50
_SORT_HEAP_SHARE = 0.6  # Of a map task's heap; a larger buffer leaves the task itself too little.
_SORT_MOST_MB = 2047
_LEAST_HEAP = 64 * MIB


@rules.accepts("a buffer that fits the heap")
def _buffer_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    heap_mb = facts.number("mapreduce.map.memory.mb") * HEAP_SHARE
    planned = as_number(decision.value)
    return 0.92 * planned <= as_number(value) <= max(0.7 * heap_mb, planned)


@rules.decides("sorting.sort-buffer")
def _sort_buffer(facts: Facts) -> Decision:
    block_mb = facts.number("dfs.blocksize") / MIB
    heap_mb = facts.number("mapreduce.map.memory.mb") * HEAP_SHARE
    share = 1 + _RECORD_EXTRA_BYTES / _RECORD_BYTES
    whole = max(1, math.ceil(block_mb * share / _SPILL_SHARE / _SORT_STEP_MB)) * _SORT_STEP_MB
    most = int(min(_SORT_MOST_MB, heap_mb * _SORT_HEAP_SHARE))
    record = ("lengths and metadata of a record", _RECORD_EXTRA_BYTES, "B")
    inputs = inputs_of(("block", int(block_mb * MIB), "B"), record, ("map heap", int(heap_mb * MIB), "B"))
    if whole > most:
        return Decision(most, inputs=inputs, words="most", values={"whole": whole})
    values = {"block_mb": block_mb, "filled": block_mb * share / whole * 100}
    return Decision(whole, inputs=inputs, words="whole", values=values)


@rules.inspects("sorting.sort-buffer-in-heap")
def _buffer_over_heap(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    key = "mapreduce.task.io.sort.mb"
    buffer = reading.number(key)
    options = reading.text("mapreduce.map.java.opts") or reading.text("mapred.child.java.opts") or ""
    container = reading.number("mapreduce.map.memory.mb")
    heap = heap_bytes(options) or (container * 0.8 * MIB if container and container > 0 else None)
    if buffer is None or heap is None or heap < _LEAST_HEAP:
        # A heap of a few MiB is a unit's fault, which is a rule of its own.
        return
    heap_mb = heap / MIB
    ok, shown = buffer <= 0.7 * heap_mb, f"{buffer:.15g} MB of a map heap of {heap_mb:.0f} MiB"
    inputs = inputs_of(("map heap", int(heap), "B"))
    sizes = {"most_mb": 0.7 * heap_mb, "half_mb": int(heap_mb / 2)}
    yield reading.verdict(key, ok, found=shown, inputs=inputs, values=sizes)
