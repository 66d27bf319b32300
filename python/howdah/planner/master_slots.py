"""Master roles and the slots that they take on hosts: their order, memory, and the workers that make room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import NamedTuple

from howdah.errors import UserError
from howdah.hadoop.daemons import QUORUM
from howdah.model.hostname import expand_all
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.placement import virtual_name
from howdah.model.plan import Layout, Master, Role, Worker
from howdah.model.request import PlanRequest, Protection
from howdah.planner.heap import HEAP_OF_MEMORY, SYSTEM_BYTES
from howdah.planner.rule import Rule
from howdah.planner.rules.masters import rules
from howdah.units import GIB, format_counted, format_gib

_QUORUM_HOSTS = 3
SMALL = frozenset({Role.ZOOKEEPER, Role.SECONDARY_NAMENODE})
"""Daemons that need no separate place if they are alone."""


class RoleSet(NamedTuple):
    """Daemons that share a host, and the number of their host for masters, from 0."""

    name: str
    roles: tuple[Role, ...]
    spot: int


class Spot(NamedTuple):
    """A host that may carry masters; its layout is None where it carries nothing else."""

    host: str
    group: HostGroup
    layout: Layout | None
    rack: str | None

    @property
    def divided(self) -> bool:
        """Whether workers share the host, so that a master may be placed next to them."""
        return self.layout is not None and self.layout.virtual and len(self.layout.workers) > 1


PLACE_VCPUS = 4
"""Masters use at most a fifth of a core (D0 58); four let them collect garbage and answer at once."""
PLACE_BYTES = 16 * GIB  # The least memory of a place for masters.


class Need(NamedTuple):
    """Virtual CPUs and bytes of memory."""

    vcpus: int
    memory_bytes: int


class Sizing(NamedTuple):
    """What sizes are reckoned from: kinds of workers by name, heaps of the NameNode and of other masters."""

    kinds: Mapping[str, Worker]
    namenode_heap_bytes: int
    heaps: Mapping[Role, int]

    @property
    def smallest_bytes(self) -> int:
        """The memory of the smallest worker."""
        return min(kind.memory_bytes for kind in self.kinds.values())

    def beside_workers(self, roles: Iterable[Role]) -> Need:
        """What daemons take of a worker that they share."""
        heaps = sum(self.heaps.get(role, self.namenode_heap_bytes) for role in roles)
        return Need(1, round(heaps / HEAP_OF_MEMORY))

    def own_place(self, roles: Iterable[Role]) -> Need:
        """What an operating system for these daemons alone should have at least."""
        daemons = self.beside_workers(roles)
        return Need(PLACE_VCPUS, max(PLACE_BYTES, daemons.memory_bytes + SYSTEM_BYTES))

    def of(self, takes: Iterable[str]) -> Need:
        """What workers' places have together."""
        workers = [self.kinds[kind] for kind in takes]
        vcpus, memory = (worker.vcpus or 0 for worker in workers), (worker.memory_bytes for worker in workers)
        return Need(sum(vcpus), sum(memory))


class Slot(NamedTuple):
    """Master daemons in one operating system, and the workers' places they take; none where they share."""

    name: str
    roles: tuple[Role, ...]
    takes: tuple[str, ...]
    shares: bool


def unprotected(request: PlanRequest, hosts: int, spread: int, *, room: bool) -> Iterator[RoleSet]:
    """One of each master, on ``spread`` hosts or places of their own; beside workers where that is 0.

    The copy of the namespace goes where the NameNode is not (D2 157): to the ResourceManager where that has
    a place of its own on another host, else beside a worker, where workers have ``room`` for it.
    """
    checkpoints = (Role.SECONDARY_NAMENODE,)
    with_manager = spread > 1 and request.mapreduce
    on_another_host = not with_manager and hosts > 1 and (spread == 0 or room)
    apart = with_manager or on_another_host
    yield RoleSet("nn1", (Role.NAMENODE, *(() if apart else checkpoints), *_hmaster(request)), 0)
    if on_another_host:
        yield RoleSet("snn1", checkpoints, 1)
    if request.mapreduce:
        manager = (Role.RESOURCEMANAGER, Role.JOB_HISTORY, *(checkpoints if with_manager else ()))
        yield RoleSet("rm1", manager, 1 if spread > 1 else 0)
    if request.hbase_used:
        # Two ZooKeepers survive nothing that one does not: it is three, or one.
        for spot in range(_QUORUM_HOSTS if hosts >= _QUORUM_HOSTS else 1):
            yield RoleSet(f"zk{spot + 1}", (Role.ZOOKEEPER,), spot)


