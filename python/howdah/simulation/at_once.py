"""How many tasks a worker runs at once, and by whose rules."""

from __future__ import annotations

from typing import Literal, NamedTuple

from howdah.model.plan import Cluster, Plan, Worker
from howdah.model.request import Profile
from howdah.simulation.planned import Planned
from howdah.units import MIB

_DOMINANT = "DominantResourceCalculator"


class AtOnce(NamedTuple):
    """The most maps and the most reduces that one worker runs, each kind alone."""

    maps: int
    reduces: int


def scheduling_kind(cluster: Cluster) -> Literal["slots", "containers"]:
    """The studies ran Hadoop 1, whose slots the paper profile keeps; everybody else has YARN's containers."""
    return "slots" if cluster.request.profile is Profile.PAPER else "containers"


def tasks_at_once(plan: Plan, cluster: Cluster, kind: Worker) -> AtOnce:
    """The slots that were planned, or as many containers as YARN gives out on the worker.

    YARN looks at memory alone, unless the dominant resource is asked for: then a task takes a virtual core.
    """
    if scheduling_kind(cluster) == "slots" or not kind.map_slots or not kind.reduce_slots:
        return AtOnce(kind.map_slots, kind.reduce_slots)
    planned = Planned(plan, cluster, kind)
    memory = int(planned.number("yarn.nodemanager.resource.memory-mb")) * MIB
    by_cores = planned.text("yarn.scheduler.capacity.resource-calculator").endswith(_DOMINANT)
    cores = int(planned.number("yarn.nodemanager.resource.cpu-vcores")) if by_cores else None

    def fit(task: str) -> int:
        by_memory = memory // planned.container(task)
        return by_memory if cores is None else min(by_memory, cores)

    return AtOnce(fit("map"), fit("reduce"))
