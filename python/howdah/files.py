"""Files that users name, written whole or not at all; temporary folders of howdah.

A process has a lock on each temporary folder that it made, which ends with the process. Folders of a killed
process are removed when the same user makes a folder of the same name again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from howdah.errors import UserError

_LOCKED = ".locked"  # The end of the names of folders that their processes lock.
_NEW_S = 60.0  # An empty folder may be one that its process has not locked yet, unless it is older.
_LONG_S = 86400.0  # Folders of howdah 0.1, which locked nothing, are removed when no command can use them.


def user_cache() -> Path:
    """Where the XDG base directory specification puts caches; RuntimeError for a user without a home."""
    folder = os.environ.get("XDG_CACHE_HOME", "")
    # The specification ignores relative paths.
    return Path(folder) if folder.startswith("/") else Path.home() / ".cache"


def check_jobs_dir(path: Path) -> None:
    """Raise UserError for a file in place of the directory of imported applications."""
    if path.exists() and not path.is_dir():
        raise UserError(f"--jobs-dir {path}", "is a file", "give the directory of imported applications")


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


def read_password(flag: str, file: Path) -> str:
    """The password; raises UserError, by the flag that named the file, for one that cannot be used.

    A pipe is taken too: a shell's ``<(…)``, readable for others or not, is read once.
    """
    where = f"{flag} {file}"
    try:
        with file.open(encoding="utf-8") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            text = opened.read()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        hint = "give a file that contains only the password"
        raise UserError(where, f"cannot be read: {why}", hint) from None
    if stat.S_ISREG(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UserError(where, "is readable by other users", f"chmod 600 {file}")
    password = text.removesuffix("\n").removesuffix("\r")
    if not password or "\n" in password:
        raise UserError(where, "does not contain exactly one line", "write only the password into it")
    return password


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def replacing(path: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Write a file that takes ``path``'s place once it is whole and on disk.

    A reader of ``path`` sees the old content or the new, never a part, at whatever moment the writer dies.
    Leaves nothing behind when the body raises. Without ``durable`` the kernel writes later: only a loss of
    power could lose the content.
    """
    temporary = path.with_name(f".{path.name}.new")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Put the names in a directory on disk: without it a crash may undo a rename."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


DEFAULT_RUNS_DIR = Path("runs")
DEFAULT_PREDICTIONS_DIR = Path("predictions")
DEFAULT_TUNE_DIR = Path("tune")
DEFAULT_JOBS_DIR = Path("jobs")


def replace_file(path: Path, text: str) -> None:
    """Replace a file's text in one step; raises UserError, and then leaves the file as it was."""
    if path.is_dir():
        raise UserError(str(path), "is a directory", "give a file in it")
    staged: Path | None = None
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            # A pipe or /dev/stdout takes the text; replacing it would take it from others.
            path.write_text(text, encoding="utf-8")
            return
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            staged = Path(file.name)
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        staged.chmod(0o666 & ~mask)
        staged.replace(path)
    except OSError as error:
        hint = "give a writable file on a disk with free space"
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            hint = "give a file in an existing directory"
        raise UserError(str(path), f"cannot be written: {error.strerror}", hint) from error
    finally:
        if staged is not None:
            staged.unlink(missing_ok=True)
