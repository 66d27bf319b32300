"""A property's text as a value of the type that a rule decides on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from howdah.model.plan import Value
from howdah.releases.values import read_bool, read_int, read_list, read_seconds, read_size, whole_seconds

_Value = TypeVar("_Value")


class Misfit(Exception):
    """A text is not a value of the type that is wanted; the message names the type."""


def read_like(text: str, like: Value, kind: str) -> Value:
    """The text as a value of the type of ``like``; ``kind`` is what the release says of the key.

    Raises Misfit where it is none.
    """
    if isinstance(like, bool):
        return _required(read_bool(text), "is neither true nor false")
    if isinstance(like, int):
        # All durations that rules give a number for count in seconds.
        read, otherwise = {
            "size": (read_size, "is not a size"),
            "duration": (whole_seconds, "is not a whole number of seconds"),
        }.get(kind, (read_int, "is not a whole number"))
        return _required(read(text), otherwise)
    if isinstance(like, float):
        return _required(_read_float(text), "is not a number")
    if isinstance(like, tuple):
        return read_list(text)
    # Two ways to write one quantity are one value.
    return like if text == like or _same_quantity(text, like) else text


def read_kind(text: str, kind: str) -> Value:
    """The text as a value of the release's kind, or the text itself where it is none."""
    # The unit in which a duration counts is known to the reader of the key.
    read: Callable[[str], Value | None] | None = {
        "bool": read_bool,
        "size": read_size,
        "int": read_int,
        "long": read_int,
        "duration": read_int,
        "float": _read_float,
    }.get(kind)
    value = read(text) if read else None
    return text if value is None else value


def _required(value: _Value | None, otherwise: str) -> _Value:
    if value is None:
        raise Misfit(otherwise)
    return value


def _read_float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _same_quantity(text: str, like: str) -> bool:
    sizes = read_size(text), read_size(like)
    durations = read_seconds(text, None), read_seconds(like, None)
    return any(first is not None and first == second for first, second in (sizes, durations))
