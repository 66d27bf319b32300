"""YARN on workers: how many tasks fit at once; NodeManagers: directories, services, nodes that are lost."""

from __future__ import annotations

import math
from collections.abc import Iterable

from howdah.model.plan import Value, Worker
from howdah.planner.budget import budget, chosen_sizes, container_mb, heap_of, kinds_of, vcores_of
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.heap import limited_heap
from howdah.planner.reading import Inspected, Observation, is_temporary, path_list
from howdah.planner.rule import Decision, inputs_of, shuffles_in_nodemanagers
from howdah.planner.rules.consistency.queues import uses_fair
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.hdfs import data_dirs, disk_full_percent, smallest_disk
from howdah.units import MIB, format_bytes, format_counted, format_memory, listed

rules = read_rules("yarn.toml")

_STEP_MB = 512
_SHARES = (
    "worker's memory", "operating system", "masters on its host", "DataNode", "NodeManager", "RegionServer"
)  # fmt: skip
"""The fields of a MemoryBudget, in their order."""
_MOST_ROUNDED = 1.25  # A container by the size that a job requests: more is a step that does not fit.
_DAEMONS_LEAST = 0.1  # Of a worker's memory: what the system and daemons take at the very least.


def _tasks_at_once(worker: Worker) -> tuple[tuple[str, int], ...]:
    return ("map tasks at once", worker.map_slots), ("reduce tasks at once", worker.reduce_slots)


@rules.accepts("up to the room of a worker")
def _memory_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    most = budget(facts.worker, facts).room / MIB
    planned = as_number(decision.value)
    return 0.75 * planned <= as_number(value) <= max(planned, most)


@rules.decides("yarn.memory")
def _memory(facts: Facts) -> Decision:
    worker = facts.worker
    sizes, shares = chosen_sizes(facts), budget(worker, facts)
    value = container_mb(worker, sizes, facts)
    tasks = sizes.tasks_mb(worker)
    parts = [(name, size, "B") for name, size in zip(_SHARES, shares, strict=True) if size]
    inputs = inputs_of(*parts, *_tasks_at_once(worker))
    maps = f"{format_counted(worker.map_slots, 'map task')} of {sizes.map_mb} MB"
    reduces = f"{format_counted(worker.reduce_slots, 'reduce task')} of {sizes.reduce_mb} MB"
    room, cached = format_memory(shares.room), format_memory(max(0, shares.room - value * MIB))
    texts = {"room": room, "cached": cached, "needed": f"{maps} and {reduces} at once"}
    values = {"tasks": tasks, "sizes": sizes, **texts}
    words = "less" if value < tasks else "shared" if value < tasks + sizes.master_mb else "whole"
    return Decision(value, inputs=inputs, values=values, words=words if facts.request.sorts_only else "jobs")


@rules.accepts("up to twice the CPUs")
def _vcores_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    planned = as_number(decision.value)
    most = max(1.25 * planned, 2.0 * (facts.worker.vcpus or 0))
    return 0.75 * planned <= as_number(value) <= most


@rules.decides("yarn.vcores")
def _vcores(facts: Facts) -> Decision:
    worker, cpus = facts.worker, facts.worker.vcpus or 0
    value = vcores_of(worker, facts)
    if facts.request.sorts_only:
        inputs = inputs_of(*_tasks_at_once(worker), *([("CPUs of the worker", cpus)] if cpus else []))
        return Decision(value, inputs=inputs, words="sort", values={"worker": worker})
    exception = " that are not left to HBase" if facts.request.hbase_used else ""
    return Decision(
        value,
        inputs=inputs_of(("threads of the worker", cpus)),
        words="each" if value == cpus else "tasks",
        values={"threads": format_counted(cpus, "thread"), "exception": exception},
    )


