"""The ResourceManager: its scheduler, queues, and how containers are given out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress

from howdah.model.placement import UNSET_MB, counts_vcores
from howdah.model.plan import Role, Value
from howdah.model.request import PlanRequest, Protection, WorkKind
from howdah.planner.budget import chosen_sizes, container_mb
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.heap import CONTAINERS_PER_GIB, WORKERS_PER_GIB, size_of, sized_heap
from howdah.planner.rule import Decision, in_study, inputs_of
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.security import login
from howdah.releases import catalogue
from howdah.units import MIB, format_count

rules = read_rules("scheduler.toml")

_ROOT = "yarn.scheduler.capacity.root"

_QUEUES: dict[WorkKind, str] = {
    "mapreduce": "default", "terasuite": "default", "spark": "spark", "tez": "hive"
}  # fmt: skip
_DEFAULT = "default"
_HBASE = "hbase"
_SMALL_SHARE = 10  # Percent: for unplanned jobs, and for jobs that load, copy or count HBase's tables.
_HBASE_MOST = 50
"""Percent: with more concurrent tasks that read tables, RegionServers have little time for other users."""


def queue_of(kind: WorkKind, request: PlanRequest) -> str:
    """The queue that jobs of a kind go to: ``default`` where there is no other."""
    return _QUEUES[kind] if _QUEUES[kind] in queue_shares(request) else _DEFAULT


def queue_shares(request: PlanRequest) -> dict[str, int]:
    """Every queue with its share in percent; they add up to 100."""
    own = dict.fromkeys(queue for kind, queue in _QUEUES.items() if kind in request.kinds)
    if len(own) == 1 and not request.hbase_used:
        return {_DEFAULT: 100}
    small = [_HBASE] if request.hbase_used else []
    if _DEFAULT not in own:
        small.append(_DEFAULT)
    remaining = 100 - _SMALL_SHARE * len(small)
    shares = {queue: remaining // len(own) for queue in own} | dict.fromkeys(small, _SMALL_SHARE)
    shares[next(iter(own))] += 100 - sum(shares.values())
    return dict(sorted(shares.items()))


@rules.decides("queues.names")
def _queues(facts: Facts) -> Decision:
    queues = tuple(queue_shares(facts.request))
    return Decision(queues, words="one" if len(queues) == 1 else "several")


rules.decides("queues.administrators")(lambda facts: Decision(facts.decided.get("yarn.admin.acl", "yarn")))


@rules.decides("queues.default")
def _default_share(facts: Facts) -> Decision:
    share = queue_shares(facts.request)[_DEFAULT]
    return Decision(share, words="only" if share == 100 else "small" if share == _SMALL_SHARE else "kind")


@rules.when("with more than one kind of work on YARN, or with HBase next to it")
def _several(facts: Facts) -> bool:
    """Whether the plan has several; how others name theirs, and divide them, is their own affair."""
    return facts.planned and facts.request.mapreduce and len(queue_shares(facts.request)) > 1


@rules.members("queues.shares")
def _shares(facts: Facts) -> Mapping[str, Decision]:
    return {
        f"{_ROOT}.{queue}.capacity": Decision(
            share, words="hbase" if queue == _HBASE else "small" if share == _SMALL_SHARE else "kind"
        )
        for queue, share in queue_shares(facts.request).items()
        if queue != _DEFAULT
    }


rules.when("with HBase next to YARN")(lambda facts: _several(facts) and facts.request.hbase_used)


rules.members("queues.limits")(lambda facts: {f"{_ROOT}.{_HBASE}.maximum-capacity": Decision(_HBASE_MOST)})


@rules.members("queues.users")
def _alone(facts: Facts) -> Mapping[str, Decision]:
    shares = queue_shares(facts.request).items()
    return {f"{_ROOT}.{queue}.user-limit-factor": Decision(-(-100 // share)) for queue, share in shares}


# The monitor takes the capacity scheduler alone; studies ran the fair one, which has its own.
rules.when("with more than one kind of work on YARN, or with HBase next to it, unless a study is reproduced")(
    lambda facts: facts.request.mapreduce and len(queue_shares(facts.request)) > 1 and not in_study(facts)
)


@rules.decides("queues.preemption")
def _preemption(facts: Facts) -> Decision:
    if not facts.planned:
        raise MissingFact("how the cluster is shared: give a plan")
    return Decision(True)


rules.advises("queues.labels")(lambda facts: {} if facts.request.hbase_used else None)


_JOBS_AT_ONCE = 5
_MASTERS_SHARE = (0.1, 0.5)


@rules.decides("scheduler.heap")
def _heap(facts: Facts) -> Decision:
    size = size_of(facts)
    counts = {"workers": size.workers, "each_containers": CONTAINERS_PER_GIB, "containers": size.containers}
    values = {name: format_count(count) for name, count in counts.items()}
    options = login(Role.RESOURCEMANAGER, facts) if facts.request.protection is Protection.HA else ()
    inputs = inputs_of(("NodeManagers", size.workers), ("containers at once", size.containers))
    heap = sized_heap(Role.RESOURCEMANAGER, facts, *options, each_workers=WORKERS_PER_GIB, **values)
    return heap._replace(inputs=inputs)


@rules.when("with MapReduce, if vcores of workers are set")
def _counts_vcores(facts: Facts) -> bool:
    """Whether vcores are more than the release's default, which says nothing of a host."""
    vcores = facts.decided.get("yarn.nodemanager.resource.cpu-vcores")
    return facts.request.mapreduce and (facts.planned or vcores not in (None, -1, 8))


