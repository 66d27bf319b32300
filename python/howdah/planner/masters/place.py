"""Masters on their hosts: as far apart and as little disturbed as the number of hosts allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.plan import Layout, Master, Role, Worker
from howdah.model.request import PlanRequest, Protection
from howdah.planner.block import (
    HEAP_MOST,
    REPLICATION,
    USUAL_HEAP,
    file_bytes,
    namenode_heap_bytes,
    namespace_blocks,
)
from howdah.planner.heap import whole_heap
from howdah.planner.known import worker_hosts_left
from howdah.planner.master_heaps import cluster_size, master_heaps
from howdah.planner.masters.fault_tolerance import place_tolerant
from howdah.planner.masters.posts import (
    SMALL,
    Post,
    Spot,
    highly_available,
    others_masters,
    spots,
    unprotected,
)
from howdah.planner.masters.seats import (
    Seat,
    Sizing,
    master,
    reason_for,
    seat_with_worker,
    seats_apart,
    together,
)
from howdah.planner.rules.masters import MOST_DISKS

OWN_HOST_FROM = 10
"""Hosts from which on undivided ones spare one for masters (X4)."""
_MOST_MEMORY = 0.25
"""Of a worker's memory, the part that masters beside it may take (howdah)."""

_THIRD_HOST_FROM = 60
"""Hosts from which on a third host of their own costs protected masters no more than 5 % of all."""
_QUORUM = 3
_SPARED = 32
"""Of a worker's memory, the part that a NameNode beside it may have without need."""
_MOST_SPOTS = 4
_CHECKPOINTS_SHARE = 16
"""Of a worker's memory, the most that checkpoints of a NameNode elsewhere may take."""


class _Attempt(NamedTuple):
    """So many hosts are the masters' own; on others they have places, or share where not ``places``."""

    spread: int
    places: bool


def place_masters(
    inventory: Inventory, layouts: Sequence[Layout], kinds: Sequence[Worker], request: PlanRequest
) -> tuple[Master, ...]:
    """Every master with its host; raises UserError where the protection asked for needs other hosts."""
    by_group = {layout.group: layout for layout in layouts}
    by_name = {kind.name: kind for kind in kinds}
    counted = [
        (by_name[name], group.count)
        for group in inventory.worker_groups
        if group.name in by_group
        for name in by_group[group.name].workers
    ]
    sizing = Sizing(by_name, _heap(inventory, kinds, request), master_heaps(cluster_size(request, counted)))
    least = sizing.place_of_their_own((Role.NAMENODE,)).memory_bytes
    order = spots(inventory, by_group, least, others_masters(request))
    if request.protection is Protection.FT:
        masters = place_tolerant(order, inventory.host_count, request, sizing)
        if worker_hosts_left(inventory, by_group, masters) < (request.replication or 1):
            raise UserError(
                "--protect-masters",
                "ft takes whole hosts here, and too few remain for workers",
                "divide the hosts (--workers-per-host 4), give more of them, or --protect-masters none",
            )
        return masters
    first = tuple(islice(order, _MOST_SPOTS))
    if request.protection is Protection.HA and len(first) < _QUORUM:
        raise UserError(
            "--protect-masters",
            f"ha needs {_QUORUM} hosts for JournalNodes and ZooKeepers; masters may be on {len(first)} only",
            f"give {_QUORUM} hosts that serve masters or any, or --protect-masters none",
        )
    # The last attempt shares wherever it can; it needs no host or place of a worker.
    attempts = [tuple(_placed(one, first, request, sizing)) for one in _attempts(inventory, request, first)]
    sharing = attempts[-1]
    for masters in attempts:
        enough = worker_hosts_left(inventory, by_group, masters) >= _enough(inventory, request)
        if enough and (_cheap(inventory, masters, sizing) or not _roomy(sharing, sizing)):
            return masters
    return sharing


def _cheap(inventory: Inventory, masters: Sequence[Master], sizing: Sizing) -> bool:
    """Whether masters take no more than a tenth of the workers' disks."""
    taken = sum(sizing.kinds[kind].data_disks or 0 for seated in masters for kind in seated.takes)
    return taken <= MOST_DISKS * sum(group.data_disks * group.count for group in inventory.worker_groups)


