"""A synthetic cluster, a sort on it, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from howdah.model.inventory import CpuLayout, DiskKind, DiskSet, HostGroup, NicSet
from howdah.model.plan import ClusterPlan, Placement, Worker
from howdah.units import GIB
from support.plans import WORKING, plan

Injected = Literal["slow disk", "slow link", "CPU held back", "garbage collection", "skewed partition"]


@dataclass(frozen=True)
class Scene:
    """A cluster, a sort, and what is wrong with it: ``factor`` is how much of a resource is left."""

    hosts: int = 2
    per_host: int = 2
    injected: Injected | None = None
    factor: float = 0.2
    also: Injected | None = None
    also_factor: float = 0.7
    victim: int = 1
    seed: int = 0
    noise: float = 0.06
    rows: int = 8_000_000
    maps: int = 16
    replication: int = 2
    throttle_sampled: bool = True
    queue_sampled: bool = True

    @property
    def workers(self) -> int:
        """How many there are."""
        return self.hosts * self.per_host


def cluster_plan(scene: Scene) -> ClusterPlan:
    """The plan of that cluster: 0.5 CPUs' worth of work, a disk of 40 MB/s and 400 Mb/s for each worker."""
    names = tuple(f"h{number}" for number in range(1, scene.hosts + 1))
    group = HostGroup(
        name="workers",
        count=scene.hosts,
        hosts=names,
        cpu=CpuLayout(sockets=1, cores_per_socket=4),
        memory="16GiB",
        disks=(DiskSet(count=scene.per_host, kind=DiskKind.HDD, size="100GB", outer_rate="40MB/s"),),
        nics=(NicSet(count=1, speed=f"{400 * scene.per_host}Mb/s"),),
    )
    kind = Worker(
        name="worker",
        map_slots=2,
        reduce_slots=2,
        memory_bytes=4 * GIB,
        data_dirs=("/data/01",),
        group="workers",
        per_host=scene.per_host,
        vcpus=1,
        data_disks=1,
        roles=WORKING,
    )
    return plan(
        groups=(group,), kinds=(kind,), places=("worker",) * scene.per_host, placement=Placement.NODE_GROUPS
    )


def names_of(scene: Scene) -> list[tuple[str, str]]:
    """Every worker and its host."""
    if scene.per_host == 1:
        return [(f"h{host}", f"h{host}") for host in range(1, scene.hosts + 1)]
    return [
        (f"h{host}-{number}", f"h{host}")
        for host in range(1, scene.hosts + 1)
        for number in range(1, scene.per_host + 1)
    ]


def victim_of(scene: Scene) -> str:
    """The worker that the injection is on."""
    return names_of(scene)[scene.victim % scene.workers][0]


def several(scene: Scene, seeds: range) -> Iterator[Scene]:
    """The same scene with other noise, another victim each time."""
    return (replace(scene, seed=seed, victim=seed) for seed in seeds)
