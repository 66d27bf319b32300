"""Injects a fault into a lab; the steps that revert it are written to disk first."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, assert_never

from howdah.faults.draining import change_leaving
from howdah.faults.revert import revert
from howdah.faults.targets import daemon_of, lab_targets, machines_of
from howdah.lab.active_faults import ActiveFault, RevertStep, record_fault, remove_fault
from howdah.lab.commands import How, kill, running_on
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.redundancy import journal_directory
from howdah.lab.hadoop.starting import start_missing
from howdah.lab.installed import installed
from howdah.lab.kernel import breaking, network, processes
from howdah.lab.kernel.network import Link
from howdah.lab.kernel.processes import Process
from howdah.lab.spec import LabSpec, MachineSpec
from howdah.lab.state import LabState, LabSystem
from howdah.model.faults import AT_ONCE, Action, ClusterFault, FaultTarget


class _Injection(NamedTuple):
    """What a fault comes to at this moment."""

    hit: tuple[str, ...]
    undo: tuple[RevertStep, ...]
    do: tuple[Callable[[], object], ...]


def inject(state: LabState, fault: ClusterFault, *, own: bool = True) -> ActiveFault:
    """Do a fault; the laboratory's lock is held. ``own`` is what this process will undo.

    Raises UserError for whom the laboratory does not have, and RunFailed for whom cannot be hit now.
    """
    lab_targets(state).check(fault, fault.text)
    injected = _injection(state, fault)
    active = record_fault(state, fault.text, injected.hit, injected.undo, own=own)
    try:
        for do in injected.do:
            do()
    except BaseException:
        # A part of it may be done, of which nobody would know that it is to be undone.
        revert(state, active)
        raise
    if fault.action in AT_ONCE:
        remove_fault(state, active)
    return active


def _injection(state: LabState, fault: ClusterFault) -> _Injection:
    match fault.action:
        case Action.KILL | Action.RESTART:
            return _kill(state, fault)
        case Action.PAUSE | Action.LOSE | Action.DRAIN:
            return _OF_PLACES[fault.action](state, fault.target)
        case Action.CUT_LINK | Action.CUT_LINK_IN | Action.CUT_LINK_OUT | Action.SLOW_LINK:
            return _links(state, fault)
        case Action.WIPE | Action.WIPE_DISK:
            return _wipe(state, fault)
        case Action.SLOW_DISK | Action.FILL_DISK | Action.FAIL_DISK:
            return _disks(state, fault)
    assert_never(fault.action)


def _kill(state: LabState, fault: ClusterFault) -> _Injection:
    hit = daemon_of(state, fault.target)
    kill_it = partial(processes.kill, hit.process)
    if hit.daemon is None:
        return _Injection((hit.text,), (), (kill_it,))
    undo = RevertStep(how="start", machine=hit.daemon.machine.name, daemon=hit.daemon.program)
    again = partial(daemons.start, state, hit.daemon, installed(state))
    wait = partial(processes.wait_for_end, hit.process)
    return _Injection(
        (hit.text,), (undo,), (kill_it, wait, again) if fault.action is Action.RESTART else (kill_it,)
    )


def _wipe_journal(state: LabState, target: FaultTarget) -> _Injection:
    """A JournalNode that has lost its journal, as after its disk was exchanged."""
    hit = daemon_of(state, target)
    assert hit.daemon is not None
    machine = hit.daemon.machine
    undo = RevertStep(how="start", machine=machine.name, daemon=hit.daemon.program)
    do = (
        partial(processes.kill, hit.process),
        partial(processes.wait_for_end, hit.process),
        partial(breaking.empty, journal_directory(machine)),
        partial(daemons.start, state, hit.daemon, installed(state)),
    )
    return _Injection((hit.text,), (undo,), do)


def _pause(state: LabState, target: FaultTarget) -> _Injection:
    if target.place is None:
        hit = daemon_of(state, target)
        stopped = [hit.process]
        texts: tuple[str, ...] = (hit.text,)
    else:
        machines = machines_of(state, target)
        stopped, texts = list(running_on(state, machines)), _texts(machines)
    undo = RevertStep(how="resume", processes=tuple((process.pid, process.began) for process in stopped))
    return _Injection(texts, (undo,), tuple(partial(_stop, process) for process in stopped))


def _stop(process: Process) -> None:
    processes.kill(process, signal.SIGSTOP)


def _lose(state: LabState, target: FaultTarget) -> _Injection:
    machines = machines_of(state, target)
    how = How.PROCESS if state.rootless else How.HOST
    undo = tuple(RevertStep(how="start all", machine=machine.name) for machine in machines)
    do = tuple(partial(kill, state, machine.name, None, how) for machine in machines)
    return _Injection(_texts(machines), undo, do)


def _drain(state: LabState, target: FaultTarget) -> _Injection:
    machines = machines_of(state, target)
    undo = tuple(RevertStep(how="drained", machine=machine.name) for machine in machines)
    names = [machine.name for machine in machines]
    return _Injection(_texts(machines), undo, (partial(change_leaving, state, names, leaving=True),))


_OF_PLACES: dict[Action, Callable[[LabState, FaultTarget], _Injection]] = {
    Action.PAUSE: _pause,
    Action.LOSE: _lose,
    Action.DRAIN: _drain,
}


def _links(state: LabState, fault: ClusterFault) -> _Injection:
    spec = _spec(state)
    machines = machines_of(state, fault.target)
    undo, do = [], []
    for link, how in _affected_links(spec, machines, fault.target):
        undo.append(how)
        do.append(partial(_spoil, spec.name, link, fault))
    return _Injection(_texts(machines), tuple(undo), tuple(do))


def _spoil(lab: str, link: Link, fault: ClusterFault) -> None:
    match fault.action:
        case Action.CUT_LINK:
            breaking.cut_link(lab, link)
        case Action.CUT_LINK_IN:
            breaking.drop_packets(lab, link, "in")
        case Action.CUT_LINK_OUT:
            breaking.drop_packets(lab, link, "out")
        case _:
            breaking.slow_link(lab, link, fault.rate or 1)


def _affected_links(
    spec: LabSpec, machines: Sequence[LabSystem], target: FaultTarget
) -> Iterator[tuple[Link, RevertStep]]:
    """A machine's own cable, or the uplinks of a host or a rack: what is on one host still reaches itself."""
    if target.place in ("worker", "master", None):
        for machine in machines:
            cable = network.cable_of(spec, spec.machine(machine.name))
            yield cable, RevertStep(how="link", machine=machine.name)
        return
    for host in dict.fromkeys(machine.host for machine in machines):
        yield network.uplink_of(spec, host), RevertStep(how="link", host=host)


def _disks(state: LabState, fault: ClusterFault) -> _Injection:
    spec = _spec(state)
    undo: list[RevertStep] = []
    do: list[Callable[[], object]] = []
    machines = [machine for machine in machines_of(state, fault.target) if machine.data_dirs]
    for machine in machines:
        cabled: MachineSpec = spec.machine(machine.name)
        match fault.action:
            case Action.SLOW_DISK:
                undo.append(RevertStep(how="disk speed", machine=machine.name))
                do.append(partial(breaking.slow_disks, spec, cabled, fault.rate))
            case Action.FILL_DISK:
                undo.append(RevertStep(how="disk room", machine=machine.name))
                do.append(partial(breaking.fill_disks, cabled))
            case _:
                undo.append(RevertStep(how="disk", machine=machine.name))
                do.append(partial(breaking.fail_disks, cabled))
    return _Injection(_texts(machines), tuple(undo), tuple(do))


def _wipe(state: LabState, fault: ClusterFault) -> _Injection:
    if fault.action is Action.WIPE:
        return _wipe_journal(state, fault.target)
    machines = [machine for machine in machines_of(state, fault.target) if machine.data_dirs]
    undo = tuple(RevertStep(how="start all", machine=machine.name) for machine in machines)
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