@rules.decides("scheduler.masters-share")
def _masters_share(facts: Facts) -> Decision:
    sizes = chosen_sizes(facts)
    total = sum(container_mb(kind, sizes, facts) * count for kind, count in facts.cluster.kinds)
    share = _JOBS_AT_ONCE * sizes.master_mb / max(1, total)
    least, most = _MASTERS_SHARE
    value = math.ceil(100 * min(most, max(least, share))) / 100
    inputs = inputs_of(("memory of all containers", total * MIB, "B"))
    return Decision(value, inputs=inputs, words="share" if value < most else "half")


_CALCULATOR = "yarn.scheduler.capacity.resource-calculator"
_ASYNCHRONOUS = "yarn.scheduler.capacity.schedule-asynchronously.enable"
_SHORT_TASK_S = 5
"""A map task over one block took 4.2 to 5.5 s of CPU in laboratories; few tasks worth starting take less."""
_STARVED = 3  # A worker is called starved where only tasks of so many times that length can keep it full.
_USUAL_MOST = 100  # The release's limit on containers for each heartbeat.


def _is_fair(facts: Facts) -> bool:
    scheduler = facts.decided.get("yarn.resourcemanager.scheduler.class")
    return in_study(facts) if scheduler is None else str(scheduler).endswith("FairScheduler")


rules.when("with MapReduce and the CapacityScheduler")(
    lambda facts: facts.request.mapreduce and not _is_fair(facts)
)


def _usually_asynchronous(facts: Facts) -> bool:
    return catalogue.default_of(_ASYNCHRONOUS, catalogue.hadoop(facts.request.hadoop)) == "true"


@rules.decides("containers.asynchronous")
def _asynchronous(facts: Facts) -> Decision:
    if not _usually_asynchronous(facts):
        return Decision(False, words="off")
    return _if_small(False, "small", facts) or Decision(True, words="on")


def _is_asynchronous(facts: Facts) -> bool:
    asynchronous = facts.decided.get(_ASYNCHRONOUS)
    return asynchronous is True if asynchronous is not None else _usually_asynchronous(facts)


def _heartbeat_s(facts: Facts) -> float:
    heartbeat_ms = facts.decided.get("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms")
    return float(heartbeat_ms) / 1000 if isinstance(heartbeat_ms, int) and heartbeat_ms > 0 else 1.0


