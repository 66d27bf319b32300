"""A YAML document's data, with the place of every key, value and fault.

libyaml finds the marks and words; ``meaning`` decides what a word means. Anchors, aliases and tags are
refused: they make a small file mean a large one, or one thing mean another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from yaml import CLoader, MarkedYAMLError, YAMLError, parse
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from howdah.errors import UserError

Scalar = str | int | float | bool | None

_WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]{1,4000}")
_OTHER_INTEGER = re.compile(r"0o[0-7]{1,4000}|0x[0-9a-fA-F]{1,4000}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

_START = r"(?:[A-Za-z/_]|[0-9]+(?:\.[0-9]+)? ?[A-Za-z])"
_PLAIN_IN_FLOW = re.compile(rf"{_START}[^,\[\]{{}}#\"'`:]*(?<! )")
_PLAIN_IN_BLOCK = re.compile(rf"{_START}(?:[^#:]|:(?=[^ ]))*(?<! )")
_OLD_WORDS = re.compile(r"(?i:y|n|yes|no|on|off|true|false|null|0[xo].*)")
"""What readers of YAML 1.1 do not take for a text."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}

_DEEPEST = 50


def meaning(word: str) -> Scalar:
    """The value of an unquoted word."""
    if word in _WORDS:
        return _WORDS[word]
    if _INTEGER.fullmatch(word):
        return int(word)
    if _OTHER_INTEGER.fullmatch(word):
        return int(word, 0)
    if _FLOAT.fullmatch(word):
        return float(word)
    if _NOT_FINITE.fullmatch(word):
        return float(word.lower().replace(".", ""))
    return word


def spelling(value: Scalar, *, block: bool = False) -> str:
    """The word that means the value, quoted if necessary.

    In a ``block``, alone on its line, quotes are less often necessary than between brackets and braces.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if _is_plain(value, _PLAIN_IN_BLOCK if block else _PLAIN_IN_FLOW) else _quoted(value)
    text = repr(value)
    if isinstance(value, float) and text.lstrip("-") in ("inf", "nan"):
        return text.replace("inf", ".inf").replace("nan", ".nan")
    return text


def _is_plain(text: str, pattern: re.Pattern[str]) -> bool:
    return (
        pattern.fullmatch(text) is not None
        and text.isprintable()
        and _OLD_WORDS.fullmatch(text) is None
        and meaning(text) == text
    )


def _quoted(text: str) -> str:
    if text.isprintable() and ("\\" in text or '"' in text):
        return "'" + text.replace("'", "''") + "'"
    return f'"{"".join(_ESCAPES.get(mark) or _printable(mark) for mark in text)}"'


def _printable(mark: str) -> str:
    # The byte order mark, spaces that look like others and controls are invisible.
    if mark.isprintable():
        return mark
    code = ord(mark)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class Tree(NamedTuple):
    """A document's data with the places of its keys and values; ``whole`` if it was read to its end."""

    data: Any
    keys: dict[Keys, Mark]
    values: dict[Keys, Mark]
    faults: tuple[Fault, ...]
    whole: bool

    def at(self, path: Keys) -> Any:
        """The value at a path; None if there is none."""
        here = self.data
        for step in path:
            if isinstance(here, dict):
                here = here.get(step)
            elif isinstance(here, list) and isinstance(step, int) and step < len(here):
                here = here[step]
            else:
                return None
        return here

    def mark(self, path: Keys) -> Mark:
        """The place of a value, or of the nearest one around it."""
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, Mark(1, 1))


def read_tree(text: str) -> Tree:
    """The text as a tree; what is not YAML or not allowed is among its faults."""
    builder = _Builder(iter(parse(text, Loader=CLoader)))
    data, whole = None, False
    try:
        data, whole = builder.document(), True
    except _Refused as refused:
        builder.faults.append(refused.fault)
    except MarkedYAMLError as error:
        builder.faults.append(syntax_fault(error, text))
    except (YAMLError, UnicodeEncodeError) as error:
        # A few errors carry no place.
        builder.faults.append(Fault(Mark(1, 1), (), f"is not YAML ({error})", "see docs/inventory.md"))
    return Tree(data, builder.keys, builder.values, tuple(builder.faults), whole)


class _Refused(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.problem)
        self.fault = fault


class _Builder:
    """Makes data of events, and notes the places of keys and values."""

    def __init__(self, events: Iterator[Any]) -> None:
        self.keys: dict[Keys, Mark] = {}
        self.values: dict[Keys, Mark] = {}
        self.faults: list[Fault] = []
        self._events = events

    def document(self) -> Any:
        """The data of the only document."""
        root: Any = None
        documents = 0
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _refusal(
                        event, (), "a second document begins here", "leave one document in the file"
                    )
            elif isinstance(event, NodeEvent):
                root = self._node(event, ())
        return root

    def _node(self, event: Any, path: Keys) -> Any:
        _check_plain(event, path)
        self.values[path] = _mark(event)
        if isinstance(event, ScalarEvent):
            return meaning(event.value) if event.implicit[0] else event.value
        if len(path) >= _DEEPEST:
            raise _refusal(event, (), f"is nested deeper than {_DEEPEST} levels", "no document needs that")
        if isinstance(event, MappingStartEvent):
            return self._mapping(path)
        entries: list[Any] = []
        while not isinstance(inner := next(self._events), CollectionEndEvent):
            entries.append(self._node(inner, (*path, len(entries))))
        return entries

    def _mapping(self, path: Keys) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        while not isinstance(event := next(self._events), CollectionEndEvent):
            _check_plain(event, path)
            if not isinstance(event, ScalarEvent):
                raise _refusal(event, path, "a list or a mapping cannot be a key", "write `key: value`")
            here = (*path, event.value)
            if event.value in mapping:
                problem = f"is given twice; the first is in line {self.keys[here].line}"
                self.faults.append(Fault(_mark(event), here, problem, "leave one of them out"))
            self.keys[here] = _mark(event)
            mapping[event.value] = self._node(next(self._events), here)
        return mapping


