"""Reverts faults of a lab; each step is safe to repeat, and a step that fails stays recorded."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection
from typing import NamedTuple

from howdah.errors import HowdahError
from howdah.faults.draining import change_leaving
from howdah.lab.active_faults import ActiveFault, RevertStep, active_faults, remove_fault
from howdah.lab.commands import running_on
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.daemons import Daemon
from howdah.lab.hadoop.starting import start_missing, wait_until_ready
from howdah.lab.installed import installed
from howdah.lab.kernel import breaking, network, processes
from howdah.lab.kernel.processes import Process
from howdah.lab.spec import LabSpec
from howdah.lab.state import LabState


class Reverted(NamedTuple):
    """A fault that was to be undone."""

    fault: ActiveFault
    left: tuple[str, ...]
    """What of it could not be, and why; it is still written down then."""


def revert(state: LabState, fault: ActiveFault) -> Reverted:
    """Undo one; the laboratory's lock is held."""
    remaining = []
    for step in fault.undo:
        try:
            _STEPS[step.how](state, step)
        except (HowdahError, OSError) as error:
            remaining.append(f"{step.how} {step.machine or step.host}: {error}")
    if not remaining:
        remove_fault(state, fault)
    return Reverted(fault, tuple(remaining))


def heal(state: LabState, which: Callable[[ActiveFault], bool] = lambda fault: True) -> tuple[Reverted, ...]:
    """Undo those in force, the last one first; the laboratory's lock is held."""
    return tuple(revert(state, fault) for fault in reversed(active_faults(state)) if which(fault))


def start_fallen(state: LabState, ran: Collection[tuple[str, str]]) -> tuple[Daemon, ...]:
    """Start those daemons again that ran and ended by themselves, as systemd would.

    ``ran`` has the machine and program of each; the lock is held. What a fault keeps down stays down.
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


def await_whole(state: LabState, tell: Callable[[str], None]) -> None:
    """Wait until all that runs does its part again, where every daemon runs and nothing is in force."""
    running, every = processes.daemons(state), tuple(daemons.planned(state))
    present = {daemon: running[daemon.key] for daemon in every if daemon.key in running}
    if len(present) == len(every) and not active_faults(state):
        wait_until_ready(state, present, tell)


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
    spec = _spec(state)
    link = (
        network.uplink_of(spec, step.host)
        if step.host
        else network.cable_of(spec, spec.machine(step.machine))
    )
    breaking.restore_link(spec.name, link)


def _disk_speed(state: LabState, step: RevertStep) -> None:
    spec = _spec(state)
    breaking.restore_disk_speed(spec, spec.machine(step.machine))


def _disk_room(state: LabState, step: RevertStep) -> None:
    breaking.make_room(_spec(state).machine(step.machine))


def _disk(state: LabState, step: RevertStep) -> None:
    """A file system that was shut down is mounted anew, for which nobody may use it."""
    spec, machine = _spec(state), state.machine(step.machine)
    ended = list(running_on(state, [machine]))
    for process in ended:
        processes.kill(process)
    for process in ended:
        processes.wait_for_end(process)
    breaking.repair_disks(spec, spec.machine(step.machine))
    start_missing(state, installed(state), lambda text: None, [machine])


def _drained(state: LabState, step: RevertStep) -> None:
    """A drained worker is a member again; its NodeManager ended when the last task had."""
    change_leaving(state, [step.machine], leaving=False)
    start_missing(state, installed(state), lambda text: None, [state.machine(step.machine)])


def _spec(state: LabState) -> LabSpec:
    assert state.spec is not None, "faults of links and disks need root"
    return state.spec


_STEPS: dict[str, Callable[[LabState, RevertStep], None]] = {
    "start": _start,
    "start all": _start_all,
    "resume": _resume,
    "link": _link,
    "disk speed": _disk_speed,
    "disk room": _disk_room,
    "disk": _disk,
    "drained": _drained,
}
