"""Shell files such as hadoop-env.sh, read without a shell: which variables they set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

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


class Assignment(NamedTuple):
    """A variable as a line sets it, earlier variables of the file expanded."""

    name: str
    value: str
    line: int


def read_assignments(text: str) -> Iterator[Assignment]:
    """Every assignment of a file in order."""
    values: dict[str, str] = {}
    for line, statement in _statements(text):
        match = _ASSIGNMENT.fullmatch(statement)
        if match is None:
            continue
        name = match["name"]
        value = _value(match["rest"], values)
        values[name] = ((values.get(name, "") if match["append"] else "") + value)[:_MOST_TEXT]
        yield Assignment(name, values[name].strip(), line)


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
