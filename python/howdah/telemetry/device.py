"""The life-cycle of a telemetry device, kernel files and their counters."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Literal, NamedTuple

_CHUNK = 64 * 1024

_WRAP = 2**32


class ProcFile:
    """A file below /proc that stays open between readings.

    Opening costs more than reading, so the descriptor is kept. Every reading starts at offset 0, for
    which the kernel generates the text again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> bytes:
        """The whole text as it is now; raise OSError, with the file's name, if it cannot be read."""
        # The kernel may return less than requested although more follows: only an empty reading is
        # the end.
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
"""The meaning of a counter that decreases.

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


class MetricReading(NamedTuple):
    """One metric (named as in ``howdah.model.metrics``) and its value."""

    metric: str
    value: float


class Away(Exception):
    """The device does not answer at the moment; the message has the reason."""


class Device(ABC):
    """Something that is read at every tick through files that stay open.

    The hooks are called in order: ``start`` once, ``tick`` any number of times, ``stop`` once.
    ``start`` and ``tick`` raise OSError if the kernel lacks the device's files; the Sampler then
    leaves the device out and warns. A device that may return raises ``Away`` in ``tick`` instead, and is
    read again.
    """

    name: str
    paths: tuple[str, ...]

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._files: list[ProcFile] = []

    def start(self) -> None:
        """Open the device's files and check that they can be read."""
        try:
            for path in self.paths:
                self._files.append(ProcFile(self._root / path))
            for file in self._files:
                file.read()
        except OSError:
            self.stop()
            raise

    @property
    def label(self) -> str:
        """Its name in messages."""
        return self.name

    @abstractmethod
    def tick(self) -> list[MetricReading]:
        """Read the device now: counters as growth since the first tick, gauges as they are."""

    def stop(self) -> None:
        """Close the files; calling it again does nothing."""
        for file in self._files:
            file.close()
        self._files.clear()
