"""The folder that measuring works in below a data directory: locked while it lasts, removed at its end.

What a killed measurement left behind is removed by the next one; a folder that is not ours is refused.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from howdah.errors import UserError

_FOLDER = ".howdah-measure"
_LOCK = "lock"


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
            f"{folder} holds something that howdah did not put there",
            "move it away, or give another directory",
        )
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise UserError(
            f"--data-dir {folder.parent}",
            "is being measured by another howdah, which would slow both down",
            "wait until it has ended",
        ) from error
    return lock


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        # A directory that somebody else put something into meanwhile stays.
        with contextlib.suppress(OSError):
            folder.rmdir()
