"""What a server is started with, and which directories it serves: no name and no link leads out of them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from howdah.files import DEFAULT_JOBS_DIR, user_cache
from howdah.store.layout import ANNOTATION, LOCK, LOG_FILE, LOGS, PROGRESS, RECORD_FILES, RUN_ID

LOOPBACK = ("127.0.0.1", "::1", "localhost")
DEFAULT_PORT = 8642


class ServeSettings(NamedTuple):
    """Where everything lies, and what visitors may do."""

    runs_dir: Path
    studies_dir: Path = Path("study")
    predictions_dir: Path = Path("predictions")
    jobs_dir: Path = DEFAULT_JOBS_DIR
    plans: tuple[Path, ...] = ()
    inventory: Path | None = None  # What the editor of the plan page begins with.
    conf: tuple[Path, ...] = ()  # Configuration directories that are held against the first plan.
    calibration: str | None = None  # What the simulator is calibrated by: a file, or ``published``.
    allow_runs: bool = False
    read_only: bool = False
    host: str = LOOPBACK[0]

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK

    @property
    def plan_names(self) -> list[tuple[str, str]]:
        """Each plan's key and name: its file's, with as many directories as tell files of one name apart."""
        paths = [path.absolute() for path in self.plans]
        depth = 1
        while depth < max((len(path.parts) for path in paths), default=0):
            tails = Counter(path.parts[-depth:] for path in set(paths))
            if max(tails.values()) == 1:
                break
            depth += 1
        alone = Counter(path.name for path in set(paths))
        names = [path.name if alone[path.name] == 1 else "/".join(path.parts[-depth:]) for path in paths]
        return [(f"file-{number}", name) for number, name in enumerate(names, start=1)]

    @property
    def state_dir(self) -> Path:
        """Where the index and the like are kept, apart from the records: a folder for each runs directory."""
        name = hashlib.sha256(os.fsencode(self.runs_dir.resolve())).hexdigest()[:16]
        return user_cache() / "howdah" / "serve" / name


_OWN_FILES = (*RECORD_FILES, PROGRESS, LOCK)


class NotServed(LookupError):
    """There is nothing of that name that would be served: its name and, where there is one, the reason."""

    def __init__(self, name: str, reason: str = "") -> None:
        super().__init__(name, reason)
        self.reason = reason


def names_in(folder: Path) -> list[str]:
    """The directories in a folder that may hold a run or a study; none where there is no folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        return [
            entry.name
            for entry in entries
            if RUN_ID.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
        ]
    return []


def place_of(folder: Path, name: str) -> Path:
    """The directory of that name in a folder; raises NotServed for another name, a link or none."""
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
    for name, expected in ((LOGS, stat.S_IFDIR), *((file, stat.S_IFREG) for file in _OWN_FILES)):
        kind = _kind(path / name)
        if kind is not None and kind != expected:
            return f"{name} is {_KINDS.get(kind, 'no file')}, which is not read"
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
    parts: list[int] = []
    with suppress(OSError):
        for name in ("run.json", ANNOTATION):
            state = os.lstat(path / name)
            parts += [state.st_mtime_ns, state.st_size, state.st_ino]
    return "-".join(map(str, parts))


_KINDS = {
    stat.S_IFLNK: "a link", stat.S_IFIFO: "a named pipe", stat.S_IFDIR: "a directory",
    stat.S_IFREG: "a file", stat.S_IFSOCK: "a socket", stat.S_IFBLK: "a device", stat.S_IFCHR: "a device",
}  # fmt: skip


def _kind(path: Path) -> int | None:
    """What is in a place, by the kernel's number for it; None where nothing is."""
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return None