@rules.inspects("yarn.memory-of-worker")
def _over_worker(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    key = "yarn.nodemanager.resource.memory-mb"
    planned_mb = reading.number(key)
    if planned_mb is None or planned_mb <= 0:
        return
    memory_mb = facts.worker.memory_bytes / MIB
    room_mb = budget(facts.worker, facts).room / MIB
    ok, shown = planned_mb <= memory_mb * (1 - _DAEMONS_LEAST), f"{planned_mb:.0f} MB of {memory_mb:.0f} MB"
    inputs = inputs_of(("worker's memory", facts.worker.memory_bytes, "B"))
    most_mb = int(room_mb) // _STEP_MB * _STEP_MB
    yield reading.verdict(key, ok, found=shown, inputs=inputs, room_mb=room_mb, most_mb=most_mb)


@rules.inspects("yarn.container-fits")
def _over_nodemanager(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    keys = ("yarn.nodemanager.resource.memory-mb", "yarn.scheduler.maximum-allocation-mb")
    limits = {key: value for key in keys if (value := reading.number(key) or 0) > 0}
    if not limits:
        return
    limit_key = min(limits, key=lambda key: limits[key])
    for key in ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb", "yarn.app.mapreduce.am.resource.mb"):
        size = reading.number(key)
        if size is not None and size > 0:
            values = {"most": limits[limit_key], "limit_key": limit_key}
            yield reading.verdict(key, size <= limits[limit_key], found=f"{size:.15g} MB", values=values)


@rules.inspects("yarn.least-container")
def _least_over_container(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    least_key = "yarn.scheduler.minimum-allocation-mb"
    least, keys = reading.number(least_key), ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb")
    sizes = {key: size for key in keys if (size := reading.number(key) or 0) > 0}
    if least is None or not sizes:
        return
    smallest = min(sizes.values())
    key = listed(key for key, size in sizes.items() if size == smallest)
    shown = f"{least:.15g} MB, {key} {'are' if ' and ' in key else 'is'} {smallest:.15g} MB"
    values = {"smallest": smallest, "step": min(_STEP_MB, int(smallest))}
    yield reading.verdict(least_key, least <= smallest, found=shown, words="least", values=values)
    for key, size in sizes.items():
        if uses_fair(reading) or not 0 < least <= size:
            # The fair scheduler rounds to another step; what is below the least is reported above.
            continue
        rounded = math.ceil(size / least) * least
        shown = f"{size:.15g} MB, for which containers of {rounded:.15g} MB are taken"
        ok, values = rounded <= size * _MOST_ROUNDED, {"least": least, "rounded": rounded, "size": size}
        yield reading.verdict(key, ok, found=shown, words="rounded", values=values)


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
    return Decision(max(container_mb(kind, sizes, facts) for kind in kinds_of(facts)))


rules.decides("yarn.largest-vcores")(
    lambda facts: Decision(max(vcores_of(kind, facts) for kind in kinds_of(facts)))
)


@rules.accepts("a directory on every disk")
def _all_disks(value: Value, decision: Decision, facts: Facts) -> bool:
    paths = path_list(value)
    return len(set(paths)) >= len(path_list(decision.value)) and not any(map(is_temporary, paths))


def _dirs(facts: Facts, leaf: str) -> tuple[str, ...]:
    return tuple(f"{folder}/yarn/{leaf}" for folder in data_dirs(facts))


@rules.decides("nodemanager.local-dirs")
def _local_dirs(facts: Facts) -> Decision:
    folders = _dirs(facts, "local")
    inputs = inputs_of(("data disks", len(folders)))
    return Decision(folders, inputs=inputs, values={"disks": format_counted(len(folders), "data disk")})


@rules.inspects("nodemanager.lasting")
def _lasting(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    key = "yarn.nodemanager.local-dirs"
    folders = reading.folders(key)
    if folders:
        lost = [folder for folder in folders if is_temporary(folder) and "${" not in folder]
        yield reading.verdict(key, not lost, found=", ".join(lost or folders[:1]))


@rules.accepts("absolute directories")
def _absolute(value: Value, decision: Decision, facts: Facts) -> bool:
    paths = path_list(value)
    # ${yarn.log.dir} of the default is an absolute path when Hadoop's own scripts start the NodeManager.
    return bool(paths) and all(path.startswith(("/", "${yarn.log.dir}")) for path in paths)


rules.decides("nodemanager.log-dirs")(lambda facts: Decision(_dirs(facts, "log")))


@rules.accepts("the services that are needed")
def _serves(value: Value, decision: Decision, facts: Facts) -> bool:
    needed = set() if facts.jobs_unknown else {"mapreduce_shuffle"}
    return needed | ({"spark_shuffle"} if shuffles_in_nodemanagers(facts) else set()) <= set(path_list(value))


@rules.decides("nodemanager.disk-full")
def _disk_full(facts: Facts) -> Decision:
    disk = smallest_disk(facts.group)
    free = 100 - disk_full_percent(disk)
    values = {"free": free, "disk": format_bytes(disk), "room": format_bytes(disk * free / 100)}
    inputs = inputs_of(("smallest data disk", disk, "B"))
    return Decision(float(100 - free), inputs=inputs, values=values)


@rules.decides("nodemanager.heap")
def _nodemanager_heap(facts: Facts) -> Decision:
    share = budget(facts.worker, facts).nodemanager
    return limited_heap(heap_of(share))._replace(inputs=inputs_of(("NodeManager's share", share, "B")))


_LOST_AFTER = "yarn.nm.liveness-monitor.expiry-interval-ms"
_MASTER_LOST_AFTER = "yarn.am.liveness-monitor.expiry-interval-ms"
_HEARTBEAT = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
DEFAULTS_MS = {_LOST_AFTER: 600_000, _MASTER_LOST_AFTER: 900_000, _HEARTBEAT: 1_000}
"""What the release does where nothing is set, in milliseconds."""
_HEARTBEATS_LEAST = 10
_RETRY = ("between a NodeManager's tries to reach the ResourceManager", 30_000, "ms")
_TRY = ("between an application master's tries to reach a NodeManager", 10_000, "ms")
_ATTRIBUTES = "yarn.node-attribute.fs-store.root-dir"


rules.decides("nodes.lost-after")(lambda facts: Decision(180_000, inputs=inputs_of(_RETRY)))
rules.decides("nodes.connected-within")(lambda facts: Decision(60_000, inputs=inputs_of(_TRY)))


@rules.inspects("nodes.lost-in-order")
def _in_order(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    if reading.text(_LOST_AFTER) or reading.text(_HEARTBEAT):
        wait, heartbeat = _milliseconds(reading, _LOST_AFTER), _milliseconds(reading, _HEARTBEAT)
        shown = f"{wait:.15g} ms, with a heartbeat every {heartbeat:.15g} ms"
        ok, place = wait >= _HEARTBEATS_LEAST * heartbeat > 0, reading.where(_HEARTBEAT)
        yield reading.verdict(_LOST_AFTER, ok, found=shown, elsewhere=place, words="worker")
    if reading.text(_MASTER_LOST_AFTER):
        wait, master = _milliseconds(reading, _LOST_AFTER), _milliseconds(reading, _MASTER_LOST_AFTER)
        shown = f"{master:.15g} ms, of a worker {wait:.15g} ms"
        yield reading.verdict(_MASTER_LOST_AFTER, master >= wait, found=shown, words="master", wait=wait)


def _milliseconds(reading: Inspected, key: str) -> float:
    """What is set, or the release's default; raises MissingFact for what is no number."""
    if not reading.text(key):
        return DEFAULTS_MS[key]
    value = reading.number(key)
    if value is None:
        raise MissingFact(f"{key}, which is not a number")
    return value


@rules.decides("nodes.attributes-of-a-pair")
def _in_hdfs(facts: Facts) -> Decision:
    file_system = facts.decided.get("fs.defaultFS")
    if not isinstance(file_system, str):
        raise MissingFact("fs.defaultFS")
    return Decision(f"{file_system}/yarn/node-attributes")


@rules.inspects("nodes.kept-for-both")
def _kept_for_both(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    paired = reading.truth("yarn.resourcemanager.ha.enabled") is True
    if reading.truth("yarn.node-labels.enabled"):
        yield _kept(reading, "yarn.node-labels.fs-store.root-dir", "labels", paired=paired)
    if paired and reading.text(_ATTRIBUTES):
        yield _kept(reading, _ATTRIBUTES, "attributes", paired=paired)


def _kept(reading: Inspected, key: str, kind: str, *, paired: bool) -> Observation:
    text = reading.text(key) or ""
    lasts = bool(text) and not any(map(is_temporary, path_list(text)))
    ok, words = lasts and not (paired and text.startswith("file:")), "unread" if paired and lasts else "lost"
    shown = text or "not set: a directory below /tmp of the ResourceManager's host"
    place = reading.where("yarn.node-labels.enabled")
    return reading.verdict(key, ok, found=shown, elsewhere=place, words=words, kind=kind)
