"""What is sampled of a lab: machines through the kernel, daemons through /jmx, and new ones."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS, OF_HBASE
from howdah.lab.hadoop.daemons import page_url
from howdah.lab.hadoop.files import is_configured
from howdah.lab.kernel.cgroups import ControlGroup, machine_group
from howdah.lab.kernel.disks import devices
from howdah.lab.kernel.namespaces import is_at_work
from howdah.lab.kernel.network import INTERFACE, SPACES, UPLINK, every_link, host_space_of, space
from howdah.lab.kernel.processes import belongs
from howdah.lab.shared_hosts import labs_sharing_hosts, shared_with
from howdah.lab.state import STATE, LabState, LabSystem, read_state
from howdah.model.cluster import Laboratory, LaboratoryBeside
from howdah.model.plan import Role
from howdah.services.conf import ClientConf
from howdah.services.web import Web
from howdah.telemetry.lab import LabMachine, NeighbourDevice, lab_sources
from howdah.telemetry.processes import grouped_lab, loose_lab
from howdah.telemetry.source import Member, Membership, Source, shared_machine

_WITH_ADDRESS = (Role.DATANODE, Role.NODEMANAGER, Role.JOURNALNODE)
"""Daemons whose own machine's configuration has the address of their pages."""
_CONTROLLERS = {"cpu", "memory"}
_CPUS = float(os.cpu_count() or 1)
_MEMORY_BYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def lab_telemetry(state: LabState, conf: ClientConf, web: Web) -> tuple[Source, ...]:
    """Return every host, worker and master of the lab, with its daemons."""
    machines = (
        machine._replace(jmx=dict(_jmx(state.machine(machine.name), conf))) for machine in _machines(state)
    )
    return (*lab_sources((*_hosts(state), *machines), web), *_neighbours(state))


def is_built(state: LabState, name: str) -> bool:
    """Whether a host, or a machine with all its disks and its configuration, is there to be sampled."""
    if not all(is_configured(machine) for machine in state.machines if name in (machine.name, machine.host)):
        return False
    spec = state.spec
    if spec is None:
        return True
    mounted = devices(spec)
    return all(
        (SPACES / space(spec, machine)).exists()
        and _groups(machine_group(spec, machine))
        and all(disk.mount in mounted for disk in machine.disks)
        for machine in spec.machines
        if name in (machine.name, machine.host)
    )


def hosts_telemetry(state: LabState) -> tuple[Source, ...]:
    """Return every host, worker and master of the lab with its kernel objects."""
    return (*lab_sources((*_hosts(state), *_machines(state))), *_neighbours(state))


def laboratory_of(state: LabState, machine: str) -> Laboratory:
    """Return a record's description of a run's lab; ``machine`` is the machine below it."""
    labs = sorted(shared_with(state))
    neighbours = tuple(LaboratoryBeside(name=lab, at_work=is_at_work(lab)) for lab in labs)
    return state.laboratory.model_copy(update={"machine": machine, "beside": neighbours})


def shared_machine_sources(state: LabState) -> tuple[Source, ...]:
    """Return the sources of the lab's machine, and of the lab's use of it."""
    own = (
        grouped_lab(groups, list(devices(state.spec).values()))
        if state.spec and (groups := _groups(ControlGroup.of(state.name)))
        else loose_lab(lambda pid: belongs(pid, state.mark, state.directory))
    )
    name = socket.gethostname()
    taken = {used for machine in state.machines for used in (machine.name, machine.host)}
    return shared_machine(f"{name} (beneath)" if name in taken else name, own)


def _hosts(state: LabState) -> Iterator[LabMachine]:
    """The hosts that are no machine themselves: all their machines together, and their uplink."""
    spec = state.spec
    if spec is None:
        return
    for host in spec.hosts:
        if host.virtual:
            yield LabMachine(
                name=host.name,
                cpus=host.cpus or _CPUS,
                memory_bytes=host.memory_bytes or _MEMORY_BYTES,
                groups=_groups(ControlGroup.of(spec.name, host.name)),
                namespace=SPACES / host_space_of(spec, host.name),
                interface=UPLINK,
            )


