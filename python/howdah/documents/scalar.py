"""What a word of YAML means, and how a value is written as one (YAML 1.2, core schema)."""

from __future__ import annotations

import re

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
"""What readers of YAML 1.1 take for something else than a text."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


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
    """A word whose meaning is the value, quoted where it must be.

    In a ``block``, alone on its line, less must be than between brackets and braces.
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
    # The byte order mark, spaces that look like others and controls are not left to the eye.
    if mark.isprintable():
        return mark
    code = ord(mark)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
