"""A kernel file that is read again and again, and its counters as growth."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

_CHUNK = 64 * 1024

_WRAP = 2**32


class ProcFile:
    """A file below /proc that stays open between readings.

    Opening costs more than reading, so the descriptor is kept and every reading starts again at
    offset 0, for which the kernel makes the text anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> bytes:
        """The whole text as it is now; raise OSError, with the file's name, if it cannot be read."""
        # The kernel may hand over less than was asked for although more follows: only an empty
        # reading is the end.
        pieces: list[bytes] = []
        offset = 0
        try:
            while piece := os.pread(self._descriptor, _CHUNK, offset):
                pieces.append(piece)
                offset += len(piece)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        return b"".join(pieces)

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)


Backwards = Literal["hold", "reset", "wrap32"]
"""What it means that a counter went backwards.

``hold``: an inaccuracy, and the growth stays where it is (the kernel documents this for iowait and
idle). ``reset``: the device was replaced and counts from zero. ``wrap32``: the kernel prints 32 bits,
and the counter ran over them, unless it was too small for that, which is a reset.
"""


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
