"""The daemon or the machines of a fault's target at this moment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.errors import RunFailed
from howdah.faults.grammar import APPLICATION_MASTER
from howdah.faults.schedule import TargetMachine, Targets
from howdah.hadoop.daemons import DAEMONS
from howdah.lab.hadoop.daemons import Daemon, planned
from howdah.lab.hadoop.hbase import hbase_health
from howdah.lab.hadoop.health import manager_state
from howdah.lab.kernel import processes
from howdah.lab.kernel.namespaces import network_of
from howdah.lab.kernel.processes import PROC, Process
from howdah.lab.shared_hosts import labs_by_host
from howdah.lab.state import LabState, LabSystem
from howdah.model.faults import FaultTarget
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.web import JmxReader, Web

_SILENCE_S = 2.0
_STATUS = "Hadoop:service=NameNode,name=NameNodeStatus"


class TargetDaemon(NamedTuple):
    """A daemon that is hit, and its process."""

    daemon: Daemon | None
    """None for an application master, which is not a daemon of the lab."""
    process: Process

    @property
    def text(self) -> str:
        """In words."""
        if self.daemon is None:
            return f"{APPLICATION_MASTER}, process {self.process.pid}"
        return f"{self.daemon.program} on {self.daemon.machine.name}"


def lab_targets(state: LabState) -> Targets:
    """Return the machines of a lab as targets."""
    return Targets(
        tuple(
            TargetMachine(
                name=machine.name,
                kind=machine.kind,
                host=machine.host,
                rack=machine.rack,
                daemons=tuple(DAEMONS[role].name for role in machine.roles),
                disks=len(machine.data_dirs) if not state.rootless else 0,
            )
            for machine in state.machines
        ),
        rootless=state.rootless,
        shared=labs_by_host(state),
    )


def machines_of(state: LabState, target: FaultTarget) -> tuple[LabSystem, ...]:
    """Return the machines of a place, or the machine of a daemon; raise RunFailed if none runs."""
    if target.place is None:
        hit = daemon_of(state, target).daemon
        # A schedule cannot contain a fault of an application master's machine.
        assert hit is not None
        return (hit.machine,)
    names = {member.name for member in lab_targets(state).at(target)}
    return tuple(machine for machine in state.machines if machine.name in names)


def daemon_of(state: LabState, target: FaultTarget) -> TargetDaemon:
    """Return the target's daemon and its process; raise RunFailed if none runs, or none in this state."""
    if target.daemon == APPLICATION_MASTER:
        for process in _application_masters(state):
            return TargetDaemon(None, process)
        raise RunFailed(target.text, "no application master runs")
    running = processes.daemons(state)
    candidates = [daemon for daemon in planned(state) if daemon.program == target.daemon]
    if target.state is not None:
        names = _in_state(state, target, running)
        candidates = [daemon for daemon in candidates if daemon.machine.name in names]
    elif target.machine is not None:
        candidates = [daemon for daemon in candidates if daemon.machine.name == target.machine]
    for daemon in candidates:
        if daemon.key in running:
            return TargetDaemon(daemon, running[daemon.key])
    raise RunFailed(
        target.text, "does not run" if target.state is None else f"no {target.daemon} is {target.state}"
    )


def _in_state(state: LabState, target: FaultTarget, running: dict[tuple[str, str], Process]) -> set[str]:
    """Return the machines whose daemon is in the target's state."""
    conf = ClientConf.read(state.client_conf)
    with network_of(state), Web(state.names, silence_s=_SILENCE_S) as web:
        if target.daemon == "hmaster":
            health = hbase_health(state, web, running)
            states = dict(health.masters) if health else {}
        elif target.daemon == "namenode":
            states = {_host(address.url): _namenode(web, address.url) for address in conf.namenodes()}
        else:
            states = {
                _host(address.url): manager_state(web, address.url) for address in conf.resource_managers()
            }
    active = {name.lower() for name, word in states.items() if word.startswith("active")}
    standby = {name.lower() for name, word in states.items() if word.startswith(("standby", "backup"))}
    names = active if target.state == "active" else standby
    if not states or (len(states) == 1 and "" in states.values()):
        raise RunFailed(target.text, "no daemon reports which one is active")
    return {machine.name for machine in state.machines if machine.name.lower() in names}


def _namenode(web: Web, url: str) -> str:
    try:
        return str((JmxReader(web, url).bean(_STATUS) or {}).get("State") or "")
    except ServiceError:
        return ""


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _application_masters(state: LabState) -> Iterator[Process]:
    for process in processes.processes(state.mark, state.directory):
        try:
            command = (PROC / str(process.pid) / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(word.endswith(b".MRAppMaster") for word in command) and command[0].endswith(b"/java"):
            yield process
