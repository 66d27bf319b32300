"""Faults done to a laboratory at once: what undoes each is written down before it is done."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, assert_never

from howdah.lab.commands import How, kill, running_on
from howdah.lab.faults.in_force import FaultInForce, Undo, note, strike_off
from howdah.lab.faults.undoing import undo_fault
from howdah.lab.faults.whom import crew, daemon_meant, machines_meant
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.redundancy import journal_directory
from howdah.lab.hadoop.starting import start_missing
from howdah.lab.installed import installed
from howdah.lab.kernel import cables, failing, network, processes
from howdah.lab.kernel.network import Link
from howdah.lab.kernel.processes import Process
from howdah.lab.spec import LabSpec, MachineSpec
from howdah.lab.state import LabState, LabSystem
from howdah.model.faults import AT_ONCE, Action, ClusterFault, Whom


class _Deed(NamedTuple):
    """What a fault comes to at this moment."""

    hit: tuple[str, ...]
    undo: tuple[Undo, ...]
    do: tuple[Callable[[], object], ...]


def do_fault(state: LabState, fault: ClusterFault, *, own: bool = True) -> FaultInForce:
    """Do a fault; the laboratory's lock is held. ``own`` is what this process will undo.

    Raises UserError for whom the laboratory does not have, and RunFailed for whom cannot be hit now.
    """
    crew(state).check(fault, fault.text)
    deed = _deed(state, fault)
    noted = note(state, fault.text, deed.hit, deed.undo, own=own)
    try:
        for do in deed.do:
            do()
    except BaseException:
        # A part of it may be done, of which nobody would know that it is to be undone.
        undo_fault(state, noted)
        raise
    if fault.what in AT_ONCE:
        strike_off(state, noted)
    return noted


def _deed(state: LabState, fault: ClusterFault) -> _Deed:
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


def _killed(state: LabState, fault: ClusterFault) -> _Deed:
    hit = daemon_meant(state, fault.whom)
    kill_it = partial(processes.kill, hit.process)
    if hit.daemon is None:
        return _Deed((hit.text,), (), (kill_it,))
    undo = Undo(how="start", machine=hit.daemon.machine.name, daemon=hit.daemon.program)
    again = partial(daemons.start, state, hit.daemon, installed(state))
    wait = partial(processes.wait_for_end, hit.process)
    return _Deed((hit.text,), (undo,), (kill_it, wait, again) if fault.what is Action.RESTART else (kill_it,))


def _forgetful(state: LabState, whom: Whom) -> _Deed:
    """A JournalNode that has lost its journal, as after its disk was exchanged."""
    hit = daemon_meant(state, whom)
    assert hit.daemon is not None
    machine = hit.daemon.machine
    undo = Undo(how="start", machine=machine.name, daemon=hit.daemon.program)
    do = (
        partial(processes.kill, hit.process),
        partial(processes.wait_for_end, hit.process),
        partial(failing.empty, journal_directory(machine)),
        partial(daemons.start, state, hit.daemon, installed(state)),
    )
    return _Deed((hit.text,), (undo,), do)


def _paused(state: LabState, whom: Whom) -> _Deed:
    if whom.place is None:
        hit = daemon_meant(state, whom)
        stopped = [hit.process]
        texts: tuple[str, ...] = (hit.text,)
    else:
        machines = machines_meant(state, whom)
        stopped, texts = list(running_on(state, machines)), _texts(machines)
    undo = Undo(how="resume", processes=tuple((process.pid, process.began) for process in stopped))
    return _Deed(texts, (undo,), tuple(partial(_stop, process) for process in stopped))


def _stop(process: Process) -> None:
    processes.kill(process, signal.SIGSTOP)


def _lost(state: LabState, whom: Whom) -> _Deed:
    machines = machines_meant(state, whom)
    how = How.PROCESS if state.rootless else How.HOST
    undo = tuple(Undo(how="start all", machine=machine.name) for machine in machines)
    do = tuple(partial(kill, state, machine.name, None, how) for machine in machines)
    return _Deed(_texts(machines), undo, do)


def _of_links(state: LabState, fault: ClusterFault) -> _Deed:
    spec = _spec(state)
    machines = machines_meant(state, fault.whom)
    undo, do = [], []
    for link, how in _links(spec, machines, fault.whom):
        undo.append(how)
        do.append(partial(_spoil, spec.name, link, fault))
    return _Deed(_texts(machines), tuple(undo), tuple(do))


def _spoil(lab: str, link: Link, fault: ClusterFault) -> None:
    match fault.what:
        case Action.CUT_LINK:
            cables.take_out(lab, link)
        case Action.CUT_LINK_IN:
            cables.silence(lab, link, "in")
        case Action.CUT_LINK_OUT:
            cables.silence(lab, link, "out")
        case _:
            cables.slow(lab, link, fault.rate or 1)


def _links(spec: LabSpec, machines: Sequence[LabSystem], whom: Whom) -> Iterator[tuple[Link, Undo]]:
    """A machine's own cable, or the uplinks of a host or a rack: what is on one host still reaches itself."""
    if whom.place in ("worker", "master", None):
        for machine in machines:
            cable = network.cable_of(spec, spec.machine(machine.name))
            yield cable, Undo(how="link", machine=machine.name)
        return
    for host in dict.fromkeys(machine.host for machine in machines):
        yield network.uplink_of(spec, host), Undo(how="link", host=host)


def _of_disks(state: LabState, fault: ClusterFault) -> _Deed:
    spec = _spec(state)
    undo: list[Undo] = []
    do: list[Callable[[], object]] = []
    machines = [machine for machine in machines_meant(state, fault.whom) if machine.data_dirs]
    for machine in machines:
        cabled: MachineSpec = spec.machine(machine.name)
        match fault.what:
            case Action.SLOW_DISK:
                undo.append(Undo(how="disk speed", machine=machine.name))
                do.append(partial(failing.slow, spec, cabled, fault.rate))
            case Action.FILL_DISK:
                undo.append(Undo(how="disk room", machine=machine.name))
                do.append(partial(failing.fill, cabled))
            case _:
                undo.append(Undo(how="disk", machine=machine.name))
                do.append(partial(failing.fail, cabled))
    return _Deed(_texts(machines), tuple(undo), tuple(do))


def _wiped(state: LabState, fault: ClusterFault) -> _Deed:
    if fault.what is Action.WIPE:
        return _forgetful(state, fault.whom)
    machines = [machine for machine in machines_meant(state, fault.whom) if machine.data_dirs]
    undo = tuple(Undo(how="start all", machine=machine.name) for machine in machines)
    do = tuple(partial(_exchange_disks, state, machine) for machine in machines)
    return _Deed(_texts(machines), undo, do)


def _exchange_disks(state: LabState, machine: LabSystem) -> None:
    """A machine is switched off, given empty disks and switched on."""
    ended = list(running_on(state, [machine]))
    for process in ended:
        processes.kill(process)
    for process in ended:
        processes.wait_for_end(process)
    failing.wipe(_spec(state).machine(machine.name))
    start_missing(state, installed(state), lambda text: None, [machine])


def _spec(state: LabState) -> LabSpec:
    assert state.spec is not None, "faults of links and disks need root"
    return state.spec


def _texts(machines: Sequence[LabSystem]) -> tuple[str, ...]:
    return tuple(machine.name for machine in machines)
