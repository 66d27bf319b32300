"""Masters of a cluster that is changed: who can stay where it is stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.placement import virtual_name
from howdah.model.plan import Layout, Master
from howdah.model.request import PlanRequest


class HostGround(NamedTuple):
    """What masters stand on: every host's group, how groups are divided, and what was asked for."""

    groups: Mapping[str, str]
    """The group of each host, by the host's name."""
    layouts: Mapping[str, Layout]
    """How each group is divided; those of masters alone are not."""
    request: PlanRequest

    def layout(self, host: str) -> Layout | None:
        """How a host is divided; None where it has no workers."""
        return self.layouts.get(self.groups.get(host, ""))


def host_ground(inventory: Inventory, layouts: Sequence[Layout], request: PlanRequest) -> HostGround:
    """The ground of a plan."""
    groups = {host: group.name for group in inventory.groups for host in group.names}
    return HostGround(groups, {layout.group: layout for layout in layouts}, request)


def keep_places(before: Sequence[Master], chosen: Sequence[Master], on: HostGround) -> tuple[Master, ...]:
    """The masters as they were; one whose host is gone takes a place that was chosen and is not taken.

    ``chosen`` are those of a plan from nothing for the hosts that there are now. Raises UserError where a
    host is divided so that a master's place is not there any more.
    """
    taken = {master.host for master in before if master.host in on.groups}
    free = iter([master for master in chosen if master.host not in taken])
    return tuple(_kept(before, chosen, free, on))


def _kept(
    before: Sequence[Master], chosen: Sequence[Master], free: Iterator[Master], on: HostGround
) -> Iterator[Master]:
    own = {master.name: master for master in chosen}
    for master in before:
        if master.host in on.groups and master.shadow_host in (None, *on.groups):
            yield _in_its_place(master, on)
            continue
        place = next(free, None)
        if place is None:
            # There is no other host for it, so that nothing can stay as it was.
            return
        yield _moved(master, own.get(master.name, place), place, on)


def _in_its_place(master: Master, on: HostGround) -> Master:
    """The master where it is, the kinds of workers that make room called as they are now."""
    layout = on.layout(master.host)
    if layout is None or not layout.virtual or not master.takes:
        return master
    left = list(layout.workers)
    takes = []
    for kind in master.takes:
        # With several groups of hosts a kind bears its group's name.
        called = next((one for one in left if one == kind or _bears(one, kind) or _bears(kind, one)), None)
        if called is None:
            raise UserError(
                "--from",
                f"has {master.name} in a worker's place of {master.host} ({kind}), and that is divided "
                "otherwise now",
                "plan anew, without --from, or ask for the platform that it had: --workers-per-host",
            )
        left.remove(called)
        takes.append(called)
    return master.model_copy(update={"takes": tuple(takes), "whole_host": not left})


def _bears(kind: str, other: str) -> bool:
    return kind.endswith(f"-{other}")


def _moved(master: Master, seat: Master, place: Master, on: HostGround) -> Master:
    """The master elsewhere: with the seat that a plan from nothing gives it, on the host of a free place."""
    alike = on.groups.get(seat.host) == on.groups.get(place.host)
    found = seat if alike else place
    update = {
        "name": master.name,
        "roles": master.roles,
        "host": place.host,
        "shadow_host": place.shadow_host,
        "address": _address(master.name, place.host, on, shares=found.shares),
    }
    return found.model_copy(update=update)


def _address(name: str, host: str, on: HostGround, *, shares: bool) -> str:
    layout = on.layout(host)
    if layout is None or not layout.virtual:
        return host
    return virtual_name(host, on.request.machine("1" if shares else name))
