"""Texts of properties as Hadoop's Configuration reads them: numbers, sizes, durations, lists, ``${…}``.

Each reader takes what the getter of Hadoop 3.5.0's Configuration takes, without surrounding blanks, and
returns None for a text that the getter refuses; for booleans, also for one that it silently replaces by the
default. MISFITS explains what is wrong with a text of each kind. Options of Java are read as the JVM does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

_WHOLE = re.compile(r"(?P<decimal>[-+]?[0-9]+)|-?0[xX][0-9a-fA-F]+")
_REAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[fFdD]?|[-+]?(NaN|Infinity)")
_SIZE = re.compile(r"([-+]?[0-9]+)([kmgtpe]?)", re.IGNORECASE)
_DURATION = re.compile(r"([-+]?[0-9]+)(ns|us|ms|s|m|h|d)?", re.IGNORECASE)
_NANOSECONDS = {
    "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9,
}  # fmt: skip
_STORAGE = re.compile(
    r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)\s*([kmgtpe]?b|[kmgtpe]|(kilo|mega|giga|tera|peta|exa)?bytes)",
    re.IGNORECASE,
)
# No number that fits has more digits, and Python refuses to read one of thousands.
_MOST_DIGITS = 40
_CLASS = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*")
_VARIABLE = re.compile(r"\$\{([^}$\s]{1,200})\}")
_MOST_EXPANSIONS = 20  # Hadoop's own limit; a text that then still contains a variable refers to itself.
_MOST_TEXT = 100_000


def read_bool(text: str) -> bool | None:
    """``true`` or ``false`` in any case (Configuration.getBoolean)."""
    return {"true": True, "false": False}.get(text.lower())


def is_true(text: str | None) -> bool:
    """Whether a property is true; what is neither true nor false, or missing, is not."""
    return read_bool((text or "").strip()) is True


def read_float(text: str) -> float | None:
    """A finite number, with Java's suffix or without: ``0.8``, ``0.8f`` (Configuration.getFloat)."""
    text = text.strip()
    number = float(text.rstrip("fFdD")) if _REAL.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def read_positive(text: str | None) -> int | None:
    """A whole number above zero; None for any other text, such as the -1 that stands for a default."""
    number = read_int((text or "").strip()) or 0
    return number if number > 0 else None


def read_int(text: str) -> int | None:
    """A whole number, hexadecimal after ``0x`` (Configuration.getLong)."""
    match = _WHOLE.fullmatch(text) if len(text) <= _MOST_DIGITS else None
    return int(text, 10 if match["decimal"] else 16) if match else None


def read_size(text: str) -> int | None:
    """Bytes, with a prefix of powers of 1024 or none: ``4096``, ``128m`` (Configuration.getLongBytes)."""
    match = _SIZE.fullmatch(text) if len(text) <= _MOST_DIGITS else None
    return int(match[1]) << 10 * " kmgtpe".index(match[2].lower() or " ") if match else None


def read_seconds(text: str, unit: str | None = "s") -> float | None:
    """Seconds of a duration; ``unit`` counts without one: ``30``, ``5m`` (Configuration.getTimeDuration).

    With None for ``unit``, a duration has to have its own.
    """
    match = _DURATION.fullmatch(text) if len(text) <= _MOST_DIGITS else None
    named = (match[2] or unit) if match else None
    return int(match[1]) * _NANOSECONDS[named.lower()] / 10**9 if match and named else None


def whole_seconds(text: str) -> int | None:
    """Return a duration in whole seconds; None for a fraction, which Hadoop would cut off."""
    seconds = read_seconds(text)
    return int(seconds) if seconds is not None and seconds.is_integer() else None


