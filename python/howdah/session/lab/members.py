"""Hosts that are added to a laboratory, or taken away from it, while a run is on it."""

from __future__ import annotations

from howdah.errors import UserError
from howdah.lab.state import STATE, LabState, read_state
from howdah.services.conf import ClientConf
from howdah.services.web import Web
from howdah.session.lab.telemetry import is_built, lab_telemetry
from howdah.telemetry.following import Member, Membership
from howdah.telemetry.source import Source


class LabMembers:
    """Compares what the laboratory has with what it had; see ``howdah.telemetry.following.Follow``.

    ``names`` are the addresses of machines by name that ``web`` and others read: those of new ones are put
    there. ``joined`` has every machine that came so far.
    """

    def __init__(self, state: LabState, conf: ClientConf, web: Web, names: dict[str, str]) -> None:
        self._directory = state.directory
        self._conf = conf
        self._web = web
        self._names = names
        self._known = _every(state)
        self._leaving: frozenset[str] = frozenset()
        self._read_ns = 0
        self._waiting = False
        self.joined: dict[str, Member] = {}

    def __call__(self) -> Membership:
        """What changed since the last time; nothing where nothing can be read now."""
        try:
            changed_ns = (self._directory / STATE).stat().st_mtime_ns
            if changed_ns == self._read_ns and not self._waiting:
                return Membership()
            state = read_state(self._directory)
        except (OSError, UserError):
            return Membership()
        if state is None:
            return Membership()
        self._read_ns = changed_ns
        return self._compared(state)

    def _compared(self, state: LabState) -> Membership:
        now = _every(state)
        fresh = {name for name in now if name not in self._known and is_built(state, name)}
        # What is being built is looked at again, although nothing more is written of it.
        self._waiting = len(now.keys() - self._known.keys()) > len(fresh)
        self._names.update(state.names)
        every = lab_telemetry(state, self._conf, self._web) if fresh else ()
        joined = tuple(_member(state, now, name, every) for name in now if name in fresh)
        left = frozenset(self._known.keys() - now.keys())
        leaving = _leaving(state)
        change = Membership(joined, leaving - self._leaving, left)
        self._known = {name: host for name, host in now.items() if name in self._known or name in fresh}
        self._leaving = leaving
        self.joined.update((member.name, member) for member in joined)
        return change


def _every(state: LabState) -> dict[str, str]:
    """The host of every machine, and of every host."""
    machines = {machine.name: machine.host for machine in state.machines}
    return {**{host: host for host in state.hosts}, **machines}


def _leaving(state: LabState) -> frozenset[str]:
    """Machines that are being emptied, and hosts that have no other."""
    staying = {machine.host for machine in state.machines if machine.name not in state.leaving}
    return frozenset({*state.leaving, *(set(state.hosts) - staying)})


def _member(state: LabState, hosts: dict[str, str], name: str, every: tuple[Source, ...]) -> Member:
    sources = tuple(source for source in every if source.machine == name)
    on_it = next(machine for machine in state.machines if name in (machine.name, machine.host))
    return Member(name, on_it.kind if name == on_it.name else "host", hosts[name], on_it.rack, sources)
