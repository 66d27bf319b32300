"""How long a job may go without a container or a word, and why it has none."""

from __future__ import annotations

import re
from typing import Literal

from howdah.services.app_master import JobProgress
from howdah.services.resourcemanager import AppFacts

_DATE = re.compile(r"^\[[^]]*\d\d:\d\d:\d\d[^]]*\] ")
"""The ResourceManager begins a reason with its own clock's time."""
_SILENT_S = 10.0
"""A ResourceManager that is silent for so long is told of: one may take a while to answer under load."""
_QUEUED = frozenset({"NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED"})


class Patience:
    """Counts the seconds in which a job has waited for its application master's container, then for a task's.

    What an application master takes to start, between the two, is no wait for the queue, and YARN itself
    gives up one that never reports. Once a task has begun, waiting is part of running: later tasks wait
    for earlier ones to end.
    """

    def __init__(self, deadline_s: float, queue: str, started_s: float) -> None:
        self._deadline_s = deadline_s
        self._queue = queue
        self._since_s = started_s
        self._heard = False
        self._begun = False

    def reason(
        self, now_s: float, app: AppFacts | None, job: JobProgress | None, silence: str | None = None
    ) -> str | None:
        """Why the job must be given up at this moment; None as long as it need not.

        ``silence`` is why the ResourceManager, which is to know the application, does not tell of it.
        """
        if job is not None:
            if not self._heard:
                self._heard, self._since_s = True, now_s
            tasks = job.maps_running + job.maps_completed + job.reduces_running
            self._begun = self._begun or job.uberised or tasks > 0
        if self._begun or now_s - self._since_s < self._deadline_s:
            return None
        if silence is not None:
            return f"there was no first task within {self._deadline_s:g} s, and no word of the job: {silence}"
        missing = self._missing(app, job)
        return f"{missing} within {self._deadline_s:g} s{_said(app)}" if missing else None

    def _missing(self, app: AppFacts | None, job: JobProgress | None) -> str | None:
        if app is None:
            return "the client submitted no job"
        if app.state in _QUEUED:
            if app.master_logs:
                return None
            return f"queue {self._queue} gave {app.id} no container"
        # An application master that cannot be asked may have any number of tasks.
        return None if job is None else f"queue {self._queue} gave no task of {app.id} a container"


class Silence:
    """Notes when the ResourceManager stops telling of a job; one that lasts is told of once."""

    def __init__(self) -> None:
        self._from_s = 0.0
        self._state: Literal["none", "short", "told"] = "none"

    def told(self, now_s: float, why: str | None) -> str | None:
        """What is to be told at this moment; ``why`` nothing was heard, None if something was."""
        if why is None:
            self._state = "none"
        elif self._state == "none":
            self._state, self._from_s = "short", now_s
        elif self._state == "short" and now_s - self._from_s >= _SILENT_S:
            self._state = "told"
            return f"from {self._from_s:.0f} s on nobody told of the job, and its client waited on: {why}"
        return None


def _said(app: AppFacts | None) -> str:
    diagnostics = _DATE.sub("", " ".join(app.diagnostics.split())).rstrip("; ") if app else ""
    return f": {diagnostics}" if diagnostics else ""
