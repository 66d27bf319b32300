"""Taking a laboratory down until nothing is left of it, whatever was done to it before."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from howdah.lab import shared_hosts
from howdah.lab.active_faults import ACTIVE_FAULTS
from howdah.lab.kernel import processes
from howdah.lab.machines import remove_hosts, survey_hosts
from howdah.lab.registry import Leftover
from howdah.lab.state import STATE, mark_of

_OWN = (
    STATE,
    "lab.new",
    ACTIVE_FAULTS,
    "faults.new",
    "hosts",
    ".hosts.new",
    "bin",
    "client",
    "machines",
    "disks",
    "rendered",
)
"""What a laboratory puts into its directory."""


def remove(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """End its processes, then remove all it has, its entry last; what could not be removed, and why.

    Everything is found by the laboratory's name, so it works whatever is missing already. ``directory``
    is where its files are, if that is known. The lock of its name is held.
    """
    rootless = os.geteuid() != 0
    if rootless:
        mark = mark_of(name, rootless=True)
        left = tuple(
            Leftover("process", str(process.pid), "does not exit")
            for process in processes.kill_all(mark, directory)
        )
    else:
        left = remove_hosts(name, directory)
    if directory is not None and not any(leftover.kind in ("mount", "process") for leftover in left):
        left += _remove_files(directory)
    if not left:
        left = shared_hosts.leave(name)
    return left


def leftovers(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """All that a laboratory has on this machine now."""
    if os.geteuid() != 0:
        mark = mark_of(name, rootless=True)
        return tuple(
            Leftover("process", str(process.pid)) for process in processes.processes(mark, directory)
        )
    return (*survey_hosts(name, directory), *shared_hosts.left_on(name))


def _remove_files(directory: Path) -> tuple[Leftover, ...]:
    """Remove what the laboratory put there; what somebody else did stays, and the directory with it."""
    left = []
    for name in _OWN:
        path = directory / name
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            left.append(Leftover("file", str(error.filename or path), error.strerror or str(error)))
    with suppress(OSError):
        directory.rmdir()
    return tuple(left)
