"""Faults of a lab, injected and reverted from the command line or by a run."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from threading import Lock
from typing import NamedTuple

from howdah.errors import RunFailed, UserError
from howdah.faults.grammar import parse_fault
from howdah.faults.player import Injected
from howdah.faults.revert import (
    Reverted,
    await_whole,
    change_leaving,
    daemon_of,
    end_processes,
    heal,
    lab_targets,
    machines_of,
    revert,
    spec_of,
    start_fallen,
)
from howdah.lab import faults, registry
from howdah.lab.commands import kill, running_on
from howdah.lab.faults import ActiveFault, RevertStep, active_faults, record_fault, remove_fault
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.daemons import Daemon, exit_reason
from howdah.lab.hadoop.files import installed
from howdah.lab.hadoop.reports import journal_directory
from howdah.lab.hadoop.starting import start_missing
from howdah.lab.kernel import network, processes
from howdah.lab.kernel.network import Link
from howdah.lab.state import LabSpec, LabState, LabSystem
from howdah.model.cluster import KillMode
from howdah.model.faults import AT_ONCE, Action, ClusterFault, FaultTarget


class _Injection(NamedTuple):
    """The targets of a fault at this moment, the steps that revert it, and the steps that inject it."""

    hit: tuple[str, ...]
    undo: tuple[RevertStep, ...]
    do: tuple[Callable[[], object], ...]


def inject(state: LabState, fault: ClusterFault, *, own: bool = True) -> ActiveFault:
    """Inject a fault; the caller has the lab's lock. ``own``: this process will revert it.

    Raises UserError if the target is not in the lab, and RunFailed if it cannot be hit now.
    """
    lab_targets(state).check(fault, fault.text)
    injected = _INJECTIONS[fault.action](state, fault)
    active = record_fault(state, fault.text, injected.hit, injected.undo, own=own)
    try:
        for do in injected.do:
            do()
    except BaseException:
        # Parts of it may already be active.
        revert(state, active)
        raise
    if fault.action in AT_ONCE:
        remove_fault(state, active)
    return active


def _kill(state: LabState, fault: ClusterFault) -> _Injection:
    hit = daemon_of(state, fault.target)
    do: tuple[Callable[[], object], ...] = (partial(processes.kill, hit.process),)
    if hit.daemon is None:
        return _Injection((hit.text,), (), do)
    undo = RevertStep(how="start", machine=hit.daemon.machine.name, daemon=hit.daemon.program)
    if fault.action is Action.RESTART:
        wait = partial(processes.wait_for_end, hit.process)
        do = (*do, wait, partial(daemons.start, state, hit.daemon, installed(state)))
    return _Injection((hit.text,), (undo,), do)


def _wipe_journal(state: LabState, fault: ClusterFault) -> _Injection:
    """Empty the journal of a JournalNode, as if its disk was replaced."""
    hit = daemon_of(state, fault.target)
    assert hit.daemon is not None
    machine = hit.daemon.machine
    undo = RevertStep(how="start", machine=machine.name, daemon=hit.daemon.program)
    do = (
        partial(processes.kill, hit.process),
        partial(processes.wait_for_end, hit.process),
        partial(faults.empty, journal_directory(machine)),
        partial(daemons.start, state, hit.daemon, installed(state)),
    )
    return _Injection((hit.text,), (undo,), do)


def _pause(state: LabState, fault: ClusterFault) -> _Injection:
    if fault.target.place is None:
        hit = daemon_of(state, fault.target)
        stopped = [hit.process]
        texts: tuple[str, ...] = (hit.text,)
    else:
        machines = machines_of(state, fault.target)
        stopped, texts = list(running_on(state, machines)), _texts(machines)
    undo = RevertStep(how="resume", processes=tuple((process.pid, process.began) for process in stopped))
    stop = tuple(partial(processes.kill, process, signal.SIGSTOP) for process in stopped)
    return _Injection(texts, (undo,), stop)


def _lose(state: LabState, fault: ClusterFault) -> _Injection:
    machines = machines_of(state, fault.target)
    how = KillMode.PROCESS if state.rootless else KillMode.HOST
    killing = [partial(kill, state, machine.name, None, how) for machine in machines]
    return _on_machines(machines, "start all", killing)


def _drain(state: LabState, fault: ClusterFault) -> _Injection:
    machines = machines_of(state, fault.target)
    return _on_machines(machines, "drained", [partial(change_leaving, state, _texts(machines), leaving=True)])


def _on_machines(machines: Sequence[LabSystem], how: str, do: Sequence[Callable[[], object]]) -> _Injection:
    """A fault that is reverted in the same way on each of its machines."""
    undo = tuple(RevertStep.model_validate({"how": how, "machine": machine.name}) for machine in machines)
    return _Injection(_texts(machines), undo, tuple(do))


def _links(state: LabState, fault: ClusterFault) -> _Injection:
    spec = spec_of(state)
    machines = machines_of(state, fault.target)
    links = list(_affected_links(spec, machines, fault.target))
    do = tuple(partial(_spoil, spec.name, link, fault) for link, _ in links)
    return _Injection(_texts(machines), tuple(step for _, step in links), do)


def _spoil(lab: str, link: Link, fault: ClusterFault) -> None:
    match fault.action:
        case Action.CUT_LINK:
            network.set_link(lab, link, "down")
        case Action.CUT_LINK_IN:
            faults.drop_packets(lab, link, "in")
        case Action.CUT_LINK_OUT:
            faults.drop_packets(lab, link, "out")
        case _:
            faults.slow_link(lab, link, fault.rate or 1)


def _affected_links(
    spec: LabSpec, machines: Sequence[LabSystem], target: FaultTarget
) -> Iterator[tuple[Link, RevertStep]]:
    """Yield a machine's cable, or the uplinks of a host or a rack; machines on one host stay connected."""
    if target.place in ("worker", "master", None):
        for machine in machines:
            cable = network.cable_of(spec, spec.machine(machine.name))
            yield cable, RevertStep(how="link", machine=machine.name)
        return
    for host in dict.fromkeys(machine.host for machine in machines):
        yield network.uplink_of(spec, host), RevertStep(how="link", host=host)


