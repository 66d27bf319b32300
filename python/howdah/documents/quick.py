"""The YAML that howdah writes and that most people write, read ten times as fast as all of YAML.

One key or list entry to a line, indented by spaces; values of one line. Whatever else stands in the
text is left to the careful reader, which also finds where errors are: this one only ever gives the
same data, or nothing.
"""

from __future__ import annotations

import re
from typing import Any

from howdah.documents.scalar import meaning

_DEEPEST = 50

_BLANK = re.compile(r" *(?:#.*)?")
_LINE = re.compile(r"( *)(.*)")
_NAME = r"[A-Za-z_](?:[A-Za-z0-9_.-]| (?=[A-Za-z0-9_.]))*"
_KEY = re.compile(rf"({_NAME}):(?: +|$)")
_QUOTED = r"\"[^\"\\]*\"|'(?:[^']|'')*'"
_START = r"[^\s,\[\]{}#&*!|>'\"%@`?:-]"
_BLOCK_WORD = rf"(?:{_START}|-(?=[^\s]))(?:[^\s:#]|:(?=\S)|(?<=\S)\#| +(?=[^\s#:]))*"
_INNER = r"[^\s:#,\[\]{}]"
_FLOW_WORD = rf"(?:{_START}|-(?={_INNER}))(?:{_INNER}|:(?={_INNER})|(?<=\S)\#| +(?={_INNER}))*"
_VALUE = re.compile(rf"({_QUOTED}|{_BLOCK_WORD})? *(?:(?<= )#.*)?")
_TOKEN = re.compile(rf" *(?:([\[\]{{}},])|({_NAME}): |({_QUOTED}|{_FLOW_WORD}))")
_END = re.compile(r" *(?: #.*)?")


class Unfamiliar(Exception):
    """The text holds something that only the careful reader knows."""


def read_quickly(text: str) -> Any:
    """The text's data; raises Unfamiliar for what may be more than plain blocks, or an error."""
    if re.search("[\t\r\x85\u2028\u2029]", text):
        raise Unfamiliar
    lines: list[tuple[int, str]] = []
    for line in text.split("\n"):
        if not _BLANK.fullmatch(line):
            match = _LINE.fullmatch(line)
            assert match is not None
            lines.append((len(match[1]), match[2]))
    if not lines:
        raise Unfamiliar
    reader = _Reader(lines)
    data = reader.block(lines[0][0], 0)
    if reader.at != len(lines):
        raise Unfamiliar
    return data


class _Reader:
    """The lines and how far they are read."""

    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self._lines = lines
        self.at = 0

    def block(self, indent: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise Unfamiliar
        if self._lines[self.at][1].startswith("- "):
            return self._sequence(indent, depth)
        return self._mapping(indent, depth)

    def _sequence(self, indent: int, depth: int) -> list[Any]:
        items: list[Any] = []
        while self.at < len(self._lines):
            inner, body = self._lines[self.at]
            if inner < indent or (inner == indent and not body.startswith("- ")):
                break
            if inner > indent:
                raise Unfamiliar
            entry = body[2:].lstrip(" ")
            if _KEY.match(entry):
                inner += len(body) - len(entry)
                self._lines[self.at] = (inner, entry)
                items.append(self._mapping(inner, depth + 1))
            else:
                self.at += 1
                items.append(_value(entry))
        return items

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        data: dict[str, Any] = {}
        while self.at < len(self._lines):
            inner, body = self._lines[self.at]
            if inner < indent:
                break
            match = _KEY.match(body)
            if inner == indent and match is None and body.startswith("- "):
                break  # the list's next entry, where its entries stand below its own key
            if inner > indent or match is None or match[1] in data:
                raise Unfamiliar
            self.at += 1
            rest = body[match.end() :]
            nothing = not rest or rest.startswith("#")
            data[match[1]] = self._below(indent, depth) if nothing else _value(rest)
        return data

    def _below(self, indent: int, depth: int) -> Any:
        """What stands under a key with nothing behind it."""
        if self.at < len(self._lines):
            inner, body = self._lines[self.at]
            if inner > indent or (inner == indent and body.startswith("- ")):
                return self.block(inner, depth + 1)
        return None


def _value(text: str) -> Any:
    if text[:1] in ("[", "{"):
        tokens = _Tokens(text)
        value = tokens.value(0)
        if not _END.fullmatch(text, tokens.at):
            raise Unfamiliar
        return value
    match = _VALUE.fullmatch(text)
    if match is None or match[1] is None:
        raise Unfamiliar
    return _scalar(match[1])


def _scalar(word: str) -> Any:
    if word[0] == "'":
        return word[1:-1].replace("''", "'")
    return word[1:-1] if word[0] == '"' else meaning(word)


class _Tokens:
    """A list or mapping between brackets, and how far it is read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0

    def _next(self) -> tuple[str | None, str | None, str | None]:
        match = _TOKEN.match(self._text, self.at)
        if match is None:
            raise Unfamiliar
        self.at = match.end()
        return match[1], match[2], match[3]

    def value(self, depth: int) -> Any:
        mark, _, word = self._next()
        if depth > _DEEPEST:
            raise Unfamiliar
        if word is not None:
            return _scalar(word)
        if mark == "[":
            return self._list(depth)
        if mark == "{":
            return self._mapping(depth)
        raise Unfamiliar

    def _closes(self, closing: str) -> bool:
        """Whether the next mark closes rather than continues."""
        mark, _, _ = self._next()
        if mark not in (closing, ","):
            raise Unfamiliar
        return mark == closing

    def _list(self, depth: int) -> list[Any]:
        if self._text.startswith("]", self.at):
            self.at += 1
            return []
        items = [self.value(depth + 1)]
        while not self._closes("]"):
            items.append(self.value(depth + 1))
        return items

    def _mapping(self, depth: int) -> dict[str, Any]:
        data: dict[str, Any] = {}
        if self._text.startswith("}", self.at):
            self.at += 1
            return data
        while True:
            _, key, _ = self._next()
            if key is None or key in data:
                raise Unfamiliar
            data[key] = self.value(depth + 1)
            if self._closes("}"):
                return data
