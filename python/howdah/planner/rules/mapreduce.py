"""MapReduce: containers and heaps of tasks and of application masters, second attempts, job history."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from howdah.model.plan import Role, Value
from howdah.planner import budget
from howdah.planner.budget import HEAP_SHARE, chosen_sizes, kinds_of, task_sizes, under_half
from howdah.planner.facts import Facts
from howdah.planner.heap import (
    cached_tasks,
    collector_threads,
    history_heap,
    limited_heap,
    master_heap,
    size_of,
    sized_heap,
    tasks_in,
)
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
    threads = None if in_study(facts) or not facts.planned else collector_threads(kinds_of(facts))
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
    size = size_of(facts)
    value = min(cached_tasks(size), tasks_in(master_heap(Role.JOB_HISTORY, facts)))
    inputs = inputs_of(("tasks of the largest job", size.job_tasks))
    return Decision(value, inputs=inputs, values={"tasks": format_count(size.job_tasks)})


@rules.decides("jobs.history-heap")
def _history_heap(facts: Facts) -> Decision:
    cache = facts.decided.get("mapreduce.jobhistory.loadedtasks.cache.size")
    if not isinstance(cache, int) or isinstance(cache, bool) or cache <= 0:
        return sized_heap(Role.JOB_HISTORY, facts)._replace(words="unset")
    decided = limited_heap(history_heap(cache), tasks=format_count(cache))
    return decided._replace(words="cache", inputs=inputs_of(("tasks in its cache", cache)))
