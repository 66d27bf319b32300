"""What the YAML scanner complains of, in the words of someone who did not write a YAML scanner."""

from __future__ import annotations

from typing import Any

from yaml import MarkedYAMLError

from howdah.documents.fault import Fault, Mark

_UNQUOTED = "put text with brackets, braces, commas, colons or quotes between double quotes"
_INDENT = "indent by spaces, the same for all keys of one group"

_SAID = (
    ("found a tab character", "a tab indents here", "indent by spaces"),
    ("mapping values are not allowed", "a second `:` in one line, or a key indented too far", _UNQUOTED),
    ("expected ',' or ']'", "the list is not closed where it should be", _UNQUOTED),
    ("expected ',' or '}'", "the mapping is not closed where it should be", _UNQUOTED),
    ("could not find expected ':'", "a key without its `:`", "write `key: value`"),
    ("did not find expected key", "this line is not indented as those before it", _INDENT),
    ("did not find expected '-' indicator", "this line is not indented as those before it", _INDENT),
    ("sequence entries are not allowed", "a list's entry cannot begin here", "put `- ` on a line of its own"),
    ("cannot start any token", "a word cannot begin with this character", _UNQUOTED),
    ("undefined alias", "an alias is not allowed", "write the value out"),
)


def syntax_fault(error: MarkedYAMLError, text: str) -> Fault:
    """The error with its place; the parser's own words where there are no better ones."""
    problem = error.problem or error.context or "unreadable"
    # A key without its colon is noticed on the line after it.
    late = "could not find expected ':'" in problem
    mark = _mark(error.context_mark if late else error.problem_mark or error.context_mark)
    if "unexpected end of stream" in problem:
        return Fault(_mark(error.context_mark), (), "these quotes are not closed", "close them")
    lines = text.split("\n")
    line = lines[mark.line - 1] if mark.line <= len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return Fault(Mark(mark.line, line.index("\t") + 1), (), "a tab indents here", "indent by spaces")
    for sign, what, hint in _SAID:
        if sign in problem:
            return Fault(mark, (), what, hint)
    return Fault(mark, (), f"is not YAML: {problem}", _UNQUOTED)


def _mark(mark: Any) -> Mark:
    return Mark(mark.line + 1, mark.column + 1) if mark is not None else Mark(1, 1)
