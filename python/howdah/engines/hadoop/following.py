"""Follows a job while its client waits for it: its progress, and the timeout for its containers."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Literal, NamedTuple

from howdah.engines.hadoop.failure import client_error
from howdah.engines.hadoop.target import DEADLINE_S, QUEUED, Client, HadoopContext
from howdah.errors import RunFailed
from howdah.model.tables import Progress
from howdah.model.workloads.base import Workload
from howdah.services.errors import ServiceError
from howdah.services.job_facts import JobFacts, TaskFacts
from howdah.services.job_rest import AppMaster, JobProgress, JobReader
from howdah.services.resourcemanager import AppFacts, ResourceManager, SparkDriver

_LOG = logging.getLogger(__name__)
MasterOf = Callable[[str], AppMaster | SparkDriver]  # Returns what reports the progress of an application.


def progress(workload: Workload, job: JobProgress | None, elapsed_s: float) -> Progress:
    """A job's progress; maps count for half of a sort, because they read all its input."""
    total = workload.progress_bytes()
    maps = job.map_percent / 100 if job else 0.0
    reduces = job.reduce_percent / 100 if job else 0.0
    done = round(total * ((maps + reduces) / 2 if workload.is_shuffled else maps))
    phase = (job.phase if job else None) or workload.map_phases[workload.is_shuffled and maps >= 1.0]
    tasks = job.tasks_ended if job else ""
    return Progress(workload.kind, phase, done, total, workload.unit, elapsed_s, tasks)


class ApplicationStatus(NamedTuple):
    """The status of an application at one moment."""

    app: AppFacts | None  # The ResourceManager's last report, if it lists the application.
    job: JobProgress | None  # The progress from its master, while that answers.
    silence: str | None = None  # Why the ResourceManager does not report the application, although it should.


class StatusQuery:
    """Queries a job's own master, and the ResourceManager while that does not answer, which is no error."""

    def __init__(self, manager: ResourceManager, master_of: MasterOf) -> None:
        self._manager = manager
        self._master_of = master_of
        self._app: AppFacts | None = None
        self.master: AppMaster | SparkDriver | None = None  # The master that answered last, until it stops.

    def query(self, application: str) -> ApplicationStatus:
        if self.master is not None:
            try:
                return ApplicationStatus(self._app, self.master.job())
            except ServiceError:
                self.master = None
        try:
            self._app = self._manager.app(application)
        except ServiceError as error:
            _LOG.info("%s", error)
            return ApplicationStatus(None, None, str(error))
        if self._app is None or self._app.state != "RUNNING":
            return ApplicationStatus(self._app, None)
        try:
            master = self._master_of(application)
            job = master.job()
        except ServiceError:
            return ApplicationStatus(self._app, None)
        self.master = master
        return ApplicationStatus(self._app, job)


class TaskSnapshots:
    """Records a job's tasks as they end, each once, so that a poll costs little."""

    def __init__(self, reader: JobReader, job_id: str) -> None:
        self._reader = reader
        self._id = job_id
        self._ended: dict[str, TaskFacts] = {}
        self.job: JobFacts | None = None  # The job at the last successful poll; None without one.

    def poll(self) -> None:
        """Query the master once; one that does not answer has not started, or its job has ended."""
        try:
            job, counters = self._reader.job(self._id), self._reader.counters(self._id)
            now = self._reader.tasks(self._id)
            for task in now:
                if task.state != "running" and task.id not in self._ended:
                    self._ended[task.id] = self._reader.whole_task(self._id, task)
            tasks = tuple(
                self._ended.get(task.id) or replace(task, attempts=self._reader.attempts(self._id, task.id))
                for task in now
            )
        except ServiceError:
            return
        conf = self.job.conf if self.job else {}
        if self.job is None:
            with suppress(ServiceError):
                conf = self._reader.conf(self._id)
        self.job = replace(job, counters=counters, conf=conf, tasks=tasks)


_DATE = re.compile(r"^\[[^]]*\d\d:\d\d:\d\d[^]]*\] ")  # A reason begins with the ResourceManager's time.
_SILENT_S = 10.0  # A warning appears after so long without answer; a loaded ResourceManager is slow.

_POLL_S = 1.0
_LATER_POLL_S = 2.0
_SOON = 10  # Polls before the interval doubles.
_SEEN_EVERY = 5  # Polls between two snapshots of all tasks, which are taken if there is no history server.
_MOST_TASKS = 500
"""The largest job whose tasks are queried before it is killed, with one or two requests each.

A killed master has a quarter of a second for the last batch of its history, which may be all tasks of a job
of this size. Of a larger job most tasks are in the file already.
"""


