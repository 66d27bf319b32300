"""Options of Java: the sizes of memory that they set (``-Xmx31g``), and how the JVM of a task compiles."""

from __future__ import annotations

import re

_MAXIMUM = re.compile(r"-Xmx(\d{1,18})([kKmMgGtT]?)(?!\S)")
_DIRECT = re.compile(r"-XX:MaxDirectMemorySize=(\d{1,18})([kKmMgGtT]?)(?!\S)")
_FACTORS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def heap_bytes(options: str) -> int | None:
    """The largest heap that Java options allow, the last where several do; None where none does."""
    return _last(_MAXIMUM, options)


def direct_bytes(options: str) -> int | None:
    """The most memory beside the heap that Java options allow for buffers; None where none does."""
    return _last(_DIRECT, options)


def _last(pattern: re.Pattern[str], options: str) -> int | None:
    matches = pattern.findall(options)
    if not matches:
        return None
    number, unit = matches[-1]
    return int(number) * _FACTORS[unit.lower()]


_ONLY_QUICK_COMPILER = "-XX:TieredStopAtLevel=1"
QUICK_START = f"{_ONLY_QUICK_COMPILER} -XX:+UseSerialGC"
"""A JVM that compiles once and quickly, and collects with one thread: it starts with less CPU, and its code
is slower."""


def starts_quickly(options: str) -> bool:
    """Whether a JVM with such options has only the quick compiler."""
    return _ONLY_QUICK_COMPILER in options.split()
