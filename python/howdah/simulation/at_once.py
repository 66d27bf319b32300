"""How many tasks a worker runs at once, and by whose rules."""

from __future__ import annotations

from typing import Literal

from howdah.model.at_once import AtOnce, Container, Room, counts_vcores, granted_bytes
from howdah.model.plan import Cluster, Plan, Worker
from howdah.model.request import Profile
from howdah.simulation.planned import Planned
from howdah.units import MIB


def scheduling_kind(cluster: Cluster) -> Literal["slots", "containers"]:
    """The studies ran Hadoop 1, whose slots the paper profile keeps; everybody else has YARN's containers."""
    return "slots" if cluster.request.profile is Profile.PAPER else "containers"


def tasks_at_once(plan: Plan, cluster: Cluster, kind: Worker) -> AtOnce:
    """The slots that were planned, or as many containers as YARN gives out on the worker.

    No application master is simulated, so none takes a container.
    """
    if scheduling_kind(cluster) == "slots" or not kind.map_slots or not kind.reduce_slots:
        return AtOnce(kind.map_slots, kind.reduce_slots)
    planned = Planned(plan, cluster, kind)
    vcores = int(planned.number("yarn.nodemanager.resource.cpu-vcores"))
    by_vcores = counts_vcores(planned.text("yarn.scheduler.capacity.resource-calculator"))
    room = Room(
        int(planned.number("yarn.nodemanager.resource.memory-mb")) * MIB, vcores if by_vcores else None
    )
    least = int(planned.number("yarn.scheduler.minimum-allocation-mb")) * MIB

    def fit(task: str) -> int:
        return room.holds(Container(granted_bytes(planned.container(task), least)))

    return AtOnce(fit("map"), fit("reduce"))
