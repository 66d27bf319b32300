"""Injects the faults of a schedule while a workload runs, and reverts them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Condition, Lock, Thread
from typing import NamedTuple, Protocol

from howdah.errors import HowdahError
from howdah.model.faults import ClusterFault, FaultReport, Moment
from howdah.model.job import Progress

_LOG = logging.getLogger(__name__)
_TICK_S = 0.05
_NEVER = "the run ended before that moment"


class Injected(NamedTuple):
    """A fault that was injected."""

    number: int
    hit: tuple[str, ...]
    lasts: bool
    """Whether it stays active until it is reverted."""


class Injector(Protocol):
    """Injects and reverts faults; called from several threads."""

    def inject(self, fault: ClusterFault) -> Injected:
        """Inject a fault; raises HowdahError if that is impossible at this moment."""

    def revert(self, number: int) -> tuple[str, ...]:
        """Revert a fault by its number; returns what could not be reverted."""


@dataclass
class _RunProgress:
    """The progress of the run so far."""

    begun_s: dict[str, float] = field(default_factory=dict)
    """By workload its start."""
    share: dict[str, float] = field(default_factory=dict)
    """By workload the fraction that is done."""
    phases: set[tuple[str, str]] = field(default_factory=set)

    def is_due(self, when: Moment, now_s: float) -> bool:
        """Whether the run has reached a moment."""
        begin_s = 0.0 if when.workload is None else self.begun_s.get(when.workload)
        if begin_s is None:
            return False
        if when.share is not None:
            return self.share.get(when.workload or "", 0.0) >= when.share
        if when.phase is not None:
            return (when.workload or "", when.phase) in self.phases
        return now_s >= begin_s + (when.after_s or 0.0)


class FaultPlayer:
    """Plays a schedule with one thread for each fault; calls ``changed`` after each change of a report."""

    def __init__(self, schedule: Sequence[ClusterFault], injector: Injector) -> None:
        self._schedule = tuple(schedule)
        self._injector = injector
        self._reports = [FaultReport(fault=fault.text) for fault in self._schedule]
        self._run = _RunProgress()
        self._lock = Lock()
        self._news = Condition(self._lock)
        self._over = False
        self._threads: list[Thread] = []
        self._unreverted: dict[int, Injected] = {}
        """The faults whose revert failed, by position in the schedule."""
        self._now_s: Callable[[], float] = time.monotonic
        self._changed: Callable[[], None] = lambda: None

    @property
    def reports(self) -> tuple[FaultReport, ...]:
        """The report of each fault so far, in the schedule's order."""
        with self._lock:
            return tuple(self._reports)

    def begin(self, now_s: Callable[[], float], changed: Callable[[], None]) -> None:
        """Begin to play; ``now_s`` returns the seconds since the run's start."""
        self._now_s, self._changed = now_s, changed
        for number in range(len(self._schedule)):
            thread = Thread(target=self._play, args=(number,), name=f"howdah-fault-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def progress(self, progress: Progress) -> None:
        """Note the progress of a workload."""
        with self._lock:
            run, workload = self._run, progress.workload
            run.begun_s.setdefault(workload, self._now_s() - progress.elapsed_s)
            run.phases.add((workload, progress.phase))
            # Phases before and after the workload's own work have no total.
            if progress.total > 0:
                share = progress.done / progress.total
                run.share[workload] = max(share, run.share.get(workload, 0.0))

    def heal(self) -> None:
        """Inject no more faults, and wait until all are reverted."""
        with self._lock:
            self._over = True
            self._news.notify_all()
        for thread in self._threads:
            thread.join()
        # The cause of a failed revert may be gone after all other faults were reverted.
        for number in tuple(self._unreverted):
            self._undo(number, self._unreverted.pop(number))

    def _play(self, number: int) -> None:
        fault = self._schedule[number]
        if not self._awaited(fault.when or Moment(after_s=0)):
            self._report(number, state="not happened", why=_NEVER)
            return
        self._report(number, came_s=self._now_s())
        try:
            injected = self._injector.inject(fault)
        except (HowdahError, OSError) as error:
            _LOG.info("%s: %s", fault.text, error)
            self._report(number, state="not happened", why=str(error))
            return
        begun_s = self._now_s()
        self._report(
            number, state="in force" if injected.lasts else "done", begun_s=begun_s, hit=injected.hit
        )
        if not injected.lasts:
            return
        with self._lock:
            self._news.wait_for(lambda: self._over, timeout=fault.for_s)
        self._undo(number, injected)

    def _undo(self, number: int, injected: Injected) -> None:
        try:
            remaining = self._injector.revert(injected.number)
        except (HowdahError, OSError) as error:
            remaining = (str(error),)
        if remaining:
            self._unreverted[number] = injected
        state = "not undone" if remaining else "undone"
        self._report(number, state=state, ended_s=self._now_s(), why="; ".join(remaining) or None)

    def _awaited(self, when: Moment) -> bool:
        """Wait for a moment; return whether the run reached it."""
        while True:
            with self._lock:
                if self._over:
                    return False
                if self._run.is_due(when, self._now_s()):
                    return True
            time.sleep(_TICK_S)

    def _report(self, number: int, **fields: object) -> None:
        with self._lock:
            self._reports[number] = self._reports[number].model_copy(update=fields)
        self._changed()
