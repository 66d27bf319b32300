"""A configuration's files: no pipe, nothing huge, UTF-8; XML, and scripts read without a shell."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

from howdah.errors import UserError
from howdah.model.found import FoundProperty
from howdah.services.conf import read_site
from howdah.services.secrets import shown_value
from howdah.units import MIB, format_memory

_MOST_BYTES = MIB
"""Many times the largest configuration that people write; what is larger is some other file."""

MOST_LIST_BYTES = 64 * MIB
"""A list has a line for each worker, and a hundred thousand hosts may have ten each."""

_ASSIGNMENT = re.compile(
    r"\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<append>\+?)=(?P<rest>.*)", re.DOTALL
)
_SEGMENT = re.compile(
    r"""
      '(?P<literal>[^']*)'
    | "(?P<quoted>(?:\\.|[^"\\])*)"
    | \\(?P<escaped>.)
    | (?P<bare>[^\s'"\\;&|\#]+|(?<=\S)\#)
    """,
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r'\\([\\"$`\n])')
_REFERENCE = re.compile(r"\$(?:(?P<plain>[A-Za-z_][A-Za-z0-9_]*)|\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*)\})")
_MOST_TEXT = 100_000
"""Variables that double one another would fill the memory; a line this long is no option list."""


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
    values: dict[str, str] = {}
    result: list[FoundProperty] = []
    for line, text in _statements(read_text(path)):
        match = _ASSIGNMENT.fullmatch(text)
        if match is None:
            continue
        variable = match["name"]
        value = _value(match["rest"], values)
        values[variable] = ((values.get(variable, "") if match["append"] else "") + value)[:_MOST_TEXT]
        result.append(
            FoundProperty(
                name=variable, text=shown_value(variable, values[variable].strip()), file=name, line=line
            )
        )
    return tuple(result)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Lines with the lines they go on in: after a backslash, or inside an open quotation mark."""
    pending, first = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not pending:
            if line.lstrip().startswith("#"):
                continue
            first = number
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1]
        elif _is_open(pending):
            pending += "\n"
        else:
            yield first, pending
            pending = ""
    if pending:
        yield first, pending


def _is_open(statement: str) -> bool:
    match = _ASSIGNMENT.fullmatch(statement)
    if match is None:
        return False
    rest = match["rest"]
    return rest[_end(rest) :][:1] in ("'", '"')


def _end(rest: str) -> int:
    """Where the value ends: at the first character that belongs to no segment of it."""
    position = 0
    while segment := _SEGMENT.match(rest, position):
        position = segment.end()
    return position


def _value(rest: str, values: dict[str, str]) -> str:
    parts: list[str] = []
    position = 0
    while segment := _SEGMENT.match(rest, position):
        position = segment.end()
        if (literal := segment["literal"]) is not None:
            parts.append(literal)
        elif (escaped := segment["escaped"]) is not None:
            parts.append(escaped)
        elif (quoted := segment["quoted"]) is not None:
            parts.append(_expanded(_ESCAPE.sub(r"\1", quoted), values))
        else:
            parts.append(_expanded(segment["bare"], values))
    return "".join(parts)


def _expanded(text: str, values: dict[str, str]) -> str:
    return _REFERENCE.sub(lambda match: values.get(match["plain"] or match["braced"], match[0]), text)[
        :_MOST_TEXT
    ]
