"""How many tasks fit a worker at once: the memory and vcores of containers, and what they are rounded to."""

from __future__ import annotations

import math
from collections.abc import Iterable

from howdah.model.plan import Input, Value, Worker
from howdah.planner.budget import (
    CONTAINERS_OF_ROOM,
    MemoryBudget,
    budget,
    chosen_sizes,
    container_mb,
    kinds_of,
    vcores_of,
)
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Decision
from howdah.planner.rules.consistency.queues import uses_fair
from howdah.planner.rules.declare import as_number, read_rules
from howdah.units import MIB, format_counted, format_memory

rules = read_rules("yarn.toml")

_STEP_MB = 512
_MOST_ROUNDED = 1.25
"""A container by the size that a job requests: more is a step that does not fit."""
_DAEMONS_LEAST = 0.1
"""Of a worker's memory: what the system and daemons take at the very least."""


@rules.accepts("up to the room of a worker")
def _memory_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    most = budget(facts.worker, facts).room / MIB
    planned = as_number(decision.value)
    return 0.75 * planned <= as_number(value) <= max(planned, most)


def _memory_inputs(worker: Worker, shares: MemoryBudget) -> tuple[Input, ...]:
    inputs = (
        ("worker's memory", shares.memory),
        ("operating system", shares.system),
        ("masters on its host", shares.masters),
        ("DataNode", shares.datanode),
        ("NodeManager", shares.nodemanager),
        ("RegionServer", shares.regionserver),
    )
    return (
        *(Input(name=name, value=size, unit="B") for name, size in inputs if size),
        Input(name="map tasks at once", value=worker.map_slots),
        Input(name="reduce tasks at once", value=worker.reduce_slots),
    )


@rules.decides("yarn.memory")
def _memory(facts: Facts) -> Decision:
    worker = facts.worker
    sizes, shares = chosen_sizes(facts), budget(worker, facts)
    value = container_mb(worker, sizes, facts)
    tasks = sizes.tasks_mb(worker)
    cached = max(0, shares.room - value * MIB)
    if not facts.request.sorts_only:
        return Decision(
            value,
            f"{100 * CONTAINERS_OF_ROOM:.0f} % of the {format_memory(shares.room)} that the system and "
            f"daemons leave; {format_memory(cached)} are left to the page cache, for reading ahead and "
            "writing behind",
            _memory_inputs(worker, shares),
        )
    needed = (
        f"{format_counted(worker.map_slots, 'map task')} of {sizes.map_mb} MB and "
        f"{format_counted(worker.reduce_slots, 'reduce task')} of {sizes.reduce_mb} MB at once"
    )
    if value < tasks:
        because = f"all that is left; {needed} would need {tasks} MB, so fewer run at once"
    elif value < tasks + sizes.master_mb:
        because = f"{needed}; an application master takes the slot of a task"
    else:
        because = f"{needed}, and an application master of {sizes.master_mb} MB"
    return Decision(
        value,
        f"{because}; {format_memory(cached)} are left to the page cache",
        _memory_inputs(worker, shares),
    )


@rules.accepts("up to twice the CPUs")
def _vcores_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    planned = as_number(decision.value)
    most = max(1.25 * planned, 2.0 * (facts.worker.vcpus or 0))
    return 0.75 * planned <= as_number(value) <= most


@rules.decides("yarn.vcores")
def _vcores(facts: Facts) -> Decision:
    worker = facts.worker
    cpus = worker.vcpus or 0
    if not facts.request.sorts_only:
        value = vcores_of(worker, facts)
        exception = " that are not left to HBase" if facts.request.hbase_used else ""
        if value == cpus:
            because = f"one for each of the worker's {format_counted(cpus, 'thread')}{exception}"
        else:
            because = (
                f"for the worker's {format_counted(cpus, 'thread')}{exception}: as many tasks as run at once"
            )
        return Decision(
            value,
            f"{because}; Spark's executors and Tez's tasks count in them, too",
            (Input(name="threads of the worker", value=cpus),),
        )
    return Decision(
        vcores_of(worker, facts),
        f"{worker.map_slots} map and {worker.reduce_slots} reduce tasks (the papers' slots) and an "
        "application master, one each: half of the tasks wait for disks or the network while the others "
        "compute",
        (
            Input(name="map tasks at once", value=worker.map_slots),
            Input(name="reduce tasks at once", value=worker.reduce_slots),
            *((Input(name="CPUs of the worker", value=cpus),) if cpus else ()),
        ),
    )


