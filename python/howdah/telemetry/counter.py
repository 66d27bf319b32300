"""Kernel counters as growth since they were first seen, whatever they do in between."""

from __future__ import annotations

from typing import Literal

Backwards = Literal["hold", "reset", "wrap32"]
"""What it means that a counter went backwards.

``hold``: an inaccuracy, and the growth stays where it is (the kernel documents this for iowait and
idle). ``reset``: the device was replaced and counts from zero. ``wrap32``: the kernel prints 32 bits,
and the counter ran over them, unless it was too small for that, which is a reset.
"""

_WRAP = 2**32


class Counter:
    """The growth of one counter."""

    __slots__ = ("_backwards", "_growth", "_last")

    def __init__(self, backwards: Backwards) -> None:
        self._backwards = backwards
        self._last: int | None = None
        self._growth = 0

    def advance(self, value: int) -> int:
        """Take the counter's present value and return its growth since the first one."""
        if self._last is None:
            self._last = value
        elif value >= self._last:
            self._growth += value - self._last
            self._last = value
        elif self._backwards != "hold":
            self._growth += value
            if self._backwards == "wrap32" and self._last >= _WRAP // 2:
                self._growth += _WRAP - self._last
            self._last = value
        return self._growth
