"""MapReduce: containers and heaps of tasks and of application masters, second attempts, job history."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from howdah.model.plan import Input, Role, Value
from howdah.planner.budget import (
    HEAP_SHARE,
    MASTER_BYTES_PER_TASK,
    MASTER_HEAP_SHARE,
    chosen_sizes,
    kinds_of,
    task_sizes,
    under_half,
)
from howdah.planner.facts import Facts
from howdah.planner.heap import (
    HEAP_PER_TASK,
    HISTORY_LEAST,
    TASKS_LEAST,
    cached_tasks,
    collector_threads,
    heap_options,
    history_heap,
    master_heap,
    size_of,
    sized_heap,
    tasks_in,
)
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Decision, in_study
from howdah.planner.rules.declare import as_number, read_rules
from howdah.releases.values import heap_bytes
from howdah.units import MIB, format_count, format_memory

rules = read_rules("mapreduce.toml")

_COLLECTORS = (
    "; it collects garbage with its part of the host's CPUs: by default each task starts threads for all CPUs"
)
_RELEASES_HEAP, _SMALL_MASTER_MB = "-Xmx1024m", 512


def _container(facts: Facts, kind: str) -> Decision:
    sizes = task_sizes(facts)
    value = sizes.map_mb if kind == "map" else sizes.reduce_mb
    heap = int(value * HEAP_SHARE)
    least = min(kinds_of(facts), key=lambda worker: worker.memory_bytes)
    if facts.request.sorts_only:
        together = (
            f"the tasks' heaps together stay under half of a worker's "
            f"{format_memory(least.memory_bytes)}, so that map output is read from the page cache"
        )
    else:
        together = "the largest with which all vcores of a worker can run tasks"
    return Decision(
        value,
        f"a heap of {heap} MiB and a good quarter more for the JVM; {together}",
        (
            Input(name="memory of the smallest worker", value=least.memory_bytes, unit="B"),
            Input(name="map tasks at once on it", value=least.map_slots),
            Input(name="reduce tasks at once on it", value=least.reduce_slots),
        ),
    )


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
    return Decision(
        f"-Xmx{heap}m{first}{young}{few}",
        f"{HEAP_SHARE * 100:.0f} % of the container's {container} MB; a task that outgrows its container is "
        f"killed{_COLLECTORS if threads else ''}",
        (Input(name="container", value=container * MIB, unit="B"),),
    )


def _options_will_do(kind: str, value: Value, decision: Decision, facts: Facts) -> bool:
    heap = heap_bytes(str(value))
    if heap is None:
        return True
    container = facts.number(f"mapreduce.{kind}.memory.mb") * MIB
    # A container of -1 is made of the heap.
    return container < 0 or 0.5 * container <= heap <= 0.9 * container


def _speculation(facts: Facts, kind: str) -> Decision:
    if in_study(facts):
        return Decision(False, "as the study ran: identical workers, every slot busy with work that counts")
    if kind == "reduce":
        return Decision(False, "a second reduce task fetches its whole input over the network again")
    return Decision(True, "a second map task reads only one block, and one slow disk must not delay a job")


for _kind in ("map", "reduce"):
    rules.decides(f"mapreduce.{_kind}-memory")(partial(_container, kind=_kind))
    rules.accepts(f"a container of {_kind}s")(partial(_container_will_do, _kind))
    rules.decides(f"mapreduce.{_kind}-heap")(partial(_java_options, kind=_kind))
    rules.accepts(f"a heap of {_kind}s")(partial(_options_will_do, _kind))
    rules.decides(f"mapreduce.{_kind}-speculation")(partial(_speculation, kind=_kind))


@rules.inspects("mapreduce.heap-in-container")
def _heap_over_container(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    for kind in ("map", "reduce"):
        options = f"mapreduce.{kind}.java.opts"
        heap = heap_bytes(reading.text(options) or reading.text("mapred.child.java.opts") or "")
        container = reading.number(f"mapreduce.{kind}.memory.mb")
        if heap is None or container is None or container <= 0:
            # The container is then made to fit the heap (JobConf.getMemoryRequiredHelper).
            continue
        yield reading.verdict(
            options,
            heap <= 0.95 * container * MIB,
            found=f"a heap of {format_memory(heap)} in a container of {container:.15g} MB",
            most=0.8 * container,
            heap_mb=int(container * HEAP_SHARE),
        )


@rules.decides("mapreduce.master-memory")
def _master_memory(facts: Facts) -> Decision:
    value = task_sizes(facts).master_mb
    dataset = facts.request.dataset_bytes
    inputs = (Input(name="dataset", value=dataset, unit="B"),) if dataset else ()
    return Decision(value, inputs=inputs, values={"kb": MASTER_BYTES_PER_TASK // 1000})


@rules.accepts("heap of an application master")
def _master_options_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    heap = heap_bytes(str(value))
    if (
        str(value).strip() == _RELEASES_HEAP
        and facts.number("yarn.app.mapreduce.am.resource.mb") >= _SMALL_MASTER_MB
    ):
        # The release's own, of which a small application master never uses half.
        return True
    return heap is None or heap <= 0.9 * facts.number("yarn.app.mapreduce.am.resource.mb") * MIB


@rules.decides("mapreduce.master-heap")
def _master_options(facts: Facts) -> Decision:
    container = int(facts.number("yarn.app.mapreduce.am.resource.mb"))
    return Decision(f"-Xmx{int(container * MASTER_HEAP_SHARE)}m", values={"container": container})


@rules.decides("jobs.history-cache")
def _history_cache(facts: Facts) -> Decision:
    size = size_of(facts)
    value = min(cached_tasks(size), tasks_in(master_heap(Role.JOB_HISTORY, facts)))
    return Decision(
        value,
        f"{format_count(size.job_tasks)} tasks of the largest job and a fifth more, at least "
        f"{format_count(TASKS_LEAST)}, limited by its heap; the default is five jobs of any size",
        (Input(name="tasks of the largest job", value=size.job_tasks),),
    )


@rules.decides("jobs.history-heap")
def _history_heap(facts: Facts) -> Decision:
    cache = facts.decided.get("mapreduce.jobhistory.loadedtasks.cache.size")
    if not isinstance(cache, int) or isinstance(cache, bool) or cache <= 0:
        return sized_heap(Role.JOB_HISTORY, facts, "1.2 GB for every 100,000 tasks that it keeps")
    heap = history_heap(cache)
    return Decision(
        heap_options(heap, "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"),
        f"{format_memory(heap)}: {format_memory(HISTORY_LEAST)} and {HEAP_PER_TASK / 1000:g} kB for each "
        f"of {format_count(cache)} tasks that it keeps; a smaller heap ends with the first large job",
        (Input(name="tasks in its cache", value=cache),),
    )
