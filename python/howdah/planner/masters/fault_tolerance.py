"""Masters under vSphere Fault Tolerance: primaries on one host, shadows on another, room for them on both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from howdah.errors import UserError
from howdah.model.placement import virtual_name
from howdah.model.plan import Master
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.masters.posts import Post, Spot, fault_tolerant
from howdah.planner.masters.seats import (
    Need,
    Seat,
    Sizing,
    join_posts,
    master,
    place_text,
    seats_apart,
    together,
)
from howdah.planner.rules.masters import FAULT_TOLERANCE
from howdah.units import GIB

MANAGER_UP_TO = 276
"""Hosts beyond which the ResourceManager's VM is better large than protected (D1 79, 81)."""

_FLAG = "--protect-masters"
_VCPUS_MOST = 8
_MEMORY_MOST = 128 * GIB
_LOOKED_AT = 64
_LIMITS = (
    f"Fault Tolerance allows {_VCPUS_MOST} vCPUs on a host by default, and as many in a virtual machine with "
    "Enterprise Plus since vSphere 6.7 (2 with other licences)"
)


def place_tolerant(
    order: Iterator[Spot], hosts: int, request: PlanRequest, sizing: Sizing
) -> tuple[Master, ...]:
    """Masters with their shadows' host; raises UserError where Fault Tolerance is not possible."""
    if request.hypervisor in (Hypervisor.NONE, Hypervisor.KVM):
        raise UserError(
            _FLAG,
            f"ft is vSphere's Fault Tolerance, and the hypervisor is {request.hypervisor}",
            "give --protect-masters ha, or --hypervisor vsphere",
        )
    first = _hosts(order)
    primary, shadow = first[:2]
    if primary.layout is not None and not primary.layout.virtual:
        raise UserError(
            _FLAG,
            f"ft protects virtual machines, and the hosts of {primary.group.name} are not divided",
            "--hypervisor vsphere with --workers-per-host 1 or more, or --protect-masters ha",
        )
    managers_too = hosts <= MANAGER_UP_TO or len(first) < 3
    posts = tuple(fault_tolerant(request, managers_too=managers_too))
    seats = _seats(primary, [post for post in posts if post.spot == 0], sizing)
    most = _VCPUS_MOST // len(seats)
    masters = [_shadowed(seat, (primary, shadow), sizing, request, most) for seat in seats]
    masters += [
        _unshadowed(seat, first[post.spot], sizing, request)
        for post in posts
        if post.spot
        for seat in together(first[post.spot], [post], sizing)
    ]
    return tuple(masters)


def _hosts(order: Iterator[Spot]) -> list[Spot]:
    """The primaries' host, the shadows' of the same group, on another rack where it can be, and one more."""
    seen = list(islice(order, _LOOKED_AT))
    primary = seen.pop(0)
    twins = [spot for spot in seen if spot.group is primary.group]
    if not twins:
        raise UserError(
            _FLAG,
            f"ft needs two identical hosts, for primaries and shadows, but {primary.group.name} has one",
            "give another host of its kind, or --protect-masters none",
        )
    # The racks of one group take turns, so that the next of its hosts is on another rack where there is one.
    shadow = twins[0]
    return [primary, shadow, *(spot for spot in seen if spot is not shadow)][:3]


def _seats(spot: Spot, posts: Sequence[Post], sizing: Sizing) -> list[Seat]:
    if spot.layout is None:
        return [Seat(*join_posts([post]), (), shares=False) for post in posts]
    if spot.divided and (seats := seats_apart(spot, posts, sizing)) is not None:
        return seats
    return together(spot, posts, sizing)


def _shadowed(
    seat: Seat, hosts: tuple[Spot, Spot], sizing: Sizing, request: PlanRequest, vcpus_most: int
) -> Master:
    primary, shadow = hosts
    room = sizing.of(seat.takes)
    if primary.layout is None:
        least = sizing.place_of_their_own(seat.roles)
        room = Need(least.vcpus, min(least.memory_bytes, primary.group.memory_bytes // 2))
    reason = (
        f"{_where(seat, primary, sizing)}; its shadow on {shadow.host} runs in step and takes over when "
        f"this host is lost; {_LIMITS}"
    )
    return master(primary, seat, sizing, request, rule=FAULT_TOLERANCE, reason=reason).model_copy(
        update={
            "address": virtual_name(primary.host, request.machine(seat.name)),
            "shadow_host": shadow.host,
            "vcpus": min(room.vcpus, vcpus_most),
            "memory_bytes": min(room.memory_bytes, _MEMORY_MOST),
        }
    )


def _unshadowed(seat: Seat, spot: Spot, sizing: Sizing, request: PlanRequest) -> Master:
    reason = (
        f"{_where(seat, spot, sizing)}; beyond {MANAGER_UP_TO} hosts only the NameNode is protected, and the "
        "ResourceManager has all the processors of its place"
    )
    return master(spot, seat, sizing, request, rule=FAULT_TOLERANCE, reason=reason)


def _where(seat: Seat, spot: Spot, sizing: Sizing) -> str:
    if spot.layout is None:
        return f"the group {spot.group.name} serves masters only"
    return place_text(spot, seat, sizing)
