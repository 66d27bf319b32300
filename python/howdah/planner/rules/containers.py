"""How YARN hands out containers: with or without waiting for heartbeats, and how many to a node at once.

Where heartbeats decide, the CapacityScheduler gives a node one container at each of them whose task has no
data anywhere near (``OFF_SWITCH``): all reduces, and the maps of programs that only write. A worker with
room for many then stands empty while tasks wait.
"""

from __future__ import annotations

import math

from howdah.model.at_once import counts_vcores
from howdah.model.plan import Input, Value
from howdah.planner.conditions import in_study, with_mapreduce
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import as_number, read_rules
from howdah.releases import catalogue

rules = read_rules("containers.toml")

_CLASS = "yarn.resourcemanager.scheduler.class"
_CALCULATOR = "yarn.scheduler.capacity.resource-calculator"
_ASYNCHRONOUS = "yarn.scheduler.capacity.schedule-asynchronously.enable"
_HEARTBEAT_MS = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
_SHORT_TASK_S = 5
"""A map task over one block took 4.2 to 5.5 s of CPU in laboratories; few tasks worth starting take less."""
_STARVED = 3
"""A worker is called starved where only tasks of so many times that length can keep it full."""
_USUAL_MOST = 100
"""The release's limit on containers for each heartbeat."""
_UNSET_MAP_MB = 1024
"""What a map task gets whose container is left at -1."""


def _is_fair(facts: Facts) -> bool:
    scheduler = facts.decided.get(_CLASS)
    return in_study(facts) if scheduler is None else str(scheduler).endswith("FairScheduler")


rules.when("with MapReduce and the CapacityScheduler")(
    lambda facts: with_mapreduce(facts) and not _is_fair(facts)
)


def _usually_asynchronous(facts: Facts) -> bool:
    return catalogue.default_of(_ASYNCHRONOUS, catalogue.hadoop(facts.request.hadoop)) == "true"


@rules.decides("containers.asynchronous")
def _asynchronous(facts: Facts) -> Decision:
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


@rules.decides("containers.off-switch")
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


rules.accepts("keeps workers fed")(lambda value, decision, facts: _keeps_fed(value, facts))


rules.accepts("on or asynchronous")(lambda value, decision, facts: value is True or _is_asynchronous(facts))


rules.accepts("no limit or keeps workers fed")(
    lambda value, decision, facts: as_number(value) == -1 or _keeps_fed(value, facts)
)


@rules.decides("containers.at-once")
def _most(facts: Facts) -> Decision:
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


rules.accepts("-1 or at least 1")(
    lambda value, decision, facts: as_number(value) == -1 or as_number(value) >= 1
)


@rules.decides("containers.locality-delay")
def _delay(facts: Facts) -> Decision:
    workers = facts.cluster.workers
    return Decision(
        max(1, workers),
        "every worker offers room once before a task runs away from its data; if fewer have room, YARN "
        "waits for as many offers as there are workers at most",
        (Input(name="workers", value=workers),),
    )


rules.when("with MapReduce and the FairScheduler")(lambda facts: with_mapreduce(facts) and _is_fair(facts))
