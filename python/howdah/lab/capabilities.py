"""What this machine supports of a lab, and the plans and parts of plans that it cannot run."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.lab.hadoop.redirect import MOST_WORKERS, ports
from howdah.lab.kernel.cgroups import Controller, find_hierarchies
from howdah.lab.state import LabSpec, LabSystem
from howdah.model.cluster import Isolation
from howdah.model.plan import Cluster, ClusterPlan
from howdah.units import format_bits_per_s, format_memory, format_rate

_ROUNDED = 1.001  # Tolerance for rounding errors in the sum of CPU fractions.
_NEVER = {
    "virtualisation": "machines share one kernel, without the cost of a hypervisor's page walks and virtual "
    "devices",
    "NUMA": "machines share this machine's NUMA nodes and caches",
    "seeks": "disks are limited in speed, but have no moving heads: many streams at once cost no more than "
    "one",
    "write-back": "one kernel caches the dirty pages of all machines and decides when to write them",
}
"""Parts of a cluster that no lab reproduces."""


def check_plan(plan: ClusterPlan) -> Cluster:
    """Return the plan's cluster; raise UserError for a plan that needs Kerberos."""
    cluster = plan.cluster
    if cluster.request.secure:
        problem = "needs Kerberos and TLS, but a lab has no key distribution centre"
        raise UserError("plan", problem, "plan without --secure: the network of a lab is closed")
    return cluster


def check_ports(machines: Sequence[LabSystem]) -> None:
    """Raise UserError for a port in use; without root all machines share this machine's ports."""
    if len(machines) > MOST_WORKERS:
        problem = f"has {len(machines)} machines, but without root there are ports for {MOST_WORKERS} only"
        raise UserError("plan", problem, "give --hosts N for fewer, or run as root")
    for number, machine in enumerate(machines):
        for address, port in ports(machine, number):
            with socket.socket() as tried:
                # A recently closed connection does not block a daemon's port.
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    tried.bind((address, port))
                except OSError as error:
                    problem = f"is needed for {machine.name}, but not free: {error.strerror}"
                    hint = "stop the program that uses it (ss -ltnp), or run as root for separate networks"
                    raise UserError(f"port {port} of {address}", problem, hint) from error


def check_directory(directory: Path) -> None:
    """Raise UserError if a directory is not empty, because ``down`` empties it."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        problem = "is not empty" if directory.is_dir() else "is not a directory"
        hint = "give a new or empty directory: howdah lab down removes all files of a lab from it"
        raise UserError(f"--dir {directory}", problem, hint)


def not_run(cluster: Cluster) -> Iterator[Isolation]:
    """Yield the parts of a plan that no lab runs."""
    if cluster.request.tez_used:
        yield _lacks("Hive", "not started; MapReduce and Spark run")
    if any(master.shadow_host for master in cluster.masters):
        yield _lacks("Fault Tolerance", "shadows of masters need a hypervisor, so none is run")


def ceilings(spec: LabSpec, memory_bytes: int, neighbours: Sequence[LabSpec] = ()) -> Iterator[Isolation]:
    """Yield a note if all limits exceed the machine's memory; ``neighbours`` are on the same hosts."""
    limits = sum(host.memory_bytes or 0 for lab in (spec, *neighbours) for host in lab.hosts)
    if limits > memory_bytes:
        sizes = f"{format_memory(limits)} together, and this machine has {format_memory(memory_bytes)}"
        how = f"hosts may use {sizes}: programs use less, but page caches are smaller than planned"
        yield _lacks("memory in all", how)


def isolation(
    capabilities: Capabilities, spec: LabSpec, cpus: float, neighbours: Sequence[LabSpec] = ()
) -> tuple[Isolation, ...]:
    """Return the limits on a machine with so many CPUs, which ``neighbours`` share, and what no lab has."""
    how = "each machine has a network namespace, address and name, and no route to the outside"
    return (
        Isolation(what="network", kept=True, how=how),
        _uplinks(spec),
        _cpu(capabilities, spec, cpus, neighbours),
        _memory(capabilities, spec),
        _disks(capabilities, spec),
        *starmap(_lacks, _NEVER.items()),
    )


