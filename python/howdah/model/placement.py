"""Every host and worker of a plan, one by one: what a plan holds folded, unfolded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.hostname import expand_all
from howdah.model.plan import Cluster, Layout, Master, Plan, Role

_LONGEST_LABEL = 63
_LONGEST_NAME = 253


class PlacedWorker(NamedTuple):
    """One worker: its host name, its kind, the host it is on and that host's rack."""

    name: str
    kind: str
    host: str
    rack: str


class PlacedHost(NamedTuple):
    """One physical host and what it carries; ``shadows`` are masters whose Fault Tolerance shadow is here."""

    name: str
    group: str
    rack: str
    workers: tuple[PlacedWorker, ...]
    masters: tuple[Master, ...]
    shadows: tuple[Master, ...]


def placed_hosts(cluster: Cluster) -> Iterator[PlacedHost]:
    """Every host of the plan in the inventory's order."""
    racks = {host: rack.name for rack in cluster.topology.racks for host in expand_all(rack.hosts)}
    layouts = {layout.group: layout for layout in cluster.layouts}
    masters: dict[str, list[Master]] = {}
    shadows: dict[str, list[Master]] = {}
    for master in cluster.masters:
        masters.setdefault(master.host, []).append(master)
        if master.shadow_host is not None:
            shadows.setdefault(master.shadow_host, []).append(master)
    for group in cluster.inventory.groups:
        layout = layouts.get(group.name)
        for host in group.names:
            here, shadowed = tuple(masters.get(host, ())), tuple(shadows.get(host, ()))
            rack = racks[host]
            named = partial(_machine, cluster, host)
            workers = _workers(named, host, rack, layout, (*here, *shadowed)) if layout else ()
            yield PlacedHost(host, group.name, rack, workers, here, shadowed)


def placed_workers(cluster: Cluster) -> Iterator[PlacedWorker]:
    """Every worker of the plan in the inventory's order."""
    for host in placed_hosts(cluster):
        yield from host.workers


def virtual_name(host: str, suffix: str) -> str:
    """The name of a virtual machine on a host: ``w01.example.com`` and ``1`` make ``w01-1.example.com``.

    Raises UserError where the host's name leaves no room for the suffix.
    """
    label, dot, domain = host.partition(".")
    name = f"{label}-{suffix}{dot}{domain}"
    if len(label) + 1 + len(suffix) > _LONGEST_LABEL or len(name) > _LONGEST_NAME:
        raise UserError(
            f"host {host}",
            f"a virtual machine on it would be called {name}, which is too long for a host name",
            f"at most {_LONGEST_LABEL} characters between dots, and {_LONGEST_NAME} in all",
        )
    return name


def _machine(cluster: Cluster, host: str, number: int) -> str:
    return virtual_name(host, cluster.request.machine(str(number)))


def _workers(
    named: Callable[[int], str], host: str, rack: str, layout: Layout, masters: tuple[Master, ...]
) -> tuple[PlacedWorker, ...]:
    if any(master.whole_host for master in masters):
        return ()
    if not layout.virtual:
        return tuple(PlacedWorker(host, kind, host, rack) for kind in layout.workers)
    freed = Counter(kind for master in masters for kind in master.takes)
    remaining: list[PlacedWorker] = []
    # The last places of a kind are the ones that make room, so that names do not depend on masters.
    for number, kind in reversed(list(enumerate(layout.workers, start=1))):
        if freed[kind]:
            freed[kind] -= 1
        else:
            remaining.append(PlacedWorker(named(number), kind, host, rack))
    return tuple(reversed(remaining))


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
