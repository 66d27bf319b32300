"""The plan's hosts as the simulator takes them: equal ones in a row folded, and every worker's name kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Literal, NamedTuple

from howdah.model.inventory import DiskKind, DiskRole, DiskSet, HostGroup
from howdah.model.placement import AtOnce, placed_hosts
from howdah.model.plan import ClusterPlan, Role, Worker
from howdah.releases.values import heap_bytes, read_list
from howdah.simulation.scenario import Disks, Hosts, Nics, Workers
from howdah.simulation.settings import PlannedSettings
from howdah.units import MIB, format_rate

Warn = Callable[[str, str], None]  # Notes, by code and text, what a reader of the numbers should know.

_TYPICAL = {
    DiskKind.HDD: (190.0 * MIB, 110.0 * MIB),
    DiskKind.SSD: (500e6, 500e6),
    DiskKind.NVME: (2.5e9, 2.5e9),
}
"""Sequential rates of a disk's outer and inner zone that an inventory gives none for, bytes per second.

D0 32 measured those of a 10,000 rpm disk; SATA ends near 550 MB/s; server NVMe drives write 2 to 3 GB/s
for hours.
"""
_FAST_MOST_BYTES = 2_400_000_000_000
_FAST_LEAST_BYTES_PER_S = 150 * MIB  # 10,000 rpm disks end at 2.4 TB, and no slower one is as fast.


def disks_of(group: HostGroup, warn: Warn) -> tuple[Disks, ...]:
    """The data disks of one of the group's hosts."""
    return tuple(_disks(group, disk, warn) for disk in group.disks if disk.role is DiskRole.DATA)


def nics_of(group: HostGroup) -> tuple[Nics, ...]:
    """The network ports of one of the group's hosts."""
    return tuple(Nics(count=nic.count, bits_per_s=float(nic.speed_bits_per_s)) for nic in group.nics)


def _disks(group: HostGroup, disks: DiskSet, warn: Warn) -> Disks:
    outer, inner = _TYPICAL[disks.kind]
    given_outer, given_inner = disks.outer_bytes_per_s, disks.inner_bytes_per_s
    if given_outer is None and given_inner is None:
        rates = (outer, inner)
    elif given_outer is None or given_inner is None:
        # Where one zone's rate is known the other's is as far from it as on the typical disk.
        scale = given_outer / outer if given_outer is not None else (given_inner or 0) / inner
        rates = (outer * scale, inner * scale)
    else:
        rates = (float(given_outer), float(given_inner))
    if given_outer is None or (given_inner is None and disks.kind is DiskKind.HDD):
        warn(
            "default-disk-rate",
            f"the inventory does not give the rates of group {group.name}'s {disks.kind} disks: "
            f"{format_rate(rates[0])} in the outer zone and {format_rate(rates[1])} in the inner one are "
            "assumed; measure them with `howdah run storage`, and write outer_rate and inner_rate",
        )
    return Disks(
        count=disks.count,
        size_bytes=disks.size_bytes,
        outer_bytes_per_s=rates[0],
        inner_bytes_per_s=min(rates),
        kind=_kind(disks, rates[0]),
    )


def _kind(disks: DiskSet, outer_bytes_per_s: float) -> Literal["hdd", "fasthdd", "ssd"]:
    if disks.kind is not DiskKind.HDD:
        return "ssd"
    fast = disks.size_bytes <= _FAST_MOST_BYTES and outer_bytes_per_s >= _FAST_LEAST_BYTES_PER_S
    return "fasthdd" if fast else "hdd"


class SimulatedHosts(NamedTuple):
    """The hosts that carry workers, and the names that the simulator's numbers stand for."""

    groups: tuple[Hosts, ...]
    hosts: tuple[str, ...]  # Every host's name, by its number.
    workers: tuple[str, ...]  # Every worker's name, by its number.
    host_of: tuple[int, ...]  # The number of every worker's host.


def machines_of(plan: ClusterPlan, warn: Warn, at_once: Callable[[Worker], AtOnce]) -> SimulatedHosts:
    """The plan's hosts with workers in their order; ``at_once`` refuses a kind that cannot do the work."""
    cluster = plan.cluster
    kinds = {kind.name: _worker(plan, kind, at_once(kind)) for kind in plan.workers}
    layouts = {layout.group: layout.virtual for layout in cluster.layouts}
    racks = {rack.name: number for number, rack in enumerate(cluster.topology.racks)}
    working = [host for host in placed_hosts(cluster) if host.workers]
    by_group = {group.name: group for group in cluster.inventory.groups}
    hardware = {
        name: (disks_of(by_group[name], warn), nics_of(by_group[name]))
        for name in dict.fromkeys(host.group for host in working)
    }
    groups = []
    for (name, rack, carried), hosts in groupby(
        working, key=lambda host: (host.group, host.rack, tuple(worker.kind for worker in host.workers))
    ):
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
    return SimulatedHosts(
        groups=tuple(groups),
        hosts=tuple(host.name for host in working),
        workers=tuple(worker.name for host in working for worker in host.workers),
        host_of=tuple(number for number, host in enumerate(working) for _ in host.workers),
    )


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


def _regionserver_bytes(planned: PlannedSettings, kind: Worker) -> int:
    """What a RegionServer keeps of a worker's memory from its start: it is not part of the page cache."""
    if Role.REGIONSERVER not in kind.roles:
        return 0
    heap = heap_bytes(planned.text("HBASE_REGIONSERVER_OPTS")) or 0
    return heap + int(planned.number_or("hbase.bucketcache.size", 0.0) * MIB)


def _worker(plan: ClusterPlan, kind: Worker, at_once: AtOnce) -> Workers:
    planned = PlannedSettings(plan, kind)
    folders = read_list(planned.text("yarn.nodemanager.local-dirs"))
    used = sum(any(folder.startswith(f"{disk}/") for folder in folders) for disk in kind.data_dirs)
    return Workers(
        count=1,
        vcpus=kind.vcpus or 0,
        memory_bytes=kind.memory_bytes - _regionserver_bytes(planned, kind),
        disks=kind.data_disks or len(kind.data_dirs),
        # The data disks that carry intermediate data, unless all do, or its directories are elsewhere.
        local_disks=used if 0 < used < len(kind.data_dirs) else None,
        numa_nodes=kind.numa_nodes or 0,
        map_slots=at_once.maps,
        reduce_slots=at_once.reduces,
    )
