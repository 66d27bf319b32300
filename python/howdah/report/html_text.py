"""Text as HTML: numbers tied to their units, code as code, long words that may break."""

from __future__ import annotations

import re

from markupsafe import Markup

_ENDLESS = 64
"""Letters of a word that may be broken within a table: more than a host's label or a property has."""
_ENDLESS_WORD = re.compile(rf"(\S{{{_ENDLESS},}})")
_NAME = 32
"""Letters of the longest name that is kept on one line."""
_BARE_PERCENT = re.compile(r"(?<=\d)%(?![\w/])")
_CODE = re.compile(r"`([^`\n]+)`")
_WITHIN_NUMBER = re.compile(
    r"(?<=\d) (?=(?:[kMGTP]?i?B|s|ms|min|h)\b|[%×])|(?<=\d min) (?=\d\d s\b)|(?<=\d h) (?=\d\d? min\b)"
)


def prose(text: str) -> Markup:
    """The text with its numbers tied to their units, and `code` as code."""
    return _wrapped(_CODE, tied(text), Markup("<code>{}</code>"))


def tied(text: str) -> str:
    """The text with spaces between numbers and their units at which no line breaks."""
    return _WITHIN_NUMBER.sub("\N{NO-BREAK SPACE}", _BARE_PERCENT.sub("\N{NO-BREAK SPACE}%", text))


def breakable(text: str) -> Markup:
    """The text of a table's cell, whose longest words may be broken anywhere: no column has room for them."""
    if len(text) >= _ENDLESS and "`" not in text:
        return _wrapped(_ENDLESS_WORD, text, Markup('<span class="long">{}</span>'))
    return _wrapped(_CODE, text, Markup("<code>{}</code>"))


def is_name(cell: str) -> bool:
    """Whether a table's cell is one short word, a run or a host, which reads badly in two lines."""
    return "-" in cell and " " not in cell and len(cell) <= _NAME


def _wrapped(pattern: re.Pattern[str], text: str, element: Markup) -> Markup:
    """The text with every match's group in an element."""
    parts = pattern.split(text)
    return Markup("").join(element.format(part) if at % 2 else part for at, part in enumerate(parts))
