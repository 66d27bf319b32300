"""The variables that a ``*-env.sh`` sets, read without ever running a shell.

Only plain assignments are understood, which is what these files hold. A reference to a variable
that the files set earlier is replaced; any other (``$JAVA_HOME``, ``$(hostname)``) stays as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from howdah.audit.text_file import read_text
from howdah.model.found import FoundProperty
from howdah.services.secrets import shown_value

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


def read_env(path: Path, name: str) -> tuple[FoundProperty, ...]:
    """The variables of a file, which the result calls ``name``, one entry for each assignment in order.

    Raises UserError if the file cannot be read as text.
    """
    values: dict[str, str] = {}
    found: list[FoundProperty] = []
    for line, text in _statements(read_text(path)):
        match = _ASSIGNMENT.fullmatch(text)
        if match is None:
            continue
        variable = match["name"]
        value = _value(match["rest"], values)
        values[variable] = ((values.get(variable, "") if match["append"] else "") + value)[:_MOST_TEXT]
        found.append(
            FoundProperty(
                name=variable, text=shown_value(variable, values[variable].strip()), file=name, line=line
            )
        )
    return tuple(found)


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
