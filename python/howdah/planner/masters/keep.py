"""Masters of a cluster that is changed: who can stay where it is stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from howdah.errors import UserError
from howdah.model.plan import Master, Worker
from howdah.model.request import PlanRequest
from howdah.planner.masters.posts import Spot
from howdah.planner.masters.seats import address_at


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
    seats = {master.name: master for master in chosen}
    taken = {master.host for master in before if master.host in spots}
    free = iter([master for master in chosen if master.host not in taken])

    def kept() -> Iterator[Master]:
        for master in before:
            if master.host in spots and master.shadow_host in (None, *spots):
                yield _in_its_place(master, spots[master.host], own_names)
                continue
            place = next(free, None)
            if place is None:
                # There is no other host for it, so that nothing can stay as it was.
                return
            yield _moved(master, seats.get(master.name, place), place, spots, request)

    return tuple(kept())


def _in_its_place(master: Master, spot: Spot, own_names: Mapping[str, str]) -> Master:
    """The master where it is, the kinds of workers that make room called as they are now."""
    left = list(spot.layout.workers if spot.layout is not None else ())
    takes = []
    for kind in master.takes:
        called = next((one for one in left if own_names[one] == kind), None)
        if called is None:
            raise UserError(
                "--from",
                f"has {master.name} in a worker's place of {master.host} ({kind}), which is now divided "
                f"differently",
                "plan again without --from, or give its former platform: --workers-per-host",
            )
        left.remove(called)
        takes.append(called)
    return master.model_copy(update={"takes": tuple(takes)})


def _moved(
    master: Master, seat: Master, place: Master, spots: Mapping[str, Spot], request: PlanRequest
) -> Master:
    """The master elsewhere: with the seat that a plan from nothing gives it, on the host of a free place."""
    alike = spots[seat.host].group == spots[place.host].group
    found = seat if alike else place
    update = {
        "name": master.name,
        "roles": master.roles,
        "host": place.host,
        "shadow_host": place.shadow_host,
        "address": address_at(spots[place.host], master.name, request, shares=found.shares),
    }
    return found.model_copy(update=update)
