"""The file that says whose a run's directory in HDFS is, and whether its run is still at work."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from howdah.model.base import Model

FILE = ".howdah"


class Process(Model):
    """A process, named so that no later one is taken for it."""

    host: str
    """The machine it runs on."""
    boot: str
    """The machine's boot."""
    pid: int
    """Its number."""
    started: int
    """When it started, in the kernel's ticks since boot."""


class Marker(Model):
    """What stands in the file."""

    howdah: Literal[1] = 1
    """The format's version."""
    run: str
    """The run whose directory it is."""
    process: Process | None
    """Who works there; None once the run has ended and data was kept."""
    parents: tuple[str, ...] = ()
    """Directories above it that howdah made, the innermost first."""
    kept: tuple[str, ...] = ()
    """The folders that hold whole data, kept on purpose."""

    def content(self) -> bytes:
        """What is written into the file."""
        return self.model_dump_json().encode()


def read_marker(content: bytes) -> Marker | None:
    """The marker that a file holds; None if it holds none, as after a kill in the middle of its writing."""
    try:
        return Marker.model_validate_json(content)
    except ValidationError:
        return None


def this_process() -> Process:
    """The process that calls."""
    started = _started(os.getpid())
    assert started is not None
    return Process(host=socket.gethostname(), boot=_boot(), pid=os.getpid(), started=started)


def is_dead(process: Process) -> bool | None:
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
