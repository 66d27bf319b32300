"""How far a job is, in bytes: asked with as few questions as will do, of whoever can tell."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import NamedTuple

from howdah.model.sink import Progress
from howdah.model.workloads.base import Workload
from howdah.services.errors import ServiceError
from howdah.services.job import JobFacts, TaskFacts
from howdah.services.jobs import AppMaster, JobProgress, JobReader
from howdah.services.resourcemanager import AppFacts, ResourceManager
from howdah.units import format_counted

_LOG = logging.getLogger(__name__)


def progress(workload: Workload, job: JobProgress | None, elapsed_s: float) -> Progress:
    """What an application master's answer comes to; nothing is done before it answers.

    Maps count for the half of a sort, for their input is all its input; elsewhere they do all the work.
    """
    total = workload.progress_bytes()
    maps = job.map_progress if job else 0.0
    reduces = job.reduce_progress if job else 0.0
    share = (maps + reduces) / 2 if workload.shuffles else maps
    before, after = workload.map_phases
    phase = after if workload.shuffles and maps >= 1.0 else before
    return Progress(workload.kind, phase, round(share * total), total, workload.unit, elapsed_s, _tasks(job))


def _tasks(job: JobProgress | None) -> str:
    """The tasks of each kind that are done, of those there are."""
    if job is None:
        return ""
    kinds = (("map", job.maps_completed, job.maps), ("reduce", job.reduces_completed, job.reduces))
    counted = ", ".join(f"{done:,} of {format_counted(all_, kind)}" for kind, done, all_ in kinds if all_)
    return f"{counted} ended" if counted else ""


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

    def __init__(self, manager: ResourceManager) -> None:
        self._manager = manager
        self._app: AppFacts | None = None
        self.master: AppMaster | None = None
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
            master = self._manager.app_master(application)
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
