"""The plan's hosts as the simulator takes them: equal ones in a row folded, and every worker's name kept."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import HostGroup
from howdah.model.placement import PlacedHost, placed_hosts
from howdah.model.plan import Cluster, Plan, Worker
from howdah.simulation.at_once import tasks_at_once
from howdah.simulation.hardware import Warn, disks_of, nics_of
from howdah.simulation.scenario import Hosts, Workers


class Machines(NamedTuple):
    """The hosts that carry workers, and the names that the simulator's numbers stand for."""

    groups: tuple[Hosts, ...]
    """Equal hosts in a row."""
    hosts: tuple[str, ...]
    """Every host's name, by its number."""
    workers: tuple[str, ...]
    """Every worker's name, by its number."""
    host_of: tuple[int, ...]
    """The number of every worker's host."""


def machines_of(plan: Plan, cluster: Cluster, warn: Warn) -> Machines:
    """The plan's hosts in their order, those that carry nothing but masters left out."""
    kinds = {kind.name: _checked(plan, cluster, kind) for kind in plan.workers}
    layouts = {layout.group: layout.virtual for layout in cluster.layouts}
    racks = {rack.name: number for number, rack in enumerate(cluster.topology.racks)}
    working = [host for host in placed_hosts(cluster) if host.workers]
    by_group = {group.name: group for group in cluster.inventory.groups}
    hardware = {
        name: (disks_of(by_group[name], warn), nics_of(by_group[name]))
        for name in dict.fromkeys(host.group for host in working)
    }
    groups = []
    for (name, rack, carried), hosts in groupby(working, key=_alike):
        disks, nics = hardware[name]
        group = by_group[name]
        groups.append(
            Hosts(
                count=len(list(hosts)),
                rack=racks[rack],
                sockets=group.cpu.sockets,
                cores_per_socket=group.cpu.cores_per_socket,
                threads_per_core=group.cpu.threads_per_core,
                numa_nodes=group.cpu.numa_nodes,
                memory_bytes=group.memory_bytes,
                speed=group.cpu.speed or 1.0,
                disks=disks,
                nics=nics,
                controller_bytes_per_s=group.controller_bytes_per_s,
                is_virtual=layouts[name],
                workers=tuple(_workers(group, carried, kinds)),
            )
        )
    return Machines(
        groups=tuple(groups),
        hosts=tuple(host.name for host in working),
        workers=tuple(worker.name for host in working for worker in host.workers),
        host_of=tuple(number for number, host in enumerate(working) for _ in host.workers),
    )


def _alike(host: PlacedHost) -> tuple[str, str, tuple[str, ...]]:
    return host.group, host.rack, tuple(worker.kind for worker in host.workers)


def _workers(group: HostGroup, carried: tuple[str, ...], kinds: dict[str, Workers]) -> Iterator[Workers]:
    for name, places in groupby(carried):
        kind = kinds[name]
        yield kind.model_copy(
            update={
                "count": len(list(places)),
                "vcpus": kind.vcpus or group.cpu.threads,
                "numa_nodes": kind.numa_nodes or group.cpu.numa_nodes,
            }
        )


def _checked(plan: Plan, cluster: Cluster, kind: Worker) -> Workers:
    at_once = tasks_at_once(plan, cluster, kind)
    if not at_once.maps or not at_once.reduces:
        raise UserError(
            f"plan: worker {kind.name}",
            "runs no map or no reduce tasks: the plan is not for MapReduce",
            "plan with --workload terasuite",
        )
    return Workers(
        count=1,
        vcpus=kind.vcpus or 0,
        memory_bytes=kind.memory_bytes,
        disks=kind.data_disks or len(kind.data_dirs),
        numa_nodes=kind.numa_nodes or 0,
        map_slots=at_once.maps,
        reduce_slots=at_once.reduces,
    )
