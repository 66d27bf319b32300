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
"""The file's name in a lab's directory."""


class RevertStep(Model):
    """One step that reverts a part of a fault; safe to repeat."""

    how: Literal["start", "start all", "resume", "link", "disk speed", "disk room", "disk", "drained"]
    """Start a daemon or all of a machine, resume processes, restore a link, a disk's speed, its free space or
    the disk itself, or make a drained worker a member again."""
    machine: str = ""
    """Empty for a host's link."""
    daemon: str = ""
    host: str = ""
    processes: tuple[tuple[int, int], ...] = ()
    """Paused processes: ids and start times in the kernel's ticks since boot."""


class ActiveFault(Model):
    """A fault that is active, or about to be injected."""

    id: int
    """Its number among the active faults."""
    fault: str
    """Its line in a schedule."""
    hit: tuple[str, ...]
    """Its targets, in words."""
    undo: tuple[RevertStep, ...]
    """The steps that revert it, in order."""
    owner: tuple[int, int] | None
    """The process that will revert it: its id and start time; None if a user will."""

    @property
    def orphaned(self) -> bool:
        """Whether the process that would revert it has ended."""
        return self.owner is not None and self.owner != _identity(self.owner[0])


_LIST = TypeAdapter(tuple[ActiveFault, ...])
_CHANGING = Lock()
"""Threads of one run share the lab's lock, but change the list one after the other."""


def active_faults(state: LabState) -> tuple[ActiveFault, ...]:
    """Return the active faults; raise UserError if the list is damaged."""
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
    """Record a fault before its injection, with the lab's lock. ``own``: this process reverts it."""
    owner = _identity(os.getpid()) if own else None
    with _CHANGING:
        recorded = active_faults(state)
        number = max((entry.id for entry in recorded), default=0) + 1
        active = ActiveFault(id=number, fault=fault, hit=hit, undo=undo, owner=owner)
        _write(state, (*recorded, active))
    return active


def remove_fault(state: LabState, active: ActiveFault) -> None:
    """Remove a reverted fault from the list; the caller has the lab's lock."""
    with _CHANGING:
        _write(state, tuple(entry for entry in active_faults(state) if entry.id != active.id))


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
