"""Active faults of a lab, recorded before they are injected so that any later command can revert them."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from howdah.errors import UserError
from howdah.lab.kernel.processes import began_ticks
from howdah.lab.state import LabState
from howdah.model.base import Model

ACTIVE_FAULTS = "faults.json"
"""The file's name in a laboratory's directory."""


class RevertStep(Model):
    """One thing to do that undoes a part of a fault; each is safe to repeat."""

    how: Literal["start", "start all", "resume", "link", "disk speed", "disk room", "disk", "drained"]
    """A daemon is started, all of a machine is, processes go on, a cable, a disk's speed, its room or the
    disk itself become what they were built as, a drained worker is a member again."""
    machine: str = ""
    """The machine; of a link that is a host's, empty."""
    daemon: str = ""
    host: str = ""
    """The host whose link it is."""
    processes: tuple[tuple[int, int], ...] = ()
    """What was stopped: process ids with when they began, in the kernel's ticks since boot."""


class ActiveFault(Model):
    """A fault that is done, or about to be."""

    id: int
    """Its number among those in force."""
    fault: str
    """As it is written in a schedule."""
    hit: tuple[str, ...]
    """Whom it hit, in words."""
    undo: tuple[RevertStep, ...]
    """What undoes it, in order."""
    owner: tuple[int, int] | None
    """The process that will undo it: its id and when it began; none where a user will."""

    @property
    def orphaned(self) -> bool:
        """Whether the process that was to undo it is there no more."""
        return self.owner is not None and self.owner != _identity(self.owner[0])


_LIST = TypeAdapter(tuple[ActiveFault, ...])
_CHANGING = Lock()
"""Threads of one run have the laboratory's lock together, and the list one after the other."""


def active_faults(state: LabState) -> tuple[ActiveFault, ...]:
    """What is in force; raises UserError where the list is damaged."""
    path = _path(state)
    try:
        return _LIST.validate_json(path.read_bytes())
    except FileNotFoundError:
        return ()
    except ValidationError as error:
        raise UserError(
            str(path), "is damaged, or from another version of howdah", "howdah lab down, then up again"
        ) from error


def record_fault(
    state: LabState, fault: str, hit: tuple[str, ...], undo: tuple[RevertStep, ...], *, own: bool
) -> ActiveFault:
    """Write down what is about to be done; the lock is held. ``own`` is what this process undoes."""
    owner = _identity(os.getpid()) if own else None
    with _CHANGING:
        there = active_faults(state)
        number = max((each.id for each in there), default=0) + 1
        active = ActiveFault(id=number, fault=fault, hit=hit, undo=undo, owner=owner)
        _write(state, (*there, active))
    return active


def remove_fault(state: LabState, active: ActiveFault) -> None:
    """Write down that one is undone; the laboratory's lock is held."""
    with _CHANGING:
        _write(state, tuple(each for each in active_faults(state) if each.id != active.id))


def _write(state: LabState, faults: tuple[ActiveFault, ...]) -> None:
    path = _path(state)
    if not faults:
        path.unlink(missing_ok=True)
        return
    staged = path.with_suffix(".new")
    with staged.open("wb") as file:
        file.write(_LIST.dump_json(faults, indent=1))
        file.flush()
        os.fsync(file.fileno())
    staged.replace(path)


def _identity(pid: int) -> tuple[int, int] | None:
    try:
        began = began_ticks(pid)
    except OSError:
        return None
    return None if began is None else (pid, began)


def _path(state: LabState) -> Path:
    return state.directory / ACTIVE_FAULTS
