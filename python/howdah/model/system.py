"""The operating systems of a plan, one by one: what each host or virtual machine runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from howdah.model.placement import PlacedHost
from howdah.model.plan import Plan, Role


class PlacedSystem(NamedTuple):
    """One operating system that a plan's daemons run in: a host, or a virtual machine on one."""

    name: str
    """The host name it answers to."""
    host: str
    """The physical host it is on; itself, where hosts are not divided."""
    group: str
    """The group of hosts."""
    kind: str | None
    """The kind of worker it is; none for masters alone."""
    roles: tuple[Role, ...]
    """The daemons it runs, masters' first."""


def placed_systems(plan: Plan, hosts: Iterable[PlacedHost]) -> Iterator[PlacedSystem]:
    """Every system of the plan, host by host; hosts that carry nothing are left out."""
    roles = {worker.name: worker.roles for worker in plan.workers}
    for host in hosts:
        made: dict[str, PlacedSystem] = {}
        for master in host.masters:
            made[master.address] = PlacedSystem(master.address, host.name, host.group, None, master.roles)
        for worker in host.workers:
            shared = made.get(worker.name)
            own = (*(shared.roles if shared else ()), *roles[worker.kind])
            made[worker.name] = PlacedSystem(
                worker.name, host.name, host.group, worker.kind, tuple(dict.fromkeys(own))
            )
        yield from made.values()
