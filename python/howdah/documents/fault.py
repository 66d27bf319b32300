"""Faults of a file, each at its line and column: of its text, syntax and keys; and the error they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from yaml import MarkedYAMLError

from howdah.errors import UserError

_MOST_SHOWN = 20

Keys = tuple[str | int, ...]
"""Where something is in a document: ``("groups", 0, "cpu", "sockets")``."""


class Mark(NamedTuple):
    """A place in a text, from 1."""

    line: int
    column: int


class Fault(NamedTuple):
    """One thing that is wrong, and what would be right."""

    mark: Mark
    path: Keys
    what: str
    hint: str

    def where(self, file: str) -> str:
        """The place as editors and terminals know to open it: ``hosts.yaml:12:9``."""
        return f"{file}:{self.mark.line}:{self.mark.column}"

    def text(self) -> str:
        """What is wrong, after the key it is wrong with."""
        return f"{spell(self.path)}: {self.what}" if self.path else self.what


def spell(path: Keys) -> str:
    """A path as one writes it: ``groups[0].cpu.sockets``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def error_of(file: str, faults: Sequence[Fault]) -> UserError:
    """All faults as one error: the first is its message, the others stand in the hint, a line each."""
    first, *others = sorted(faults)
    lines = [first.hint] if first.hint else []
    for fault in others[:_MOST_SHOWN]:
        right = f" ({fault.hint})" if fault.hint else ""
        lines.append(f"{fault.where(file)}: {fault.text()}{right}")
    if len(others) > _MOST_SHOWN:
        lines.append(f"and {len(others) - _MOST_SHOWN} more")
    return UserError(first.where(file), first.text(), "\n".join(lines))


_LARGEST = 64 * 2**20
_NOT_TEXT = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_UNQUOTED = "put text with brackets, braces, commas, colons or quotes between double quotes"
_INDENT = "indent by spaces, the same for all keys of one group"
_PARSER_WORDS = (
    ("found a tab character", "a tab indents here", "indent by spaces"),
    ("mapping values are not allowed", "a second `:` in one line, or a key indented too far", _UNQUOTED),
    ("expected ',' or ']'", "the list is not closed where it should be", _UNQUOTED),
    ("expected ',' or '}'", "the mapping is not closed where it should be", _UNQUOTED),
    ("could not find expected ':'", "a key without its `:`", "write `key: value`"),
    ("did not find expected key", "this line is not indented like those before it", _INDENT),
    ("did not find expected '-' indicator", "this line is not indented like those before it", _INDENT),
    ("sequence entries are not allowed", "a list's entry cannot begin here", "put `- ` on a separate line"),
    ("cannot start any token", "a word cannot begin with this character", _UNQUOTED),
    ("undefined alias", "an alias is not allowed", "write the value out"),
)


def read_text(path: Path, hint: str) -> str:
    """The text of a file; raises UserError where there is none, with a hint at what would be right."""
    try:
        with path.open("rb") as file:
            # Whatever is named may be endless, a device for instance.
            content = file.read(_LARGEST + 1)
    except FileNotFoundError as error:
        raise UserError(str(path), "no such file", hint) from error
    except IsADirectoryError as error:
        raise UserError(str(path), "is a directory", hint) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(str(path), f"cannot be read ({reason})", hint) from error
    if len(content) > _LARGEST:
        raise UserError(str(path), f"is larger than {_LARGEST // 2**20} MiB", hint)
    return _decoded(path, content)


def _decoded(path: Path, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", errors="replace")
        what = f"byte 0x{content[error.start]:02x} is not UTF-8"
        raise _not_text(path, before, what) from error
    if match := _NOT_TEXT.search(text):
        what = f"character U+{ord(match.group()):04X} is not allowed in a text"
        raise _not_text(path, text[: match.start()], what)
    return text


def _not_text(path: Path, before: str, what: str) -> UserError:
    mark = Mark(before.count("\n") + 1, len(before) - before.rfind("\n"))
    return error_of(str(path), [Fault(mark, (), what, "save it as UTF-8 text")])


def syntax_fault(error: MarkedYAMLError, text: str) -> Fault:
    """The error with its place; the parser's words where there are no better ones."""
    problem = error.problem or error.context or "unreadable"
    # A key without its colon is noticed on the line after it.
    late = "could not find expected ':'" in problem
    mark = _place(error.context_mark if late else error.problem_mark or error.context_mark)
    if "unexpected end of stream" in problem:
        return Fault(_place(error.context_mark), (), "these quotes are not closed", "close them")
    lines = text.split("\n")
    line = lines[mark.line - 1] if mark.line <= len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return Fault(Mark(mark.line, line.index("\t") + 1), (), "a tab indents here", "indent by spaces")
    for sign, what, hint in _PARSER_WORDS:
        if sign in problem:
            return Fault(mark, (), what, hint)
    return Fault(mark, (), f"is not YAML: {problem}", _UNQUOTED)


def _place(mark: Any) -> Mark:
    return Mark(mark.line + 1, mark.column + 1) if mark is not None else Mark(1, 1)
