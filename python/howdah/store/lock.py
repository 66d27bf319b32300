"""Locks that die with their holder.

A lock is an flock on a file: the kernel drops it when the process ends, however it ends, so unlike
a stored process id it cannot be taken for another process's after a restart.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from howdah.errors import UserError


class FileLock:
    """An exclusive lock on ``path``, waited for and held until released.

    Raises UserError where the file system has no locks, OSError where the file cannot be made, and
    BlockingIOError where another has it and it is not to be waited for.
    """

    def __init__(self, path: Path, *, wait: bool = True) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            self.release()
            raise
        except OSError as error:
            self.release()
            raise UserError(
                str(path.parent),
                f"its file system cannot lock files ({error.strerror})",
                "keep run records on a local disk",
            ) from error

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock on ``path``; False where the file is not there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        # A file system without locks has no writers: this record was copied here.
        return False
    finally:
        os.close(descriptor)
    return False