def _roomy(masters: Sequence[Master], sizing: Sizing) -> bool:
    """Whether masters that share take little of the smallest worker's memory, on each host."""
    beside: Counter[str] = Counter()
    for seated in masters:
        if seated.shares:
            beside[seated.host] += seated.memory_bytes
    smallest = min(kind.memory_bytes for kind in sizing.kinds.values())
    return max(beside.values(), default=0) <= _MOST_MEMORY * smallest


def enough_hosts(inventory: Inventory, request: PlanRequest) -> int:
    """Hosts that should carry workers: one for each replica asked for, or for three, as far as there are."""
    workers = sum(group.count for group in inventory.worker_groups)
    return min(workers, request.replication or REPLICATION)


def _heap(inventory: Inventory, kinds: Sequence[Worker], request: PlanRequest) -> int:
    """The NameNode's: what full disks want, and what is usual where it is little of a worker's memory."""
    raw_bytes = sum(group.data_bytes * group.count for group in inventory.worker_groups)
    blocks = namespace_blocks(
        raw_bytes, request.replication or REPLICATION, mean_file_bytes=file_bytes(request)
    )
    full = min(HEAP_MOST, whole_heap(namenode_heap_bytes(blocks)))
    return max(full, min(USUAL_HEAP, min(kind.memory_bytes for kind in kinds) // _SPARED))


def _attempts(inventory: Inventory, request: PlanRequest, first: Sequence[Spot]) -> Iterator[_Attempt]:
    """Ways to place masters, the one with the most room for them first."""
    ha = request.protection is Protection.HA
    serving = sum(spot.layout is None for spot in first)
    if serving >= (2 if ha else 1):
        yield _Attempt(serving, places=True)
    elif first[serving].divided:
        yield _Attempt(len(first) if ha else min(2, len(first)), places=True)
    elif ha:
        if inventory.host_count >= _THIRD_HOST_FROM:
            yield _Attempt(_QUORUM, places=False)
        yield _Attempt(2, places=False)
    elif inventory.host_count >= OWN_HOST_FROM:
        yield _Attempt(1, places=False)
    yield _Attempt(serving, places=False)


def _enough(inventory: Inventory, request: PlanRequest) -> int:
    """Hosts that must keep workers: one for each replica, one more where HA is to outlast a lost host."""
    workers = sum(group.count for group in inventory.worker_groups)
    spare = 1 if request.protection is Protection.HA else 0
    return min(workers, (request.replication or REPLICATION) + spare)


def _placed(
    attempt: _Attempt, first: Sequence[Spot], request: PlanRequest, sizing: Sizing
) -> Iterator[Master]:
    wanted = (
        highly_available(request, [spot.rack for spot in first], attempt.spread)
        if request.protection is Protection.HA
        else unprotected(request, len(first), attempt.spread, room=_room_beside(sizing))
    )
    posts: dict[int, list[Post]] = {}
    for post in wanted:
        posts.setdefault(post.spot, []).append(post)
    for index, here in sorted(posts.items()):
        spot = first[index]
        owns = spot.layout is None or (
            any(not SMALL.issuperset(post.roles) for post in here)
            and (index < attempt.spread or (attempt.places and spot.divided))
        )
        for seat in _seats(spot, here, sizing, attempt.spread) if owns else seat_with_worker(here):
            rule, reason = reason_for(spot, seat, sizing, request, attempt.spread)
            yield master(spot, seat, sizing, request, rule=rule, reason=reason)


def _room_beside(sizing: Sizing) -> bool:
    """Whether checkpoints take little of a worker: all workers are set up like the one that makes them."""
    need = sizing.beside_workers((Role.SECONDARY_NAMENODE,)).memory_bytes
    return need <= min(kind.memory_bytes for kind in sizing.kinds.values()) // _CHECKPOINTS_SHARE


def _seats(spot: Spot, here: Sequence[Post], sizing: Sizing, spread: int) -> list[Seat]:
    """A place for each post where there are several hosts and this one has room, else one for all."""
    if spot.divided and spread > 1 and (seats := seats_apart(spot, here, sizing)) is not None:
        return seats
    return together(spot, here, sizing)
