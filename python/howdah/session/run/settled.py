"""A run on a laboratory that comes back from something: it waits a while, and says what is not there yet."""

from __future__ import annotations

import time
from collections.abc import Iterator

from howdah.analysis.wording import listed
from howdah.engines.base import Engine
from howdah.lab.state import LabState
from howdah.lab.status import LabStatus, status
from howdah.model.job import Job
from howdah.model.run import RunRecord, RunWarning
from howdah.model.sink import SampleSink

SETTLES_S = 60.0
"""How long is waited for what comes by itself: regions that are opened, a NameNode that leaves safe mode."""
STANDS_IN_S = 180.0
"""The same before a run with faults: a standby leaves safe mode two and a half minutes after its start."""
_POLL_S = 1.0


class SettledEngine:
    """An engine that begins once a laboratory is whole; see ``howdah.engines.base.Engine``."""

    def __init__(self, engine: Engine, state: LabState, patience_s: float = SETTLES_S) -> None:
        self.name = engine.name
        self.version = engine.version
        self._engine = engine
        self._state = state
        self._patience_s = patience_s

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Wait, run the job, and note in its record what was not there when it began."""
        before = settled(self._state, self._patience_s)
        record = self._engine.run(job, sink)
        if warnings := tuple(_warnings(before)):
            record = record.model_copy(update={"warnings": (*record.warnings, *warnings)})
            sink.update(record)
        return record


def settled(state: LabState, patience_s: float) -> LabStatus:
    """The laboratory once all that runs does its part, or when that took too long.

    What does not run, or a fault in force keeps away, comes back by nobody's waiting.
    """
    deadline = time.monotonic() + patience_s
    while True:
        now = status(state)
        if now.faults or now.health is None or not _coming(now) or time.monotonic() > deadline:
            return now
        time.sleep(_POLL_S)


def _coming(now: LabStatus) -> bool:
    """Whether all runs, and something of it does not do its part yet."""
    runs = all(daemon.pid is not None for machine in now.machines for daemon in machine.daemons)
    return runs and bool(now.missing)


def _warnings(before: LabStatus) -> Iterator[RunWarning]:
    for fault in before.faults:
        yield RunWarning(
            code="fault-in-force", text=f"{fault} was active when the run began, and stays active"
        )
    behind = before.health.behind if before.health else ()
    if lacking := (*before.missing, *(one.what for one in behind)):
        yield RunWarning(
            code="lab-not-whole",
            text="the lab was not complete when the run began: times may differ from those of a complete "
            f"lab, and faults may do more damage: {listed(lacking)}",
        )
