"""Inventories and layouts for tests of the planner, made without the rest of the planner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from howdah.model.inventory import CpuLayout, DiskKind, DiskSet, HostGroup, Inventory, NicSet
from howdah.model.plan import Layout, Worker
from howdah.units import GIB


def host_group(
    name: str = "w",
    count: int = 32,
    *,
    racks: Sequence[str] = (),
    serves: Literal["any", "workers", "masters"] = "any",
    disks: int = 20,
    disk_size: str = "600GB",
    memory: str = "256GiB",
) -> HostGroup:
    """Hosts like those of the vSphere 6 study: 2 × 10 cores, 256 GiB, 20 disks of 600 GB."""
    return HostGroup(
        name=name,
        count=count,
        cpu=CpuLayout(sockets=2, cores_per_socket=10, threads_per_core=2),
        memory=memory,
        disks=(DiskSet(count=disks, kind=DiskKind.HDD, size=disk_size),),
        nics=(NicSet(count=2, speed="10Gb/s"),),
        racks=tuple(racks),
        serves=serves,
    )


def inventory(*groups: HostGroup) -> Inventory:
    """The groups, or 32 hosts of the vSphere 6 study."""
    return Inventory(groups=groups or (host_group(),))


def divided(group: HostGroup, per_host: int, *, virtual: bool = True) -> tuple[Layout, tuple[Worker, ...]]:
    """A group divided into workers alike; native where not virtual."""
    name = f"{group.name}-worker"
    memory_bytes = group.memory_bytes - (15 * GIB if virtual else 0)
    kind = Worker(
        name=name,
        map_slots=1,
        reduce_slots=1,
        memory_bytes=memory_bytes // per_host,
        group=group.name,
        per_host=per_host,
        vcpus=group.cpu.threads // per_host,
        data_disks=group.data_disks // per_host,
    )
    platform = f"{per_host} per host" if virtual else "native"
    return Layout(group=group.name, platform=platform, virtual=virtual, workers=(name,) * per_host), (kind,)


def mixed(group: HostGroup, sizes: Sequence[tuple[str, int, int, int]]) -> tuple[Layout, tuple[Worker, ...]]:
    """A group divided into kinds of (name, how many, vCPUs, bytes)."""
    kinds = tuple(
        Worker(
            name=name,
            map_slots=1,
            reduce_slots=1,
            group=group.name,
            per_host=many,
            vcpus=vcpus,
            memory_bytes=size,
        )
        for name, many, vcpus, size in sizes
    )
    places = Counter({kind.name: kind.per_host for kind in kinds})
    layout = Layout(group=group.name, platform="mixed", virtual=True, workers=tuple(places.elements()))
    return layout, kinds
