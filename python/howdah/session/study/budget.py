"""The time that a study may take: counted across restarts, and kept even by a run that is under way."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from howdah.model.study import Study, StudyRun
from howdah.session.study.directory import StudyDirectory, put

_SPENT = "spent"
_SAVED_EVERY_S = 1.0
_CLOSING_S = 20.0
"""Kept back to end a run's jobs and remove their data."""
_LAB_CLOSING_S = 60.0
"""Kept back to remove a lab as well."""


class BudgetClock:
    """How long a study has worked, in this process and before, and the alarm that ends it in time.

    The time of a process that was killed counts, to the last second that ``note`` was called in.
    """

    def __init__(
        self, study: Study, directory: StudyDirectory, done: Sequence[StudyRun], *, labs: bool
    ) -> None:
        self._file = directory.path / _SPENT
        self._most_s = None if study.budget.hours is None else 3600 * study.budget.hours
        self._closing_s = _LAB_CLOSING_S if labs else _CLOSING_S
        self._before_s = spent_s(directory, done)
        self._began_s = self._noted_s = time.monotonic()
        self._rounds_s: list[float] = []
        self.rang = False
        """Whether the alarm ended what was under way."""

    @property
    def spent_s(self) -> float:
        """Seconds of work so far."""
        return self._before_s + time.monotonic() - self._began_s

    def note(self) -> None:
        """Store the time now and then; called often."""
        if self._most_s is not None and time.monotonic() - self._noted_s >= _SAVED_EVERY_S:
            self._noted_s = time.monotonic()
            put(self._file, f"{self.spent_s:.1f}\n")

    def has_room(self) -> bool:
        """Whether another run would probably end in time: as long as the longest so far, its lab included."""
        return self._left_s() >= max(self._rounds_s, default=0.0)

    @contextmanager
    def run(self) -> Iterator[None]:
        """The time of one run and its lab: KeyboardInterrupt ends it when the budget is nearly used up."""
        began_s = time.monotonic()
        if self._most_s is not None:
            signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, max(0.001, self._left_s()))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._rounds_s.append(time.monotonic() - began_s)
            if self._most_s is not None:
                put(self._file, f"{self.spent_s:.1f}\n")

    def _left_s(self) -> float:
        return float("inf") if self._most_s is None else self._most_s - self._closing_s - self.spent_s

    def _ring(self, number: int, frame: FrameType | None) -> NoReturn:
        self.rang = True
        raise KeyboardInterrupt


def spent_s(directory: StudyDirectory, done: Sequence[StudyRun]) -> float:
    """Seconds of work on a study so far, as far as they were stored; at least what its runs took."""
    try:
        stored_s = float((directory.path / _SPENT).read_text())
    except (OSError, ValueError):
        stored_s = 0.0
    return max(stored_s, sum(run.took_s for run in done))
