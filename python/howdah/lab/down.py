"""Removal of a lab in any state, with everything that belongs to it."""

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

_FILES = (
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
"""The files and folders that a lab creates in its directory."""


def remove(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """Kill its processes, then remove its parts, its entry last; return what could not be removed, and why.

    All parts are found by the lab's name, so that missing ones do not matter. ``directory`` is its directory,
    if known. The caller has the lab's lock.
    """
    rootless = os.geteuid() != 0
    if rootless:
        mark = mark_of(name, rootless=True)
        remaining = tuple(
            Leftover("process", str(process.pid), "does not exit")
            for process in processes.kill_all(mark, directory)
        )
    else:
        remaining = remove_hosts(name, directory)
    if directory is not None and not any(leftover.kind in ("mount", "process") for leftover in remaining):
        remaining += _remove_files(directory)
    if not remaining:
        remaining = shared_hosts.leave(name)
    return remaining


def leftovers(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """Return all existing parts of a lab on this machine."""
    if os.geteuid() != 0:
        mark = mark_of(name, rootless=True)
        return tuple(
            Leftover("process", str(process.pid)) for process in processes.processes(mark, directory)
        )
    return (*survey_hosts(name, directory), *shared_hosts.shared_leftovers(name))


def _remove_files(directory: Path) -> tuple[Leftover, ...]:
    """Remove the lab's own files; other files, and then the directory, stay."""
    remaining = []
    for name in _FILES:
        path = directory / name
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            remaining.append(Leftover("file", str(error.filename or path), error.strerror or str(error)))
    with suppress(OSError):
        directory.rmdir()
    return tuple(remaining)
