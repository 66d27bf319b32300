"""How YARN hands out containers: with or without waiting for heartbeats, and how many to a node at once.

Where heartbeats decide, the CapacityScheduler gives a node one container at each of them whose task has no
data anywhere near (``OFF_SWITCH``): all reduces, and the maps of programs that only write. A worker with
room for many then stands empty while tasks wait.
"""

from __future__ import annotations

import math

from howdah.model.placement import counts_vcores
from howdah.model.plan import Input, Value
from howdah.planner.conditions import WITH_MAPREDUCE, in_study, with_mapreduce
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.rule import MAY, Decision
from howdah.planner.rules.declare import Condition, Rules, anything, as_number, at_least
from howdah.releases import catalogue

_CLASS = "yarn.resourcemanager.scheduler.class"
_CALCULATOR = "yarn.scheduler.capacity.resource-calculator"
_ASYNCHRONOUS = "yarn.scheduler.capacity.schedule-asynchronously.enable"
_BEAT = "yarn.scheduler.capacity.per-node-heartbeat"
_HEARTBEAT_MS = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
_SHORT_TASK_S = 5
"""A map task over one block took 4.2 to 5.5 s of CPU in laboratories; few tasks worth starting take less."""
_STARVED = 3
"""A worker is called starved where only tasks of so many times that length can keep it full."""
_USUAL_MOST = 100
"""The release's limit on containers for each heartbeat."""
_UNSET_MAP_MB = 1024
"""What a map task gets whose container is left at -1."""
_SOURCES = "Hadoop 3.5.0: CapacityScheduler, YARN-4161, MAPREDUCE-2905, howdah"
rules = Rules(file="capacity-scheduler.xml")
mapreduce = rules.under(when=WITH_MAPREDUCE)


def _is_fair(facts: Facts) -> bool:
    scheduler = facts.decided.get(_CLASS)
    return in_study(facts) if scheduler is None else str(scheduler).endswith("FairScheduler")


_BY_CAPACITY = Condition(
    "with MapReduce and the CapacityScheduler", lambda facts: with_mapreduce(facts) and not _is_fair(facts)
)


def _usually_asynchronous(facts: Facts) -> bool:
    return catalogue.default_of(_ASYNCHRONOUS, catalogue.hadoop(facts.request.hadoop)) == "true"


@mapreduce.setting(
    "containers.asynchronous",
    _ASYNCHRONOUS,
    MAY,
    sources="YARN-7327, YARN-10058",
    when=_BY_CAPACITY,
    accepts=anything,
    today="Hadoop 3.5.0 gives out containers asynchronously by default, earlier releases at heartbeats.",
)
def _asynchronous(facts: Facts) -> Decision:
    """Containers are given out without waiting for heartbeats if the release does so itself."""
    if _usually_asynchronous(facts):
        return Decision(
            True,
            "the release's default: the ResourceManager goes over its nodes all the time and gives each one "
            "container in turn, so that no node waits for its heartbeat and small jobs are spread",
        )
    return Decision(
        False,
        "the release's default: before 3.5.0 the ResourceManager may hang when its scheduling thread dies "
        "(YARN-10058); heartbeats give out containers, as many at once as is set here",
    )


def _is_asynchronous(facts: Facts) -> bool:
    asynchronous = facts.decided.get(_ASYNCHRONOUS)
    return asynchronous is True if asynchronous is not None else _usually_asynchronous(facts)


def _heartbeat_s(facts: Facts) -> float:
    heartbeat_ms = facts.decided.get(_HEARTBEAT_MS)
    return float(heartbeat_ms) / 1000 if isinstance(heartbeat_ms, int) and heartbeat_ms > 0 else 1.0


