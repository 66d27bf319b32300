"""What a fault hits in a lab, and its revert: each step is safe to repeat, one that fails stays recorded."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.errors import HowdahError, RunFailed
from howdah.faults.grammar import APPLICATION_MASTER
from howdah.faults.schedule import TargetMachine, Targets
from howdah.hadoop.daemons import DAEMONS
from howdah.lab import faults
from howdah.lab.commands import running_on, start_drain
from howdah.lab.faults import ActiveFault, RevertStep, active_faults, remove_fault
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.daemons import Daemon, planned
from howdah.lab.hadoop.files import installed
from howdah.lab.hadoop.health import health, manager_state
from howdah.lab.hadoop.reports import hbase_health
from howdah.lab.hadoop.starting import start_missing, wait_until_ready
from howdah.lab.kernel import network, processes
from howdah.lab.kernel.namespaces import network_of
from howdah.lab.kernel.processes import PROC, Process
from howdah.lab.shared_hosts import labs_by_host
from howdah.lab.state import LabSpec, LabState, LabSystem, read_state
from howdah.model.faults import FaultTarget
from howdah.model.plan import Role
from howdah.render.cluster import render
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.web import JmxReader, Web

_SILENCE_S = 2.0


class TargetDaemon(NamedTuple):
    """A daemon that is hit, and its process."""

    daemon: Daemon | None  # None for an application master, which is not a daemon of the lab.
    process: Process

    @property
    def text(self) -> str:
        """In words."""
        if self.daemon is None:
            return f"{APPLICATION_MASTER}, process {self.process.pid}"
        return f"{self.daemon.program} on {self.daemon.machine.name}"


def lab_targets(state: LabState) -> Targets:
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
    problem = "does not run" if target.state is None else f"no {target.daemon} is {target.state}"
    raise RunFailed(target.text, problem)


def _in_state(state: LabState, target: FaultTarget, running: dict[tuple[str, str], Process]) -> set[str]:
    """Return the machines with the target's daemon in the target's state."""
    conf = ClientConf.read(state.client_conf)
    with network_of(state), Web(state.names, silence_s=_SILENCE_S) as web:
        if target.daemon == "hmaster":
            health = hbase_health(state, web, running)
            states = dict(health.masters) if health else {}
        elif target.daemon == "namenode":
            states = {_host(address.url): _namenode(web, address.url) for address in conf.namenodes()}
        else:
            managers = [address.url for address in conf.resource_managers()]
            states = {_host(url): manager_state(web, url) for url in managers}
    words = ("active",) if target.state == "active" else ("standby", "backup")
    names = {name.lower() for name, word in states.items() if word.startswith(words)}
    if not states or (len(states) == 1 and "" in states.values()):
        raise RunFailed(target.text, "no daemon reports which one is active")
    return {machine.name for machine in state.machines if machine.name.lower() in names}


def _namenode(web: Web, url: str) -> str:
    try:
        return str((JmxReader(web, url).bean(DAEMONS[Role.NAMENODE].page.bean) or {}).get("State") or "")
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


class Reverted(NamedTuple):
    """A fault after its revert."""

    fault: ActiveFault
    remaining: tuple[str, ...]  # The steps that failed, with reasons; the fault then stays recorded.


_RETURN_S, _POLL_S = 30.0, 0.5
"""How long a NodeManager that was drained may take to return, and how often its state is polled."""


def revert(state: LabState, fault: ActiveFault) -> Reverted:
    """Revert one fault; the caller has the lab's lock."""
    remaining = []
    for step in fault.undo:
        try:
            _STEPS[step.how](state, step)
        except (HowdahError, OSError) as error:
            remaining.append(f"{step.how} {step.machine or step.host}: {error}")
    if not remaining:
        remove_fault(state, fault)
    return Reverted(fault, tuple(remaining))


def heal(
    state: LabState, condition: Callable[[ActiveFault], bool] = lambda fault: True
) -> tuple[Reverted, ...]:
    """Revert the active faults that meet a condition, the last one first; the caller has the lab's lock."""
    return tuple(revert(state, fault) for fault in reversed(active_faults(state)) if condition(fault))


