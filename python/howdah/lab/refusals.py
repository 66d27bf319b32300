"""What a laboratory cannot be built of: said before anything is made."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

from howdah.errors import UserError
from howdah.lab.rootless import MOST_WORKERS, ports
from howdah.lab.spec import LabSpec
from howdah.lab.state import Machine
from howdah.model.cluster import Isolation
from howdah.model.plan import Cluster, Plan
from howdah.units import format_memory


def check_plan(plan: Plan) -> Cluster:
    """The plan's cluster; raises UserError for a plan that has none, or one that needs Kerberos."""
    cluster = plan.cluster
    if cluster is None:
        raise UserError(
            "plan", "is for one machine without Hadoop", "give a plan that howdah plan hosts.yaml made"
        )
    if cluster.request.secure:
        raise UserError(
            "plan",
            "asks for Kerberos and TLS, and a laboratory has no key distribution centre",
            "plan without --secure: a laboratory's network is closed",
        )
    return cluster


def check_ports(machines: Sequence[Machine]) -> None:
    """Raise UserError for a port that somebody else uses; without root all share this machine's."""
    if len(machines) > MOST_WORKERS:
        raise UserError(
            "plan",
            f"has {len(machines)} machines; without root there are ports for {MOST_WORKERS}",
            "--hosts N for fewer, or run as root",
        )
    for number, machine in enumerate(machines):
        for address, port in ports(machine, number):
            with socket.socket() as tried:
                # A connection that has just ended does not keep a daemon from its port.
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    tried.bind((address, port))
                except OSError as error:
                    raise UserError(
                        f"port {port} of {address}",
                        f"is wanted for {machine.name}, and not free: {error.strerror}",
                        "end what uses it (ss -ltnp), or run as root: networks of its own have all ports",
                    ) from error


def check_directory(directory: Path) -> None:
    """Raise UserError for a directory that holds anything, since ``down`` empties it."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UserError(
            f"--dir {directory}",
            "is not empty" if directory.is_dir() else "is not a directory",
            "a new or an empty directory: howdah lab down removes all that a laboratory puts there",
        )


def not_run(cluster: Cluster) -> Iterator[Isolation]:
    """What of a plan no laboratory runs."""
    if cluster.request.hbase_used:
        yield Isolation(
            what="HBase", kept=False, how="its daemons are not started: the others run as planned for it"
        )
    if any(master.shadow_host for master in cluster.masters):
        yield Isolation(
            what="Fault Tolerance", kept=False, how="shadows of masters are a hypervisor's: none is run"
        )


def ceilings(spec: LabSpec, memory_bytes: int) -> Iterator[Isolation]:
    """That memory is promised more than once, where it is."""
    limits = sum(host.memory_bytes or 0 for host in spec.hosts)
    if limits > memory_bytes:
        yield Isolation(
            what="memory in all",
            kept=False,
            how=f"hosts may use {format_memory(limits)} together, and this machine has "
            f"{format_memory(memory_bytes)}: programs touch less, but page caches are smaller than planned",
        )
