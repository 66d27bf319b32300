"""Plans that a lab cannot run, and the isolation of its machines compared with the planned cluster."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from howdah.errors import UserError
from howdah.lab.kernel.capabilities import Capabilities
from howdah.lab.kernel.cgroups import Controller
from howdah.lab.rootless import MOST_WORKERS, ports
from howdah.lab.spec import LabSpec
from howdah.lab.state import LabSystem
from howdah.model.cluster import Isolation
from howdah.model.plan import Cluster, ClusterPlan
from howdah.units import format_bits_per_s, format_memory, format_rate

_ROUNDED = 1.001
"""Tolerance for rounding errors in the sum of CPU fractions."""
_NEVER = (
    (
        "virtualisation",
        "machines share one kernel, without the cost of a hypervisor's page walks and virtual devices",
    ),
    ("NUMA", "machines share this machine's NUMA nodes and caches"),
    (
        "seeks",
        "disks are limited in speed, but have no moving heads: many streams at once cost no more than one",
    ),
    ("write-back", "one kernel caches the dirty pages of all machines and decides when to write them"),
)


def check_plan(plan: ClusterPlan) -> Cluster:
    """Return the plan's cluster; raise UserError for a plan that needs Kerberos."""
    cluster = plan.cluster
    if cluster.request.secure:
        raise UserError(
            "plan",
            "needs Kerberos and TLS, but a lab has no key distribution centre",
            "plan without --secure: the network of a lab is closed",
        )
    return cluster


def check_ports(machines: Sequence[LabSystem]) -> None:
    """Raise UserError for a port in use; without root all machines share this machine's ports."""
    if len(machines) > MOST_WORKERS:
        raise UserError(
            "plan",
            f"has {len(machines)} machines, but without root there are ports for {MOST_WORKERS} only",
            "give --hosts N for fewer, or run as root",
        )
    for number, machine in enumerate(machines):
        for address, port in ports(machine, number):
            with socket.socket() as tried:
                # A recently closed connection does not block a daemon's port.
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    tried.bind((address, port))
                except OSError as error:
                    raise UserError(
                        f"port {port} of {address}",
                        f"is needed for {machine.name}, but not free: {error.strerror}",
                        "stop the program that uses it (ss -ltnp), or run as root for separate networks",
                    ) from error


def check_directory(directory: Path) -> None:
    """Raise UserError if a directory is not empty, because ``down`` empties it."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UserError(
            f"--dir {directory}",
            "is not empty" if directory.is_dir() else "is not a directory",
            "give a new or empty directory: howdah lab down removes all files of a lab from it",
        )


def not_run(cluster: Cluster) -> Iterator[Isolation]:
    """Yield the parts of a plan that no lab runs."""
    if cluster.request.tez_used:
        yield Isolation(what="Hive", kept=False, how="not started; MapReduce and Spark run")
    if any(master.shadow_host for master in cluster.masters):
        yield Isolation(
            what="Fault Tolerance", kept=False, how="shadows of masters need a hypervisor, so none is run"
        )


def ceilings(spec: LabSpec, memory_bytes: int, neighbours: Sequence[LabSpec] = ()) -> Iterator[Isolation]:
    """Yield a note if all limits exceed the machine's memory; ``neighbours`` are on the same hosts."""
    limits = sum(host.memory_bytes or 0 for lab in (spec, *neighbours) for host in lab.hosts)
    if limits > memory_bytes:
        yield Isolation(
            what="memory in all",
            kept=False,
            how=f"hosts may use {format_memory(limits)} together, and this machine has "
            f"{format_memory(memory_bytes)}: programs use less, but page caches are smaller than planned",
        )


def isolation(
    capabilities: Capabilities, spec: LabSpec, cpus: float, neighbours: Sequence[LabSpec] = ()
) -> tuple[Isolation, ...]:
    """Return the limits on a machine with so many CPUs, and the differences that every lab has.

    ``neighbours`` are labs on the same hosts, which have their part of the CPUs.
    """
    return (
        Isolation(
            what="network",
            kept=True,
            how="each machine has a network namespace, address and name, and no route to the outside",
        ),
        _uplinks(spec),
        _cpu(capabilities, spec, cpus, neighbours),
        _memory(capabilities, spec),
        _disks(capabilities, spec),
        *_never(),
    )


