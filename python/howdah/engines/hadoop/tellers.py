"""Those who can tell of a job, in the order they are asked."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from howdah.engines.hadoop.clock import RunClock
from howdah.engines.hadoop.printed import printed_counters
from howdah.engines.hadoop.target import HadoopTarget
from howdah.services.errors import ServiceError
from howdah.services.history import JobHistory
from howdah.services.history_file import HistoryFiles
from howdah.services.job import JobFacts, State, state_of
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import AppFacts, ResourceManager

ToldBy = Literal["history server", "history file", "application master", "client"]

_LOG = logging.getLogger(__name__)


class Account(NamedTuple):
    """What is told of a job, and by whom."""

    facts: JobFacts
    told_by: ToldBy
    app: AppFacts | None
    """The ResourceManager's word on it; None if it has none."""


class Tellers:
    """The history server and files of a cluster, and its ResourceManager."""

    def __init__(self, target: HadoopTarget, staging: str = "") -> None:
        web, conf = target.web, target.conf
        self._history = JobHistory(web, conf)
        self._files = HistoryFiles(NameNode(web, conf), conf, web.user or "", staging)
        self._manager = ResourceManager(web, conf)
        self._queue = target.queue

    def account(self, job_id: str, said: Sequence[str], seen: JobFacts | None, clock: RunClock) -> Account:
        """What the first of them tells that knows the job.

        The file of a job that has succeeded tells all of it. Of another the history server is asked too:
        it adds up counters that the file leaves out, and the ResourceManager may know why the job ended.
        """
        file = self._with_masters(self._file(job_id))
        if file is not None and file.state == "succeeded":
            return Account(file, "history file", None)
        app = self._app(job_id)
        server = self._server(job_id, file)
        if server is not None:
            return Account(_with_tasks(server, seen), "history server", app)
        if file is not None:
            return Account(_with_tasks(file, seen), "history file", app)
        if seen is not None:
            return Account(_ended(seen, app), "application master", app)
        # Nobody knows when it was handed in: it was within this run.
        bare = JobFacts(job_id, "", self._queue, "running", clock.epoch_ms, counters=printed_counters(said))
        if app is None:
            state: State = "succeeded" if _succeeded(job_id, said) else "failed"
            return Account(replace(bare, state=state), "client", None)
        return Account(_ended(replace(bare, name=app.name, queue=app.queue), app), "client", app)

    def _server(self, job_id: str, file: JobFacts | None) -> JobFacts | None:
        """What the history server tells; of tasks its file tells more, at the cost of one request for all."""
        try:
            if file is None:
                return self._history.whole(job_id)
            job, counters = self._history.job(job_id), self._history.counters(job_id)
        except ServiceError as error:
            _LOG.info("%s", error)
            return None
        return replace(job, counters=counters, conf=file.conf, tasks=file.tasks, masters=file.masters)

    def _file(self, job_id: str) -> JobFacts | None:
        try:
            return self._files.job(job_id)
        except ServiceError as error:
            _LOG.info("%s", error)
            return None

    def _with_masters(self, file: JobFacts | None) -> JobFacts | None:
        """A file's job with every application master: one that was lost may have left no word in it."""
        if file is None or not file.masters or file.masters[-1].number == len(file.masters):
            return file
        try:
            masters = self._manager.masters(file.id.replace("job_", "application_", 1))
        except ServiceError as error:
            _LOG.info("%s", error)
            return file
        return replace(file, masters=masters)

    def _app(self, job_id: str) -> AppFacts | None:
        try:
            return self._manager.app(job_id.replace("job_", "application_", 1))
        except ServiceError as error:
            _LOG.info("%s", error)
            return None


def _with_tasks(facts: JobFacts, seen: JobFacts | None) -> JobFacts:
    """A job with the tasks that were seen, where its master was killed before it wrote down any."""
    begun = any(task.attempts for task in facts.tasks)
    return facts if begun or seen is None else replace(facts, tasks=seen.tasks)


def _ended(facts: JobFacts, app: AppFacts | None) -> JobFacts:
    """A job as it was last seen, ended as the ResourceManager says."""
    if app is None:
        return facts
    return replace(
        facts,
        state=state_of(app.final_status),
        submit_ms=app.submitted_ms,
        start_ms=facts.start_ms or app.launched_ms or None,
        finish_ms=facts.finish_ms or app.finished_ms or None,
        diagnostics=facts.diagnostics or app.diagnostics,
    )


def _succeeded(job_id: str, said: Sequence[str]) -> bool:
    return any(f"Job {job_id} completed successfully" in line for line in said)
