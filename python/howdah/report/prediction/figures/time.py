"""The unit in which an axis of times is read."""

from __future__ import annotations

from typing import NamedTuple


class AxisUnit(NamedTuple):
    """A unit of time, in seconds, and its name."""

    size_s: float
    name: str


def unit_of(longest_s: float) -> AxisUnit:
    """The unit in which the longest time is a number that one can read."""
    if longest_s >= 4 * 3600:
        return AxisUnit(3600.0, "h")
    return AxisUnit(60.0, "min") if longest_s >= 240 else AxisUnit(1.0, "s")
