"""Planned machines compared with existing ones and with the room on hosts; the interface of both hypervisors.

Neither govmomi's simulator nor libvirt's test driver refuses a machine that does not fit, and a real
hypervisor does so one machine at a time, half-way: so it is computed here, all hosts at once, before
anything is made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from howdah.errors import UserError
from howdah.model.hostname import fold
from howdah.model.machines import (
    DATA_DISK,
    Difference,
    Doing,
    ExistingMachine,
    HostState,
    Obstacle,
    PlannedMachine,
    ProvisionChange,
    Provisioning,
)
from howdah.units import format_memory

ReportStep = Callable[[str], None]


class Provisioner(Protocol):
    """One hypervisor, for one plan and site."""

    def compare(self) -> Provisioning:
        """Compare existing machines with the plan; raises UserError if the plan cannot be made here."""

    def apply(self, report: ReportStep) -> None:
        """Make the changes; raises RunFailed if the hypervisor refuses one. The next call continues."""

    def made(self) -> Sequence[str]:
        """Everything that howdah made for this cluster, each on a line."""

    def destroy(self, report: ReportStep) -> None:
        """Remove exactly that."""


POWER = "power"
HOST = "host"
FIRST_BOOT = "first boot"
SYSTEM_DISK = "system disk"
Facts = Mapping[str, str]  # Properties by name, in the same words for planned and existing machines.
_ByName = Mapping[str, Facts]


def differences(planned: Facts, existing: Facts) -> tuple[Difference, ...]:
    """The facts that differ from the plan; facts that are not planned do not count."""
    return tuple(
        Difference(what=fact, found=existing.get(fact, ""), planned=value)
        for fact, value in planned.items()
        if existing.get(fact, "") != value
    )


def machine_changes(
    machines: Sequence[PlannedMachine],
    planned: _ByName,
    existing: Mapping[str, ExistingMachine],
    while_running: Collection[str],
) -> Iterator[ProvisionChange]:
    """The change of every machine, planned or only existing; facts in ``while_running`` need no restart."""
    names = set(planned)
    for machine in machines:
        present = existing.get(machine.name)
        differ = differences(planned[machine.name], present.facts if present else {})
        restarting = any(difference.what not in while_running for difference in differ)
        yield ProvisionChange(
            doing=_doing(present, differ),
            what="machine",
            name=machine.name,
            host=machine.host,
            differences=differ,
            refused=_refused(machine, present, differ) if present else "",
            restarts=present is not None and present.running and restarting,
        )
    clusters = {machine.cluster for machine in machines}
    for name, present in sorted(existing.items()):
        if present.ours in clusters and name not in names:
            yield ProvisionChange(doing=Doing.EXTRA, what="machine", name=name, host=present.host)


def _refused(machine: PlannedMachine, present: ExistingMachine, differ: tuple[Difference, ...]) -> str:
    """Why a change could lose data of a machine; empty if it cannot."""
    for difference in differ:
        if difference.what.startswith(DATA_DISK) and difference.found:
            return f"howdah does not replace its {difference.what}, which may have data: do it by hand"
        if difference.what == SYSTEM_DISK and difference.found:
            why = "which has the installed system: correct the site"
            return f"howdah does not replace its {difference.what}, {why}"
        has_data = bool(machine.disks) and any(key.startswith(DATA_DISK) for key in present.facts)
        if difference.what == HOST and has_data:
            where = f"its data disks are on {difference.found}"
            return f"{where}, so howdah does not move it: move it back by hand"
    return ""


def whole_changes(kind: str, planned: _ByName, existing: _ByName) -> Iterator[ProvisionChange]:
    """The changes of things other than machines, by name."""
    for name, facts in planned.items():
        present = existing.get(name)
        differ = differences(facts, present or {})
        yield ProvisionChange(doing=_doing(present, differ), what=kind, name=name, differences=differ)


def _doing(present: object | None, differ: tuple[Difference, ...]) -> Doing:
    return Doing.MAKE if present is None else Doing.CHANGE if differ else Doing.LEAVE


_SHOWN = 3
_FT_MEMORY = 128 * 2**30
_FT_CPUS = 8  # What Fault Tolerance can mirror since vSphere 6.7 at most.


def admit(
    machines: Sequence[PlannedMachine],
    hosts: Mapping[str, HostState],
    existing: Mapping[str, ExistingMachine],
    *,
    network: str,
    overcommit: bool,
) -> None:
    """Raise UserError if the hosts have no room for the machines, with every host's problem and a hint."""
    problems = [*_foreign(machines, existing)]
    for name in dict.fromkeys(machine.host for machine in machines):
        here = [machine for machine in machines if machine.host == name]
        mirrored = [machine for machine in machines if machine.shadow_host == name]
        if (host := hosts.get(name)) is None:
            names = ", ".join(fold(sorted(hosts))[:_SHOWN]) or "none"
            problem = f"is unknown; known hosts: {names}"
            problems.append(Obstacle(f"host {name}", problem, "give the plan for these hosts"))
        else:
            obstacles = (
                *_host(host, here, mirrored, network, overcommit=overcommit),
                *_disks(host, here, existing),
            )
            problems += (Obstacle(f"host {name}", *problem) for problem in obstacles)
    for machine in machines:
        if machine.shadow_host is not None and machine.name not in existing:
            problems += [*_tolerance(machine, hosts)]
    if problems:
        raise refusal(problems)