def _disks(state: LabState, fault: ClusterFault) -> _Injection:
    spec, machines = spec_of(state), _with_disks(state, fault.target)
    systems = [spec.machine(machine.name) for machine in machines]
    if fault.action is Action.SLOW_DISK:
        slowing = [partial(faults.slow_disks, spec, system, fault.rate) for system in systems]
        return _on_machines(machines, "disk speed", slowing)
    if fault.action is Action.FILL_DISK:
        return _on_machines(machines, "disk room", [partial(faults.fill_disks, system) for system in systems])
    return _on_machines(machines, "disk", [partial(faults.fail_disks, system) for system in systems])


def _wipe_disks(state: LabState, fault: ClusterFault) -> _Injection:
    machines = _with_disks(state, fault.target)
    exchanging = [partial(_exchange_disks, state, machine) for machine in machines]
    return _on_machines(machines, "start all", exchanging)


def _with_disks(state: LabState, target: FaultTarget) -> list[LabSystem]:
    return [machine for machine in machines_of(state, target) if machine.data_dirs]


def _exchange_disks(state: LabState, machine: LabSystem) -> None:
    """Stop a machine, replace its disks by empty ones and start it."""
    end_processes(state, machine)
    faults.wipe_disks(spec_of(state).machine(machine.name))
    start_missing(state, installed(state), lambda text: None, [machine])


def _texts(machines: Sequence[LabSystem]) -> tuple[str, ...]:
    return tuple(machine.name for machine in machines)


_INJECTIONS: dict[Action, Callable[[LabState, ClusterFault], _Injection]] = {
    **dict.fromkeys((Action.KILL, Action.RESTART), _kill),
    Action.PAUSE: _pause,
    Action.LOSE: _lose,
    Action.DRAIN: _drain,
    **dict.fromkeys((Action.CUT_LINK, Action.CUT_LINK_IN, Action.CUT_LINK_OUT, Action.SLOW_LINK), _links),
    Action.WIPE: _wipe_journal,
    Action.WIPE_DISK: _wipe_disks,
    **dict.fromkeys((Action.SLOW_DISK, Action.FILL_DISK, Action.FAIL_DISK), _disks),
}
_PATIENCE_S = 20.0