def _containers(facts: Facts) -> int:
    """Containers of map tasks that the largest worker runs at once; raises MissingFact."""
    memory_mb = facts.number("yarn.nodemanager.resource.memory-mb")
    vcores = facts.number("yarn.nodemanager.resource.cpu-vcores")
    map_mb = facts.number("mapreduce.map.memory.mb")
    if memory_mb <= 0:
        raise MissingFact("the memory of containers: set yarn.nodemanager.resource.memory-mb")
    own = int(memory_mb // (map_mb if map_mb > 0 else _UNSET_MAP_MB))
    if vcores > 0 and counts_vcores(str(facts.decided.get(_CALCULATOR, ""))):
        own = min(own, int(vcores))
    cluster = facts.known_cluster
    kinds = cluster.kinds if cluster else ()
    other_kinds = (kind.map_slots + kind.reduce_slots for kind, _ in kinds if kind != facts.known_worker)
    return max(1, own, *other_kinds)


def _off_switch(facts: Facts) -> Decision:
    asynchronous = _is_asynchronous(facts)
    try:
        containers = _containers(facts)
    except MissingFact:
        if not asynchronous:
            raise
        return Decision(1, "not read while containers are given out asynchronously")
    beat_s = _heartbeat_s(facts)
    value = math.ceil(containers * beat_s / _SHORT_TASK_S)
    filled = (
        f"reduce tasks, and map tasks that read nothing, fill a worker with {containers} containers within "
        f"{_SHORT_TASK_S} s, and tasks as short as that keep it full"
    )
    if value > 1:
        filled += (
            f"; with the release's 1 it would take {containers * beat_s:g} s. More at once would crowd a "
            "small job onto the workers that report first"
        )
    else:
        filled += "; the release's default spreads them best"
    return Decision(
        value,
        f"not read while containers are given out asynchronously; if that is turned off, {filled}"
        if asynchronous
        else filled,
        (
            Input(name="containers of the largest worker", value=containers),
            Input(name="heartbeat", value=int(beat_s * 1000), unit="ms"),
            Input(name="a short task", value=_SHORT_TASK_S, unit="s"),
        ),
    )


def _keeps_fed(value: Value, facts: Facts) -> bool:
    """Whether so many containers a heartbeat keep a worker full of tasks that are not very short."""
    if _is_asynchronous(facts):
        return True
    rate_per_s = as_number(value) / _heartbeat_s(facts)
    return rate_per_s * _STARVED * _SHORT_TASK_S >= _containers(facts)


mapreduce.setting(
    "containers.off-switch",
    f"{_BEAT}.maximum-offswitch-assignments",
    sources=_SOURCES,
    when=_BY_CAPACITY,
    accepts=lambda value, decision, facts: _keeps_fed(value, facts),
    today="No effect with Hadoop 3.5.0 unless asynchronous scheduling is turned off.",
).by(
    f"Where heartbeats give out containers, tasks without data nearby fill a worker in {_SHORT_TASK_S} s.",
    _off_switch,
)


mapreduce.fixed(
    "containers.several",
    f"{_BEAT}.multiple-assignments-enabled",
    True,
    when=_BY_CAPACITY,
    accepts=lambda value, decision, facts: value is True or _is_asynchronous(facts),
).text(
    "A heartbeat may bring a node more than one container.",
    "the release's default: one at a time leaves workers with many cores empty",
    _SOURCES,
)


@mapreduce.setting(
    "containers.at-once",
    f"{_BEAT}.maximum-container-assignments",
    MAY,
    sources=_SOURCES,
    when=_BY_CAPACITY,
    accepts=lambda value, decision, facts: as_number(value) == -1 or _keeps_fed(value, facts),
)
def _most(facts: Facts) -> Decision:
    """A heartbeat may bring a node all the containers that it has room for."""
    try:
        containers = _containers(facts)
    except MissingFact:
        containers = 0
    if containers <= _USUAL_MOST:
        return Decision(_USUAL_MOST, "the release's default: more than a worker runs at once")
    return Decision(
        containers,
        "one heartbeat fills an idle worker with tasks whose data it has",
        (Input(name="containers of the largest worker", value=containers),),
    )


@mapreduce.setting(
    "containers.locality-delay",
    "yarn.scheduler.capacity.node-locality-delay",
    MAY,
    sources="D0 54, D0 63, Hadoop 3.5.0: CapacityScheduler",
    accepts=lambda value, decision, facts: as_number(value) == -1 or as_number(value) >= 1,
    today="The papers' delay was a time, 100 ms; YARN counts offers.",
)
def _delay(facts: Facts) -> Decision:
    """A task waits for a worker with its data as many offers as there are workers."""
    workers = facts.cluster.workers
    return Decision(
        max(1, workers),
        "every worker offers room once before a task runs away from its data; if fewer have room, YARN "
        "waits for as many offers as there are workers at most",
        (Input(name="workers", value=workers),),
    )


mapreduce.fixed(
    "containers.rack-delay",
    "yarn.scheduler.capacity.rack-locality-additional-delay",
    -1,
    MAY,
    when=_BY_CAPACITY,
    accepts=at_least,
).text(
    "The fewer tasks wait, the sooner a task may leave its rack.",
    "the release's default: as many offers pass as tasks wait, times the fraction of workers and racks"
    " that they name, so that the last tasks of a job do not wait long",
    "Hadoop 3.5.0: CapacityScheduler",
)


mapreduce.fixed(
    "containers.fair-several",
    "yarn.scheduler.fair.assignmultiple",
    True,
    when=Condition(
        "with MapReduce and the FairScheduler", lambda facts: with_mapreduce(facts) and _is_fair(facts)
    ),
    file="yarn-site.xml",
    today="The papers' JobTracker did so by itself (mapred.fairscheduler.assignmultiple).",
).text(
    "The FairScheduler may give a node more than one container at a heartbeat.",
    "by default a node gets one container at each heartbeat and is idle meanwhile; with this key "
    "it gets half of its free capacity",
    "Hadoop 3.5.0: FairScheduler",
)