def highly_available(request: PlanRequest, racks: Sequence[str | None], spread: int) -> Iterator[RoleSet]:
    """Two of each master and a quorum of three; ``racks`` are those of at least three hosts."""
    namenode = (Role.NAMENODE, Role.FAILOVER_CONTROLLER, *QUORUM, *_hmaster(request))
    yield RoleSet("nn1", namenode, 0)
    yield RoleSet("nn2", namenode, 1)
    if not request.mapreduce:
        yield RoleSet("jn3", QUORUM, 2)
        return
    manager = (Role.RESOURCEMANAGER, Role.JOB_HISTORY)
    if spread < _QUORUM_HOSTS:
        # Both hosts run both kinds of masters; finished jobs go where the standby NameNode starts.
        yield RoleSet("jn3", QUORUM, 2)
        yield RoleSet("rm1", (Role.RESOURCEMANAGER,), 0)
        yield RoleSet("rm2", manager, 1)
        return
    yield RoleSet("rm1", (*manager, *QUORUM), 2)
    fallback = (3, 1, 0) if spread > _QUORUM_HOSTS else (1, 0)
    standby = next((spot for spot in fallback if racks[spot] != racks[2]), fallback[0])
    yield RoleSet("rm2", (Role.RESOURCEMANAGER,), standby)


def fault_tolerant(request: PlanRequest, *, managers_too: bool) -> Iterator[RoleSet]:
    """Every master on the first host, and an unprotected ResourceManager on the third."""
    zookeeper = (Role.ZOOKEEPER,) if request.hbase_used else ()
    yield RoleSet("nn1", (Role.NAMENODE, Role.SECONDARY_NAMENODE, *_hmaster(request), *zookeeper), 0)
    if request.mapreduce:
        yield RoleSet("rm1", (Role.RESOURCEMANAGER, Role.JOB_HISTORY), 0 if managers_too else 2)


def _hmaster(request: PlanRequest) -> tuple[Role, ...]:
    return (Role.HMASTER,) if request.hbase_used else ()


def masters_of_others(request: PlanRequest) -> frozenset[str]:
    """The hosts that carry masters of other clusters, in small letters."""
    neighbours = request.sharing.beside if request.sharing is not None else ()
    return frozenset(host.lower() for neighbour in neighbours for host in expand_all(neighbour.masters_on))


def spots(
    inventory: Inventory, layouts: Mapping[str, Layout], memory_bytes: int, avoided: Collection[str] = ()
) -> Iterator[Spot]:
    """Hosts for masters that need so much memory, lazily; raises UserError where every host serves workers.

    Of the groups that serve any purpose, those come first that have the memory and the least storage to
    lose. Racks take turns, so that the first hosts are on as many racks as there are. Hosts to be avoided
    come after all others.
    """
    masters_only = [group for group in inventory.groups if group.serves == "masters"]
    mixed = [group for group in inventory.groups if group.serves == "any"]
    if not masters_only and not mixed:
        hint = "set one group to `serves: masters` or `any`"
        raise UserError("groups", "every group serves workers only", hint)
    mixed.sort(key=lambda group: (group.memory_bytes < memory_bytes, group.data_bytes))
    used = {rack for group in masters_only for rack in group.racks}
    for late in (False, True) if avoided else (False,):
        order = chain(_in_turn(masters_only, {}, frozenset()), _in_turn(mixed, layouts, used))
        yield from (spot for spot in order if (spot.host.lower() in avoided) is late)


def spots_by_host(inventory: Inventory, layouts: Mapping[str, Layout]) -> dict[str, Spot]:
    """Every host, whatever it serves, by its name."""
    return {spot.host: spot for spot in _in_turn(inventory.groups, layouts, frozenset())}


