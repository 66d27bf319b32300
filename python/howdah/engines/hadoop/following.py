"""Follows a job while its client waits for it: how far it is, and how long it may go without a word."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Literal, NamedTuple

from howdah.engines.hadoop.context import HadoopContext
from howdah.engines.hadoop.history.failure import said_by_client
from howdah.engines.hadoop.programs.client import Client
from howdah.errors import RunFailed
from howdah.model.sink import Progress
from howdah.model.workloads.base import Workload
from howdah.services.errors import ServiceError
from howdah.services.job_facts import JobFacts, TaskFacts
from howdah.services.job_rest import AppMaster, JobProgress, JobReader, ProgressReporter
from howdah.services.resourcemanager import AppFacts, ResourceManager

_LOG = logging.getLogger(__name__)


def progress(workload: Workload, job: JobProgress | None, elapsed_s: float) -> Progress:
    """What an application master's answer comes to; nothing is done before it answers.

    Maps count for the half of a sort, for their input is all its input; elsewhere they do all the work.
    """
    total = workload.progress_bytes()
    maps = job.map_progress if job else 0.0
    reduces = job.reduce_progress if job else 0.0
    share = (maps + reduces) / 2 if workload.is_shuffled else maps
    before, after = workload.map_phases
    phase = after if workload.is_shuffled and maps >= 1.0 else before
    if job is not None and job.phase is not None:
        phase = job.phase
    return Progress(
        workload.kind,
        phase,
        round(share * total),
        total,
        workload.unit,
        elapsed_s,
        job.tasks_ended if job else "",
    )


class Word(NamedTuple):
    """What is told of an application at one moment."""

    app: AppFacts | None
    """What the ResourceManager said of it last; None where it does not know it, or does not answer."""
    job: JobProgress | None
    """How far its master says it is; None before the master answers, and once it has gone."""
    silence: str | None = None
    """Why the ResourceManager, which is to know the application, does not tell of it."""


class Asking:
    """Asks a job's own master once that runs, and the ResourceManager only while the master says nothing.

    A silence now and then does no harm: a master may have come no further than its own start, or have ended.
    """

    def __init__(self, manager: ResourceManager, master_of: Callable[[str], ProgressReporter]) -> None:
        self._manager = manager
        self._master_of = master_of
        self._app: AppFacts | None = None
        self.master: ProgressReporter | None = None
        """The master that answered last; None before any has, and after it stopped."""

    def ask(self, application: str) -> Word:
        """The latest word of the application."""
        if self.master is not None:
            try:
                return Word(self._app, self.master.job())
            except ServiceError:
                self.master = None
        try:
            self._app = self._manager.app(application)
        except ServiceError as error:
            _LOG.info("%s", error)
            return Word(None, None, str(error))
        if self._app is None or self._app.state != "RUNNING":
            return Word(self._app, None)
        try:
            master = self._master_of(application)
            job = master.job()
        except ServiceError:
            return Word(self._app, None)
        self.master = master
        return Word(self._app, job)


class SeenTasks:
    """Takes note of a job's tasks as they end, each once, so that a look costs little."""

    def __init__(self, reader: JobReader, job_id: str) -> None:
        self._reader = reader
        self._id = job_id
        self._ended: dict[str, TaskFacts] = {}
        self.job: JobFacts | None = None
        """The job as it was seen last; None if it never was."""

    def look(self) -> None:
        """Ask once; a master that does not answer has not begun, or its job has ended."""
        try:
            job, counters = self._reader.job(self._id), self._reader.counters(self._id)
            tasks = tuple(
                self._ended.get(task.id) or self._now(task) for task in self._reader.tasks(self._id)
            )
        except ServiceError:
            return
        conf = self.job.conf if self.job else self._conf()
        self.job = replace(job, counters=counters, conf=conf, tasks=tasks)

    def _now(self, task: TaskFacts) -> TaskFacts:
        ended = task.state != "running"
        attempts = self._reader.attempts(self._id, task.id)
        if ended:
            attempts = tuple(
                replace(attempt, counters=self._reader.attempt_counters(self._id, task.id, attempt.id))
                for attempt in attempts
            )
        updated = replace(task, attempts=attempts)
        if ended:
            self._ended[task.id] = updated
        return updated

    def _conf(self) -> dict[str, str]:
        try:
            return self._reader.conf(self._id)
        except ServiceError:
            return {}