def _lacks(subject: str, how: str) -> Isolation:
    return Isolation(what=subject, kept=False, how=how)


def rootless_isolation(capabilities: Capabilities) -> tuple[Isolation, ...]:
    """Return the isolation that is missing on loopback addresses."""
    why = capabilities.root or capabilities.namespaces
    lost = {
        "network": f"machines share this machine's network with a loopback address each: {why}",
        "uplink": "loopback is as fast as memory, between hosts too",
        "CPU": "every machine may use all of this machine's CPUs",
        "memory": "every machine may use all of this machine's memory and page cache",
        "disks": "data is in directories of one file system and has its speed",
    }
    return tuple(starmap(_lacks, (lost | _NEVER).items()))


def _uplinks(spec: LabSpec) -> Isolation:
    speeds = {host.uplink_bits_per_s for host in spec.hosts} - {None}
    if not speeds:
        return _lacks("uplink", "links between hosts have no limit")
    shown = _listed(format_bits_per_s(speed) for speed in sorted(filter(None, speeds)))
    return Isolation(what="uplink", kept=True, how=f"{shown} each way, a token bucket at both ends")


def _cpu(capabilities: Capabilities, spec: LabSpec, cpus: float, neighbours: Sequence[LabSpec]) -> Isolation:
    shares = sorted({machine.cpus for machine in spec.machines if machine.cpus is not None})
    free, shown = "every machine may use all of this machine's CPUs", [f"{share:g}" for share in shares]
    how = " CPUs' worth of time"
    limit = _limit(capabilities, Controller.CPU, "CPU", shown, free=free, of="CPU time", how=how)
    promised = sum(
        host.cpus or sum(machine.cpus or 0.0 for machine in lab.machines if machine.host == host.name)
        for lab in (spec, *neighbours)
        for host in lab.hosts
    )
    if limit.kept and promised > cpus * _ROUNDED:
        both = f"together hosts may use {promised:.3g}, and this machine has {cpus:.3g}"
        return _lacks("CPU", f"at most {limit.how}; but {both}, so each gets less while all are busy")
    return limit


def _memory(capabilities: Capabilities, spec: LabSpec) -> Isolation:
    sizes = sorted({machine.memory_bytes for machine in spec.machines if machine.memory_bytes is not None})
    free, shown = "every machine may use all of this machine's memory", map(format_memory, sizes)
    how = ", page cache included and no swap"
    return _limit(capabilities, Controller.MEMORY, "memory", [*shown], free=free, of="memory", how=how)


def _limit(
    capabilities: Capabilities,
    kind: Controller,
    subject: str,
    shown: list[str],
    *,
    free: str,
    of: str,
    how: str,
) -> Isolation:
    """Return a limit of control groups with the ``shown`` values; ``free`` says what is possible without."""
    version = capabilities.controllers.get(kind)
    if version is None:
        return _lacks(subject, f"this machine has no {kind.value} controller of control groups: {free}")
    if not shown:
        return _lacks(subject, f"machines have no limit on {of}")
    return Isolation(what=subject, kept=True, how=f"{_listed(shown)}{how}, control groups version {version}")


def _disks(capabilities: Capabilities, spec: LabSpec) -> Isolation:
    disks = [disk for machine in spec.machines for disk in machine.disks]
    if not disks:
        return _lacks("disks", "machines have no separate disks")
    own = f"{spec.format.file_system} on separate loop devices of each machine"
    speeds = sorted({(disk.read_bytes_per_s, disk.write_bytes_per_s) for disk in disks}, key=str)
    if speeds == [(None, None)] and Controller.IO in capabilities.controllers:
        return _lacks("disks", f"{own}, as fast as this machine's")
    shown = _listed(f"reads {_speed(read)} and writes {_speed(write)}" for read, write in speeds)
    free, how = f"{own}, as fast as this machine's", ", in full even when both at once"
    return _limit(capabilities, Controller.IO, "disks", [f"{own}, {shown}"], free=free, of="disks", how=how)


