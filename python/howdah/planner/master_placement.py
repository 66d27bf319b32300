"""Masters on hosts: placed by rules, kept in the places of an earlier plan, or with a shadow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.placement import virtual_name
from howdah.model.plan import Layout, Master, Role, Worker
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner import capacity, master_slots
from howdah.planner.budget import most_shared
from howdah.planner.capacity import REPLICATION, file_bytes
from howdah.planner.facts import remaining_worker_hosts
from howdah.planner.heap import cluster_size, master_heaps, whole_heap
from howdah.planner.master_slots import Need, RoleSet, Sizing, Slot, Spot, master, place_text, spots
from howdah.planner.rules.masters import MOST_DISKS, rules
from howdah.units import GIB

MANAGER_UP_TO = 276  # Hosts beyond which the ResourceManager's VM is better large than protected (D1 79, 81).
_FAULT_TOLERANCE = "masters.fault-tolerance"
_FLAG = "--protect-masters"
_VCPUS_MOST = 8
_MEMORY_MOST = 128 * GIB
_LOOKED_AT = 64
OWN_HOST_FROM = 10  # Hosts from which on undivided ones spare one for masters (X4).
_MOST_MEMORY = 0.25  # The part of a worker's memory that masters next to it may use (howdah).
_THIRD_HOST_FROM = 60
"""The number of hosts from which a third host for protected masters costs at most 5 % of all."""
_QUORUM = 3
_SPARED = 32  # The part of a worker's memory that a NameNode next to it may use without need.
_MOST_SPOTS = 4
_CHECKPOINTS_SHARE = 16  # Of a worker's memory, the most that checkpoints of a NameNode elsewhere may take.


class _Attempt(NamedTuple):
    """So many hosts are the masters' own; on others they have places, or share where not ``places``."""

    spread: int
    places: bool


def place_tolerant(
    order: Iterator[Spot], hosts: int, request: PlanRequest, sizing: Sizing
) -> tuple[Master, ...]:
    """Masters with their shadows' host; raises UserError where Fault Tolerance is not possible."""
    if request.hypervisor in (Hypervisor.NONE, Hypervisor.KVM):
        problem = f"ft is vSphere's Fault Tolerance, and the hypervisor is {request.hypervisor}"
        raise UserError(_FLAG, problem, "give --protect-masters ha, or --hypervisor vsphere")
    first = _hosts(order)
    primary, shadow = first[:2]
    if primary.layout is not None and not primary.layout.virtual:
        problem = f"ft protects virtual machines, and the hosts of {primary.group.name} are not divided"
        hint = "--hypervisor vsphere with --workers-per-host 1 or more, or --protect-masters ha"
        raise UserError(_FLAG, problem, hint)
    managers_too = hosts <= MANAGER_UP_TO or len(first) < 3
    role_sets = tuple(master_slots.fault_tolerant(request, managers_too=managers_too))
    slots = _slots(primary, [role_set for role_set in role_sets if role_set.spot == 0], sizing)
    most = _VCPUS_MOST // len(slots)
    masters = [_shadowed(slot, (primary, shadow), sizing, request, most) for slot in slots]
    masters += [
        _unshadowed(slot, first[role_set.spot], sizing, request)
        for role_set in role_sets
        if role_set.spot
        for slot in master_slots.together(first[role_set.spot], [role_set], sizing)
    ]
    return tuple(masters)


def _hosts(order: Iterator[Spot]) -> list[Spot]:
    """The primaries' host, the shadows' of the same group, on another rack where it can be, and one more."""
    seen = list(islice(order, _LOOKED_AT))
    primary = seen.pop(0)
    twins = [spot for spot in seen if spot.group is primary.group]
    if not twins:
        problem = f"ft needs two identical hosts, for primaries and shadows, but {primary.group.name} has one"
        raise UserError(_FLAG, problem, "give another host of its kind, or --protect-masters none")
    # The racks of one group take turns, so that the next of its hosts is on another rack where there is one.
    shadow = twins[0]
    return [primary, shadow, *(spot for spot in seen if spot is not shadow)][:3]


def _slots(spot: Spot, role_sets: Sequence[RoleSet], sizing: Sizing) -> list[Slot]:
    if spot.layout is None:
        return [Slot(*master_slots.joined_roles([role_set]), (), shares=False) for role_set in role_sets]
    return master_slots.own_slots(spot, role_sets, sizing, apart=True)