def _check_plain(event: Any, path: Keys) -> None:
    if isinstance(event, AliasEvent):
        raise _refusal(event, path, "an alias is not allowed", "write the value out")
    if event.anchor is not None:
        raise _refusal(event, path, "an anchor is not allowed", "write the value out each time")
    if event.tag is not None:
        raise _refusal(event, path, f"the tag {event.tag} is not allowed", "leave it out")


def _mark(event: Any) -> Mark:
    return Mark(event.start_mark.line + 1, event.start_mark.column + 1)


def _refusal(event: Any, path: Keys, problem: str, hint: str) -> _Refused:
    return _Refused(Fault(_mark(event), path, problem, hint))


_MOST_SHOWN = 20

Keys = tuple[str | int, ...]  # Where something is in a document: ``("groups", 0, "cpu", "sockets")``.


class Mark(NamedTuple):
    """A place in a text, from 1."""

    line: int
    column: int


class Fault(NamedTuple):
    """One thing that is wrong, and what would be right."""

    mark: Mark
    path: Keys
    problem: str
    hint: str

    def where(self, file: str) -> str:
        """The place as editors and terminals know to open it: ``hosts.yaml:12:9``."""
        return f"{file}:{self.mark.line}:{self.mark.column}"

    def text(self) -> str:
        """What is wrong, after the key it is wrong with."""
        return f"{spell(self.path)}: {self.problem}" if self.path else self.problem


def spell(path: Keys) -> str:
    """A path as one writes it: ``groups[0].cpu.sockets``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def error_of(file: str, faults: Sequence[Fault]) -> UserError:
    """All faults as one error: the first is its message, the others are lines of the hint."""
    first, *further = sorted(faults)
    lines = [first.hint] if first.hint else []
    for fault in further[:_MOST_SHOWN]:
        right = f" ({fault.hint})" if fault.hint else ""
        lines.append(f"{fault.where(file)}: {fault.text()}{right}")
    if len(further) > _MOST_SHOWN:
        lines.append(f"and {len(further) - _MOST_SHOWN} more")
    return UserError(first.where(file), first.text(), "\n".join(lines))


_LARGEST = 64 * 2**20
_NOT_TEXT = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_UNQUOTED = "put text with brackets, braces, commas, colons or quotes between double quotes"
_INDENT = "indent with spaces, the same for all keys of one group"
_PARSER_WORDS = (
    ("found a tab character", "is indented with a tab", "indent with spaces"),
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
    """The text of a file; raises UserError with the hint if it cannot be read as text."""
    try:
        with path.open("rb") as file:
            # The file may be endless, a device for instance.
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
        problem = f"byte 0x{content[error.start]:02x} is not UTF-8"
        raise _not_text(path, before, problem) from error
    if match := _NOT_TEXT.search(text):
        problem = f"character U+{ord(match.group()):04X} is not allowed in a text"
        raise _not_text(path, text[: match.start()], problem)
    return text


def _not_text(path: Path, before: str, problem: str) -> UserError:
    mark = Mark(before.count("\n") + 1, len(before) - before.rfind("\n"))
    return error_of(str(path), [Fault(mark, (), problem, "save it as UTF-8 text")])


def syntax_fault(error: MarkedYAMLError, text: str) -> Fault:
    """The error with its place, in the parser's words if there are no better ones."""
    problem = error.problem or error.context or "unreadable"
    # A key without its colon is noticed on the line after it.
    late = "could not find expected ':'" in problem
    mark = _place(error.context_mark if late else error.problem_mark or error.context_mark)
    if "unexpected end of stream" in problem:
        return Fault(_place(error.context_mark), (), "these quotes are not closed", "close them")
    lines = text.split("\n")
    if mark.line > len(lines):
        # The parser puts the end of a text without a final line break on a separate line.
        mark = Mark(len(lines), len(lines[-1]) + 1)
    line = lines[mark.line - 1]
    if "\t" in line[: len(line) - len(line.lstrip())]:
        tab = Mark(mark.line, line.index("\t") + 1)
        return Fault(tab, (), "is indented with a tab", "indent with spaces")
    for sign, meant, hint in _PARSER_WORDS:
        if sign in problem:
            return Fault(mark, (), meant, hint)
    return Fault(mark, (), f"is not YAML: {problem}", _UNQUOTED)


def _place(mark: Any) -> Mark:
    return Mark(mark.line + 1, mark.column + 1) if mark is not None else Mark(1, 1)