@rules.inspects("yarn.memory-of-worker")
def _over_worker(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    planned_mb = reading.number("yarn.nodemanager.resource.memory-mb")
    if planned_mb is None or planned_mb <= 0:
        return
    memory_mb = facts.worker.memory_bytes / MIB
    room_mb = budget(facts.worker, facts).room / MIB
    yield reading.verdict(
        "yarn.nodemanager.resource.memory-mb",
        planned_mb <= memory_mb * (1 - _DAEMONS_LEAST),
        found=f"{planned_mb:.0f} MB of {memory_mb:.0f} MB",
        inputs=(Input(name="worker's memory", value=facts.worker.memory_bytes, unit="B"),),
        room_mb=room_mb,
        most_mb=int(room_mb) // _STEP_MB * _STEP_MB,
    )


@rules.inspects("yarn.container-fits")
def _over_nodemanager(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    limits = {
        key: value
        for key in ("yarn.nodemanager.resource.memory-mb", "yarn.scheduler.maximum-allocation-mb")
        if (value := reading.number(key)) is not None and value > 0
    }
    if not limits:
        return
    limit_key = min(limits, key=lambda key: limits[key])
    for key in ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb", "yarn.app.mapreduce.am.resource.mb"):
        size = reading.number(key)
        if size is None or size <= 0:
            continue
        yield reading.verdict(
            key,
            size <= limits[limit_key],
            found=f"{size:.15g} MB",
            most=limits[limit_key],
            limit_key=limit_key,
        )


@rules.inspects("yarn.least-container")
def _least_over_container(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    least = reading.number("yarn.scheduler.minimum-allocation-mb")
    if least is None:
        return
    keys = ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb")
    sizes = {key: size for key in keys if (size := reading.number(key)) is not None and size > 0}
    if not sizes:
        return
    smallest = min(sizes.values())
    key = " and ".join(key for key, size in sizes.items() if size == smallest)
    yield reading.verdict(
        "yarn.scheduler.minimum-allocation-mb",
        least <= smallest,
        found=f"{least:.15g} MB, {key} {'are' if ' and ' in key else 'is'} {smallest:.15g} MB",
        expected=f"at most {smallest:.15g} MB: otherwise every such container is rounded up to it, and "
        "fewer run at once",
        fix=f"set yarn.scheduler.minimum-allocation-mb to {min(_STEP_MB, int(smallest))}",
    )
    for key, size in sizes.items():
        if uses_fair(reading) or not 0 < least <= size:
            # The fair scheduler rounds to another step; what is below the least is reported above.
            continue
        rounded = math.ceil(size / least) * least
        yield reading.verdict(
            key,
            rounded <= size * _MOST_ROUNDED,
            found=f"{size:.15g} MB, for which containers of {rounded:.15g} MB are taken",
            expected=f"a multiple of the {least:.15g} MB of yarn.scheduler.minimum-allocation-mb: otherwise "
            "memory is reserved that no task uses",
            fix=f"set {key} to {rounded:.15g} and its heap to match, or "
            f"yarn.scheduler.minimum-allocation-mb to a divisor of {size:.15g}",
        )


@rules.accepts("a step of both containers")
def _step_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    """A step that divides both containers, so that neither is rounded up, or is small."""
    step = int(as_number(value))
    if step <= 0:
        return False
    sizes = chosen_sizes(facts)
    waste = sum(-size % step for size in (sizes.map_mb, sizes.reduce_mb))
    return waste * 8 <= sizes.map_mb + sizes.reduce_mb


rules.accepts("up to a worker")(
    lambda value, decision, facts: (
        chosen_sizes(facts).reduce_mb <= as_number(value) <= as_number(decision.value)
    )
)


@rules.decides("yarn.largest-allocation")
def _most_memory(facts: Facts) -> Decision:
    sizes = chosen_sizes(facts)
    value = max(container_mb(kind, sizes, facts) for kind in kinds_of(facts))
    return Decision(value, "the container memory of the largest worker: no container can have more")


@rules.decides("yarn.largest-vcores")
def _most_vcores(facts: Facts) -> Decision:
    value = max(vcores_of(kind, facts) for kind in kinds_of(facts))
    return Decision(value, "the vcores of the largest worker: no container can have more")
