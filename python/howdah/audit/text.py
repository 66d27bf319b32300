"""What a property's text means, as Hadoop reads it."""

from __future__ import annotations

import re

from howdah.model.plan import Value
from howdah.releases import whole_seconds

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_HEXADECIMAL = re.compile(r"-?0[xX][0-9a-fA-F]{1,30}")
_SIZE = re.compile(r"([+-]?[0-9]{1,30})\s*([kmgtpe]?)b?", re.IGNORECASE)
_SIZE_STEPS = " kmgtpe"
_DURATION = re.compile(r"([+-]?[0-9]{1,30})\s*(ns|us|ms|s|m|h|d)", re.IGNORECASE)
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_TRUTHS = {"true": True, "false": False}


class Misfit(Exception):
    """A text is not a value of the type that is wanted; the message says what it is not."""


def read_bool(text: str) -> bool:
    """``true`` or ``false``; raise Misfit for anything else."""
    if text.lower() not in _TRUTHS:
        raise Misfit("is neither true nor false")
    return _TRUTHS[text.lower()]


def read_int(text: str) -> int:
    """A whole number, hexadecimal after ``0x`` as Hadoop takes it; raise Misfit."""
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    if _WHOLE.fullmatch(text):
        return int(text)
    raise Misfit("is not a whole number")


def read_size(text: str) -> int:
    """Bytes, with a suffix of powers of 1024 where there is one: ``128m``; raise Misfit."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise Misfit("is not a size")
    return int(match[1]) << (10 * _SIZE_STEPS.index(match[2].lower() or " "))


def read_seconds(text: str) -> float:
    """Seconds of a duration that names its unit: ``30s``, ``5m``; raise Misfit."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise Misfit("is not a duration with its unit")
    return int(match[1]) * _SECONDS[match[2].lower()]


def read_float(text: str) -> float:
    """A number; raise Misfit."""
    try:
        return float(text)
    except ValueError as error:
        raise Misfit("is not a number") from error


def read_like(text: str, like: Value, kind: str) -> Value:
    """The text as a value of the type of ``like``; ``kind`` is what the release says of the key.

    Raises Misfit where it is none.
    """
    if isinstance(like, bool):
        return read_bool(text)
    if isinstance(like, int):
        return _read_whole(text, kind)
    if isinstance(like, float):
        return read_float(text)
    if isinstance(like, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    # Two ways to write one quantity are one value.
    return like if text == like or _same_quantity(text, like) else text


def read_kind(text: str, kind: str) -> Value:
    """The text as a value of the release's kind, or the text itself where it is none."""
    try:
        match kind:
            case "bool":
                return read_bool(text)
            case "size":
                return read_size(text)
            case "int" | "long" | "duration":
                # In which unit a duration counts is for who reads the key to know.
                return read_int(text)
            case "float":
                return read_float(text)
    except Misfit:
        pass
    return text


def _read_whole(text: str, kind: str) -> int:
    match kind:
        case "size":
            return read_size(text)
        case "duration":
            return _read_period(text)
    return read_int(text)


def _read_period(text: str) -> int:
    """Seconds, in which all durations count that rules give a number for."""
    seconds = whole_seconds(text)
    if seconds is None:
        raise Misfit("is not a whole number of seconds")
    return seconds


def _same_quantity(text: str, like: str) -> bool:
    for read in (read_size, read_seconds):
        try:
            if read(text) == read(like):
                return True
        except Misfit:
            continue
    return False