def start_fallen(state: LabState, ran: Collection[tuple[str, str]]) -> tuple[Daemon, ...]:
    """Start daemons again that ran and ended by themselves, as systemd would.

    ``ran`` has the machine and program of each; the caller has the lab's lock. Daemons that an active fault
    stopped are not started.
    """
    kept = {(step.machine, step.daemon) for fault in active_faults(state) for step in fault.undo}
    running = processes.daemons(state)
    fallen = tuple(
        daemon
        for daemon in daemons.planned(state)
        if daemon.key in ran
        and daemon.key not in running
        and not {daemon.key, (daemon.machine.name, "")} & kept
    )
    for daemon in fallen:
        daemons.start(state, daemon, installed(state))
    return fallen


def await_whole(state: LabState, report: Callable[[str], None]) -> None:
    """Wait until all daemons are ready, if all of them run and no fault is active."""
    running, every = processes.daemons(state), tuple(daemons.planned(state))
    present = {daemon: running[daemon.key] for daemon in every if daemon.key in running}
    if len(present) == len(every) and not active_faults(state):
        wait_until_ready(state, present, report)


def _start(state: LabState, step: RevertStep) -> None:
    running = processes.daemons(state)
    for daemon in daemons.planned(state):
        if daemon.key == (step.machine, step.daemon) and daemon.key not in running:
            daemons.start(state, daemon, installed(state))


def _start_all(state: LabState, step: RevertStep) -> None:
    if state.spec is not None:
        _link(state, step)
    start_missing(state, installed(state), lambda text: None, [state.machine(step.machine)])


def _resume(state: LabState, step: RevertStep) -> None:
    for pid, began in step.processes:
        processes.kill(Process(pid, began, "", ""), signal.SIGCONT)


def _link(state: LabState, step: RevertStep) -> None:
    spec = spec_of(state)
    if step.host:
        faults.restore_link(spec.name, network.uplink_of(spec, step.host))
    else:
        faults.restore_link(spec.name, network.cable_of(spec, spec.machine(step.machine)))


def _disk(state: LabState, step: RevertStep) -> None:
    """Mount a file system again that was shut down, after all processes that use it were ended."""
    spec, machine = spec_of(state), state.machine(step.machine)
    end_processes(state, machine)
    faults.repair_disks(spec, spec.machine(step.machine))
    start_missing(state, installed(state), lambda text: None, [machine])


def end_processes(state: LabState, machine: LabSystem) -> None:
    """Kill a machine's processes, and wait until all have ended."""
    ended = list(running_on(state, [machine]))
    for process in ended:
        processes.kill(process)
    for process in ended:
        processes.wait_for_end(process)


def _drained(state: LabState, step: RevertStep) -> None:
    """Make a drained worker a member again; its NodeManager ended after its last task."""
    change_leaving(state, [step.machine], leaving=False)
    machine = state.machine(step.machine)
    deadline = time.monotonic() + _RETURN_S
    while True:
        start_missing(state, installed(state), lambda text: None, [machine])
        with network_of(state):
            answers = health(state, processes.daemons(state))
        if machine.name in answers.nodemanagers or "active" not in answers.resource_managers.values():
            return
        # A NodeManager that ran a moment ago may still be ending after its last task.
        if time.monotonic() > deadline:
            raise RunFailed(f"nodemanager on {machine.name}", "did not return", "see its log")
        time.sleep(_POLL_S)


def change_leaving(state: LabState, names: Collection[str], *, leaving: bool) -> None:
    """Drain these workers, or make them members again; the caller has the lab's lock.

    Raises RunFailed if the lab is gone or a daemon refuses.
    """
    # Hosts may have joined or left since the run began.
    current = read_state(state.directory)
    if current is None:
        raise RunFailed(f'lab "{state.name}"', "is not up any more")
    remaining = [name for name in current.leaving if name not in names]
    changed = current.model_copy(update={"leaving": (*remaining, *names) if leaving else tuple(remaining)})
    start_drain(changed, render(changed.plan, leaving=changed.leaving))


def spec_of(state: LabState) -> LabSpec:
    """The machines of a lab that root built, with links and disks that faults can hit."""
    assert state.spec is not None, "faults of links and disks need root"
    return state.spec


_STEPS: dict[str, Callable[[LabState, RevertStep], None]] = {
    "start": _start,
    "start all": _start_all,
    "resume": _resume,
    "link": _link,
    "disk speed": lambda state, step: faults.restore_disk_speed(
        spec_of(state), spec_of(state).machine(step.machine)
    ),
    "disk room": lambda state, step: faults.make_room(spec_of(state).machine(step.machine)),
    "disk": _disk,
    "drained": _drained,
}
