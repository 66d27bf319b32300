"""What the kernel tells of processes; of one that has ended, or is another user's, an OSError."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")

_EXEC_TRIES = 10
_EXEC_S = 0.002


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
        if found := (entry / "environ").read_bytes():
            return {name: value for name, _, value in (one.partition(b"=") for one in found.split(b"\0"))}
        # Only a program has a file: the kernel's own threads and the dead have none, and are an OSError.
        (entry / "exe").readlink()
        time.sleep(_EXEC_S)
    return {}


def began_ticks(pid: int) -> int | None:
    """When a process began, in the kernel's ticks since boot; None for a zombie."""
    # The 22nd field: the second, a program's name, may hold blanks and brackets.
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])