_DATE = re.compile(r"^\[[^]]*\d\d:\d\d:\d\d[^]]*\] ")
"""The ResourceManager begins a reason with its own clock's time."""
_SILENT_S = 10.0
"""A ResourceManager that is silent for so long is told of: one may take a while to answer under load."""
_QUEUED = frozenset({"NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED"})

_POLL_S = 1.0
_LATER_POLL_S = 2.0
_SOON = 10
"""Polls until a job has lasted so long that it is asked half as often."""
_SEEN_EVERY = 5
"""Polls from one look at all tasks to the next, where nobody will tell of them afterwards."""
_MOST_TASKS = 500
"""Of how many tasks a job's master is asked before it is killed, a request or two each.

A master writes its history in batches, and one that is killed has a quarter of a second for the last: of a
job of this size that may be all of it, of a larger one most is in the file.
"""
_UNHEARD = "no answer from YARN"


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
            return f"no task started within {self._deadline_s:g} s, and nothing reported the job: {silence}"
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
            return (
                f"nothing reported the job from {self._from_s:.0f} s on, and its client kept waiting: {why}"
            )
        return None


def _said(app: AppFacts | None) -> str:
    diagnostics = _DATE.sub("", " ".join(app.diagnostics.split())).rstrip("; ") if app else ""
    return f": {diagnostics}" if diagnostics else ""


class Following:
    """One client's job."""

    def __init__(
        self,
        context: HadoopContext,
        workload: Workload,
        client: Client,
        master_of: Callable[[str], ProgressReporter],
    ) -> None:
        self._bench = context
        self._workload = workload
        self._client = client
        self._started_s = context.clock.now_s()
        self._patience = Patience(context.target.deadline_s, context.target.queue, self._started_s)
        self._last: JobProgress | None = None
        self._seen: SeenTasks | None = None
        self._asking = Asking(context.manager, master_of)
        self._silence = Silence()

    @property
    def seen(self) -> JobFacts | None:
        """What its application master told of its tasks, if that was asked for."""
        return self._seen.job if self._seen else None

    def until_end(self) -> None:
        """Say how far the job is until its client ends; raises RunFailed if it gets no container in time."""
        for poll in count(1):
            if self._client.wait(_POLL_S if poll <= _SOON else _LATER_POLL_S):
                return
            word = self._ask()
            now_s = self._bench.clock.now_s()
            reason = self._patience.reason(now_s, *word)
            if reason:
                raise RunFailed(self._workload.kind, self._explained(reason))
            self._tell(word, now_s)
            if word.job is not None and not self._bench.history and poll % _SEEN_EVERY == 0:
                self._look(word.job)

    def _explained(self, reason: str) -> str:
        """A reason with what the client said last, where no ResourceManager knows of a job."""
        if self._client.application is not None or not self._client.lines:
            return reason
        return f"{reason}; its last output: {said_by_client(self._client.lines)}"

    def _ask(self) -> Word:
        application = self._client.application
        return Word(None, None) if application is None else self._asking.ask(application)

    def _tell(self, word: Word, now_s: float) -> None:
        """Say how far the job is, and how long nobody has told of it."""
        # An application master that has gone has said its last word before.
        self._last = word.job or self._last
        step = progress(self._workload, self._last, now_s - self._started_s)
        if word.silence is not None:
            step = step._replace(phase=_UNHEARD)
        told = self._silence.told(now_s, word.silence)
        if told:
            self._bench.warn("resourcemanager-silent", f"{self._workload.kind}: {told}")
        self._bench.sink.progress(step)

    def last_look(self) -> None:
        """Ask its master once more what the job has done: it is about to be killed."""
        last = self._last
        if self._asking.master is not None and last is not None and last.maps + last.reduces <= _MOST_TASKS:
            self._look(last)

    def _look(self, job: JobProgress) -> None:
        master = self._asking.master
        # Spark's tasks are in its event log, which a killed driver leaves, too.
        if self._seen is None and isinstance(master, AppMaster):
            self._seen = SeenTasks(JobReader(self._bench.target.web, master.url), job.id)
        if self._seen is not None:
            self._seen.look()
