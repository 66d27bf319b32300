"""Lots of hosts: what several laboratories share of their network, and who is on which.

A laboratory of a plan that has a part of its hosts is on a lot: the switch, and the bridges and uplinks of
virtualised hosts, carry the lot's name and not the laboratory's. Everything else is each laboratory's own:
machines with their cables, groups and disks. As their plans give nothing of a host out twice, their limits
together are no more than the host. Who is on a lot is in the registry; the last one takes the lot away.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv4Address
from typing import NamedTuple

from howdah.errors import UserError
from howdah.lab import registry
from howdah.lab.kernel import network
from howdah.lab.registry import Entry, Leftover
from howdah.lab.spec import CLIENT_ADDRESS, NETWORK, HostSpec, LabSpec
from howdah.lab.state import LabState, read_state

_SEATS = 15
_ADDRESSES = 4096
"""So many addresses has each laboratory on a lot for its machines; clients count down from the last one."""


class LabPlace(NamedTuple):
    """Where a laboratory is built: on hosts of its own, or on a lot where others may be."""

    lot: str | None = None
    """The lot, None for hosts of its own."""
    seat: int = 0
    """Which one of those on it."""
    others: tuple[LabState, ...] = ()
    """Those that are on it already."""

    @property
    def first_machine(self) -> IPv4Address:
        """The address of its first machine."""
        return NETWORK + self.seat * _ADDRESSES

    @property
    def client_address(self) -> IPv4Address:
        """The address that its jobs are submitted from."""
        return IPv4Address(CLIENT_ADDRESS) - self.seat

    @property
    def cpu_share(self) -> float | None:
        """CPUs' worth of time for each planned thread, as those have it who are there; None if nobody is."""
        for other in self.others:
            for machine in other.spec.machines if other.spec else ():
                if machine.cpus is not None:
                    return machine.cpus / other.machine(machine.name).threads
        return None

    def cabled(self, hosts: Sequence[HostSpec]) -> tuple[HostSpec, ...]:
        """The hosts with a number for each cable: those that others have it by, else one that nobody has."""
        if self.lot is None:
            return tuple(hosts)
        there = {
            host.name: network.cable_number(other.spec, host)
            for other in self.others
            if other.spec is not None
            for host in other.spec.hosts
        }
        free = (number for number in range(1, len(there) + len(hosts) + 1) if number not in there.values())
        return tuple(host.model_copy(update={"cable": there.get(host.name) or next(free)}) for host in hosts)


def own_place(name: str, *, shares: bool) -> LabPlace:
    """The place of a laboratory that is the first on its hosts; ``shares`` is whether others may come.

    Raises UserError where others still are on the hosts of an earlier laboratory of this name.
    """
    lot = registry.lot_of(name)
    if shares and (there := [entry.name for entry in registry.on_lot(lot)]):
        raise UserError(
            f"--name {name}",
            f"belonged to an earlier lab, whose hosts are still used by {' and '.join(there)}",
            f"give --beside {there[0]} to use these hosts again, or another name",
        )
    return LabPlace(lot if shares else None)


def place_beside(name: str, other: str) -> LabPlace:
    """A place on the hosts of a laboratory that is up; raises UserError for one that cannot be joined."""
    flag = f"--beside {other}"
    if name == other:
        raise UserError(flag, "is this lab itself", "give this lab another --name")
    entry = registry.entry(other)
    state = read_state(entry.directory) if entry else None
    if entry is None or state is None or not state.complete:
        up = [each.name for each in registry.entries() if each.name != name]
        raise UserError(
            flag,
            "no such lab is up" if state is None else "is not complete",
            f"one of {', '.join(up)}" if up else "build it first: howdah lab up PLAN",
        )
    if state.rootless:
        raise UserError(flag, "was built without root, so it has no hosts to share", "build both as root")
    if entry.lot is None:
        raise UserError(
            flag,
            "shares no hosts: its plan does not share them, or was scaled down to fit this machine",
            "plan both clusters with --share and --beside, for hosts that fit this machine unscaled",
        )
    members = registry.on_lot(entry.lot)
    seats = set(range(_SEATS)) - {member.seat for member in members}
    if not seats:
        raise UserError(
            flag, f"is one of {len(members)} labs on the same hosts", f"at most {_SEATS} labs can share hosts"
        )
    return LabPlace(entry.lot, min(seats), tuple(_states(members)))


