"""Shared hosts: the network that several labs share, and the labs on them.

The plan of such a lab has a part of its hosts. The switch, and the bridges and uplinks of virtualised hosts,
have the name of the shared hosts (``lot`` in files) instead of the lab's. Everything else is separate:
machines with their cables, groups and disks. Plans assign each part of a host once, so the limits together
fit the host. The registry has the labs on shared hosts; the last one removes the hosts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv4Address
from itertools import chain, count
from typing import NamedTuple

from howdah.errors import UserError
from howdah.lab import registry
from howdah.lab.kernel import network
from howdah.lab.registry import Entry, Leftover
from howdah.lab.state import CLIENT_ADDRESS, NETWORK, HostSpec, LabState, read_state
from howdah.units import listed

_MOST_LABS = 15
_ADDRESSES = 4096  # Of machines in each lab; addresses of clients count down from the last one.


class LabPlace(NamedTuple):
    """The hosts of a new lab: its own, or shared ones."""

    lot: str | None = None
    seat: int = 0
    neighbours: tuple[LabState, ...] = ()  # The labs that are on these hosts already.

    @property
    def first_machine(self) -> IPv4Address:
        return NETWORK + self.seat * _ADDRESSES

    @property
    def client_address(self) -> IPv4Address:
        return IPv4Address(CLIENT_ADDRESS) - self.seat

    @property
    def cpu_share(self) -> float | None:
        """CPUs of time for each planned thread in the labs on these hosts; None if there are none."""
        for lab in self.neighbours:
            for machine in lab.spec.machines if lab.spec else ():
                if machine.cpus is not None:
                    return machine.cpus / lab.machine(machine.name).threads
        return None

    def cabled(self, hosts: Sequence[HostSpec]) -> tuple[HostSpec, ...]:
        """Return the hosts with a number for each cable: that of other labs, or an unused one."""
        if self.lot is None:
            return tuple(hosts)
        specs = [lab.spec for lab in self.neighbours if lab.spec is not None]
        numbers = {host.name: network.cable_number(spec, host) for spec in specs for host in spec.hosts}
        free = (number for number in count(1) if number not in numbers.values())
        cables = [numbers.get(host.name) or next(free) for host in hosts]
        pairs = zip(hosts, cables, strict=True)
        return tuple(host.model_copy(update={"cable": cable}) for host, cable in pairs)


def first_place(name: str, *, shares: bool) -> LabPlace:
    """Return the place of a lab that is the first on its hosts; ``shares``: other labs may share them.

    Raises UserError if labs are still on the hosts of an earlier lab of this name.
    """
    lot = registry.shared_name(name)
    if shares and (labs := [entry.name for entry in registry.labs_on(lot)]):
        problem = f"belonged to an earlier lab, whose hosts are still used by {listed(labs)}"
        hint = f"give --beside {labs[0]} to use these hosts again, or another name"
        raise UserError(f"--name {name}", problem, hint)
    return LabPlace(lot if shares else None)


def place_with(name: str, neighbour: str) -> LabPlace:
    """Return a place on the hosts of a running lab; raise UserError if its hosts cannot be shared."""
    flag = f"--beside {neighbour}"
    if name == neighbour:
        raise UserError(flag, "is this lab itself", "give this lab another --name")
    entry = registry.entry(neighbour)
    state = read_state(entry.directory) if entry else None
    if entry is None or state is None or not state.complete:
        up = [candidate.name for candidate in registry.entries() if candidate.name != name]
        hint = f"one of {', '.join(up)}" if up else "build it first: howdah lab up PLAN"
        raise UserError(flag, "no such lab is up" if state is None else "is not complete", hint)
    if state.rootless:
        raise UserError(flag, "was built without root, so it has no hosts to share", "build both as root")
    if entry.lot is None:
        problem = "shares no hosts: its plan does not share them, or was scaled down to fit this machine"
        hint = "plan both clusters with --share and --beside, for hosts that fit this machine unscaled"
        raise UserError(flag, problem, hint)
    members = registry.labs_on(entry.lot)
    free = set(range(_MOST_LABS)) - {member.seat for member in members}
    if not free:
        problem = f"is one of {len(members)} labs on the same hosts"
        raise UserError(flag, problem, f"at most {_MOST_LABS} labs can share hosts")
    return LabPlace(entry.lot, min(free), tuple(_states(members)))


def register(state: LabState) -> None:
    """Write a lab's entry; raise UserError if another lab took its addresses in the meantime."""
    if state.spec is None or state.spec.lot is None:
        registry.register(state.name, state.directory)
        return
    lot = state.spec.lot
    with registry.shared_hosts_locked(lot):
        for member in registry.labs_on(lot):
            if member.name != state.name and member.seat == state.seat:
                problem = f"has the same addresses as {member.name}, which uses the same hosts"
                hint = f"howdah lab down --name {state.name}, then up again --beside {member.name}"
                raise UserError(f'lab "{state.name}"', problem, hint)
        registry.register(state.name, state.directory, lot, state.seat)