def rootless_isolation(capabilities: Capabilities) -> tuple[Isolation, ...]:
    """Return the isolation that is missing on loopback addresses."""
    why = capabilities.root.why or capabilities.namespaces.why
    lost = {
        "network": f"machines share this machine's network with a loopback address each: {why}",
        "uplink": "loopback is as fast as memory, between hosts too",
        "CPU": "every machine may use all of this machine's CPUs",
        "memory": "every machine may use all of this machine's memory and page cache",
        "disks": "data is in directories of one file system and has its speed",
    }
    return (*(Isolation(what=subject, kept=False, how=how) for subject, how in lost.items()), *_never())


def _never() -> Iterator[Isolation]:
    return (Isolation(what=subject, kept=False, how=how) for subject, how in _NEVER)


def _uplinks(spec: LabSpec) -> Isolation:
    speeds = {host.uplink_bits_per_s for host in spec.hosts} - {None}
    if not speeds:
        return Isolation(what="uplink", kept=False, how="links between hosts have no limit")
    shown = _listed(format_bits_per_s(speed) for speed in sorted(filter(None, speeds)))
    return Isolation(what="uplink", kept=True, how=f"{shown} each way, a token bucket at both ends")


def _cpu(capabilities: Capabilities, spec: LabSpec, cpus: float, neighbours: Sequence[LabSpec]) -> Isolation:
    version = capabilities.controllers.get(Controller.CPU)
    if version is None:
        return _without("CPU", "cpu", "every machine may use all of this machine's CPUs")
    shares = sorted({share for share in (machine.cpus for machine in spec.machines) if share is not None})
    if not shares:
        return Isolation(what="CPU", kept=False, how="machines have no limit on CPU time")
    shown = _listed(f"{share:g}" for share in shares)
    how = f"{shown} CPUs' worth of time, control groups version {version}"
    promised = sum(
        host.cpus or sum(machine.cpus or 0.0 for machine in lab.machines if machine.host == host.name)
        for lab in (spec, *neighbours)
        for host in lab.hosts
    )
    if promised > cpus * _ROUNDED:
        return Isolation(
            what="CPU",
            kept=False,
            how=f"at most {how}; but together hosts may use {promised:.3g}, and this machine has {cpus:.3g}, "
            "so each gets less while all are busy",
        )
    return Isolation(what="CPU", kept=True, how=how)


def _memory(capabilities: Capabilities, spec: LabSpec) -> Isolation:
    version = capabilities.controllers.get(Controller.MEMORY)
    if version is None:
        return _without("memory", "memory", "every machine may use all of this machine's memory")
    sizes = sorted(
        {memory for memory in (machine.memory_bytes for machine in spec.machines) if memory is not None}
    )
    if not sizes:
        return Isolation(what="memory", kept=False, how="machines have no limit on memory")
    shown = _listed(map(format_memory, sizes))
    how = f"{shown}, page cache included and no swap, control groups version {version}"
    return Isolation(what="memory", kept=True, how=how)


def _disks(capabilities: Capabilities, spec: LabSpec) -> Isolation:
    disks = [disk for machine in spec.machines for disk in machine.disks]
    if not disks:
        return Isolation(what="disks", kept=False, how="machines have no separate disks")
    own = f"{spec.format.file_system} on separate loop devices of each machine"
    version = capabilities.controllers.get(Controller.IO)
    if version is None:
        return _without("disks", "io", f"{own}, as fast as this machine's")
    speeds = sorted({(disk.read_bytes_per_s, disk.write_bytes_per_s) for disk in disks}, key=str)
    if speeds == [(None, None)]:
        return Isolation(what="disks", kept=False, how=f"{own}, as fast as this machine's")
    shown = _listed(f"reads {_speed(read)} and writes {_speed(write)}" for read, write in speeds)
    how = f"{own}, {shown}, in full even when both at once, control groups version {version}"
    return Isolation(what="disks", kept=True, how=how)


def _speed(bytes_per_s: int | None) -> str:
    return format_rate(bytes_per_s) if bytes_per_s else "without limit"


def _without(subject: str, controller: str, how: str) -> Isolation:
    return Isolation(
        what=subject, kept=False, how=f"this machine has no {controller} controller of control groups: {how}"
    )


def _listed(texts: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(texts))
