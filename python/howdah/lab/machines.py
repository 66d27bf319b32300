"""A plan's workers and masters as machines of a lab, with their addresses and limits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.lab import registry
from howdah.lab.capabilities import find_capabilities, refuse_lacking
from howdah.lab.kernel import cgroups, disks, namespaces, network
from howdah.lab.registry import Leftover, check_lab_name
from howdah.lab.state import DiskSpec, HostSpec, LabSpec, LabSystem, MachineSpec
from howdah.model.cluster import Deviation
from howdah.model.inventory import DiskRole, DiskSet, HostGroup
from howdah.model.placement import PlacedHost, placed_hosts
from howdah.model.plan import Cluster, ClusterPlan, Master, Role, Worker

LOOPBACK = IPv4Address("127.0.0.2")  # The first machine's without root; this machine has the one before.
_PATIENCE_S = 10.0  # Time that resources may stay in use, for example by programs that have just ended.


class Power(NamedTuple):
    """The part of the planned resources that a lab provides."""

    cpu_share: float  # CPUs of time for each planned thread.
    disk_rate: Callable[[DiskSet], int]  # The speed of a disk in bytes per second.


def machines(plan: ClusterPlan, directory: Path, first: IPv4Address) -> tuple[LabSystem, ...]:
    """Return every machine, masters first; a machine that is both worker and master is a worker."""
    workers = {worker.name: worker for worker in plan.workers}
    made: dict[str, LabSystem] = {}
    groups = _groups(plan.cluster)
    hosts = list(placed_hosts(plan.cluster))

    def make(name: str, host: PlacedHost, threads: int, roles: Iterable[Role], worker: Worker | None) -> None:
        root = directory / "machines" / name
        made[name] = LabSystem(
            name=name,
            kind="worker" if worker else "master",
            worker_kind=worker.name if worker else None,
            host=host.name,
            rack=host.rack,
            address="",
            threads=threads,
            roles=tuple(dict.fromkeys(roles)),
            directory=root,
            data_dirs=tuple(root / path.lstrip("/") for path in worker.data_dirs) if worker else (),
        )

    for host in hosts:
        for master in host.masters:
            own = groups[host.name].cpu.threads if master.address == host.name else master.vcpus
            make(master.address, host, own, master.roles, None)
    for host in hosts:
        for placed in host.workers:
            worker, shared = workers[placed.kind], made.pop(placed.name, None)
            roles = (*(shared.roles if shared else ()), *worker.roles)
            make(placed.name, host, worker.vcpus or groups[host.name].cpu.threads, roles, worker)
    numbered = enumerate(made.values())
    return tuple(machine.model_copy(update={"address": str(first + n)}) for n, machine in numbered)


def host_specs(cluster: Cluster, machines: Sequence[LabSystem], power: Power) -> Iterator[HostSpec]:
    """Yield the hosts with machines, each with its part of the planned CPUs.

    A host that other clusters share is limited to this cluster's part, but has its whole uplink.
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
    """Yield the limits of each machine: its vCPUs, memory and disks, or those of the host if it is one."""
    workers = {worker.name: worker for worker in plan.workers}
    masters = {master.address: master for master in plan.cluster.masters}
    groups = _groups(plan.cluster)
    used: dict[str, int] = {}
    for machine in machines:
        kind, group = machine.worker_kind, groups[machine.host]
        own: Worker | Master = masters[machine.name] if kind is None else workers[kind]
        planned = [disk for disk in group.disks if disk.role is DiskRole.DATA for _ in range(disk.count)]
        begin = used.get(machine.host, 0)
        used[machine.host] = begin + len(machine.data_dirs)
        disks: list[DiskSpec] = []
        for mount, disk in zip(machine.data_dirs, planned[begin:], strict=False):
            rates = dict.fromkeys(("read_bytes_per_s", "write_bytes_per_s"), power.disk_rate(disk))
            disks.append(DiskSpec(mount=mount, size_bytes=disk.size_bytes, **rates))
        virtual = machine.name != machine.host
        yield MachineSpec(
            name=machine.name,
            host=machine.host,
            address=machine.address,
            cpus=machine.threads * power.cpu_share,
            memory_bytes=own.memory_bytes if virtual else group.memory_bytes,
            disks=tuple(disks),
        )


def _groups(cluster: Cluster) -> Mapping[str, HostGroup]:
    return {host: group for group in cluster.inventory.groups for host in group.names}


def check_hosts(spec: LabSpec) -> None:
    """Raise UserError, before any change, if these hosts cannot be built here."""
    _refuse_inside(spec.name)
    refuse_lacking(find_capabilities(), spec)
    disks.check(spec)


def build_hosts(spec: LabSpec, progress: Callable[[str], None]) -> tuple[Deviation, ...]:
    """Create the missing parts of the hosts; return the deviations from the plan.

    Safe to repeat, also after it was killed. Raises UserError like ``check_hosts``, and RunFailed if Linux
    refuses.
    """
    check_hosts(spec)
    progress("control groups")
    cgroups.build(spec)
    progress("network")
    with registry.shared_hosts_locked(spec.lot) if spec.lot else nullcontext():
        network.build(spec)
    return disks.build(spec, progress)


def survey_hosts(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """Return the existing parts of a lab, with disk images below ``directory``, if given."""
    check_lab_name(name)
    return (
        *namespaces.leftover_processes(name),
        *disks.leftover_disks(name, directory),
        *network.leftover_spaces(name),
        *cgroups.leftover_groups(name),
    )


def remove_hosts(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """Kill a lab's processes and remove its disks, network and control groups; return what remains, and why.

    Safe to repeat, also after it was killed, and for a lab that does not exist. A program of a killed
    ``build_hosts`` may still create something, so removal is repeated until nothing exists, or until a
    timeout. Raises UserError if it is called from inside the lab.
    """
    check_lab_name(name)
    _refuse_inside(name)
    end = time.monotonic() + _PATIENCE_S
    while True:
        remaining = (
            *namespaces.kill(name),
            *disks.remove(name, directory),
            *network.remove(name),
            *cgroups.remove(name),
        )
        existing = survey_hosts(name, directory)
        if not existing:
            return ()
        if time.monotonic() > end:
            return remaining or existing
        time.sleep(0.05)


def _refuse_inside(name: str) -> None:
    if os.getpid() in namespaces.find(name):
        raise UserError(name, "this command runs inside the lab", "leave the lab's shell first (exit)")
