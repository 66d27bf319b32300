"""A master on its host: what it needs, the workers' places it takes there, its name, and why it is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from howdah.model.placement import virtual_name
from howdah.model.plan import Master, Role, Worker
from howdah.model.request import PlanRequest, Protection
from howdah.planner.master_heaps import HEAP_OF_MEMORY, SYSTEM_BYTES
from howdah.planner.masters.posts import SMALL, Post, Spot
from howdah.planner.rule import Rule
from howdah.planner.rules import masters as rules
from howdah.units import GIB, format_counted, format_gib

PLACE_VCPUS = 4
"""Masters use at most a fifth of a core (D0 58); four let them collect garbage and answer at once."""
PLACE_BYTES = 16 * GIB
"""The least memory of a place for masters."""


class Need(NamedTuple):
    """Virtual CPUs and bytes of memory."""

    vcpus: int
    memory_bytes: int


class Sizing(NamedTuple):
    """What sizes are reckoned from: kinds of workers by name, heaps of the NameNode and of other masters."""

    kinds: Mapping[str, Worker]
    namenode_heap_bytes: int
    heaps: Mapping[Role, int]

    def beside_workers(self, roles: Iterable[Role]) -> Need:
        """What daemons take of a worker that they share."""
        heaps = sum(self.heaps.get(role, self.namenode_heap_bytes) for role in roles)
        return Need(1, round(heaps / HEAP_OF_MEMORY))

    def place_of_their_own(self, roles: Iterable[Role]) -> Need:
        """What an operating system for these daemons alone should have at least."""
        daemons = self.beside_workers(roles)
        return Need(PLACE_VCPUS, max(PLACE_BYTES, daemons.memory_bytes + SYSTEM_BYTES))

    def of(self, takes: Iterable[str]) -> Need:
        """What workers' places have together."""
        workers = [self.kinds[kind] for kind in takes]
        return Need(
            sum(worker.vcpus or 0 for worker in workers), sum(worker.memory_bytes for worker in workers)
        )


class Seat(NamedTuple):
    """Master daemons in one operating system, and the workers' places they take; none where they share."""

    name: str
    roles: tuple[Role, ...]
    takes: tuple[str, ...]
    shares: bool


def join_posts(posts: Iterable[Post]) -> tuple[str, tuple[Role, ...]]:
    """The first post's name, and the roles of all."""
    here = tuple(posts)
    return here[0].name, tuple(dict.fromkeys(role for post in here for role in post.roles))


def seat_with_worker(posts: Sequence[Post]) -> list[Seat]:
    """One seat in a worker's operating system."""
    name, roles = join_posts(posts)
    return [Seat(name, roles, (), shares=True)]


def seats_apart(spot: Spot, posts: Sequence[Post], sizing: Sizing) -> list[Seat] | None:
    """One seat for each post on a divided host; None where the host has no room for so many."""
    free = Counter(spot.layout.workers if spot.layout else ())
    seats: list[Seat] = []
    for name, roles in _with_zookeeper(posts):
        takes = _places(free, sizing, sizing.place_of_their_own(roles))
        if takes is None:
            return None
        free -= Counter(takes)
        seats.append(Seat(name, roles, takes, shares=False))
    return seats


def together(spot: Spot, posts: Sequence[Post], sizing: Sizing) -> list[Seat]:
    """One seat for all posts: in as few places as suffice, or the whole host."""
    name, roles = join_posts(posts)
    places = spot.layout.workers if spot.layout else ()
    if not spot.divided:
        return [Seat(name, roles, places, shares=False)]
    takes = _places(Counter(places), sizing, sizing.place_of_their_own(roles))
    return [Seat(name, roles, takes if takes is not None else places, shares=False)]


def _with_zookeeper(posts: Sequence[Post]) -> list[tuple[str, tuple[Role, ...]]]:
    """The posts, a lone ZooKeeper's joined to the first of the others: it is too small for a place."""
    large = [post for post in posts if post.roles != (Role.ZOOKEEPER,)]
    small = [post for post in posts if post.roles == (Role.ZOOKEEPER,)]
    return [join_posts([large[0], *small]), *(join_posts([post]) for post in large[1:])]


