"""Temporary folders that the next run removes where this one is killed.

A process holds a lock on each folder that it made, which ends with the process. What was left by one that was
killed is removed when a folder of the same name is made again, by the same user.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOCKED = ".locked"
"""How the names of folders end whose processes lock them."""
_NEW_S = 60.0
"""An empty folder may be one that its process has not locked yet, unless it is older."""
_LONG_S = 86400.0
"""howdah 0.1 locked nothing: its folders are removed once no command can still be at work in them."""


@contextmanager
def scratch_folder(name: str, parent: Path | None = None) -> Iterator[Path]:
    """A new folder ``howdah-<name>-…`` for this user alone, removed when the context ends.

    It is in ``parent``, which exists, or in the system's folder for temporary files.
    """
    prefix = f"howdah-{name}-"
    within = parent or Path(tempfile.gettempdir())
    _remove_left(prefix, within)
    folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=_LOCKED, dir=within))
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield folder
    finally:
        # Children that were started in it may still write there: what they write is removed next time.
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _remove_left(prefix: str, within: Path) -> None:
    """Remove the folders of processes that have ended."""
    for path in within.glob(f"{prefix}*"):
        with suppress(OSError):
            # A link is not followed, and another user's folder is not opened.
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(descriptor).st_uid == os.geteuid() and _is_left(descriptor, path):
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(descriptor)


def _is_left(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    unchanged_s = time.time() - os.fstat(descriptor).st_mtime
    if path.suffix != _LOCKED:
        return unchanged_s > _LONG_S
    # Whoever makes a folder locks it before anything is written there.
    return bool(os.listdir(descriptor)) or unchanged_s > _NEW_S
