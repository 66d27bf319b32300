"""One group of a plan's hosts as a laboratory has it: fewer and smaller hosts, divided in the same way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from howdah.model.hostname import fold
from howdah.model.inventory import DiskRole, DiskSet, HostGroup, NicSet
from howdah.model.plan import Layout
from howdah.model.request import PlanRequest
from howdah.planner.platforms.candidates import LEAST_THREADS
from howdah.planner.platforms.division import Division, divide
from howdah.planner.platforms.memory import least_worker
from howdah.units import GIB, exact_bits_per_s

_LINK_STEP = 1_000_000
_LEAST_LINK = 10_000_000
"""Slower links are mostly queue."""


def with_memory(group: HostGroup, memory_bytes: int) -> HostGroup:
    """The group with so much memory in each host, or what it has if that is less."""
    if memory_bytes >= group.memory_bytes:
        return group
    return group.model_copy(update={"memory": memory_bytes, "memory_per_numa_node": None})


def least_memory(group: HostGroup, layout: Layout, request: PlanRequest) -> int:
    """The least memory, in whole GiB, with which such a host can be divided as planned."""
    gib = 1
    while gib * GIB < group.memory_bytes and not _holds(with_memory(group, gib * GIB), layout, request):
        gib += 1
    return min(gib * GIB, group.memory_bytes)


def possible_cores(group: HostGroup, layout: Layout, request: PlanRequest) -> Iterator[int]:
    """The cores of a socket, fewest first, with which such a host can be divided as planned."""
    for cores in range(1, group.cpu.cores_per_socket + 1):
        if _holds(with_cores(group, cores), layout, request):
            yield cores


def with_cores(group: HostGroup, cores_per_socket: int) -> HostGroup:
    """The group with so many cores in each socket."""
    return group.model_copy(
        update={"cpu": group.cpu.model_copy(update={"cores_per_socket": cores_per_socket})}
    )


def possible_count(group: HostGroup, count: int) -> int:
    """The most hosts of a group, no more than ``count``, that some of its racks hold equally many of."""
    return next(one for one in range(min(count, group.count), 0, -1) if _racks_of(group, one))


def fewer(group: HostGroup, count: int) -> HostGroup:
    """A possible count of the group's hosts under the names and in the racks they have."""
    if count == group.count:
        return group
    racks = _racks_of(group, count)
    in_rack = group.count // max(1, len(group.racks))
    names = [
        name
        for position in range(racks)
        for name in group.names[position * in_rack : position * in_rack + count // racks]
    ]
    return with_hosts(group, names, group.racks[:racks])


def with_hosts(group: HostGroup, names: list[str], racks: tuple[str, ...]) -> HostGroup:
    """The group with these hosts only."""
    changes = {"count": len(names), "hosts": fold(names), "racks": racks}
    # A copy would keep the names that the group has expanded already.
    return HostGroup.model_validate({**group.model_dump(mode="json", by_alias=True), **changes})


def in_proportion(group: HostGroup, per_host: int, share: float, link_bits_per_s: int | None) -> HostGroup:
    """The group with disks and a link for that share of CPU, or with the link that was asked for."""
    changes: dict[str, Any] = {}
    if share < 1:
        changes["disks"] = tuple(_fewer_disks(group, per_host, share))
    link = link_bits_per_s or _slower(group.network_bits_per_s, share)
    return with_link(group.model_copy(update=changes), link)


def with_link(group: HostGroup, bits_per_s: int) -> HostGroup:
    """The group with one port of that speed in each host, unless its ports are as fast together."""
    if bits_per_s == group.network_bits_per_s:
        return group
    port = NicSet(count=1, speed=exact_bits_per_s(bits_per_s))
    return group.model_copy(update={"nics": (port,)})


def with_data_disks_up_to(most_bytes: int, group: HostGroup) -> HostGroup:
    """The group with data disks no larger than so many bytes."""
    disks = tuple(
        one
        if one.role is not DiskRole.DATA or one.size_bytes <= most_bytes
        else one.model_copy(update={"size_bytes": most_bytes})
        for one in group.disks
    )
    return group.model_copy(update={"disks": disks})


def _holds(group: HostGroup, layout: Layout, request: PlanRequest) -> bool:
    """Whether a host of that size can be divided as planned."""
    if not layout.virtual:
        return group.cpu.threads >= LEAST_THREADS and group.memory_bytes >= least_worker(request)
    divided = divide(group, request, len(layout.workers))
    return isinstance(divided, Division) and divided.platform == layout.platform


def _racks_of(group: HostGroup, count: int) -> int:
    """The most racks of a group that hold so many of its hosts, equally many each; 0 where none do."""
    racks = max(1, len(group.racks))
    return max(
        (one for one in range(1, racks + 1) if count % one == 0 and count // one <= group.count // racks),
        default=0,
    )


def _fewer_disks(group: HostGroup, per_host: int, share: float) -> Iterator[DiskSet]:
    """Data disks in proportion, at least one for each worker; what does not divide stays undivided."""
    for one in group.disks:
        each, over = divmod(one.count, per_host)
        if one.role is not DiskRole.DATA or not each:
            yield one
        else:
            yield one.model_copy(update={"count": max(1, round(each * share)) * per_host + over})


def _slower(link_bits_per_s: int, share: float) -> int:
    if share >= 1:
        return link_bits_per_s
    least = min(_LEAST_LINK, link_bits_per_s)
    return max(least, int(link_bits_per_s * share) // _LINK_STEP * _LINK_STEP)
