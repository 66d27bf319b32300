"""How long measuring may take, and what is told meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from howdah import _native

_POLL_S = 0.1

R = TypeVar("R")
T = TypeVar("T")


class OutOfTime(Exception):
    """An operation did not end before the time was up; it was cancelled."""


class Pace:
    """The time that is left, and whoever wants to know what it is spent on."""

    def __init__(self, limit_s: float, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self._start_s = time.monotonic()
        self.limit_s = limit_s

    @property
    def spent_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start_s

    @property
    def left_s(self) -> float:
        """Seconds until the limit; negative beyond it."""
        return self.limit_s - self.spent_s

    def repeated(self, once: Callable[[], T], *, most: int, within_s: float) -> list[T]:
        """What up to ``most`` calls give: one at least, further ones while there is time for one more."""
        end_s = min(within_s, self.left_s) + self.spent_s
        results: list[T] = []
        longest_s = 0.0
        while not results or (len(results) < most and self.spent_s + longest_s <= end_s):
            before_s = self.spent_s
            results.append(once())
            longest_s = max(longest_s, self.spent_s - before_s)
        return results

    def finish(self, operation: _native.Operation[R]) -> R:
        """The operation's result; raises OutOfTime where it does not end within what is left.

        However it is left, the operation has ended and removed its files.
        """
        try:
            while not operation.wait(_POLL_S):
                if self.left_s < 0:
                    raise OutOfTime
        except BaseException:
            operation.cancel()
            while not operation.wait(_POLL_S):
                pass
            raise
        return operation.result()
