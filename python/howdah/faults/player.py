"""Injects and reverts the faults of a schedule while a workload runs, and reads recovery from logs."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import NamedTuple, Protocol

from howdah.errors import HowdahError
from howdah.lab.hadoop.daemons import planned
from howdah.lab.state import LabState
from howdah.model.faults import SEVERAL, ClusterFault, FaultReport, Moment, RecoveryStep
from howdah.model.tables import Progress
from howdah.telemetry.daemons import logged_epoch_s

_LOG = logging.getLogger(__name__)
_TICK_S = 0.05
_NEVER = "the run ended before that moment"


class Injected(NamedTuple):
    number: int
    hit: tuple[str, ...]
    lasts: bool  # Whether it stays active until it is reverted.


class Injector(Protocol):
    """Injects and reverts faults; called from several threads."""

    def inject(self, fault: ClusterFault) -> Injected:
        """Inject a fault; raises HowdahError if that is impossible at this moment."""

    def revert(self, number: int) -> tuple[str, ...]:
        """Revert a fault by its number; returns what could not be reverted."""


@dataclass
class _RunProgress:
    begun_s: dict[str, float] = field(default_factory=dict)  # By workload its start.
    share: dict[str, float] = field(default_factory=dict)  # By workload the fraction that is done.
    phases: set[tuple[str, str]] = field(default_factory=set)

    def is_due(self, when: Moment, now_s: float) -> bool:
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
        self._unreverted: dict[int, Injected] = {}  # Failed reverts, by the fault's position in the schedule.
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
        state = "in force" if injected.lasts else "done"
        self._report(number, state=state, begun_s=self._now_s(), hit=injected.hit)
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


_LINE_CHARACTERS = 240


class _Word(NamedTuple):
    """A pattern of the log lines of some daemons, and its meaning."""

    daemons: str
    name: str
    pattern: str


WORDS = (
    # HBase 2.6: ZooKeeper's session of a RegionServer ends with its ephemeral node.
    _Word("hmaster", "RegionServer missed", r"RegionServer ephemeral node deleted, processing expiration"),
    _Word("hmaster", "recovery started",
          r"Start pid=\d+, state=RUNNABLE.*ServerCrashProcedure|state=RUNNABLE:SERVER_CRASH_START"),
    _Word("hmaster", "meta open", r"Finished pid=\d+, .*TransitRegionStateProcedure table=hbase:meta,"),
    _Word("hmaster", "logs split", r"Finished pid=\d+, .*; SplitWALProcedure (?!.*\.meta\.)"),
    _Word("hmaster", "recovery ended", r"Finished pid=\d+, .*ServerCrashProcedure"),
    _Word("hmaster", "HMaster active", r"Master has completed initialization"),
    _Word("regionserver", "regions open", r"AssignRegionHandler: Opened [^ ]*howdah-"),
    _Word("regionserver", "region replayed", r"Applied \d+, skipped \d+, firstSequenceIdInLog"),
    # HDFS 3.5 and its failover controllers.
    _Word("zkfc", "NameNode missed",
          r"Transport-level exception trying to monitor health|entered state: SERVICE_NOT_RESPONDING"),
    _Word("zkfc", "fencing", r"Should fence:|====== Beginning Service Fencing"),
    _Word("zkfc", "fenced", r"====== Fencing successful"),
    _Word("zkfc", "standby asked to be active", r"Trying to make NameNode at .* active"),
    _Word("zkfc", "NameNode active", r"Successfully transitioned NameNode at .* to active state"),
    _Word("namenode", "transition begun", r"Starting services required for active state"),
    # A NameNode that becomes active soon after its start refuses writes until the end of its safe mode.
    _Word("namenode", "safe mode left", r"STATE\* Safe mode is OFF"),
    _Word("namenode", "DataNode given up", r"removeDeadDatanode: lost heartbeat from"),
    # A NameNode that was paused while the other one became active is refused by the journal and exits.
    _Word("namenode datanode journalnode zkfc resourcemanager nodemanager", "ended by itself",
          r"ExitUtil: Exiting with status -?[1-9]"),
    _Word("regionserver hmaster", "ended by itself", r"ABORTING (?:region server|master)"),
    _Word("resourcemanager", "ResourceManager active", r"Transitioned to active state"),
    _Word("resourcemanager", "NodeManager given up", r"Expired:.*Timed out after \d+ secs"),
)  # fmt: skip
"""The log lines of the releases that howdah fetches."""


def steps(
    lines: Iterable[str], machine: str, daemon: str, *, start_epoch_s: float, between: tuple[float, float]
) -> Iterator[RecoveryStep]:
    """Yield the recovery steps in the lines of one log during part of the run; times are local times.

    Daemons repeat the message about a lost daemon: only the first of these lines is a step.
    """
    last = ""
    words = [(word.name, re.compile(word.pattern)) for word in WORDS if daemon in word.daemons.split()]
    for line in lines:
        name = next((name for name, pattern in words if pattern.search(line)), None)
        if name is None or (logged_s := logged_epoch_s(line)) is None:
            continue
        time_s = logged_s - start_epoch_s
        if between[0] <= time_s <= between[1] and (name != last or name in SEVERAL):
            last, text = name, line.strip()[:_LINE_CHARACTERS]
            yield RecoveryStep(time_s=time_s, name=name, machine=machine, daemon=daemon, line=text)


_MOST_STEPS = 200
_AFTER_S = 600.0  # Lines that are logged later than this after the last fault are unrelated to it.


class LabLogs:
    def __init__(self, state: LabState) -> None:
        self._state = state
        self._ends = {daemon.log: _size(daemon.log) for daemon in planned(state)}

    def recovery(self, reports: Sequence[FaultReport], start_epoch_s: float) -> tuple[RecoveryStep, ...]:
        """Return the steps since the first fault, in order; none if no fault began."""
        begun = [fault.begun_s for fault in reports if fault.begun_s is not None]
        if not begun:
            return ()
        between = min(begun), max(begun) + _AFTER_S
        logged = [
            step
            for daemon in planned(self._state)
            for step in steps(
                _lines(daemon.log, self._ends.get(daemon.log, 0)),
                daemon.machine.name,
                daemon.program,
                start_epoch_s=start_epoch_s,
                between=between,
            )
        ]
        return tuple(sorted(logged, key=lambda step: step.time_s)[:_MOST_STEPS])


def _size(log: Path) -> int:
    try:
        return log.stat().st_size
    except OSError:
        return 0


def _lines(log: Path, begin: int) -> Iterator[str]:
    try:
        with log.open("rb") as file:
            file.seek(begin)
            for line in file:
                yield line.decode(errors="replace")
    except OSError:
        return