def _places(free: Counter[str], sizing: Sizing, need: Need) -> tuple[str, ...] | None:
    """The smallest of the free places that suffice together; None where even all of them do not."""
    names = sorted(free)
    best: tuple[str, ...] | None = None
    for counts in product(*(range(free[name] + 1) for name in names)):
        takes = tuple(name for name, count in zip(names, counts, strict=True) for _ in range(count))
        there = sizing.of(takes)
        if there.vcpus < need.vcpus or there.memory_bytes < need.memory_bytes:
            continue
        if best is None or there.memory_bytes < sizing.of(best).memory_bytes:
            best = takes
    return best


def master(
    spot: Spot, seat: Seat, sizing: Sizing, request: PlanRequest, *, rule: Rule, reason: str
) -> Master:
    """The seat as a plan keeps it."""
    places = spot.layout.workers if spot.layout else ()
    if seat.shares:
        room = sizing.beside_workers(seat.roles)
    elif spot.layout is not None and spot.layout.virtual:
        room = sizing.of(seat.takes)
    else:
        room = Need(spot.group.cpu.threads, spot.group.memory_bytes)
    return Master(
        name=seat.name,
        address=address_at(spot, seat.name, request, shares=seat.shares),
        roles=seat.roles,
        host=spot.host,
        takes=seat.takes,
        whole_host=not seat.shares and len(seat.takes) == len(places),
        shares=seat.shares,
        vcpus=room.vcpus,
        memory_bytes=room.memory_bytes,
        rule=rule.id,
        reason=reason,
    )


def address_at(spot: Spot, name: str, request: PlanRequest, *, shares: bool) -> str:
    """The host name that a master of this name answers to there."""
    if spot.layout is None or not spot.layout.virtual:
        return spot.host
    # The first place keeps its worker: masters take the last ones.
    return virtual_name(spot.host, request.machine("1" if shares else name))


def reason_for(spot: Spot, seat: Seat, sizing: Sizing, request: PlanRequest, spread: int) -> tuple[Rule, str]:
    """The rule and the reason of a seat, when so many hosts are the masters' own."""
    protected = request.protection is Protection.HA
    rule, why = _room(spot, seat, sizing, spread, protected=protected)
    return rule, "; ".join([why, *_company(seat, protected=protected)])


def _room(spot: Spot, seat: Seat, sizing: Sizing, spread: int, *, protected: bool) -> tuple[Rule, str]:
    if spot.layout is None:
        return rules.GROUP, f"the group {spot.group.name} serves masters only"
    if seat.shares:
        if spread and set(seat.roles) <= {Role.JOURNALNODE, *SMALL}:
            return (
                rules.SHARED,
                "shares a host with a worker: it is too small for a separate host or slot",
            )
        return rules.SHARED, "shares a host with a worker: alone, it would leave over a tenth of disks idle"
    if spot.divided:
        return rules.OWN_PLACES, place_text(spot, seat, sizing)
    if protected:
        return rules.OWN_HOST, "has a separate host, so no task's memory or disk can stop it"
    return rules.OWN_HOST, "all masters share a separate host, so no task delays or stops them"


def place_text(spot: Spot, seat: Seat, sizing: Sizing) -> str:
    """How many of the host's places a seat takes, and what they are."""
    there = sizing.of(seat.takes)
    size = f"{there.vcpus} vCPUs, {format_gib(there.memory_bytes)}"
    places = spot.layout.workers if spot.layout else ()
    if len(seat.takes) == len(places):
        return f"has the whole host to itself ({size}): no task delays it"
    return (
        f"has {len(seat.takes)} of the host's {format_counted(len(places), 'place')} to itself ({size}): "
        "no task delays it, and the rest of the host works"
    )


def _company(seat: Seat, *, protected: bool) -> list[str]:
    told: list[str] = []
    if protected and Role.NAMENODE in seat.roles:
        told.append("the other NameNode is on another host")
    if protected and Role.RESOURCEMANAGER in seat.roles:
        told.append("the other ResourceManager is on another host")
    if Role.SECONDARY_NAMENODE in seat.roles and Role.NAMENODE not in seat.roles:
        told.append("the checkpoints are a copy of the NameNode's metadata on another host than its own")
    if Role.JOURNALNODE in seat.roles:
        told.append("one of three JournalNodes on three hosts, of which two must agree")
    elif Role.ZOOKEEPER in seat.roles:
        told.append("HBase needs ZooKeeper: on three hosts where there are three, so that one may fail")
    return told
