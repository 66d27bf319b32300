"""The ResourceManager: its scheduler, its heap, which hosts may join, what survives a restart."""

from __future__ import annotations

import math

from howdah.model.plan import Input, Role
from howdah.model.request import Profile, Protection
from howdah.planner.budget import chosen_sizes, container_mb
from howdah.planner.conditions import with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.heap import CONTAINERS_PER_GIB, WORKERS_PER_GIB, size_of, sized_heap
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules
from howdah.planner.rules.security import login
from howdah.units import MIB, format_count

rules = read_rules("scheduler.toml")

_SCHEDULERS = "org.apache.hadoop.yarn.server.resourcemanager.scheduler"
_CAPACITY = f"{_SCHEDULERS}.capacity.CapacityScheduler"
_FAIR = f"{_SCHEDULERS}.fair.FairScheduler"
_JOBS_AT_ONCE = 5
_MASTERS_SHARE = (0.1, 0.5)


def _login(facts: Facts) -> tuple[str, ...]:
    return login("yarn", facts) if facts.request.protection is Protection.HA else ()


@rules.decides("scheduler.heap")
def _heap(facts: Facts) -> Decision:
    size = size_of(facts)
    decided = sized_heap(
        Role.RESOURCEMANAGER,
        facts,
        f"1 GiB, and another for every {WORKERS_PER_GIB} of {format_count(size.workers)} NodeManagers and "
        f"{format_count(CONTAINERS_PER_GIB)} of {format_count(size.containers)} concurrent containers, if "
        "its host has the memory",
        *_login(facts),
    )
    inputs = (
        Input(name="NodeManagers", value=size.workers),
        Input(name="containers at once", value=size.containers),
    )
    return decided._replace(inputs=inputs)


@rules.when("MapReduce of a study", words="paper profile")
def _paper(facts: Facts) -> bool:
    return facts.request.mapreduce and facts.request.profile is Profile.PAPER


@rules.decides("scheduler.class")
def _scheduler(facts: Facts) -> Decision:
    if _paper(facts):
        return Decision(_FAIR, "as the study ran")
    return Decision(
        _CAPACITY,
        "the release's default: queues with a capacity each; users of other queues may use free capacity",
    )


@rules.when("with MapReduce, if vcores of workers are set")
def _counts_vcores(facts: Facts) -> bool:
    """Whether vcores are more than the release's default, which says nothing of a host."""
    vcores = facts.decided.get("yarn.nodemanager.resource.cpu-vcores")
    return with_mapreduce(facts) and (facts.planned or vcores not in (None, -1, 8))


@rules.decides("scheduler.masters-share")
def _masters_share(facts: Facts) -> Decision:
    sizes = chosen_sizes(facts)
    total = sum(container_mb(kind, sizes, facts) * count for kind, count in facts.cluster.kinds)
    share = _JOBS_AT_ONCE * sizes.master_mb / max(1, total)
    least, most = _MASTERS_SHARE
    value = math.ceil(100 * min(most, max(least, share))) / 100
    return Decision(
        value,
        f"room for at least {_JOBS_AT_ONCE} jobs at once; more would leave their tasks too little"
        if value < most
        else "half of a small cluster: its jobs share the containers",
        (Input(name="memory of all containers", value=total * MIB, unit="B"),),
    )


@rules.when("with one ResourceManager")
def _one_resourcemanager(facts: Facts) -> bool:
    return facts.request.mapreduce and facts.request.protection is not Protection.HA


rules.when("with MapReduce, without --secure")(
    lambda facts: facts.request.mapreduce and not facts.request.secure
)
