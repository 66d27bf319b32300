"""Steps of recovery in daemons' logs, from a fault to restored service."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from howdah.lab.hadoop.daemons import planned
from howdah.lab.state import LabState
from howdah.model.faults import SEVERAL, FaultReport, RecoveryStep

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)[,.](\d{3}) ")
_LINE_CHARACTERS = 240


class _Word(NamedTuple):
    """The pattern of a log line, and its meaning."""

    daemons: tuple[str, ...]
    name: str
    pattern: re.Pattern[str]


def _word(daemons: str, name: str, pattern: str) -> _Word:
    return _Word(tuple(daemons.split()), name, re.compile(pattern))


WORDS = (
    # HBase 2.6: ZooKeeper's session of a RegionServer ends with its ephemeral node.
    _word("hmaster", "RegionServer missed", r"RegionServer ephemeral node deleted, processing expiration"),
    _word(
        "hmaster",
        "recovery started",
        r"Start pid=\d+, state=RUNNABLE.*ServerCrashProcedure|state=RUNNABLE:SERVER_CRASH_START",
    ),
    _word("hmaster", "meta open", r"Finished pid=\d+, .*TransitRegionStateProcedure table=hbase:meta,"),
    _word("hmaster", "logs split", r"Finished pid=\d+, .*; SplitWALProcedure (?!.*\.meta\.)"),
    _word("hmaster", "recovery ended", r"Finished pid=\d+, .*ServerCrashProcedure"),
    _word("hmaster", "HMaster active", r"Master has completed initialization"),
    _word("regionserver", "regions open", r"AssignRegionHandler: Opened [^ ]*howdah-"),
    _word("regionserver", "region replayed", r"Applied \d+, skipped \d+, firstSequenceIdInLog"),
    # HDFS 3.5 and its failover controllers.
    _word(
        "zkfc",
        "NameNode missed",
        r"Transport-level exception trying to monitor health|entered state: SERVICE_NOT_RESPONDING",
    ),
    _word("zkfc", "fencing", r"Should fence:|====== Beginning Service Fencing"),
    _word("zkfc", "fenced", r"====== Fencing successful"),
    _word("zkfc", "standby asked to be active", r"Trying to make NameNode at .* active"),
    _word("zkfc", "NameNode active", r"Successfully transitioned NameNode at .* to active state"),
    _word("namenode", "transition begun", r"Starting services required for active state"),
    # A NameNode that becomes active soon after its start refuses writes until the end of its safe mode.
    _word("namenode", "safe mode left", r"STATE\* Safe mode is OFF"),
    _word("namenode", "DataNode given up", r"removeDeadDatanode: lost heartbeat from"),
    # A NameNode that was paused while the other one became active is refused by the journal and exits.
    _word(
        "namenode datanode journalnode zkfc resourcemanager nodemanager",
        "ended by itself",
        r"ExitUtil: Exiting with status -?[1-9]",
    ),
    _word("regionserver hmaster", "ended by itself", r"ABORTING (?:region server|master)"),
    _word("resourcemanager", "ResourceManager active", r"Transitioned to active state"),
    _word("resourcemanager", "NodeManager given up", r"Expired:.*Timed out after \d+ secs"),
)
"""The log lines of the releases that howdah fetches."""


def steps(
    lines: Iterable[str], machine: str, daemon: str, *, start_epoch_s: float, between: tuple[float, float]
) -> Iterator[RecoveryStep]:
    """Yield the recovery steps in the lines of one log during part of the run; times are local times.

    Daemons repeat the message about a lost daemon: only the first of these lines is a step.
    """
    last = ""
    words = [word for word in WORDS if daemon in word.daemons]
    for line in lines:
        word = next((candidate for candidate in words if candidate.pattern.search(line)), None)
        if word is None or (match := _TIME.match(line)) is None:
            continue
        time_s = datetime.fromisoformat(f"{match[1]}T{match[2]}.{match[3]}").timestamp() - start_epoch_s
        if between[0] <= time_s <= between[1] and (word.name != last or word.name in SEVERAL):
            last = word.name
            yield RecoveryStep(
                time_s=time_s,
                name=word.name,
                machine=machine,
                daemon=daemon,
                line=line.strip()[:_LINE_CHARACTERS],
            )


_MOST_STEPS = 200
_AFTER_S = 600.0
"""Lines that are logged later than this after the last fault are unrelated to it."""


class LabLogs:
    """The logs of a lab from the start of a run."""

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