class Patience:
    """The timeout for a job's containers: first the application master's, then the first task's.

    The starts of the client and of the master do not count: a client has at least ``DEADLINE_S`` to submit
    its job, and YARN itself ends a master that never reports. After the first task has begun there is no
    timeout: later tasks wait for earlier ones.
    """

    def __init__(self, deadline_s: float, queue: str, started_s: float) -> None:
        self._deadline_s = deadline_s
        self._queue = queue
        self._since_s = started_s
        self._submitted = False
        self._heard = False
        self._begun = False

    def reason(
        self, now_s: float, app: AppFacts | None, job: JobProgress | None, silence: str | None = None
    ) -> str | None:
        """Why the job must be ended now, or None; ``silence`` is why YARN does not report it."""
        if app is not None and not self._submitted:
            self._submitted, self._since_s = True, now_s
        if job is not None:
            if not self._heard:
                self._heard, self._since_s = True, now_s
            tasks = job.maps_running + job.maps_completed + job.reduces_running
            self._begun = self._begun or job.uberised or tasks > 0
        deadline_s = self._deadline_s if self._submitted else max(self._deadline_s, DEADLINE_S)
        if self._begun or now_s - self._since_s < deadline_s:
            return None
        if silence is not None:
            return f"no task started within {deadline_s:g} s, and nothing reported the job: {silence}"
        if app is None:
            return f"the client submitted no job within {deadline_s:g} s"
        queued = app.state in QUEUED
        # An application master that does not answer may have any number of tasks.
        if app.master_logs if queued else job is None:
            return None
        missing = f"{app.id} no container" if queued else f"no task of {app.id} a container"
        diagnostics = _DATE.sub("", " ".join(app.diagnostics.split())).rstrip("; ")
        why = f": {diagnostics}" if diagnostics else ""
        return f"queue {self._queue} gave {missing} within {deadline_s:g} s{why}"


class Silence:
    """Returns one warning for each long time without a report of the ResourceManager."""

    def __init__(self) -> None:
        self._from_s = 0.0
        self._state: Literal["none", "short", "told"] = "none"

    def warning(self, now_s: float, why: str | None) -> str | None:
        """Return the warning that is due now; ``why`` there was no report, None if there was one."""
        if why is None:
            self._state = "none"
        elif self._state == "none":
            self._state, self._from_s = "short", now_s
        elif self._state == "short" and now_s - self._from_s >= _SILENT_S:
            self._state = "told"
            begin = f"nothing reported the job from {self._from_s:.0f} s on"
            return f"{begin}, and its client kept waiting: {why}"
        return None


class Following:
    """One client's job."""

    def __init__(
        self, context: HadoopContext, workload: Workload, client: Client, master_of: MasterOf
    ) -> None:
        self._context = context
        self._workload = workload
        self._client = client
        self._started_s = context.clock.now_s()
        self._patience = Patience(context.target.deadline_s, context.target.queue, self._started_s)
        self._last: JobProgress | None = None
        self._snapshots: TaskSnapshots | None = None
        self._status_query = StatusQuery(context.manager, master_of)
        self._silence = Silence()

    @property
    def seen(self) -> JobFacts | None:
        """The last snapshot of its tasks from its application master, if there was one."""
        return self._snapshots.job if self._snapshots else None

    def until_end(self) -> None:
        """Report the progress until the client ends; raise RunFailed if the job gets no container in time."""
        context, client = self._context, self._client
        for poll in count(1):
            if client.wait(_POLL_S if poll <= _SOON else _LATER_POLL_S):
                return
            status = ApplicationStatus(None, None)
            if client.application is not None:
                status = self._status_query.query(client.application)
            now_s = context.clock.now_s()
            if reason := self._patience.reason(now_s, *status):
                if client.application is None and client.lines:
                    reason = f"{reason}; its last output: {client_error(client.lines)}"
                raise RunFailed(self._workload.kind, reason)
            # After the end of the application master its last progress stays.
            self._last = status.job or self._last
            step = progress(self._workload, self._last, now_s - self._started_s)
            if status.silence is not None:
                step = step._replace(phase="no answer from YARN")
            if warning := self._silence.warning(now_s, status.silence):
                context.warn("resourcemanager-silent", f"{self._workload.kind}: {warning}")
            context.sink.progress(step)
            if status.job is not None and not context.history and poll % _SEEN_EVERY == 0:
                self._poll(status.job)

    def end(self) -> None:
        """End the client, after a last snapshot of the job's tasks, which is killed next."""
        last, master = self._last, self._status_query.master
        try:
            if master is not None and last is not None and last.maps + last.reduces <= _MOST_TASKS:
                self._poll(last)
        finally:
            self._client.end()

    def _poll(self, job: JobProgress) -> None:
        master = self._status_query.master
        # Spark's tasks are in its event log, which remains after a driver was killed.
        if self._snapshots is None and isinstance(master, AppMaster):
            self._snapshots = TaskSnapshots(JobReader(self._context.target.web, master.url), job.id)
        if self._snapshots is not None:
            self._snapshots.poll()
