"""Why a master is where it is, with the rule that puts it there."""

from __future__ import annotations

from howdah.model.plan import Role
from howdah.model.request import PlanRequest, Protection
from howdah.planner.masters.needs import Sizing
from howdah.planner.masters.seats import Seat
from howdah.planner.masters.spots import Spot
from howdah.planner.rule import Rule
from howdah.planner.rules import masters as rules
from howdah.units import format_counted, format_gib


def reason_for(spot: Spot, seat: Seat, sizing: Sizing, request: PlanRequest, spread: int) -> tuple[Rule, str]:
    """The rule and the reason of a seat, when so many hosts are the masters' own."""
    protected = request.protection is Protection.HA
    rule, why = _room(spot, seat, sizing, spread, protected=protected)
    return rule, "; ".join([why, *_company(seat, protected=protected)])


def _room(spot: Spot, seat: Seat, sizing: Sizing, spread: int, *, protected: bool) -> tuple[Rule, str]:
    if spot.layout is None:
        return rules.GROUP, f"the group {spot.group.name} serves masters only"
    if seat.shares:
        if spread and set(seat.roles) <= {Role.JOURNALNODE, Role.ZOOKEEPER}:
            return (
                rules.SHARED,
                "runs beside a worker: it is too small for a host or a worker's place of its own",
            )
        return rules.SHARED, "runs beside a worker: of so few hosts none can be spared for masters alone"
    if spot.divided:
        return rules.OWN_PLACES, place_text(spot, seat, sizing)
    if protected:
        return rules.OWN_HOST, "has the host to itself, so that no task's memory or disk can stop it"
    return rules.OWN_HOST, "all masters share a host of their own, so that no task delays or stops them"


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
    if Role.JOURNALNODE in seat.roles:
        told.append("one of three JournalNodes on three hosts, of which two must agree")
    elif Role.ZOOKEEPER in seat.roles:
        told.append("HBase needs ZooKeeper: on three hosts where there are three, so that one may fail")
    return told
