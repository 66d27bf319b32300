"""Stopping a run that another process writes: asked as Ctrl-C asks, and only of the process that does."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from howdah.errors import UserError
from howdah.model.run import Outcome
from howdah.store.layout import LOCK
from howdah.store.run_json import load_run_json
from howdah.store.staging import is_held


def stop_run(path: Path) -> None:
    """Ask the run in a directory to stop; its record says then that the user did.

    Raises UserError where it does not go on, or its process is out of reach.
    """
    record = load_run_json(path)
    if record.outcome is not Outcome.RUNNING or not is_held(path / LOCK):
        raise UserError(record.id, "is not under way", "there is nothing to stop")
    elsewhere = UserError(
        record.id,
        "its process is not on this machine, or another user's",
        "press Ctrl-C where it was started",
    )
    if record.pid is None or not _holds(record.pid, path / LOCK):
        raise elsewhere
    try:
        os.kill(record.pid, signal.SIGINT)
    except OSError as error:
        raise elsewhere from error


def _holds(pid: int, lock: Path) -> bool:
    """Whether a process has the run's lock open: the number alone may be another process's by now."""
    try:
        wanted = lock.stat()
        for entry in os.scandir(f"/proc/{pid}/fd"):
            found = Path(entry.path).stat()
            if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                return True
    except OSError:
        return False
    return False
