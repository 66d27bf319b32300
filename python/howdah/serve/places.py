"""From a name in an address to a directory: no name and no link leads out of the folder that is served."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from howdah.store.layout import ANNOTATION, LOCK, LOG_FILE, LOGS, PROGRESS, RECORD_FILES, RUN_ID

_OWN_FILES = (*RECORD_FILES, PROGRESS, LOCK)


class NotServed(LookupError):
    """There is nothing of that name that would be served."""


def place_of(folder: Path, name: str) -> Path:
    """The directory of that name in a folder.

    Raises NotServed for a name that is no plain one, for a link, and where there is no such directory.
    """
    if not RUN_ID.fullmatch(name) or not _is(folder / name, stat.S_ISDIR):
        raise NotServed(name)
    return folder / name


def run_place(folder: Path, name: str) -> Path:
    """The directory of a run; raises NotServed as ``place_of`` does, and where any of its files is a link."""
    path = place_of(folder, name)
    if not is_plain_run(path):
        raise NotServed(name)
    return path


def is_plain_run(path: Path) -> bool:
    """Whether a run's own files are files, and not links that lead elsewhere."""
    if _there(path / LOGS) and not _is(path / LOGS, stat.S_ISDIR):
        return False
    return all(not _there(path / file) or _is(path / file, stat.S_ISREG) for file in _OWN_FILES)


def log_tail(path: Path, most_bytes: int) -> str:
    """The last lines of a run's log, no more than so many bytes; empty where it has none."""
    try:
        logs = os.open(path / LOGS, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            name = Path(LOG_FILE).name
            # A fifo in a log's place would be waited for.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            with os.fdopen(os.open(name, flags, dir_fd=logs), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return ""
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - most_bytes))
                content = file.read(most_bytes)
        finally:
            os.close(logs)
    except OSError:
        return ""
    if size > most_bytes:
        content = content.partition(b"\n")[2]
    return content.decode(errors="replace")


def signature(path: Path) -> str:
    """What changes whenever a run's record or what was said of it does; empty where there is no record."""
    try:
        record = os.lstat(path / "run.json")
    except OSError:
        return ""
    parts = [record.st_mtime_ns, record.st_size, record.st_ino]
    try:
        said = os.lstat(path / ANNOTATION)
    except OSError:
        pass
    else:
        parts += [said.st_mtime_ns, said.st_size, said.st_ino]
    return "-".join(map(str, parts))


def _there(path: Path) -> bool:
    return os.path.lexists(path)


def _is(path: Path, kind: object) -> bool:
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return False
    return bool(kind(mode)) if callable(kind) else False
