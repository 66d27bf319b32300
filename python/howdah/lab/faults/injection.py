"""Faults injected into a lab and reverted: what reverts each is written down before it is injected."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple, assert_never

from howdah.errors import HowdahError
from howdah.lab.commands import How, kill, running_on
from howdah.lab.faults.active_faults import FaultInForce, Undo, in_force, note, strike_off
from howdah.lab.faults.targets import crew, daemon_meant, machines_meant
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.daemons import Daemon
from howdah.lab.hadoop.redundancy import journal_directory
from howdah.lab.hadoop.starting import start_missing, wait_until_ready
from howdah.lab.installed import installed
from howdah.lab.kernel import breaking, network, processes
from howdah.lab.kernel.network import Link
from howdah.lab.kernel.processes import Process
from howdah.lab.spec import LabSpec, MachineSpec
from howdah.lab.state import LabState, LabSystem
from howdah.model.faults import AT_ONCE, Action, ClusterFault, Whom


class Undone(NamedTuple):
    """A fault that was to be undone."""

    fault: FaultInForce
    left: tuple[str, ...]
    """What of it could not be, and why; it is still written down then."""


def undo_fault(state: LabState, fault: FaultInForce) -> Undone:
    """Undo one; the laboratory's lock is held."""
    left = []
    for step in fault.undo:
        try:
            _STEPS[step.how](state, step)
        except (HowdahError, OSError) as error:
            left.append(f"{step.how} {step.machine or step.host}: {error}")
    if not left:
        strike_off(state, fault)
    return Undone(fault, tuple(left))


def heal(state: LabState, which: Callable[[FaultInForce], bool] = lambda fault: True) -> tuple[Undone, ...]:
    """Undo those in force, the last one first; the laboratory's lock is held."""
    return tuple(undo_fault(state, fault) for fault in reversed(in_force(state)) if which(fault))


def start_fallen(state: LabState, ran: Collection[tuple[str, str]]) -> tuple[Daemon, ...]:
    """Start those daemons again that ran and ended by themselves, as systemd would.

    ``ran`` has the machine and program of each; the lock is held. What a fault keeps down stays down.
    """
    kept = {(step.machine, step.daemon) for fault in in_force(state) for step in fault.undo}
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
    there = {daemon: running[daemon.key] for daemon in every if daemon.key in running}
    if len(there) == len(every) and not in_force(state):
        wait_until_ready(state, there, tell)


def _start(state: LabState, step: Undo) -> None:
    running = processes.daemons(state)
    for daemon in daemons.planned(state):
        if daemon.key == (step.machine, step.daemon) and daemon.key not in running:
            daemons.start(state, daemon, installed(state))


def _start_all(state: LabState, step: Undo) -> None:
    if state.spec is not None:
        _link(state, step)
    start_missing(state, installed(state), lambda text: None, [state.machine(step.machine)])


def _resume(state: LabState, step: Undo) -> None:
    for pid, began in step.processes:
        processes.kill(Process(pid, began, "", ""), signal.SIGCONT)


def _link(state: LabState, step: Undo) -> None:
    spec = _spec(state)
    link = (
        network.uplink_of(spec, step.host)
        if step.host
        else network.cable_of(spec, spec.machine(step.machine))
    )
    breaking.restore_link(spec.name, link)


def _disk_speed(state: LabState, step: Undo) -> None:
    spec = _spec(state)
    breaking.restore_disk_speed(spec, spec.machine(step.machine))


def _disk_room(state: LabState, step: Undo) -> None:
    breaking.make_room(_spec(state).machine(step.machine))


def _disk(state: LabState, step: Undo) -> None:
    """A file system that was shut down is mounted anew, for which nobody may use it."""
    spec, machine = _spec(state), state.machine(step.machine)
    ended = list(running_on(state, [machine]))
    for process in ended:
        processes.kill(process)
    for process in ended:
        processes.wait_for_end(process)
    breaking.repair_disks(spec, spec.machine(step.machine))
    start_missing(state, installed(state), lambda text: None, [machine])


_STEPS: dict[str, Callable[[LabState, Undo], None]] = {
    "start": _start,
    "start all": _start_all,
    "resume": _resume,
    "link": _link,
    "disk speed": _disk_speed,
    "disk room": _disk_room,
    "disk": _disk,
}


class _Injection(NamedTuple):
    """What a fault comes to at this moment."""

    hit: tuple[str, ...]
    undo: tuple[Undo, ...]
    do: tuple[Callable[[], object], ...]


def do_fault(state: LabState, fault: ClusterFault, *, own: bool = True) -> FaultInForce:
    """Do a fault; the laboratory's lock is held. ``own`` is what this process will undo.

    Raises UserError for whom the laboratory does not have, and RunFailed for whom cannot be hit now.
    """
    crew(state).check(fault, fault.text)
    injection = _injection(state, fault)
    noted = note(state, fault.text, injection.hit, injection.undo, own=own)
    try:
        for do in injection.do:
            do()
    except BaseException:
        # A part of it may be done, of which nobody would know that it is to be undone.
        undo_fault(state, noted)
        raise
    if fault.what in AT_ONCE:
        strike_off(state, noted)
    return noted


def _injection(state: LabState, fault: ClusterFault) -> _Injection:
    match fault.what:
        case Action.KILL | Action.RESTART:
            return _killed(state, fault)
        case Action.PAUSE:
            return _paused(state, fault.whom)
        case Action.LOSE:
            return _lost(state, fault.whom)
        case Action.CUT_LINK | Action.CUT_LINK_IN | Action.CUT_LINK_OUT | Action.SLOW_LINK:
            return _of_links(state, fault)
        case Action.WIPE | Action.WIPE_DISK:
            return _wiped(state, fault)
        case Action.SLOW_DISK | Action.FILL_DISK | Action.FAIL_DISK:
            return _of_disks(state, fault)
    assert_never(fault.what)