def _neighbours(state: LabState) -> Iterator[Source]:
    shared = shared_with(state)
    for lab in labs_sharing_hosts(state):
        if lab.spec is None:
            continue
        for host in shared.get(lab.name, ()):
            groups, network = _groups(ControlGroup.of(lab.name, host)), host_space_of(lab.spec, host)
            cables = [link.near for link in every_link(lab.spec) if link.near_space == network]
            if groups:
                yield Source(host, (NeighbourDevice(lab.name, groups, SPACES / network, cables),))


def _machines(state: LabState) -> Iterator[LabMachine]:
    spec = state.spec
    if spec is None:
        yield from (LabMachine(machine.name, _CPUS, _MEMORY_BYTES) for machine in state.machines)
        return
    loops, hosts = devices(spec), {host.name: host for host in spec.hosts}
    for machine in state.machines:
        limits, host = spec.machine(machine.name), hosts[machine.host]
        disks = enumerate((disk.mount for disk in limits.disks), start=1)
        yield LabMachine(
            name=machine.name,
            cpus=limits.cpus or host.cpus or _CPUS,
            memory_bytes=limits.memory_bytes or host.memory_bytes or _MEMORY_BYTES,
            groups=_groups(machine_group(spec, limits)),
            namespace=SPACES / space(spec, limits),
            interface=INTERFACE,
            disks={f"disk{number}": loops[mount] for number, mount in disks if mount in loops},
        )


def _groups(group: ControlGroup) -> Mapping[str, Path]:
    """Return the group's directories; empty if a controller for its use is missing."""
    paths = group.paths
    return paths if paths.keys() >= _CONTROLLERS else {}


def _jmx(machine: LabSystem, conf: ClientConf) -> Iterator[tuple[str, str]]:
    for role, addresses in conf.masters().items():
        for address in addresses:
            if role in machine.roles and urlsplit(address.url).hostname == machine.name:
                yield DAEMONS[role].name, address.url
    for role in (*_WITH_ADDRESS, *OF_HBASE):
        if role in machine.roles:
            yield DAEMONS[role].name, page_url(machine, role)


class LabMembers:
    """Compares a lab's machines with those before (``Follow``), and puts new addresses into ``names``."""

    def __init__(self, state: LabState, conf: ClientConf, web: Web, names: dict[str, str]) -> None:
        self._directory = state.directory
        self._conf = conf
        self._web = web
        self._names = names
        self._hosts = _machine_hosts(state)
        self._leaving: frozenset[str] = frozenset()
        self._read_ns = 0
        self._waiting = False
        self.joined: dict[str, Member] = {}

    def __call__(self) -> Membership:
        """The changes since the previous call; none if the file cannot be read now."""
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
        now = _machine_hosts(state)
        fresh = {name for name in now if name not in self._hosts and is_built(state, name)}
        # The file does not change again when a machine has been built, so it is read again.
        self._waiting = len(now.keys() - self._hosts.keys()) > len(fresh)
        self._names.update(state.names)
        all_sources = lab_telemetry(state, self._conf, self._web) if fresh else ()
        joined = []
        for name in (name for name in now if name in fresh):
            sources = tuple(source for source in all_sources if source.machine == name)
            system = next(machine for machine in state.machines if name in (machine.name, machine.host))
            level = system.kind if name == system.name else "host"
            joined.append(Member(name, level, now[name], system.rack, sources))
        removed = frozenset(self._hosts.keys() - now.keys())
        leaving = _leaving(state)
        change = Membership(tuple(joined), leaving - self._leaving, removed)
        self._hosts = {name: host for name, host in now.items() if name in self._hosts or name in fresh}
        self._leaving = leaving
        self.joined.update((member.name, member) for member in joined)
        return change


def _machine_hosts(state: LabState) -> dict[str, str]:
    machines = {machine.name: machine.host for machine in state.machines}
    return dict(zip(state.hosts, state.hosts, strict=True)) | machines


def _leaving(state: LabState) -> frozenset[str]:
    """Machines that are being drained, and hosts without any other machine."""
    staying = {machine.host for machine in state.machines if machine.name not in state.leaving}
    return frozenset({*state.leaving, *(set(state.hosts) - staying)})
