"""Where a laboratory's masters are: beside workers as planned, or on hosts of their own as planned."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from howdah.model.inventory import CpuLayout, HostGroup, Inventory
from howdah.model.plan import Cluster
from howdah.model.request import Protection
from howdah.planner.masters.needs import PLACE_BYTES
from howdah.planner.scaling.resize import with_hosts, with_link, with_memory
from howdah.units import exact_bits_per_s, exact_bytes

_HOSTS = {Protection.NONE: 1, Protection.HA: 3, Protection.FT: 2}
"""Hosts for masters alone: a quorum for HA, primaries and shadows for FT."""
_CPU = CpuLayout(sockets=1, cores_per_socket=2)
_SYSTEM_DISK = {"count": 1, "kind": "hdd", "size": "20GB", "role": "system"}


def masters_groups(cluster: Cluster, workers: HostGroup) -> Iterator[HostGroup]:
    """Groups for masters alone; none where the plan's masters run beside workers' daemons.

    A laboratory's few hosts have few places, most of them too small for masters, so masters that had places
    have hosts. ``workers`` is a group of the laboratory's, whose domain and rack they share.
    """
    inventory = cluster.inventory
    carrying = {host for one in cluster.masters for host in (one.host, one.shadow_host) if host is not None}
    given = [group for group in inventory.groups if group.serves == "masters"]
    if given:
        for group in given:
            if names := [name for name in group.names if name in carrying]:
                yield _reduced(group, names, workers.network_bits_per_s)
    elif any(not master.shares for master in cluster.masters):
        yield _new(cluster, inventory, workers)


def _reduced(group: HostGroup, names: list[str], link_bits_per_s: int) -> HostGroup:
    """The hosts of a group that carry masters, no larger than masters need."""
    racks = group.racks if len(names) == group.count else group.racks[:1]
    reduced = with_hosts(group, names, racks)
    if group.cpu.threads > _CPU.threads:
        reduced = reduced.model_copy(update={"cpu": _CPU})
    return with_link(with_memory(reduced, PLACE_BYTES), min(link_bits_per_s, group.network_bits_per_s))


def _new(cluster: Cluster, inventory: Inventory, workers: HostGroup) -> HostGroup:
    count = _HOSTS[cluster.request.protection]
    _, dot, domain = workers.names[0].partition(".")
    taken = {name.lower() for group in inventory.groups for name in group.names}
    return HostGroup.model_validate(
        {
            "name": _free("masters", {group.name for group in inventory.groups}),
            "count": count,
            "hosts": _host_names(count, f"{dot}{domain}", taken),
            "cpu": _CPU.model_dump(),
            "memory": exact_bytes(PLACE_BYTES),
            "disks": [_SYSTEM_DISK],
            "nics": [{"count": 1, "speed": exact_bits_per_s(workers.network_bits_per_s)}],
            "racks": list(workers.racks[:1]),
            "serves": "masters",
        }
    )


def _host_names(count: int, domain: str, taken: Collection[str]) -> list[str]:
    stem = "master"
    while any(f"{stem}{number}{domain}".lower() in taken for number in range(1, count + 1)):
        stem = f"lab-{stem}"
    return [f"{stem}{number}{domain}" for number in range(1, count + 1)]


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name = f"lab-{name}"
    return name