class _Entry(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def final(self) -> bool: ...


_E = TypeVar("_E", bound=_Entry)


def winners(
    entries: Iterable[_E], names_of: Callable[[str], tuple[str, ...]] = lambda name: (name,)
) -> dict[str, _E]:
    """The entry of files, in their order, that gives each key its value: the last, or the first final one.

    ``names_of`` returns the current names of a key. (Configuration.loadProperty)
    """
    winning: dict[str, _E] = {}
    for entry in entries:
        for name in names_of(entry.name):
            if name not in winning or not winning[name].final:
                winning[name] = entry
    return winning


def read_list(text: str) -> tuple[str, ...]:
    """The parts between commas, trimmed, without empty ones (Configuration.getTrimmedStrings)."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def variables(text: str) -> list[str]:
    """The names in ``${…}`` of a text."""
    return _VARIABLE.findall(text)


def expanded(text: str, variable: Callable[[str], str | None]) -> str:
    """Return the text with each ``${name}`` replaced by ``variable(name)``, as often as Hadoop does."""
    for _ in range(_MOST_EXPANSIONS):
        replaced = _VARIABLE.sub(lambda match: variable(match[1]) or match[0], text)
        if replaced == text or len(replaced) > _MOST_TEXT:
            break
        text = replaced
    return text


def _fits(number: int | None, bits: int, otherwise: str) -> str | None:
    if number is None:
        return otherwise
    return None if -(2 ** (bits - 1)) <= number < 2 ** (bits - 1) else f"does not fit into {bits} bits"


def _whole(text: str, bits: int) -> str | None:
    if len(text) > _MOST_DIGITS and _WHOLE.fullmatch(text):
        return f"does not fit into {bits} bits"
    return _fits(read_int(text), bits, "is not a whole number")


def _size(text: str) -> str | None:
    if len(text) > _MOST_DIGITS and _SIZE.fullmatch(text):
        return "does not fit into 64 bits"
    return _fits(read_size(text), 64, "is not a whole number of bytes such as 4096, 128m or 1g")


def _like(form: re.Pattern[str], otherwise: str) -> Callable[[str], str | None]:
    return lambda text: None if form.fullmatch(text) else otherwise


def _items(check: Callable[[str], str | None]) -> Callable[[str], str | None]:
    """Return the check for every item of a list with commas, which may be empty."""

    def checked(text: str) -> str | None:
        items = text.split(",") if text else []
        return next((misfit for item in items if (misfit := check(item.strip()))), None)

    return checked


_is_class = _like(_CLASS, "is not the name of a Java class")

MISFITS: dict[str, Callable[[str], str | None]] = {
    "int": lambda text: _whole(text, 32),
    "long": lambda text: _whole(text, 64),
    "ints": _items(lambda text: _whole(text, 32)),
    "float": _like(_REAL, "is not a number"),
    "bool": lambda text: "is neither true nor false" if read_bool(text) is None else None,
    "size": _size,
    "storage": _like(_STORAGE, "is not a size with its unit such as 512MB or 1.5GB"),
    "duration": _like(
        _DURATION, "is not a whole number with a unit of time such as 500ms, 30s, 5m, 2h or 1d"
    ),
    "enum": lambda text: None if text else "is empty",
    "class": _is_class,
    "classes": _items(_is_class),
    "text": lambda text: None,
}
"""By kind the function that returns the problem of a text without surrounding space, or None."""


_MAXIMUM = re.compile(r"-Xmx(\d{1,18}[kKmMgGtT]?)(?!\S)")
_INITIAL = re.compile(r"-Xms(\d{1,18}[kKmMgGtT]?)(?!\S)")
_DIRECT = re.compile(r"-XX:MaxDirectMemorySize=(\d{1,18}[kKmMgGtT]?)(?!\S)")


def heap_bytes(options: str) -> int | None:
    """The largest heap that Java options allow, the last of several; None if none does."""
    return _last(_MAXIMUM, options)


def initial_heap_bytes(options: str) -> int | None:
    """The size of a heap at first by Java options; None if none gives it."""
    return _last(_INITIAL, options)


def direct_bytes(options: str) -> int | None:
    """The most memory outside the heap that Java options allow for buffers; None if none does."""
    return _last(_DIRECT, options)


_HEAP = re.compile(r"-Xm([sx])(\d{1,18}[kKmMgGtT]?)(?!\S)")


def with_heap_times(options: str, factor: float) -> str:
    """Java options with a heap of another size, in whole MiB, at first and at most."""

    def resized(match: re.Match[str]) -> str:
        size = read_size(match[2]) or 0
        return f"-Xm{match[1]}{max(1, int(factor * size) >> 20)}m"

    return _HEAP.sub(resized, options)


def _last(pattern: re.Pattern[str], options: str) -> int | None:
    matches = pattern.findall(options)
    return read_size(matches[-1]) if matches else None


_ONLY_QUICK_COMPILER = "-XX:TieredStopAtLevel=1"
QUICK_START = f"{_ONLY_QUICK_COMPILER} -XX:+UseSerialGC"
"""A JVM that compiles once and quickly, and collects with one thread: it starts with less CPU, and its code
is slower."""


def starts_quickly(options: str) -> bool:
    """Whether a JVM with such options has only the quick compiler."""
    return _ONLY_QUICK_COMPILER in options.split()