def refusal(problems: Sequence[Obstacle]) -> UserError:
    """One message for all problems, the first in full."""
    first, *further = dict.fromkeys(problems)
    problem = first.what
    if further:
        problem += "; as well: " + "; ".join(
            f"{obstacle.where} {obstacle.what}" for obstacle in further[: _SHOWN - 1]
        )
        if len(further) >= _SHOWN:
            problem += f"; and {len(further) - _SHOWN + 1} more"
    return UserError(first.where, problem, first.hint)


def _foreign(
    machines: Iterable[PlannedMachine], existing: Mapping[str, ExistingMachine]
) -> Iterator[Obstacle]:
    for machine in machines:
        present = existing.get(machine.name)
        if present is not None and present.ours != machine.cluster:
            ours = f"belongs to howdah's cluster {present.ours!r}"
            owner = ours if present.ours else "was not created by howdah"
            hint = "rename or remove it, or give the plan's hosts other names"
            problem = f"already exists and {owner}; howdah leaves it alone"
            yield Obstacle(f"machine {machine.name}", problem, hint)


def _host(
    host: HostState,
    here: Sequence[PlannedMachine],
    mirrored: Sequence[PlannedMachine],
    network: str,
    *,
    overcommit: bool,
) -> Iterator[tuple[str, str]]:
    if host.ready:
        yield host.ready, "make it available again, or plan without it"
    if network not in host.networks:
        yield f"has no network {network}", "add the network to the host, or correct the site"
    needed = sum(machine.memory_bytes for machine in (*here, *mirrored))
    free = host.memory_bytes - host.taken_bytes
    if needed > free:
        taken = f", of which others reserve {format_memory(host.taken_bytes)}" if host.taken_bytes else ""
        fix = "plan for less memory, or shut down or move the other machines"
        size = f"{format_memory(host.memory_bytes)} of memory{taken}"
        yield f"has {size}; its machines reserve {format_memory(needed)}", fix
    cpus = sum(machine.vcpus for machine in (*here, *mirrored))
    if cpus > host.threads and not overcommit:
        fix = "plan for these processors, or with --overcommit"
        yield f"has {host.threads} threads; its machines have {cpus} virtual CPUs", fix
    for number, node in enumerate(host.nodes):
        bound = [machine for machine in here if number in machine.nodes]
        share = sum(machine.memory_bytes // len(machine.nodes) for machine in bound)
        if share > node.memory_bytes:
            size = f"{format_memory(node.memory_bytes)} on NUMA node {number}"
            problem = f"has {size}; the machines bound to it reserve {format_memory(share)}"
            yield problem, "leave pin_numa out of the site, or plan smaller machines"
    if any(max(machine.nodes, default=0) >= max(len(host.nodes), 1) for machine in here):
        fix = "correct the inventory and plan again"
        yield f"has {len(host.nodes)} NUMA nodes, fewer than in the inventory", fix


def _disks(
    host: HostState, here: Sequence[PlannedMachine], existing: Mapping[str, ExistingMachine]
) -> Iterator[tuple[str, str]]:
    room = dict(host.datastores)
    for machine in here:
        attached = existing[machine.name].facts if machine.name in existing else {}
        for disk in machine.disks:
            if disk.kind == "device" and disk.name not in host.devices:
                yield f"has no device {disk.name}", "correct `devices:` in the site"
            elif disk.kind == "device" and host.held.get(disk.name, machine.name) != machine.name:
                holder = host.held[disk.name]
                remedy = f"remove it from {holder}, or correct `devices:` in the site"
                fix = f"two machines on one disk destroy its data: {remedy}"
                yield f"has assigned {disk.name} to {holder}, but the plan gives it to {machine.name}", fix
            elif disk.kind == "datastore" and disk.name not in host.datastores:
                yield f"has no access to {disk.name}", "correct `datastores:` in the site"
            elif disk.kind == "datastore" and f"{DATA_DISK} {disk.number}" not in attached:
                room[disk.name] -= disk.size_bytes
    for name, free_bytes in room.items():
        if free_bytes < 0:
            before = host.datastores[name]
            free, size = format_memory(before), format_memory(before - free_bytes)
            fix = "give a smaller `disk_size:` in the site, or make room"
            yield f"has {free} free in {name}, for disks of {size} together", fix


def _tolerance(machine: PlannedMachine, hosts: Mapping[str, HostState]) -> Iterator[Obstacle]:
    for name in (machine.host, machine.shadow_host):
        host = hosts.get(name or "")
        if host is not None and host.no_fault_tolerance:
            problem = f"cannot run {machine.name} with Fault Tolerance: {host.no_fault_tolerance}"
            yield Obstacle(f"host {name}", problem, "plan with --protect-masters ha")
    if machine.vcpus > _FT_CPUS or machine.memory_bytes > _FT_MEMORY:
        size, most = format_memory(machine.memory_bytes), f"{_FT_CPUS} vCPUs, {format_memory(_FT_MEMORY)}"
        problem = f"has {machine.vcpus} vCPUs and {size}, more than Fault Tolerance supports ({most})"
        yield Obstacle(f"machine {machine.name}", problem, "plan with --protect-masters ha")
