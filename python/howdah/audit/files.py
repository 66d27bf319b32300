"""A configuration's files: no pipe, nothing huge, UTF-8; XML, and scripts read without a shell."""

from __future__ import annotations

import stat
from pathlib import Path

from howdah.errors import UserError
from howdah.hadoop.env_files import read_assignments
from howdah.hadoop.site_files import read_site
from howdah.model.found import FoundProperty
from howdah.services.secrets import shown_value
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
                f"has {format_memory(status.st_size)}, too much for a configuration",
                f"a configuration file has at most {format_memory(most_bytes)}",
            )
        return path.read_bytes()
    except OSError as error:
        raise UserError(
            str(path), f"cannot be read: {error.strerror}", "run as a user who may read it"
        ) from error


def read_text(path: Path, most_bytes: int = _MOST_BYTES) -> str:
    """The same as UTF-8 text; bytes that are none are replaced, for shells take any in comments."""
    return read_bytes(path, most_bytes).decode("utf-8", errors="replace")


def read_xml(path: Path, name: str) -> tuple[FoundProperty, ...]:
    """The properties of a file, which the result calls ``name``.

    Raises UnreadableFile with the line and column for what is no configuration or refers to other files.
    """
    return tuple(
        FoundProperty(
            name=entry.name,
            text=shown_value(entry.name, entry.text),
            file=name,
            line=entry.line,
            final=entry.final,
            blanks=entry.blanks,
        )
        for entry in read_site(read_bytes(path), str(path))
    )


def is_configuration(path: Path) -> bool:
    """Whether an XML file has properties, as copies of configurations have."""
    try:
        return any(True for _ in read_site(read_bytes(path), str(path)))
    except UserError:
        return False


def read_env(path: Path, name: str) -> tuple[FoundProperty, ...]:
    """The variables of a file, which the result calls ``name``, one entry for each assignment in order.

    Raises UserError if the file cannot be read as text.
    """
    return tuple(
        FoundProperty(name=entry.name, text=shown_value(entry.name, entry.value), file=name, line=entry.line)
        for entry in read_assignments(read_text(path))
    )