def _containers(facts: Facts) -> int:
    """Containers of map tasks that the largest worker runs at once; raises MissingFact."""
    memory_mb = facts.number("yarn.nodemanager.resource.memory-mb")
    vcores = facts.number("yarn.nodemanager.resource.cpu-vcores")
    map_mb = facts.number("mapreduce.map.memory.mb")
    if memory_mb <= 0:
        raise MissingFact("the memory of containers: set yarn.nodemanager.resource.memory-mb")
    own = int(memory_mb // (map_mb if map_mb > 0 else UNSET_MB))
    if vcores > 0 and counts_vcores(str(facts.decided.get(_CALCULATOR, ""))):
        own = min(own, int(vcores))
    cluster = facts.known_cluster
    kinds = cluster.kinds if cluster else ()
    other_kinds = (kind.map_slots + kind.reduce_slots for kind, _ in kinds if kind != facts.known_worker)
    return max(1, own, *other_kinds)


def _each_beat(containers: int, facts: Facts) -> int:
    """Containers for each heartbeat that fill a worker with so many as fast as short tasks end."""
    return math.ceil(containers * _heartbeat_s(facts) / _SHORT_TASK_S)


def _if_small(value: Value, words: str, facts: Facts) -> Decision | None:
    """What is decided for workers that one container for each heartbeat fills; None for larger ones."""
    with suppress(MissingFact):
        if _each_beat(containers := _containers(facts), facts) == 1:
            inputs = inputs_of(("containers of the largest worker", containers))
            return Decision(value, inputs=inputs, words=words, values={"containers": containers})
    return None


@rules.decides("containers.off-switch")
def _off_switch(facts: Facts) -> Decision:
    asynchronous = _is_asynchronous(facts)
    try:
        containers = _containers(facts)
    except MissingFact:
        if not asynchronous:
            raise
        return Decision(1, words="unread")
    beat_s = _heartbeat_s(facts)
    value = _each_beat(containers, facts)
    unread = "not read while containers are given out asynchronously; if that is turned off, "
    times = ("heartbeat", int(beat_s * 1000), "ms"), ("a short task", _SHORT_TASK_S, "s")
    inputs = inputs_of(("containers of the largest worker", containers), *times)
    unread, words = unread if asynchronous else "", "several" if value > 1 else "one"
    values = {"unread": unread, "containers": containers, "filled_s": containers * beat_s}
    return Decision(value, inputs=inputs, words=words, values=values)


@rules.accepts("keeps workers fed")
def _keeps_fed(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether so many containers a heartbeat keep a worker full of tasks that are not very short."""
    if _is_asynchronous(facts):
        return True
    rate_per_s = as_number(value) / _heartbeat_s(facts)
    return rate_per_s * _STARVED * _SHORT_TASK_S >= _containers(facts)


rules.accepts("on or asynchronous")(lambda value, decision, facts: value is True or _is_asynchronous(facts))
rules.accepts("no limit or keeps workers fed")(
    lambda value, decision, facts: as_number(value) == -1 or _keeps_fed(value, decision, facts)
)


@rules.decides("containers.at-once")
def _most(facts: Facts) -> Decision:
    if not _is_asynchronous(facts) and (decision := _if_small(1, "one", facts)):
        return decision
    with suppress(MissingFact):
        if (containers := _containers(facts)) > _USUAL_MOST:
            inputs = inputs_of(("containers of the largest worker", containers))
            return Decision(containers, inputs=inputs, words="full")
    return Decision(_USUAL_MOST, words="usual")


@rules.decides("containers.locality-delay")
def _delay(facts: Facts) -> Decision:
    workers = facts.cluster.workers
    return Decision(max(1, workers), inputs=inputs_of(("workers", workers)))


rules.when("with MapReduce and the FairScheduler")(lambda facts: facts.request.mapreduce and _is_fair(facts))
