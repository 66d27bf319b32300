"""Options of Java that decide how the JVM of a task compiles."""

from __future__ import annotations

_ONLY_QUICK_COMPILER = "-XX:TieredStopAtLevel=1"
QUICK_START = f"{_ONLY_QUICK_COMPILER} -XX:+UseSerialGC"
"""A JVM that compiles once and quickly, and collects with one thread: it starts with less CPU, and its code
is slower."""


def starts_quickly(options: str) -> bool:
    """Whether a JVM with such options has only the quick compiler."""
    return _ONLY_QUICK_COMPILER in options.split()