def _in_turn(
    groups: Sequence[HostGroup], layouts: Mapping[str, Layout], last: frozenset[str] | set[str]
) -> Iterator[Spot]:
    queues: dict[str | None, list[Iterator[Spot]]] = {}
    for group in groups:
        racks = group.racks or (None,)
        for position, rack in enumerate(racks):
            queues.setdefault(rack, []).append(
                _on_rack(group, layouts.get(group.name), rack, position, group.count // len(racks))
            )
    # Racks that already hold masters come last in each turn.
    turns = [chain(*queues[rack]) for rack in sorted(queues, key=lambda rack: rack in last)]
    while turns:
        for turn in tuple(turns):
            spot = next(turn, None)
            if spot is None:
                turns.remove(turn)
            else:
                yield spot


def _on_rack(
    group: HostGroup, layout: Layout | None, rack: str | None, position: int, hosts: int
) -> Iterator[Spot]:
    for index in range(position * hosts, (position + 1) * hosts):
        yield Spot(group.names[index], group, layout, rack)


def joined_roles(role_sets: Iterable[RoleSet]) -> tuple[str, tuple[Role, ...]]:
    """The first set's name, and the roles of all."""
    joined = tuple(role_sets)
    return joined[0].name, tuple(dict.fromkeys(role for role_set in joined for role in role_set.roles))


def separate_slots(spot: Spot, role_sets: Sequence[RoleSet], sizing: Sizing) -> list[Slot] | None:
    """One slot for each set of roles on a divided host; None where the host has no room for so many."""
    free = Counter(spot.layout.workers if spot.layout else ())
    slots: list[Slot] = []
    large = [role_set for role_set in role_sets if role_set.roles != (Role.ZOOKEEPER,)]
    small = [role_set for role_set in role_sets if role_set.roles == (Role.ZOOKEEPER,)]
    # A lone ZooKeeper is too small for a place, and joins the first of the others.
    for name, roles in map(joined_roles, [[large[0], *small], *([role_set] for role_set in large[1:])]):
        takes = _places(free, sizing, sizing.own_place(roles))
        if takes is None:
            return None
        free -= Counter(takes)
        slots.append(Slot(name, roles, takes, shares=False))
    return slots


def together(spot: Spot, role_sets: Sequence[RoleSet], sizing: Sizing) -> list[Slot]:
    """One slot for all roles: in as few places as suffice, or the whole host."""
    name, roles = joined_roles(role_sets)
    places = spot.layout.workers if spot.layout else ()
    if not spot.divided:
        return [Slot(name, roles, places, shares=False)]
    takes = _places(Counter(places), sizing, sizing.own_place(roles))
    return [Slot(name, roles, takes if takes is not None else places, shares=False)]


def own_slots(spot: Spot, role_sets: Sequence[RoleSet], sizing: Sizing, *, apart: bool) -> list[Slot]:
    """A slot for each set of roles if they shall be ``apart`` and the host has room, else one for all."""
    slots = separate_slots(spot, role_sets, sizing) if apart and spot.divided else None
    return slots or together(spot, role_sets, sizing)


def _places(free: Counter[str], sizing: Sizing, need: Need) -> tuple[str, ...] | None:
    """The smallest of the free places that suffice together; None where even all of them do not."""
    names = sorted(free)
    best: tuple[str, ...] | None = None
    for counts in product(*(range(free[name] + 1) for name in names)):
        takes = tuple(name for name, count in zip(names, counts, strict=True) for _ in range(count))
        place = sizing.of(takes)
        if place.vcpus < need.vcpus or place.memory_bytes < need.memory_bytes:
            continue
        if best is None or place.memory_bytes < sizing.of(best).memory_bytes:
            best = takes
    return best


def master(
    spot: Spot, slot: Slot, sizing: Sizing, request: PlanRequest, *, rule: Rule, reason: str
) -> Master:
    """The slot as a plan keeps it."""
    places = spot.layout.workers if spot.layout else ()
    if slot.shares:
        room = sizing.beside_workers(slot.roles)
    elif spot.layout is not None and spot.layout.virtual:
        room = sizing.of(slot.takes)
    else:
        room = Need(spot.group.cpu.threads, spot.group.memory_bytes)
    whole_host = not slot.shares and len(slot.takes) == len(places)
    address = address_at(spot, slot.name, request, shares=slot.shares)
    fields = {**slot._asdict(), **room._asdict(), "address": address, "whole_host": whole_host}
    return Master(**fields, host=spot.host, rule=rule.id, reason=reason)


def address_at(spot: Spot, name: str, request: PlanRequest, *, shares: bool) -> str:
    """The host name that a master of this name answers to there."""
    if spot.layout is None or not spot.layout.virtual:
        return spot.host
    # The first place keeps its worker: masters take the last ones.
    return virtual_name(spot.host, request.machine("1" if shares else name))


def reason_for(spot: Spot, slot: Slot, sizing: Sizing, request: PlanRequest, spread: int) -> tuple[Rule, str]:
    """The rule and the reason of a slot, when so many hosts are the masters' own."""
    protected = request.protection is Protection.HA
    if spot.layout is None or (spot.divided and not slot.shares):
        rule, why = "masters.own-places" if spot.layout else "masters.group", place_text(spot, slot, sizing)
    elif slot.shares:
        small = spread and set(slot.roles) <= {Role.JOURNALNODE, *SMALL}
        rule, why = "masters.shared", rules.text("masters.shared", "small" if small else "idle")
    else:
        rule, why = "masters.own-host", rules.text("masters.own-host", "protected" if protected else "all")
    return rules[rule], "; ".join([why, *_company(slot, protected=protected)])


def place_text(spot: Spot, slot: Slot, sizing: Sizing) -> str:
    """How many of the host's places a slot takes, and what they are; or that its group serves masters."""
    if spot.layout is None:
        return rules.text("masters.group", group=spot.group)
    place, places = sizing.of(slot.takes), spot.layout.workers
    size = f"{place.vcpus} vCPUs, {format_gib(place.memory_bytes)}"
    if len(slot.takes) == len(places):
        return rules.text("masters.own-places", "whole", size=size)
    counted = format_counted(len(places), "place")
    return rules.text("masters.own-places", "part", taken=len(slot.takes), places=counted, size=size)


def _company(slot: Slot, *, protected: bool) -> Iterator[str]:
    if protected and Role.NAMENODE in slot.roles:
        yield "the other NameNode is on another host"
    if protected and Role.RESOURCEMANAGER in slot.roles:
        yield "the other ResourceManager is on another host"
    if Role.SECONDARY_NAMENODE in slot.roles and Role.NAMENODE not in slot.roles:
        yield "the checkpoints are a copy of the NameNode's metadata on another host than its own"
    if Role.JOURNALNODE in slot.roles:
        yield "one of three JournalNodes on three hosts, of which two must agree"
    elif Role.ZOOKEEPER in slot.roles:
        yield "HBase needs ZooKeeper: on three hosts where there are three, so that one may fail"
