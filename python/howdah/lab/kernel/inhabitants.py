"""Processes of a lab: in its control groups or namespaces, or with its name in their environment.

Processes on a machine are in all three. howdah itself in the client's network is in one of them, and so is a
program that was building the lab when howdah was killed.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from howdah.errors import UserError
from howdah.lab import registry
from howdah.lab.kernel import network, processes
from howdah.lab.kernel.cgroups import ControlGroup
from howdah.lab.kernel.tools import read_mounts
from howdah.lab.registry import Leftover

_PATIENCE_S = 10.0


def find(lab: str) -> tuple[int, ...]:
    """Return the ids of a lab's processes."""
    spaces = set(_spaces(lab))
    grouped = set(ControlGroup.of(lab).processes())
    return tuple(pid for pid in processes.pids() if pid in grouped or _belongs(pid, lab, spaces))


def is_at_work(lab: str) -> bool:
    """Whether a lab has processes other than daemons: tasks, clients, shells, howdah itself."""
    return any(_is_no_daemon(pid) for pid in find(lab))


def leftover_processes(lab: str) -> tuple[Leftover, ...]:
    """Return a lab's processes, each with its command."""
    return tuple(Leftover("process", f"{pid} ({processes.command(pid)})") for pid in find(lab))


def kill(lab: str) -> tuple[Leftover, ...]:
    """Kill every process of a lab; return those that do not end within 10 s.

    Raises UserError if this process is one of them.
    """
    end = time.monotonic() + _PATIENCE_S
    while pids := find(lab):
        if os.getpid() in pids:
            raise UserError(lab, "this command runs inside the lab", "leave the lab's shell first (exit)")
        if time.monotonic() > end:
            return tuple(process._replace(why="does not exit") for process in leftover_processes(lab))
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    return ()


def _spaces(lab: str) -> Iterator[tuple[int, int]]:
    for space in network.leftover_spaces(lab):
        with suppress(FileNotFoundError):
            status = (network.SPACES / space.name).stat()
            yield status.st_dev, status.st_ino


def _belongs(pid: int, lab: str, spaces: set[tuple[int, int]]) -> bool:
    try:
        status = (processes.PROC / str(pid) / "ns/net").stat()
        if (status.st_dev, status.st_ino) in spaces:
            return True
        return processes.environment(pid).get(registry.VARIABLE.encode()) == lab.encode()
    except OSError:
        return False  # It has ended, or is another user's.


def _is_no_daemon(pid: int) -> bool:
    try:
        return processes.DAEMON.encode() not in processes.environment(pid)
    except OSError:
        return False  # It has ended.


def users_of(directory: Path) -> tuple[str, ...]:
    """Return the processes that work in a directory or have a file open below it: ``4711 (bash)``."""
    return tuple(f"{pid} ({processes.command(pid)})" for pid in processes.pids() if _uses(pid, directory))


def _uses(pid: int, directory: Path) -> bool:
    process = processes.PROC / str(pid)
    try:
        links = [process / "cwd", process / "root", *(process / "fd").iterdir()]
        return any(_leads_into(link, directory) for link in links)
    except OSError:
        return False


def _leads_into(link: Path, directory: Path) -> bool:
    with suppress(OSError):
        return link.readlink().is_relative_to(directory)
    return False


def keepers_of(device: str) -> tuple[str, ...]:
    """Return a process of each other mount namespace that has a device (``7:3``) mounted."""
    result: dict[tuple[int, int], str] = {}
    own = _mounts_of(os.getpid())
    for pid in processes.pids():
        space = _mounts_of(pid)
        if space is not None and space != own and space not in result and _has_mounted(pid, device):
            result[space] = f"{pid} ({processes.command(pid)})"
    return tuple(result.values())


def _mounts_of(pid: int) -> tuple[int, int] | None:
    try:
        status = (processes.PROC / str(pid) / "ns/mnt").stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _has_mounted(pid: int, device: str) -> bool:
    try:
        return any(mount.device == device for mount in read_mounts(processes.PROC / str(pid) / "mountinfo"))
    except OSError:
        return False
