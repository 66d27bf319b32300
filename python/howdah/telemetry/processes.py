"""Processes by what /proc/PID/stat says of them: which of many, and how much CPU time they have had."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_KERNEL_THREAD = 0x00200000  # PF_KTHREAD in include/linux/sched.h of the kernel


class Process(NamedTuple):
    """One process now; times are in the kernel's ticks."""

    pid: int
    parent: int
    kernel: bool
    """Whether it is a thread of the kernel's own."""
    used: int
    """What its own threads had of the CPUs."""
    ended: int
    """What its children had that have ended and that it has waited for, and theirs."""


def parsed(stat: bytes) -> Process:
    """A process from the text of its ``stat`` (man 5 proc)."""
    # The second field, a program's name, may hold blanks and brackets.
    fields = stat.rpartition(b")")[2].split()
    user, system, ended_user, ended_system = map(int, fields[11:15])
    return Process(
        pid=int(stat.partition(b" ")[0]),
        parent=int(fields[1]),
        kernel=bool(int(fields[6]) & _KERNEL_THREAD),
        used=user + system,
        ended=ended_user + ended_system,
    )


class Selection:
    """Those of a machine's processes that are ``wanted``, found again at each reading.

    A process that is not is never looked at again, so that a machine with many costs little.
    """

    def __init__(self, wanted: Callable[[Process], bool], proc: Path = Path("/proc")) -> None:
        self._wanted = wanted
        self._proc = str(proc)
        self._strangers: set[int] = set()

    def read(self) -> dict[int, Process]:
        """The processes that are wanted, by their ids, parents as a rule before their children."""
        with os.scandir(self._proc) as entries:
            there = {int(entry.name) for entry in entries if entry.name.isdigit()}
        self._strangers &= there
        found: dict[int, Process] = {}
        for pid in sorted(there - self._strangers):
            process = self._process(pid)
            if process is None:
                continue
            if process.parent in found or self._wanted(process):
                found[pid] = process
            else:
                self._strangers.add(pid)
        return found

    def _process(self, pid: int) -> Process | None:
        """One process; None if it has ended by now."""
        try:
            descriptor = os.open(f"{self._proc}/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            return parsed(os.read(descriptor, 4096))
        except OSError:
            return None
        finally:
            os.close(descriptor)