def _killed(state: LabState, fault: ClusterFault) -> _Injection:
    hit = daemon_meant(state, fault.whom)
    kill_it = partial(processes.kill, hit.process)
    if hit.daemon is None:
        return _Injection((hit.text,), (), (kill_it,))
    undo = Undo(how="start", machine=hit.daemon.machine.name, daemon=hit.daemon.program)
    again = partial(daemons.start, state, hit.daemon, installed(state))
    wait = partial(processes.wait_for_end, hit.process)
    return _Injection(
        (hit.text,), (undo,), (kill_it, wait, again) if fault.what is Action.RESTART else (kill_it,)
    )


def _forgetful(state: LabState, whom: Whom) -> _Injection:
    """A JournalNode that has lost its journal, as after its disk was exchanged."""
    hit = daemon_meant(state, whom)
    assert hit.daemon is not None
    machine = hit.daemon.machine
    undo = Undo(how="start", machine=machine.name, daemon=hit.daemon.program)
    do = (
        partial(processes.kill, hit.process),
        partial(processes.wait_for_end, hit.process),
        partial(breaking.empty, journal_directory(machine)),
        partial(daemons.start, state, hit.daemon, installed(state)),
    )
    return _Injection((hit.text,), (undo,), do)


def _paused(state: LabState, whom: Whom) -> _Injection:
    if whom.place is None:
        hit = daemon_meant(state, whom)
        stopped = [hit.process]
        texts: tuple[str, ...] = (hit.text,)
    else:
        machines = machines_meant(state, whom)
        stopped, texts = list(running_on(state, machines)), _texts(machines)
    undo = Undo(how="resume", processes=tuple((process.pid, process.began) for process in stopped))
    return _Injection(texts, (undo,), tuple(partial(_stop, process) for process in stopped))


def _stop(process: Process) -> None:
    processes.kill(process, signal.SIGSTOP)


def _lost(state: LabState, whom: Whom) -> _Injection:
    machines = machines_meant(state, whom)
    how = How.PROCESS if state.rootless else How.HOST
    undo = tuple(Undo(how="start all", machine=machine.name) for machine in machines)
    do = tuple(partial(kill, state, machine.name, None, how) for machine in machines)
    return _Injection(_texts(machines), undo, do)


def _of_links(state: LabState, fault: ClusterFault) -> _Injection:
    spec = _spec(state)
    machines = machines_meant(state, fault.whom)
    undo, do = [], []
    for link, how in _links(spec, machines, fault.whom):
        undo.append(how)
        do.append(partial(_spoil, spec.name, link, fault))
    return _Injection(_texts(machines), tuple(undo), tuple(do))


def _spoil(lab: str, link: Link, fault: ClusterFault) -> None:
    match fault.what:
        case Action.CUT_LINK:
            breaking.cut_link(lab, link)
        case Action.CUT_LINK_IN:
            breaking.drop_packets(lab, link, "in")
        case Action.CUT_LINK_OUT:
            breaking.drop_packets(lab, link, "out")
        case _:
            breaking.slow_link(lab, link, fault.rate or 1)


def _links(spec: LabSpec, machines: Sequence[LabSystem], whom: Whom) -> Iterator[tuple[Link, Undo]]:
    """A machine's own cable, or the uplinks of a host or a rack: what is on one host still reaches itself."""
    if whom.place in ("worker", "master", None):
        for machine in machines:
            cable = network.cable_of(spec, spec.machine(machine.name))
            yield cable, Undo(how="link", machine=machine.name)
        return
    for host in dict.fromkeys(machine.host for machine in machines):
        yield network.uplink_of(spec, host), Undo(how="link", host=host)


def _of_disks(state: LabState, fault: ClusterFault) -> _Injection:
    spec = _spec(state)
    undo: list[Undo] = []
    do: list[Callable[[], object]] = []
    machines = [machine for machine in machines_meant(state, fault.whom) if machine.data_dirs]
    for machine in machines:
        cabled: MachineSpec = spec.machine(machine.name)
        match fault.what:
            case Action.SLOW_DISK:
                undo.append(Undo(how="disk speed", machine=machine.name))
                do.append(partial(breaking.slow_disks, spec, cabled, fault.rate))
            case Action.FILL_DISK:
                undo.append(Undo(how="disk room", machine=machine.name))
                do.append(partial(breaking.fill_disks, cabled))
            case _:
                undo.append(Undo(how="disk", machine=machine.name))
                do.append(partial(breaking.fail_disks, cabled))
    return _Injection(_texts(machines), tuple(undo), tuple(do))


def _wiped(state: LabState, fault: ClusterFault) -> _Injection:
    if fault.what is Action.WIPE:
        return _forgetful(state, fault.whom)
    machines = [machine for machine in machines_meant(state, fault.whom) if machine.data_dirs]
    undo = tuple(Undo(how="start all", machine=machine.name) for machine in machines)
    do = tuple(partial(_exchange_disks, state, machine) for machine in machines)
    return _Injection(_texts(machines), undo, do)


def _exchange_disks(state: LabState, machine: LabSystem) -> None:
    """A machine is switched off, given empty disks and switched on."""
    ended = list(running_on(state, [machine]))
    for process in ended:
        processes.kill(process)
    for process in ended:
        processes.wait_for_end(process)
    breaking.wipe_disks(_spec(state).machine(machine.name))
    start_missing(state, installed(state), lambda text: None, [machine])


def _spec(state: LabState) -> LabSpec:
    assert state.spec is not None, "faults of links and disks need root"
    return state.spec


def _texts(machines: Sequence[LabSystem]) -> tuple[str, ...]:
    return tuple(machine.name for machine in machines)
