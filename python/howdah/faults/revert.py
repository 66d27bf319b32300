"""Reverts faults of a lab; each step is safe to repeat, and a step that fails stays recorded."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Collection
from typing import NamedTuple

from howdah.errors import HowdahError, RunFailed
from howdah.lab.active_faults import ActiveFault, RevertStep, active_faults, remove_fault
from howdah.lab.commands import running_on
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.daemons import Daemon
from howdah.lab.hadoop.files import installed
from howdah.lab.hadoop.health import health
from howdah.lab.hadoop.starting import start_missing, wait_until_ready
from howdah.lab.kernel import breaking, network, processes
from howdah.lab.kernel.namespaces import network_of
from howdah.lab.kernel.processes import Process
from howdah.lab.resizing import start_drain
from howdah.lab.state import LabSpec, LabState, read_state
from howdah.render.cluster import render


class Reverted(NamedTuple):
    """A fault after its revert."""

    fault: ActiveFault
    remaining: tuple[str, ...]
    """The steps that failed, with reasons; the fault then stays recorded."""


_RETURN_S, _POLL_S = 30.0, 0.5
"""How long a NodeManager that was drained may take to return, and how often it is looked for."""


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
    """Mount a file system again that was shut down, after all processes that use it were ended."""
    spec, machine = _spec(state), state.machine(step.machine)
    ended = list(running_on(state, [machine]))
    for process in ended:
        processes.kill(process)
    for process in ended:
        processes.wait_for_end(process)
    breaking.repair_disks(spec, spec.machine(step.machine))
    start_missing(state, installed(state), lambda text: None, [machine])


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
