"""CPU time over a stretch: a count that only grows, noted twice a second."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Self

import numpy as np

_NOTE_S = 0.5
_IDLE = frozenset({3, 4, 7})
"""The columns of idle, waiting and stolen time in ``/proc/stat``, counted from 0."""
_COLUMNS = 8
"""Guests' time is in that of users already."""


def own_cpu_s() -> float:
    """Seconds of CPU that this process has used, without its children."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def machine_cpu_s() -> float:
    """Seconds of CPU that all processes of this machine have used."""
    columns = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1 : 1 + _COLUMNS]
    ticks = sum(int(ticks) for column, ticks in enumerate(columns) if column not in _IDLE)
    return ticks / os.sysconf("SC_CLK_TCK")


class Meter:
    """Notes twice a second what ``count`` returns, so that its growth over any stretch is known."""

    def __init__(self, count: Callable[[], float]) -> None:
        self._count = count
        self._notes = [(time.time(), count())]
        self._stop = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def growth(self, start_s: float, end_s: float) -> float:
        """The growth between two times of day."""
        times, values = zip(*self._notes, strict=True)
        return float(np.interp(end_s, times, values) - np.interp(start_s, times, values))

    def _run(self) -> None:
        while not self._stop.wait(_NOTE_S):
            self._notes.append((time.time(), self._count()))
