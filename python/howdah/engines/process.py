"""Whose work something is that a run left: a process, and whether it is still there."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from howdah.model.base import Model


class ProcessIdentity(Model):
    """A process, named so that no later one is taken for it."""

    host: str
    """The machine it runs on."""
    boot: str
    """The machine's boot."""
    pid: int
    """Its number."""
    started: int
    """When it started, in the kernel's ticks since boot."""


def this_process() -> ProcessIdentity:
    """The process that calls."""
    started = _started(os.getpid())
    assert started is not None
    return ProcessIdentity(host=socket.gethostname(), boot=_boot(), pid=os.getpid(), started=started)


def is_dead(process: ProcessIdentity) -> bool | None:
    """Whether a process has ended; None for one of another machine, of which nobody knows here."""
    if process.host != socket.gethostname():
        return None
    return process.boot != _boot() or _started(process.pid) != process.started


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _started(pid: int) -> int | None:
    """When a process started; None if it is not there, or has ended and only waits to be noticed."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name before may hold anything, brackets too; state is the next field, starttime the 20th.
    state, *fields = text.rpartition(")")[2].split()
    return None if state in "ZX" else int(fields[18])
