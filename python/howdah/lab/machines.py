"""A plan's workers and masters as machines of a laboratory, with their addresses and their limits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.lab import shared_hosts
from howdah.lab.kernel import cgroups, disks, inhabitants, network
from howdah.lab.kernel.capabilities import find_capabilities, refuse_lacking
from howdah.lab.registry import Leftover, check_lab_name
from howdah.lab.spec import DiskSpec, HostSpec, LabSpec, MachineSpec
from howdah.lab.state import LabSystem
from howdah.model.cluster import Deviation
from howdah.model.inventory import DiskRole, DiskSet, HostGroup
from howdah.model.placement import PlacedHost, placed_hosts
from howdah.model.plan import Cluster, ClusterPlan, Master, Worker

LOOPBACK = IPv4Address("127.0.0.2")
"""The first machine's address without root; the machine itself has the one before it."""

_PATIENCE_S = 10.0
"""How long it may take to be let go of what is in use, by programs that have just ended for instance."""


class Power(NamedTuple):
    """What the laboratory gives of what the plan says."""

    cpu_share: float
    """CPUs' worth of time for each planned thread."""
    disk_rate: Callable[[DiskSet], int]
    """The speed a disk is held to, bytes per second."""


def machines(plan: ClusterPlan, directory: Path, first: IPv4Address) -> tuple[LabSystem, ...]:
    """Every machine, masters first; one that is both worker and master is a worker."""
    workers = {worker.name: worker for worker in plan.workers}
    made: dict[str, LabSystem] = {}
    groups = _groups(plan.cluster)
    hosts = list(placed_hosts(plan.cluster))
    for host in hosts:
        for master in host.masters:
            made[master.address] = _master(host, master, groups[host.name], directory)
    for host in hosts:
        for placed in host.workers:
            worker = workers[placed.kind]
            shared = made.pop(placed.name, None)
            root = directory / "machines" / placed.name
            made[placed.name] = LabSystem(
                name=placed.name,
                kind="worker",
                worker_kind=placed.kind,
                host=host.name,
                rack=host.rack,
                address="",
                threads=worker.vcpus or groups[host.name].cpu.threads,
                roles=tuple(dict.fromkeys((*(shared.roles if shared else ()), *worker.roles))),
                directory=root,
                data_dirs=tuple(root / path.lstrip("/") for path in worker.data_dirs),
            )
    return tuple(
        machine.model_copy(update={"address": str(first + number)})
        for number, machine in enumerate(made.values())
    )


def host_specs(cluster: Cluster, machines: Sequence[LabSystem], power: Power) -> Iterator[HostSpec]:
    """The hosts that carry a machine, each with the share of its planned CPUs.

    Of a host that other clusters use, too, these have a part; its uplink is the host's, and so whole.
    """
    groups = _groups(cluster)
    ports = cluster.port_bits_per_s
    named = {machine.name for machine in machines}
    for host in dict.fromkeys(machine.host for machine in machines):
        group = groups[host]
        yield HostSpec(
            name=host,
            virtual=host not in named,
            cpus=group.cpu.threads * power.cpu_share,
            memory_bytes=group.memory_bytes,
            uplink_bits_per_s=ports[host],
        )


def machine_specs(plan: ClusterPlan, machines: Iterable[LabSystem], power: Power) -> Iterator[MachineSpec]:
    """What each machine may use: its vCPUs, its memory, its disks; a host that is one machine has all."""
    workers = {worker.name: worker for worker in plan.workers}
    masters = {master.address: master for master in plan.cluster.masters}
    groups = _groups(plan.cluster)
    used: dict[str, int] = {}
    for machine in machines:
        own: Worker | Master
        disks: Iterable[DiskSpec] = ()
        if machine.worker_kind is not None:
            own = workers[machine.worker_kind]
            begin = used.get(machine.host, 0)
            used[machine.host] = begin + len(machine.data_dirs)
            disks = _disks(groups[machine.host], machine.data_dirs, begin, power)
        else:
            own = masters[machine.name]
        virtual = machine.name != machine.host
        yield MachineSpec(
            name=machine.name,
            host=machine.host,
            address=machine.address,
            cpus=machine.threads * power.cpu_share,
            memory_bytes=own.memory_bytes if virtual else groups[machine.host].memory_bytes,
            disks=tuple(disks),
        )


def _master(host: PlacedHost, master: Master, group: HostGroup, directory: Path) -> LabSystem:
    return LabSystem(
        name=master.address,
        kind="master",
        host=host.name,
        rack=host.rack,
        address="",
        threads=group.cpu.threads if master.address == host.name else master.vcpus,
        roles=master.roles,
        directory=directory / "machines" / master.address,
    )


def _disks(group: HostGroup, mounts: Sequence[Path], begin: int, power: Power) -> Iterator[DiskSpec]:
    """The host's disks from number ``begin`` on, one for each mount."""
    planned = [disk for disk in group.disks if disk.role is DiskRole.DATA for _ in range(disk.count)]
    for mount, disk in zip(mounts, planned[begin:], strict=False):
        rate = power.disk_rate(disk)
        yield DiskSpec(mount=mount, size_bytes=disk.size_bytes, read_bytes_per_s=rate, write_bytes_per_s=rate)


def _groups(cluster: Cluster) -> Mapping[str, HostGroup]:
    return {host: group for group in cluster.inventory.groups for host in group.names}


def check_hosts(spec: LabSpec) -> None:
    """Raise UserError, before anything is made, if these hosts cannot be built here."""
    _refuse_inside(spec.name)
    refuse_lacking(find_capabilities(), spec)
    disks.check(spec)


def build_hosts(spec: LabSpec, progress: Callable[[str], None]) -> tuple[Deviation, ...]:
    """Make what of the hosts is missing; what could not be made as planned.

    Safe to repeat, also after it was killed. Raises UserError for what ``check_hosts`` would refuse and
    RunFailed where Linux does.
    """
    check_hosts(spec)
    progress("control groups")
    cgroups.build(spec)
    progress("network")
    shared_hosts.build_network(spec)
    return disks.build(spec, progress)


def survey_hosts(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """What exists of a laboratory; of files, the disk images below ``directory``, if given."""
    check_lab_name(name)
    return (
        *inhabitants.left_processes(name),
        *disks.left_disks(name, directory),
        *network.left_spaces(name),
        *cgroups.left_groups(name),
    )


def remove_hosts(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """End the laboratory's processes and remove its disks, network and control groups; what stays, and why.

    Safe to repeat, also after it was killed, and for a laboratory that never was. A program that a killed
    ``build_hosts`` had just begun may finish after it was looked for, so what is found is removed again
    until nothing is, or nothing more can be removed. Raises UserError if it is called from inside.
    """
    check_lab_name(name)
    _refuse_inside(name)
    end = time.monotonic() + _PATIENCE_S
    while True:
        left = _remove(name, directory)
        there = survey_hosts(name, directory)
        if not there:
            return ()
        if time.monotonic() > end:
            return left or there
        time.sleep(0.05)


def _remove(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    return (
        *inhabitants.kill(name),
        *disks.remove(name, directory),
        *network.remove(name),
        *cgroups.remove(name),
    )


def _refuse_inside(name: str) -> None:
    if os.getpid() in inhabitants.find(name):
        raise UserError(name, "this command runs inside the lab", "leave the lab's shell first (exit)")