def _shadowed(
    slot: Slot, hosts: tuple[Spot, Spot], sizing: Sizing, request: PlanRequest, vcpus_most: int
) -> Master:
    primary, shadow = hosts
    room = sizing.of(slot.takes)
    if primary.layout is None:
        least = sizing.own_place(slot.roles)
        room = Need(least.vcpus, min(least.memory_bytes, primary.group.memory_bytes // 2))
    where = place_text(primary, slot, sizing)
    reason = rules.text(_FAULT_TOLERANCE, "shadow", where=where, host=shadow.host, most=_VCPUS_MOST)
    return master(primary, slot, sizing, request, rule=rules[_FAULT_TOLERANCE], reason=reason).model_copy(
        update={
            "address": virtual_name(primary.host, request.machine(slot.name)),
            "shadow_host": shadow.host,
            "vcpus": min(room.vcpus, vcpus_most),
            "memory_bytes": min(room.memory_bytes, _MEMORY_MOST),
        }
    )


def _unshadowed(slot: Slot, spot: Spot, sizing: Sizing, request: PlanRequest) -> Master:
    where = place_text(spot, slot, sizing)
    reason = rules.text(_FAULT_TOLERANCE, "no-shadow", where=where, most=MANAGER_UP_TO)
    return master(spot, slot, sizing, request, rule=rules[_FAULT_TOLERANCE], reason=reason)


def place_masters(
    inventory: Inventory, layouts: Sequence[Layout], kinds: Sequence[Worker], request: PlanRequest
) -> tuple[Master, ...]:
    """Every master with its host; raises UserError if the requested protection needs other hosts."""
    by_group = {layout.group: layout for layout in layouts}
    by_name = {kind.name: kind for kind in kinds}
    counted = [
        (by_name[name], group.count)
        for group in inventory.worker_groups
        if group.name in by_group
        for name in by_group[group.name].workers
    ]
    sizing = Sizing(by_name, _heap(inventory, kinds, request), master_heaps(cluster_size(request, counted)))
    least = sizing.own_place((Role.NAMENODE,)).memory_bytes
    order = spots(inventory, by_group, least, master_slots.masters_of_others(request))
    if request.protection is Protection.FT:
        masters = place_tolerant(order, inventory.host_count, request, sizing)
        if remaining_worker_hosts(inventory, by_group, masters) < (request.replication or 1):
            problem = "ft takes whole hosts here, and too few remain for workers"
            hint = "divide the hosts (--workers-per-host 4), give more of them, or --protect-masters none"
            raise UserError("--protect-masters", problem, hint)
        return masters
    first = tuple(islice(order, _MOST_SPOTS))
    if request.protection is Protection.HA and len(first) < _QUORUM:
        raise UserError(
            "--protect-masters",
            f"ha needs {_QUORUM} hosts for JournalNodes and ZooKeepers; masters may be on {len(first)} only",
            f"give {_QUORUM} hosts that serve masters or any, or --protect-masters none",
        )
    # The last attempt shares wherever it can; it needs no host or place of a worker.
    attempts = [
        tuple(_placed(attempt, first, request, sizing)) for attempt in _attempts(inventory, request, first)
    ]
    sharing = attempts[-1]
    # Whether masters that share take little of the smallest worker's memory, on each host.
    roomy = most_shared(sharing) <= _MOST_MEMORY * sizing.smallest_bytes
    disks = sum(group.data_disks * group.count for group in inventory.worker_groups)
    # One host more where HA is to outlast a lost host.
    needed = enough_hosts(inventory, request, spare=1 if request.protection is Protection.HA else 0)
    for masters in attempts:
        enough = remaining_worker_hosts(inventory, by_group, masters) >= needed
        taken = sum(sizing.kinds[kind].data_disks or 0 for seated in masters for kind in seated.takes)
        if enough and (taken <= MOST_DISKS * disks or not roomy):
            return masters
    return sharing


def enough_hosts(inventory: Inventory, request: PlanRequest, spare: int = 0) -> int:
    """Hosts that should have workers: as many as there are replicas, or three, as far as hosts exist."""
    workers = sum(group.count for group in inventory.worker_groups)
    return min(workers, (request.replication or REPLICATION) + spare)


def _heap(inventory: Inventory, kinds: Sequence[Worker], request: PlanRequest) -> int:
    """The NameNode's memory: for full disks, or the usual one if that is little of a worker's memory."""
    raw_bytes = sum(group.data_bytes * group.count for group in inventory.worker_groups)
    blocks = capacity.namespace_blocks(
        raw_bytes, request.replication or REPLICATION, mean_file_bytes=file_bytes(request)
    )
    full = min(capacity.HEAP_MOST, whole_heap(capacity.namenode_heap_bytes(blocks)))
    return max(full, min(capacity.USUAL_HEAP, min(kind.memory_bytes for kind in kinds) // _SPARED))


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


def _placed(
    attempt: _Attempt, first: Sequence[Spot], request: PlanRequest, sizing: Sizing
) -> Iterator[Master]:
    if request.protection is Protection.HA:
        needed = master_slots.highly_available(request, [spot.rack for spot in first], attempt.spread)
    else:
        # All workers are set up like the one that makes checkpoints.
        checkpoints = sizing.beside_workers((Role.SECONDARY_NAMENODE,)).memory_bytes
        room = checkpoints <= sizing.smallest_bytes // _CHECKPOINTS_SHARE
        needed = master_slots.unprotected(request, len(first), attempt.spread, room=room)
    role_sets: dict[int, list[RoleSet]] = {}
    for role_set in needed:
        role_sets.setdefault(role_set.spot, []).append(role_set)
    for index, here in sorted(role_sets.items()):
        spot = first[index]
        owns = spot.layout is None or (
            any(not master_slots.SMALL.issuperset(role_set.roles) for role_set in here)
            and (index < attempt.spread or (attempt.places and spot.divided))
        )
        slots = [Slot(*master_slots.joined_roles(here), (), shares=True)]
        if owns:
            slots = master_slots.own_slots(spot, here, sizing, apart=attempt.spread > 1)
        for slot in slots:
            rule, reason = master_slots.reason_for(spot, slot, sizing, request, attempt.spread)
            yield master(spot, slot, sizing, request, rule=rule, reason=reason)


def keep_places(
    before: Sequence[Master],
    chosen: Sequence[Master],
    spots: Mapping[str, Spot],
    kinds: Sequence[Worker],
    request: PlanRequest,
) -> tuple[Master, ...]:
    """The masters as they were; one whose host is gone takes a place that was chosen and is not taken.

    ``before`` call the workers that make room for them by these workers' own names. ``chosen`` are the
    masters of a plan from nothing for the hosts that there are now, ``spots`` are these hosts by name.
    Raises UserError where a host is divided so that a master's place is not there any more.
    """
    own_names = {kind.name: kind.own_name for kind in kinds}
    slots = {master.name: master for master in chosen}
    taken = {master.host for master in before if master.host in spots}
    free = iter([master for master in chosen if master.host not in taken])

    def kept() -> Iterator[Master]:
        for earlier in before:
            if earlier.host in spots and earlier.shadow_host in (None, *spots):
                yield _in_its_place(earlier, spots[earlier.host], own_names)
                continue
            place = next(free, None)
            if place is None:
                # There is no other host for it, so that nothing can stay as it was.
                return
            yield _moved(earlier, slots.get(earlier.name, place), place, spots, request)

    return tuple(kept())


def _in_its_place(master: Master, spot: Spot, own_names: Mapping[str, str]) -> Master:
    """The master where it is, the kinds of workers that make room called as they are now."""
    remaining = list(spot.layout.workers if spot.layout is not None else ())
    takes = []
    for kind in master.takes:
        called = next((kind_there for kind_there in remaining if own_names[kind_there] == kind), None)
        if called is None:
            raise UserError(
                "--from",
                f"has {master.name} in a worker's place of {master.host} ({kind}), which is now divided "
                f"differently",
                "plan again without --from, or give its former platform: --workers-per-host",
            )
        remaining.remove(called)
        takes.append(called)
    return master.model_copy(update={"takes": tuple(takes)})


def _moved(
    master: Master, slot: Master, place: Master, spots: Mapping[str, Spot], request: PlanRequest
) -> Master:
    """The master elsewhere: with the slot that a plan from nothing gives it, on the host of a free place."""
    same_group = spots[slot.host].group == spots[place.host].group
    template = slot if same_group else place
    update = {
        "name": master.name,
        "roles": master.roles,
        "host": place.host,
        "shadow_host": place.shadow_host,
        "address": master_slots.address_at(spots[place.host], master.name, request, shares=template.shares),
    }
    return template.model_copy(update=update)
