"""What of a plan this machine can hold: hosts, cores and everything together."""

from __future__ import annotations

from typing import NamedTuple

from howdah.model.inventory import HostGroup
from howdah.model.plan import Cluster, Layout, Plan
from howdah.planner.scaling.footprint import footprint
from howdah.planner.scaling.resize import possible_cores
from howdah.planner.scaling.room import Room

LEAST_HOSTS = 2
"""Replicas are kept apart on two hosts at least."""
_LEAST_CPUS = 0.25
"""Of a CPU for each worker, or each thread (howdah): with less, a worker's daemons alone keep it busy."""


class Divided(NamedTuple):
    """A group of a plan's hosts, and how they are divided."""

    group: HostGroup
    layout: Layout


def divided_alike(cluster: Cluster) -> tuple[Divided, ...]:
    """The groups with workers that are divided like the largest, which is first: a request insists on one."""
    layouts = {layout.group: layout for layout in cluster.layouts}
    found = [Divided(one, layouts[one.name]) for one in cluster.inventory.worker_groups]
    found.sort(key=lambda one: -one.group.count)
    return tuple(one for one in found if one.layout.platform == found[0].layout.platform)


def fits(plan: Plan, cluster: Cluster, room: Room, hosts: int) -> bool:
    """Whether this machine holds a plan with so many hosts that carry workers, as it is."""
    size = sum(group.count * group.data_bytes for group in cluster.inventory.worker_groups)
    return (
        hosts <= hosts_for(cluster, room.cpus / _LEAST_CPUS)
        and size <= room.space_bytes
        and footprint(plan, cluster).total <= room.memory_bytes
        and all(
            cores_for(one, cluster, room.cpus / hosts) == one.group.cpu.cores_per_socket
            for one in divided_alike(cluster)
        )
    )


def hosts_for(cluster: Cluster, workers: float) -> int:
    """Hosts that carry no more than so many workers, but enough for the replicas that were asked for."""
    per_host = max(len(layout.workers) for layout in cluster.layouts)
    return max(LEAST_HOSTS, cluster.request.replication or 0, int(workers / per_host))


def cores_for(one: Divided, cluster: Cluster, cpus: float) -> int:
    """Cores of each socket of a host that has so many CPUs of this machine.

    As planned while a CPU is given out four times at most; else no more threads than it has CPUs, as far as
    the host can be divided then.
    """
    cpu = one.group.cpu
    per_core = cpu.sockets * cpu.threads_per_core
    possible = list(possible_cores(one.group, one.layout, cluster.request)) or [cpu.cores_per_socket]
    if cpu.threads <= max(cpus / _LEAST_CPUS, possible[0] * per_core):
        return cpu.cores_per_socket
    return max((cores for cores in possible if cores * per_core <= cpus), default=possible[0])
