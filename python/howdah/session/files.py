"""Files that users name: where runs and predictions are kept by default; written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from howdah.errors import UserError


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
        raise UserError(
            where, f"cannot be read: {why}", "give a file that contains only the password"
        ) from None
    if stat.S_ISREG(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UserError(where, "is readable by other users", f"chmod 600 {file}")
    password = text.removesuffix("\n").removesuffix("\r")
    if not password or "\n" in password:
        raise UserError(where, "does not contain exactly one line", "write only the password into it")
    return password


DEFAULT_RUNS_DIR = Path("runs")
DEFAULT_PREDICTIONS_DIR = Path("predictions")
DEFAULT_TUNE_DIR = Path("tune")


def replace_file(path: Path, text: str) -> None:
    """Put a text where it belongs in one step; raises UserError, and leaves what was there as it was."""
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
        nowhere = isinstance(error, FileNotFoundError | NotADirectoryError)
        hint = (
            "give a file in an existing directory"
            if nowhere
            else "give a writable file on a disk with free space"
        )
        raise UserError(str(path), f"cannot be written: {error.strerror}", hint) from error
    finally:
        if staged is not None:
            staged.unlink(missing_ok=True)
