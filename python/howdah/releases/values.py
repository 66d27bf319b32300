"""Whether a text is a value that Hadoop's Configuration can read as a given kind.

Each check takes what the getter of that kind takes and refuses what makes it throw, or, for booleans, what
makes it fall back to the default without a word. The getters are those of Hadoop 3.5.0's Configuration.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_WHOLE = re.compile(r"(?P<decimal>[-+]?[0-9]+)|-?0[xX][0-9a-fA-F]+")
_REAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[fFdD]?|[-+]?(NaN|Infinity)")
_SIZE = re.compile(r"([-+]?[0-9]+)([kmgtpe]?)", re.IGNORECASE)
_DURATION = re.compile(r"([-+]?[0-9]+)(ns|us|ms|s|m|h|d)?", re.IGNORECASE)
_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
}
_STORAGE = re.compile(
    r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)\s*([kmgtpe]?b|[kmgtpe]|(kilo|mega|giga|tera|peta|exa)?bytes)",
    re.IGNORECASE,
)
# No number that fits has more digits, and Python refuses to read one of thousands.
_MOST_DIGITS = 40
_CLASS = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*")


def _fits(digits: str, factor: int, bits: int, base: int = 10) -> str | None:
    if len(digits) <= _MOST_DIGITS and -(2 ** (bits - 1)) <= int(digits, base) * factor < 2 ** (bits - 1):
        return None
    return f"does not fit into {bits} bits"


def _whole(text: str, bits: int) -> str | None:
    match = _WHOLE.fullmatch(text)
    if match is None:
        return "is not a whole number"
    return _fits(text, 1, bits, base=10 if match.group("decimal") else 16)


def _size(text: str) -> str | None:
    match = _SIZE.fullmatch(text)
    if match is None:
        return "is not a whole number of bytes such as 4096, 128m or 1g"
    digits, unit = match.groups()
    return _fits(digits, 1024 ** " kmgtpe".index(unit.lower() or " "), 64)


def whole_seconds(text: str) -> int | None:
    """A duration of a key that counts in seconds, as Hadoop reads it: ``120``, ``2m``; None for another text.

    Hadoop cuts off what is less than a second, which nobody means.
    """
    match = _DURATION.fullmatch(text)
    if match is None or len(match[1]) > _MOST_DIGITS:
        return None
    seconds, rest = divmod(int(match[1]) * _NANOSECONDS[(match[2] or "s").lower()], _NANOSECONDS["s"])
    return None if rest else seconds


def _like(form: re.Pattern[str], otherwise: str) -> Callable[[str], str | None]:
    return lambda text: None if form.fullmatch(text) else otherwise


def _each(check: Callable[[str], str | None]) -> Callable[[str], str | None]:
    """The check for every item of a list with commas, which may be empty."""

    def checked(text: str) -> str | None:
        items = text.split(",") if text else []
        return next((misfit for item in items if (misfit := check(item.strip()))), None)

    return checked


def _nothing_wrong(_: str) -> None:
    return None


_is_class = _like(_CLASS, "is not the name of a Java class")

MISFITS: dict[str, Callable[[str], str | None]] = {
    "int": lambda text: _whole(text, 32),
    "long": lambda text: _whole(text, 64),
    "ints": _each(lambda text: _whole(text, 32)),
    "float": _like(_REAL, "is not a number"),
    "bool": lambda text: None if text.lower() in {"true", "false"} else "is neither true nor false",
    "size": _size,
    "storage": _like(_STORAGE, "is not a size with its unit such as 512MB or 1.5GB"),
    "duration": _like(
        _DURATION, "is not a whole number with a unit of time such as 500ms, 30s, 5m, 2h or 1d"
    ),
    "enum": lambda text: None if text else "is empty",
    "class": _is_class,
    "classes": _each(_is_class),
    "text": _nothing_wrong,
}
"""For each kind, what tells from a text without surrounding space what is wrong with it, if anything is."""
