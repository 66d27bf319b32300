"""The processes of a laboratory, found by the mark in their environment: no file has to name them."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from howdah.lab import proc
from howdah.lab.names import MACHINE, VARIABLE
from howdah.lab.state import LabState

DAEMON = "HOWDAH_DAEMON"
"""The environment variable with the daemon's name; tasks do not have it."""

_CONTAINER = re.compile(r"/usercache/[^/]+/appcache/[^/]+/container_[^/]+")
_GONE_S = 20.0


class Process(NamedTuple):
    """One process of a laboratory."""

    pid: int
    """Its number."""
    began: int
    """When it began, in the kernel's ticks since boot; with the number it is unique."""
    machine: str
    """The machine it belongs to; empty in a task."""
    daemon: str
    """``namenode`` and so on; empty in tasks and shells."""


def processes(mark: str, directory: Path | None = None) -> Iterator[Process]:
    """Every process of this user that belongs to the laboratory.

    A task that is just starting does not carry the mark yet; it is known by where it works, below the
    laboratory's directory.
    """
    for pid in proc.pids():
        if pid == os.getpid():
            continue
        try:
            marks = _marks(pid)
            if marks.get(VARIABLE) != mark and not _works_below(pid, directory):
                continue
            if (proc.PROC / str(pid)).stat().st_uid != os.geteuid():
                continue
            began = proc.began_ticks(pid)
        except OSError:
            # It ended while it was looked at, or is another user's.
            continue
        if began is not None:
            yield Process(pid, began, marks.get(MACHINE, ""), marks.get(DAEMON, ""))


def belongs(pid: int, mark: str, directory: Path) -> bool:
    """Whether one process is the laboratory's, as far as this user may see; one that has ended is not."""
    try:
        return _marks(pid).get(VARIABLE) == mark or _works_below(pid, directory)
    except OSError:
        return False


def daemons(state: LabState) -> dict[tuple[str, str], Process]:
    """The running daemons by machine and name; a daemon's own children are not it."""
    found: dict[tuple[str, str], Process] = {}
    for one in processes(state.mark):
        key = one.machine, one.daemon
        if one.daemon and (key not in found or one.began < found[key].began):
            found[key] = one
    return found


def of(pid: int, machine: str, daemon: str) -> Process:
    """A process that was just started, as it will be found again."""
    return Process(pid, proc.began_ticks(pid) or 0, machine, daemon)


def is_running(process: Process) -> bool:
    """Whether it still runs: a process that began later under its number is another one."""
    try:
        return proc.began_ticks(process.pid) == process.began
    except OSError:
        return False


def kill(process: Process, number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to just this process, if it still runs."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return
    try:
        # The descriptor keeps its number from being given to another one in between.
        if is_running(process):
            signal.pidfd_send_signal(descriptor, number)
    except ProcessLookupError:
        pass
    finally:
        os.close(descriptor)


def kill_all(mark: str, directory: Path | None) -> list[Process]:
    """Kill every process of a laboratory, as often as new ones appear; returns those that stay."""
    deadline = time.monotonic() + _GONE_S
    while left := list(processes(mark, directory)):
        if time.monotonic() > deadline:
            return left
        for one in left:
            kill(one)
        time.sleep(0.05)
    return []


def _marks(pid: int) -> dict[str, str]:
    found = proc.environment(pid).items()
    return {os.fsdecode(name): os.fsdecode(value) for name, value in found if name.startswith(b"HOWDAH_")}


def _works_below(pid: int, directory: Path | None) -> bool:
    if directory is None:
        return False
    where = str((proc.PROC / str(pid) / "cwd").readlink())
    return where.startswith(f"{directory}/") and _CONTAINER.search(where) is not None