def leave(name: str) -> tuple[Leftover, ...]:
    """Remove a lab's entry, and the parts of its shared hosts that no other lab uses.

    Its own processes have ended. Returns the parts that remain; the entry then stays.
    """
    if os.geteuid() != 0:
        # Without root there are no hosts; shared hosts of that name are root's.
        registry.unregister(name)
        return ()
    entry = registry.entry(name)
    remaining: tuple[Leftover, ...] = ()
    for lot in _shared_names(name, entry):
        with registry.shared_hosts_locked(lot):
            used = _used(lot, name)
            remaining += network.remove(lot, used) if used is not None else ()
            if not remaining and entry is not None and entry.lot == lot:
                registry.unregister(name)
    if not remaining:
        registry.unregister(name)
    return remaining


def shared_leftovers(name: str) -> tuple[Leftover, ...]:
    """Return the existing parts of a lab's shared hosts that no other lab uses."""
    lots = ((lot, _used(lot, name)) for lot in _shared_names(name, registry.entry(name)))
    spaces = (network.leftover_spaces(lot, used) for lot, used in lots if used is not None)
    return tuple(chain.from_iterable(spaces))


def labs_sharing_hosts(state: LabState) -> tuple[LabState, ...]:
    if state.spec is None or state.spec.lot is None:
        return ()
    members = registry.labs_on(state.spec.lot)
    return tuple(_states(member for member in members if member.name != state.name))


def shared_with(state: LabState) -> Mapping[str, tuple[str, ...]]:
    """Return the virtualised hosts that other labs use, too, by those labs."""
    own, labs = _virtual(state), labs_sharing_hosts(state)
    hosts_by_lab = {lab.name: tuple(host for host in own if host in _virtual(lab)) for lab in labs}
    return {name: hosts for name, hosts in hosts_by_lab.items() if hosts}


def labs_by_host(state: LabState) -> Mapping[str, tuple[str, ...]]:
    """Return the other labs on each host that is shared at this moment."""
    shared = shared_with(state)
    hosts = dict.fromkeys(host for hosts in shared.values() for host in hosts)
    return {host: tuple(lab for lab, theirs in shared.items() if host in theirs) for host in hosts}


def refuse_shared(state: LabState, action: str) -> None:
    """Raise UserError while other labs are on the hosts, because the change would affect them."""
    if names := listed(lab.name for lab in labs_sharing_hosts(state)):
        problem = f"shares its hosts with {names}: {action}"
        raise UserError(f'lab "{state.name}"', problem, f"take down {names} first")


def _virtual(state: LabState) -> tuple[str, ...]:
    return tuple(host.name for host in state.spec.hosts if host.virtual) if state.spec else ()


def _states(members: Iterable[Entry]) -> Iterator[LabState]:
    for member in members:
        # A lab without its directory can still be taken down by its name.
        with suppress(UserError):
            if (state := read_state(member.directory)) is not None:
                yield state


def _shared_names(name: str, entry: Entry | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*([entry.lot] if entry and entry.lot else []), registry.shared_name(name)]))


def _used(lot: str, leaver: str) -> frozenset[str] | None:
    """Return the namespaces of shared hosts that other labs use; None if a lab's state is unreadable."""
    members = [member for member in registry.labs_on(lot) if member.name != leaver]
    specs = [state.spec for state in _states(members) if state.spec is not None]
    if len(specs) < len(members):
        return None
    return frozenset[str]().union(*map(network.shared_spaces, specs))
