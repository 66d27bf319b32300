"""What an application master told while its job ran, for when nobody tells of it afterwards."""

from __future__ import annotations

from dataclasses import replace

from howdah.services.errors import ServiceError
from howdah.services.job import JobFacts, TaskFacts
from howdah.services.jobs import JobReader


class Seen:
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
            tasks = tuple(self._ended.get(one.id) or self._now(one) for one in self._reader.tasks(self._id))
        except ServiceError:
            return
        conf = self.job.conf if self.job else self._conf()
        self.job = replace(job, counters=counters, conf=conf, tasks=tasks)

    def _now(self, task: TaskFacts) -> TaskFacts:
        ended = task.state != "running"
        attempts = self._reader.attempts(self._id, task.id)
        if ended:
            attempts = tuple(
                replace(one, counters=self._reader.attempt_counters(self._id, task.id, one.id))
                for one in attempts
            )
        found = replace(task, attempts=attempts)
        if ended:
            self._ended[task.id] = found
        return found

    def _conf(self) -> dict[str, str]:
        try:
            return self._reader.conf(self._id)
        except ServiceError:
            return {}