def _speed(bytes_per_s: int | None) -> str:
    return format_rate(bytes_per_s) if bytes_per_s else "without limit"


def _listed(texts: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(texts))


_TIMEOUT_S = 20
# A network namespace without a name, which ends with the command that tries it.
_TRY_LINKS = "ip link add one type veth peer name two && ip link add three type bridge"
_TRY_RATES = "tc qdisc add dev lo root tbf rate 1mbit burst 70000 limit 300000"


class Capabilities(NamedTuple):
    """For each feature, what this machine lacks and how to get it; empty if it supports the feature."""

    root: str  # All others need it.
    namespaces: str  # Separate networks, names and mounts, joined by a bridge.
    rates: str  # Links of a given speed.
    controllers: dict[Controller, int]  # The available controllers of control groups, and their version.
    loops: str
    file_systems: tuple[str, ...]  # The file systems that can be created and mounted: ``xfs``, ``ext4``.


def find_capabilities() -> Capabilities:
    """Test the capabilities of this machine, without side effects."""
    root = "" if os.geteuid() == 0 else "only root may create namespaces, control groups and disks"
    return Capabilities(
        root=root,
        namespaces=_tried(root, _TRY_LINKS, "network namespaces, veth pairs and bridges"),
        rates=_tried(root, _TRY_RATES, "the token bucket filter (modprobe sch_tbf)"),
        controllers={} if root else {kind: tree.version for kind, tree in find_hierarchies().items()},
        loops=_loops(root),
        file_systems=tuple(name for name in ("xfs", "ext4") if _has_file_system(name)),
    )


def refuse_lacking(capabilities: Capabilities, spec: LabSpec) -> None:
    """Raise UserError for the first capability that the hosts need and this machine lacks.

    Limits of control groups are optional: ``isolation`` shows the missing ones.
    """
    needs = [("root", capabilities.root), ("network", capabilities.namespaces)]
    if any(host.uplink_bits_per_s for host in spec.hosts):
        needs.append(("uplink", capabilities.rates))
    if any(machine.disks for machine in spec.machines):
        name = spec.format.file_system
        unmade = f"this machine has no mkfs.{name}, or its kernel cannot mount {name}"
        unmade = "" if name in capabilities.file_systems else unmade
        needs += [("disks", capabilities.loops), ("disks", unmade)]
    for subject, why in needs:
        if why:
            hint = "run as root on a Linux with these features, or without root on loopback addresses"
            raise UserError(subject, why, hint)


def _tried(root: str, script: str, feature: str) -> str:
    if root:
        return root
    command = ["unshare", "--net", "sh", "-c", script]
    nothing = subprocess.DEVNULL
    try:
        done = subprocess.run(
            command, stdin=nothing, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"this machine has no {feature}: {error}"
    message = " ".join(done.stderr.split())[:200]
    return f"this machine has no {feature}: {message}" if done.returncode else ""


def _loops(root: str) -> str:
    if root:
        return root
    if not Path("/dev/loop-control").exists():
        return "this machine has no loop devices (modprobe loop)"
    done = subprocess.run(["losetup", "--find"], capture_output=True, text=True, check=False)
    free = done.stdout.strip()
    message = " ".join(done.stderr.split()) or f"{free} does not exist"
    lacks = done.returncode != 0 or not Path(free).is_block_device()
    return f"this machine has no free loop device: {message[:200]}" if lacks else ""


def _has_file_system(name: str) -> bool:
    if shutil.which(f"mkfs.{name}") is None:
        return False
    supported = {line.split()[-1] for line in Path("/proc/filesystems").read_text().splitlines()}
    if name in supported:
        return True
    with suppress(OSError):
        command = ["modprobe", "--dry-run", name]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    return False
