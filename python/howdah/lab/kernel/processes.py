"""Processes as the kernel tells of them; a laboratory's are found by the mark in their environment."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from howdah.lab.registry import MACHINE, VARIABLE
from howdah.lab.state import LabState

PROC = Path("/proc")

_TICKS_PER_S = 100
_EXEC_TRIES = 10
_EXEC_S = 0.002

DAEMON = "HOWDAH_DAEMON"
"""The environment variable with the daemon's name; tasks do not have it."""
_CONTAINER = re.compile(r"/usercache/[^/]+/appcache/[^/]+/container_[^/]+")
_GONE_S = 20.0


def pids() -> Iterator[int]:
    """The ids of all processes."""
    return (int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())


def command(pid: int) -> str:
    """A process's name, empty if it has ended."""
    try:
        return (PROC / str(pid) / "comm").read_text().strip()
    except OSError:
        return ""


def environment(pid: int) -> dict[bytes, bytes]:
    """A process's environment, which is empty for the moment in which one program becomes another."""
    entry = PROC / str(pid)
    for _ in range(_EXEC_TRIES):
        if content := (entry / "environ").read_bytes():
            return {name: value for name, _, value in (line.partition(b"=") for line in content.split(b"\0"))}
        # Only a program has a file: the kernel's own threads and the dead have none, and are an OSError.
        (entry / "exe").readlink()
        time.sleep(_EXEC_S)
    return {}


def began_ticks(pid: int) -> int | None:
    """When a process began, in the kernel's ticks since boot; None for a zombie."""
    # The 22nd field: the second, a program's name, may hold blanks and brackets.
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


class Process(NamedTuple):
    """One process of a laboratory."""

    pid: int
    began: int
    """When it began, in the kernel's ticks since boot; with the number it is unique."""
    machine: str
    """The machine it belongs to; empty in a task."""
    daemon: str
    """``namenode`` and so on; empty in tasks and shells."""

    @property
    def began_s(self) -> float:
        """When it began, in seconds since the epoch."""
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + self.began / _TICKS_PER_S


def processes(mark: str, directory: Path | None = None) -> Iterator[Process]:
    """Every process of this user that belongs to the laboratory.

    A task that is just starting does not carry the mark yet; it is known by where it works, below the
    laboratory's directory.
    """
    for pid in pids():
        if pid == os.getpid():
            continue
        try:
            marks = _marks(pid)
            if marks.get(VARIABLE) != mark and not _works_below(pid, directory):
                continue
            if (PROC / str(pid)).stat().st_uid != os.geteuid():
                continue
            began = began_ticks(pid)
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
    result: dict[tuple[str, str], Process] = {}
    for process in processes(state.mark):
        key = process.machine, process.daemon
        if process.daemon and (key not in result or process.began < result[key].began):
            result[key] = process
    return result


def of(pid: int, machine: str, daemon: str) -> Process:
    """A process that was just started, as it will be found again."""
    return Process(pid, began_ticks(pid) or 0, machine, daemon)


def is_running(process: Process) -> bool:
    """Whether it still runs: a process that began later under its number is another one."""
    try:
        return began_ticks(process.pid) == process.began
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


def wait_for_end(process: Process) -> None:
    """Wait until it has ended, so that what it held is free; no longer than a killed one may take."""
    deadline = time.monotonic() + _GONE_S
    while is_running(process) and time.monotonic() < deadline:
        time.sleep(0.02)


def kill_all(mark: str, directory: Path | None) -> list[Process]:
    """Kill every process of a laboratory, as often as new ones appear; returns those that stay."""
    deadline = time.monotonic() + _GONE_S
    while left := list(processes(mark, directory)):
        if time.monotonic() > deadline:
            return left
        for process in left:
            kill(process)
        time.sleep(0.05)
    return []


def _marks(pid: int) -> dict[str, str]:
    variables = environment(pid).items()
    return {os.fsdecode(name): os.fsdecode(value) for name, value in variables if name.startswith(b"HOWDAH_")}


def _works_below(pid: int, directory: Path | None) -> bool:
    if directory is None:
        return False
    where = str((PROC / str(pid) / "cwd").readlink())
    return where.startswith(f"{directory}/") and _CONTAINER.search(where) is not None
