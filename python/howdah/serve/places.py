"""From a name in an address to a directory: no name and no link leads out of the folder that is served."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from howdah.store.layout import ANNOTATION, LOCK, LOG_FILE, LOGS, PROGRESS, RECORD_FILES, RUN_ID

_OWN_FILES = (*RECORD_FILES, PROGRESS, LOCK)


class NotServed(LookupError):
    """There is nothing of that name that would be served: its name and, where there is one, the reason."""

    def __init__(self, name: str, reason: str = "") -> None:
        super().__init__(name, reason)
        self.reason = reason


def place_of(folder: Path, name: str) -> Path:
    """The directory of that name in a folder.

    Raises NotServed for a name that is no plain one, for a link, and where there is no such directory.
    """
    if not RUN_ID.fullmatch(name) or _kind(folder / name) != stat.S_IFDIR:
        raise NotServed(name)
    return folder / name


def run_place(folder: Path, name: str) -> Path:
    """The directory of a run; raises NotServed as ``place_of`` does, and for a run with an odd file."""
    path = place_of(folder, name)
    if odd := odd_file(path):
        raise NotServed(name, odd)
    return path


def odd_file(path: Path) -> str:
    """Which of a run's own files is no plain file and what it is, in words; empty where all of them are."""
    for name, kind in ((LOGS, stat.S_IFDIR), *((file, stat.S_IFREG) for file in _OWN_FILES)):
        found = _kind(path / name)
        if found is not None and found != kind:
            return f"{name} is {_KINDS.get(found, 'no file')}, which is not read"
    return ""


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


_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFDIR: "a directory",
    stat.S_IFREG: "a file",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
}


def _kind(path: Path) -> int | None:
    """What is in a place, by the kernel's number for it; None where nothing is."""
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return None
