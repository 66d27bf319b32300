"""A master on its host: the workers' places it takes there, its size and its name in the network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

from howdah.model.placement import virtual_name
from howdah.model.plan import Master, Role
from howdah.planner.masters.needs import Need, Sizing
from howdah.planner.masters.posts import Post
from howdah.planner.masters.spots import Spot
from howdah.planner.rule import Rule


class Seat(NamedTuple):
    """Master daemons in one operating system, and the workers' places they take; none where they share."""

    name: str
    roles: tuple[Role, ...]
    takes: tuple[str, ...]
    shares: bool


def joined(posts: Iterable[Post]) -> tuple[str, tuple[Role, ...]]:
    """The first post's name, and the roles of all."""
    here = tuple(posts)
    return here[0].name, tuple(dict.fromkeys(role for post in here for role in post.roles))


def beside(posts: Sequence[Post]) -> list[Seat]:
    """One seat in a worker's operating system."""
    name, roles = joined(posts)
    return [Seat(name, roles, (), shares=True)]


def apart(spot: Spot, posts: Sequence[Post], sizing: Sizing) -> list[Seat] | None:
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
    name, roles = joined(posts)
    places = spot.layout.workers if spot.layout else ()
    if not spot.divided:
        return [Seat(name, roles, places, shares=False)]
    takes = _places(Counter(places), sizing, sizing.place_of_their_own(roles))
    return [Seat(name, roles, takes if takes is not None else places, shares=False)]


def _with_zookeeper(posts: Sequence[Post]) -> list[tuple[str, tuple[Role, ...]]]:
    """The posts, a lone ZooKeeper's joined to the first of the others: it is too small for a place."""
    large = [post for post in posts if post.roles != (Role.ZOOKEEPER,)]
    small = [post for post in posts if post.roles == (Role.ZOOKEEPER,)]
    return [joined([large[0], *small]), *(joined([post]) for post in large[1:])]


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


def master(spot: Spot, seat: Seat, sizing: Sizing, *, rule: Rule, reason: str) -> Master:
    """The seat as a plan keeps it."""
    virtual = spot.layout is not None and spot.layout.virtual
    places = spot.layout.workers if spot.layout else ()
    if seat.shares:
        # The first place keeps its worker: masters take the last ones.
        address = virtual_name(spot.host, "1") if virtual else spot.host
        room = sizing.beside_workers(seat.roles)
    elif virtual:
        address = virtual_name(spot.host, seat.name)
        room = sizing.of(seat.takes)
    else:
        address = spot.host
        room = Need(spot.group.cpu.threads, spot.group.memory_bytes)
    return Master(
        name=seat.name,
        address=address,
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
