"""The folder that measuring works in below a data directory: locked while it lasts, removed at its end.

What a killed measurement left behind is removed by the next one; a folder that is not ours is refused.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from howdah import _native
from howdah.errors import UserError

_FOLDER = ".howdah-measure"
_LOCK = "lock"

_POLL_S = 0.1
R = TypeVar("R")
T = TypeVar("T")


@contextlib.contextmanager
def scratch(data_dir: Path) -> Iterator[Path]:
    """An empty folder below the data directory, which is made and removed again where it is missing.

    Raises UserError where it cannot be made, is in use, or holds what measuring did not put there.
    """
    made = [path for path in (data_dir, *data_dir.parents) if not path.exists()]
    folder = data_dir / _FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = _claim(folder)
    except OSError as error:
        _remove_empty(made)
        raise UserError(
            f"--data-dir {data_dir}",
            f"cannot be written to: {error.strerror}",
            "give a directory you may write to",
        ) from error
    try:
        work = folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        yield work
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
        _remove_empty(made)


def data_dir_of(work: Path) -> Path:
    """The data directory of a folder that ``scratch`` gave."""
    return work.parent.parent


def _claim(folder: Path) -> int:
    if any(entry.name not in (_LOCK, "work") for entry in folder.iterdir()):
        raise UserError(
            f"--data-dir {folder.parent}",
            f"{folder} contains files that howdah did not create",
            "move them, or give another directory",
        )
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise UserError(
            f"--data-dir {folder.parent}",
            "is being measured by another howdah process, and both would be slow",
            "wait until it has ended",
        ) from error
    return lock


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        # A directory that somebody else put something into meanwhile stays.
        with contextlib.suppress(OSError):
            folder.rmdir()


class OutOfTime(Exception):
    """An operation did not end before the time limit was reached; it was cancelled."""


class Pace:
    """The time that is left, and whoever wants to know what it is spent on."""

    def __init__(self, limit_s: float, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self._start_s = time.monotonic()
        self.limit_s = limit_s

    @property
    def spent_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start_s

    @property
    def left_s(self) -> float:
        """Seconds until the limit; negative beyond it."""
        return self.limit_s - self.spent_s

    def repeated(self, once: Callable[[], T], *, most: int, within_s: float) -> list[T]:
        """What up to ``most`` calls give: one at least, further ones while there is time for one more."""
        end_s = min(within_s, self.left_s) + self.spent_s
        results: list[T] = []
        longest_s = 0.0
        while not results or (len(results) < most and self.spent_s + longest_s <= end_s):
            before_s = self.spent_s
            results.append(once())
            longest_s = max(longest_s, self.spent_s - before_s)
        return results

    def finish(self, operation: _native.Operation[R]) -> R:
        """The operation's result; raises OutOfTime where it does not end within what is left.

        However it is left, the operation has ended and removed its files.
        """
        try:
            while not operation.wait(_POLL_S):
                if self.left_s < 0:
                    raise OutOfTime
        except BaseException:
            operation.cancel()
            while not operation.wait(_POLL_S):
                pass
            raise
        return operation.result()