def enter(state: LabState) -> None:
    """Write a laboratory's entry; raises UserError where another one took its seat meanwhile."""
    if state.spec is None or state.spec.lot is None:
        registry.enter(state.name, state.directory)
        return
    lot = state.spec.lot
    with registry.lot_locked(lot):
        for member in registry.on_lot(lot):
            if member.name != state.name and member.seat == state.seat:
                raise UserError(
                    f'lab "{state.name}"',
                    f"has the same addresses as {member.name}, which uses the same hosts",
                    f"howdah lab down --name {state.name}, then up again --beside {member.name}",
                )
        registry.enter(state.name, state.directory, lot, state.seat)


def build_network(spec: LabSpec) -> None:
    """Make what of a laboratory's network is missing, while no other one on its hosts does."""
    if spec.lot is None:
        network.build(spec)
        return
    with registry.lot_locked(spec.lot):
        network.build(spec)


def leave(name: str) -> tuple[Leftover, ...]:
    """Strike a laboratory's entry, and take away what of its lot of hosts nobody else uses.

    Its own processes have ended. What could not be removed is returned, and the entry kept then.
    """
    if os.geteuid() != 0:
        # Without root there are no hosts, and lots of that name are others'.
        registry.strike(name)
        return ()
    entry = registry.entry(name)
    left: tuple[Leftover, ...] = ()
    for lot in _lots_of(name, entry):
        with registry.lot_locked(lot):
            used = _used(lot, name)
            left += network.remove(lot, used) if used is not None else ()
            if not left and entry is not None and entry.lot == lot:
                registry.strike(name)
    if not left:
        registry.strike(name)
    return left


def left_on(name: str) -> tuple[Leftover, ...]:
    """What there is of a laboratory's lot of hosts that nobody else uses."""
    return tuple(
        leftover
        for lot in _lots_of(name, registry.entry(name))
        if (used := _used(lot, name)) is not None
        for leftover in network.left_spaces(lot, used)
    )


def neighbours(state: LabState) -> tuple[LabState, ...]:
    """The other laboratories that are on the same hosts."""
    if state.spec is None or state.spec.lot is None:
        return ()
    members = registry.on_lot(state.spec.lot)
    return tuple(_states(member for member in members if member.name != state.name))


def shared_with(state: LabState) -> Mapping[str, tuple[str, ...]]:
    """The virtualised hosts on which other laboratories are, too, by those laboratories' names."""
    own = _virtual(state)
    found = {
        other.name: tuple(host for host in own if host in _virtual(other)) for other in neighbours(state)
    }
    return {name: hosts for name, hosts in found.items() if hosts}


def others_on(state: LabState) -> Mapping[str, tuple[str, ...]]:
    """Who else is on each host that is shared at this moment."""
    shared = shared_with(state)
    hosts = dict.fromkeys(host for hosts in shared.values() for host in hosts)
    return {host: tuple(lab for lab, theirs in shared.items() if host in theirs) for host in hosts}


def refuse_shared(state: LabState, what: str) -> None:
    """Raise UserError while other laboratories are on the hosts: such a change would not be theirs."""
    if there := neighbours(state):
        names = " and ".join(other.name for other in there)
        raise UserError(
            f'lab "{state.name}"', f"shares its hosts with {names}: {what}", f"take down {names} first"
        )


def _virtual(state: LabState) -> tuple[str, ...]:
    return tuple(host.name for host in state.spec.hosts if host.virtual) if state.spec else ()


def _states(members: Sequence[Entry] | Iterator[Entry]) -> Iterator[LabState]:
    for member in members:
        # One whose directory is gone can still be taken down, by its name.
        with suppress(UserError):
            if (state := read_state(member.directory)) is not None:
                yield state


def _lots_of(name: str, entry: Entry | None) -> tuple[str, ...]:
    """The lot that a laboratory is on, and the one that would have its name."""
    return tuple(dict.fromkeys([*([entry.lot] if entry and entry.lot else []), registry.lot_of(name)]))


def _used(lot: str, leaver: str) -> frozenset[str] | None:
    """The namespaces of a lot that laboratories use beside one; None where that cannot be told of one."""
    used: frozenset[str] = frozenset()
    for member in registry.on_lot(lot):
        if member.name == leaver:
            continue
        try:
            state = read_state(member.directory)
        except UserError:
            return None
        if state is None or state.spec is None:
            return None
        used |= network.spaces_of_lot(state.spec)
    return used
