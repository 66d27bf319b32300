"""A configuration file's text: no pipe, nothing huge, UTF-8, or one error that says so."""

from __future__ import annotations

import stat
from pathlib import Path

from howdah.errors import UserError
from howdah.units import MIB, format_memory

_MOST_BYTES = MIB
"""Many times the largest configuration that people write; what is larger is some other file."""

MOST_LIST_BYTES = 64 * MIB
"""A list has a line for each worker, and a hundred thousand hosts may have ten each."""


def read_bytes(path: Path, most_bytes: int = _MOST_BYTES) -> bytes:
    """The content of a regular file; raise UserError where it cannot be read or is too large to be meant."""
    try:
        status = path.stat()
        # Opening a pipe would wait for its writer.
        if not stat.S_ISREG(status.st_mode):
            raise UserError(str(path), "is not a regular file", "move it out of the configuration directory")
        if status.st_size > most_bytes:
            raise UserError(
                str(path),
                f"has {format_memory(status.st_size)}, which is not a configuration",
                f"a configuration file has at most {format_memory(most_bytes)}",
            )
        return path.read_bytes()
    except OSError as error:
        raise UserError(
            str(path), f"cannot be read: {error.strerror}", "run as a user who may read it"
        ) from error


def read_text(path: Path, most_bytes: int = _MOST_BYTES) -> str:
    """The same as UTF-8 text; raise UserError with the line of the first byte that is none."""
    content = read_bytes(path, most_bytes)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}:{line}", "is not UTF-8 text", "save the file as UTF-8") from error
