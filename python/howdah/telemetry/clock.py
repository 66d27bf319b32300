"""Time as a Sampler sees it, so that tests can make their own."""

from __future__ import annotations

import time
from threading import Event
from typing import Protocol


class Clock(Protocol):
    """A monotonic clock, the CPU time of the calling thread, and a pause that can be cut short."""

    def now_ns(self) -> int:
        """Nanoseconds on CLOCK_MONOTONIC."""

    def thread_cpu_ns(self) -> int:
        """Nanoseconds of CPU the calling thread has used."""

    def wait(self, stop: Event, seconds: float) -> bool:
        """Pause until ``stop`` is set or the time is over; True if it was set."""


class SystemClock:
    """The machine's own time."""

    def now_ns(self) -> int:
        """Nanoseconds on CLOCK_MONOTONIC."""
        return time.monotonic_ns()

    def thread_cpu_ns(self) -> int:
        """Nanoseconds of CPU the calling thread has used."""
        return time.thread_time_ns()

    def wait(self, stop: Event, seconds: float) -> bool:
        """Pause until ``stop`` is set or the time is over; True if it was set."""
        return stop.wait(seconds)
