"""Processes of a lab, found by the mark in their environment; Linux programs that build it; mounts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from howdah.errors import RunFailed, UserError
from howdah.lab.registry import MACHINE, VARIABLE
from howdah.lab.state import LabState

PROC = Path("/proc")
_TICKS_PER_S = 100
_EXEC_TRIES = 10
_EXEC_S = 0.002
DAEMON = "HOWDAH_DAEMON"  # The environment variable with the daemon's name; tasks do not have it.
_CONTAINER = re.compile(r"/usercache/[^/]+/appcache/[^/]+/container_[^/]+")
_END_S = 20.0
Key = tuple[str, str]  # A daemon by its machine and its program.


def pids() -> Iterator[int]:
    return (int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())


def command(pid: int) -> str:
    """Return a process's name, empty if it has ended."""
    try:
        return (PROC / str(pid) / "comm").read_text().strip()
    except OSError:
        return ""


def environment(pid: int) -> dict[bytes, bytes]:
    """Return a process's environment; retry while it is empty during an exec."""
    entry = PROC / str(pid)
    for _ in range(_EXEC_TRIES):
        if content := (entry / "environ").read_bytes():
            return {name: value for name, _, value in (line.partition(b"=") for line in content.split(b"\0"))}
        # Kernel threads and zombies have no executable and raise OSError.
        (entry / "exe").readlink()
        time.sleep(_EXEC_S)
    return {}


def began_ticks(pid: int) -> int | None:
    """Return a process's start time in the kernel's ticks since boot; None for a zombie."""
    # The 22nd field. The second, a program's name, may contain blanks and brackets.
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


class Process(NamedTuple):
    pid: int
    began: int  # Its start time in the kernel's ticks since boot; unique together with the id.
    machine: str  # Its machine; empty for a task.
    daemon: str  # ``namenode`` and so on; empty in tasks and shells.

    @property
    def began_s(self) -> float:
        """Its start time in seconds since 1970."""
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + self.began / _TICKS_PER_S


def processes(mark: str, directory: Path | None = None) -> Iterator[Process]:
    """Yield every process of this user that belongs to the lab.

    A task that is just starting has no mark yet; it is identified by its working directory below the lab's.
    """
    for pid in pids():
        # It may have ended, or belong to another user.
        with suppress(OSError):
            marks = _marks(pid)
            own = pid != os.getpid() and (PROC / str(pid)).stat().st_uid == os.geteuid()
            marked = own and (marks.get(VARIABLE) == mark or _works_below(pid, directory))
            if marked and (began := began_ticks(pid)) is not None:
                yield Process(pid, began, marks.get(MACHINE, ""), marks.get(DAEMON, ""))


def belongs(pid: int, mark: str, directory: Path) -> bool:
    """Whether a process belongs to the lab; False if it has ended, or if this user may not see it."""
    try:
        return _marks(pid).get(VARIABLE) == mark or _works_below(pid, directory)
    except OSError:
        return False


def daemons(state: LabState) -> dict[Key, Process]:
    """Return the running daemons by machine and name, without their child processes."""
    result: dict[Key, Process] = {}
    for process in processes(state.mark):
        key = process.machine, process.daemon
        if process.daemon and (key not in result or process.began < result[key].began):
            result[key] = process
    return result


def process_of(pid: int, machine: str, daemon: str) -> Process:
    return Process(pid, began_ticks(pid) or 0, machine, daemon)


def is_running(process: Process) -> bool:
    """Whether it still runs, and its id was not reused."""
    try:
        return began_ticks(process.pid) == process.began
    except OSError:
        return False


def kill(process: Process, number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to this process, if it still runs."""
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(process.pid)
        try:
            # The descriptor prevents the reuse of its id in between.
            if is_running(process):
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)


def wait_for_end(process: Process) -> None:
    """Wait until it has ended, at most as long as a killed process may take."""
    deadline = time.monotonic() + _END_S
    while is_running(process) and time.monotonic() < deadline:
        time.sleep(0.02)


def kill_all(mark: str, directory: Path | None) -> list[Process]:
    """Kill every process of a lab, also new ones; return those that remain."""
    deadline = time.monotonic() + _END_S
    while remaining := list(processes(mark, directory)):
        if time.monotonic() > deadline:
            return remaining
        for process in remaining:
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


_ESCAPED = re.compile(r"\\([0-7]{3})")


class LabMount(NamedTuple):
    point: Path
    device: str  # The device's numbers, ``7:0``.
    kind: str
    options: tuple[str, ...]  # The file system's own options; of version 1 control groups, the controllers.


def read_mounts(path: Path = Path("/proc/self/mountinfo")) -> tuple[LabMount, ...]:
    mounts = []
    for line in path.read_text().splitlines():
        before, after = line.split(" - ", 1)
        fields, (kind, _, options) = before.split(" "), after.split(" ", 2)
        point = _ESCAPED.sub(lambda escaped: chr(int(escaped[1], 8)), fields[4])
        mounts.append(LabMount(Path(point), fields[2], kind, tuple(options.split(","))))
    return tuple(mounts)


_PACKAGES = {"ip": "iproute2", "tc": "iproute2", "mkfs.xfs": "xfsprogs", "mkfs.ext4": "e2fsprogs"}
"""The packages of programs that are not in util-linux."""


def run(lab: str, *command: str, text: str = "", folder: Path = Path("/")) -> str:
    """Run a program with ``text`` as its input and return its output.

    Its environment has the lab's name, so that ``howdah lab down`` finds and ends it if howdah was killed.
    Raises UserError if it is not installed, RunFailed if it fails.
    """
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            cwd=folder,
            env={**os.environ, VARIABLE: lab, "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        hint = f"install {_PACKAGES.get(command[0], 'util-linux')}, and add it to the PATH"
        raise UserError(command[0], "is not installed", hint) from error
    if done.returncode != 0:
        message = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise RunFailed(" ".join(command[:6]), message[:500])
    return done.stdout
