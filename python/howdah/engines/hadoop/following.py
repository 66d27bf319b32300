"""Follows a job while its client waits for it: how far it is, and whether it has a container at all."""

from __future__ import annotations

from itertools import count

from howdah.engines.hadoop.asking import Asking, Word
from howdah.engines.hadoop.bench import Bench
from howdah.engines.hadoop.client import Client
from howdah.engines.hadoop.failure import said_by_client
from howdah.engines.hadoop.progress import progress
from howdah.engines.hadoop.seen import Seen
from howdah.engines.hadoop.waiting import Patience, Silence
from howdah.errors import RunFailed
from howdah.model.workload import Workload
from howdah.services.app_master import JobProgress
from howdah.services.job import JobFacts
from howdah.services.jobs import JobReader

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
_UNHEARD = "no word from YARN"


class Following:
    """One client's job."""

    def __init__(self, bench: Bench, workload: Workload, client: Client) -> None:
        self._bench = bench
        self._workload = workload
        self._client = client
        self._started_s = bench.clock.now_s()
        self._patience = Patience(bench.target.deadline_s, bench.target.queue, self._started_s)
        self._last: JobProgress | None = None
        self._seen: Seen | None = None
        self._asking = Asking(bench.manager)
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
        return f"{reason}; it said last: {said_by_client(self._client.lines)}"

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
        if self._seen is None:
            assert self._asking.master is not None
            self._seen = Seen(JobReader(self._bench.target.web, self._asking.master.url), job.id)
        self._seen.look()
