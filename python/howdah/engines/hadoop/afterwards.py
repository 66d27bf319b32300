"""What is still to be asked of a workload whose job has ended, while the next one's client starts."""

from __future__ import annotations

from collections.abc import Callable


class Afterwards:
    """At most one thing that is left to do, and that need not hold up the next job."""

    def __init__(self) -> None:
        self._left: Callable[[], None] | None = None

    def put(self, left: Callable[[], None]) -> None:
        """Leave something; what was left before is done first."""
        self.do()
        self._left = left

    def do(self) -> None:
        """Do what is left; whatever it raises, it is not done again."""
        left, self._left = self._left, None
        if left is not None:
            left()
