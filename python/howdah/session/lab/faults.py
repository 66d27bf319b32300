"""Faults done to a laboratory from the command line, and undone; and a run's, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

from howdah.errors import RunFailed, UserError
from howdah.faults.grammar import parse_fault
from howdah.faults.player import Deed
from howdah.lab import registry
from howdah.lab.faults.active_faults import FaultInForce, in_force
from howdah.lab.faults.injection import Undone, await_whole, do_fault, heal, start_fallen, undo_fault
from howdah.lab.kernel import processes
from howdah.lab.state import LabState
from howdah.model.faults import AT_ONCE, ClusterFault
from howdah.session.lab.laboratories import state_of

__all__ = ["FaultInForce", "LabFaults", "RunningDaemons", "Undone", "heal_all", "heal_orphans", "one_fault"]

_PATIENCE_S = 20.0


def one_fault(name: str, text: str, tell: Callable[[FaultInForce], None]) -> Undone | None:
    """Do a fault at once; with a duration wait for its end and undo it. None where it stays in force.

    ``tell`` hears whom it hit, once that is done.
    """
    fault = parse_fault(text, "FAULT")
    if fault.when is not None:
        raise UserError(
            "FAULT",
            "cannot have a start time, because howdah lab fault injects it immediately",
            "leave 'at' out, or use howdah run --fault",
        )
    state = state_of(name)
    with registry.locked(name):
        heal(state, lambda each: each.orphaned)
        noted = do_fault(state, fault, own=fault.for_s is not None)
    tell(noted)
    if fault.for_s is None or fault.what in AT_ONCE:
        return None
    try:
        time.sleep(fault.for_s)
    finally:
        with _locked_soon(name):
            undone = undo_fault(state, noted)
    return undone


def heal_all(name: str, tell: Callable[[str], None]) -> tuple[Undone, ...]:
    """Undo all that is in force, whoever did it, and wait until all that was hit does its part again."""
    state = state_of(name)
    with registry.locked(name):
        undone = heal(state)
        if undone:
            await_whole(state, tell)
    return undone


def heal_orphans(state: LabState) -> tuple[Undone, ...]:
    """Undo what a howdah that was killed left in force; what a user did stays."""
    if not any(each.orphaned for each in in_force(state)):
        return ()
    with registry.locked(state.name):
        return heal(state, lambda each: each.orphaned)


class LabFaults:
    """Does and undoes a run's faults; see ``howdah.faults.player.Doer``."""

    def __init__(self, state: LabState) -> None:
        self._state = state
        self._lock = _SharedLock(state.name)
        self._done: dict[int, FaultInForce] = {}

    def do(self, fault: ClusterFault) -> Deed:
        """Do it; raises HowdahError where it cannot be done at this moment."""
        with self._lock.held():
            noted = do_fault(self._state, fault)
        self._done[noted.id] = noted
        return Deed(noted.id, noted.hit, lasts=fault.what not in AT_ONCE and bool(noted.undo))

    def undo(self, number: int) -> tuple[str, ...]:
        """Undo it; what of it could not be undone."""
        with self._lock.held():
            return undo_fault(self._state, self._done[number]).left


class RunningDaemons:
    """The daemons that ran when this was made, to be started again where they end by themselves."""

    def __init__(self, state: LabState) -> None:
        self._state = state
        self._ran = frozenset(processes.daemons(state))

    def start_fallen(self) -> tuple[str, ...]:
        """Start those again that are gone and that no fault in force keeps down; returns who that was."""
        with _locked_soon(self._state.name):
            fallen = start_fallen(self._state, self._ran)
        return tuple(f"{daemon.program} on {daemon.machine.name}" for daemon in fallen)


class _SharedLock:
    """A laboratory's lock that the threads of one run have together.

    A worker that was lost comes back once HDFS answers, and what keeps HDFS from answering may be another
    fault of the same run, which is undone meanwhile.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._guard = Lock()
        self._within = 0
        self._lock = ExitStack()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be one of those who have it; raises RunFailed where another command does not let go of it."""
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
    """The laboratory's lock, waited for where another command has it for a moment."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            lock = registry.locked(name)
            lock.__enter__()
            break
        except UserError as error:
            if time.monotonic() > deadline:
                raise RunFailed(error.where, error.what, error.hint) from error
            time.sleep(0.1)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)