def inject_from_text(state: LabState, text: str, report: Callable[[ActiveFault], None]) -> Reverted | None:
    """Inject a fault at once; if it has a duration, wait and revert it. Returns None if it stays active.

    ``report`` is called with the fault after its injection.
    """
    fault = parse_fault(text, "FAULT")
    if fault.when is not None:
        problem = "cannot have a start time, because howdah lab fault injects it immediately"
        raise UserError("FAULT", problem, "leave 'at' out, or use howdah run --fault")
    with registry.locked(state.name):
        heal(state, lambda fault: fault.orphaned)
        active = inject(state, fault, own=fault.for_s is not None)
    report(active)
    if fault.for_s is None or fault.action in AT_ONCE:
        return None
    try:
        time.sleep(fault.for_s)
    finally:
        with _locked_soon(state.name):
            reverted = revert(state, active)
    return reverted


def heal_all(state: LabState, report: Callable[[str], None]) -> tuple[Reverted, ...]:
    """Revert all active faults of all processes, and wait until the daemons are ready again."""
    with registry.locked(state.name):
        reverted = heal(state)
        if reverted:
            await_whole(state, report)
    return reverted


def heal_orphans(state: LabState) -> tuple[Reverted, ...]:
    """Revert faults of a killed howdah; those that a user injected stay."""
    if not any(fault.orphaned for fault in active_faults(state)):
        return ()
    with registry.locked(state.name):
        return heal(state, lambda fault: fault.orphaned)


class LabFaults:
    """Injects and reverts a run's faults; see ``howdah.faults.player.Injector``."""

    def __init__(self, state: LabState) -> None:
        self._state = state
        self._lock = _SharedLock(state.name)
        self._injected: dict[int, ActiveFault] = {}

    def inject(self, fault: ClusterFault) -> Injected:
        """Inject a fault; raises HowdahError if that is impossible at this moment."""
        with self._lock.taken():
            active = inject(self._state, fault)
        self._injected[active.id] = active
        return Injected(active.id, active.hit, lasts=fault.action not in AT_ONCE and bool(active.undo))

    def revert(self, number: int) -> tuple[str, ...]:
        with self._lock.taken():
            return revert(self._state, self._injected[number]).remaining


class RunningDaemons:
    """The daemons that ran at creation; they are started again if they end by themselves."""

    def __init__(self, state: LabState) -> None:
        self._state = state
        self._ran = frozenset(processes.daemons(state))

    def start_fallen(self) -> tuple[str, ...]:
        """Start ended daemons that no active fault stopped, and wait for them; returns their names.

        A name is followed by the reason if the daemon's log has one.
        """
        with _locked_soon(self._state.name):
            ended = {daemon.key: exit_reason(daemon.log) for daemon in daemons.planned(self._state)}
            fallen = start_fallen(self._state, self._ran)
            if fallen:
                # The next run finds out what is still missing.
                with suppress(RunFailed):
                    await_whole(self._state, lambda text: None)
        return tuple(_with_reason(daemon, ended[daemon.key]) for daemon in fallen)


def _with_reason(daemon: Daemon, reason: str) -> str:
    name = f"{daemon.program} on {daemon.machine.name}"
    return f"{name} ({reason})" if reason else name


class _SharedLock:
    """A lab's lock that the threads of one run share.

    The revert of a lost worker waits for HDFS, and HDFS may wait for the revert of another fault of the same
    run. So both threads need the lock at once.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._guard = Lock()
        self._within = 0
        self._lock = ExitStack()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Keep the lock together with other threads; raises RunFailed if another command has it."""
        with self._guard:
            if not self._within:
                self._lock.enter_context(_locked_soon(self._name))
            self._within += 1
        try:
            yield
        finally:
            with self._guard:
                self._within -= 1
                if not self._within:
                    self._lock.close()


@contextmanager
def _locked_soon(name: str) -> Iterator[None]:
    """Keep the lab's lock; wait if another command has it for a moment."""
    deadline = time.monotonic() + _PATIENCE_S
    with ExitStack() as lock:
        while True:
            try:
                lock.enter_context(registry.locked(name))
                break
            except UserError as error:
                if time.monotonic() > deadline:
                    raise RunFailed(error.where, error.what, error.hint) from error
                time.sleep(0.1)
        yield
