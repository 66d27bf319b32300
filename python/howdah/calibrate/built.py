"""A plan's hosts as a laboratory built them: parts of CPUs, and disks without heads."""

from __future__ import annotations

import math

from howdah.model.cluster import Laboratory
from howdah.model.inventory import CpuLayout, DiskKind, DiskSet, HostGroup
from howdah.model.plan import ClusterPlan


def as_built(plan: ClusterPlan, lab: Laboratory) -> ClusterPlan:
    """The plan of a laboratory, with what its hosts really had, for the simulator.

    A limit of CPU time holds a worker as a whole. One worker with a CPU's worth of time is one core for the
    simulator, however many threads were planned; two workers that share it are two cores of half the speed,
    for neither may use what the other one leaves.
    """
    cluster = plan.cluster
    workers_on = {
        group.name: sum(kind.per_host for kind in plan.workers if kind.group in {None, group.name})
        for group in cluster.inventory.groups
    }
    groups = tuple(
        _host(group, _cpus(group, lab), workers_on[group.name]) for group in cluster.inventory.groups
    )
    cores = {group.name: group.cpu.threads for group in groups}
    kinds = tuple(
        kind.model_copy(update={"vcpus": min(kind.vcpus, cores[kind.group])})
        if kind.vcpus is not None and kind.group in cores
        else kind
        for kind in plan.workers
    )
    inventory = cluster.inventory.model_copy(update={"groups": groups})
    return plan.model_copy(
        update={"cluster": cluster.model_copy(update={"inventory": inventory}), "workers": kinds}
    )


def cpu_share(plan: ClusterPlan, lab: Laboratory) -> float:
    """What a planned thread of the workers' hosts had of a CPU, 1 for all of it."""
    groups = plan.cluster.inventory.worker_groups
    return min((_cpus(group, lab) / group.cpu.threads for group in groups), default=1.0)


def _cpus(group: HostGroup, lab: Laboratory) -> float:
    scaled = {scaling.what: scaling.lab for scaling in lab.scaling}
    return scaled.get(f"CPUs per host of {group.name}", float(group.cpu.threads))


def _host(group: HostGroup, cpus: float, workers: int) -> HostGroup:
    disks = tuple(_without_head(disk) for disk in group.disks)
    if cpus >= group.cpu.threads:
        return group.model_copy(update={"disks": disks})
    cores = max(workers, math.floor(cpus), 1)
    speed = (group.cpu.speed or 1.0) * cpus / cores
    cpu = CpuLayout(sockets=1, cores_per_socket=cores, speed=speed)
    return group.model_copy(update={"disks": disks, "cpu": cpu})


def _without_head(disks: DiskSet) -> DiskSet:
    """A laboratory holds a disk to one rate, wherever its data lie and however many read it."""
    rate = disks.outer_bytes_per_s
    return disks.model_copy(update={"kind": DiskKind.SSD, "inner_bytes_per_s": rate})
