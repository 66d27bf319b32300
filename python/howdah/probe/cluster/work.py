"""What a cluster's finished jobs come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

from howdah.model.existing import Work
from howdah.services.conf import ClientConf
from howdah.services.errors import RefusedByDaemon
from howdah.services.history import JobHistory
from howdah.services.job_facts import JobFacts, Sums
from howdah.services.web import Web

_AT_ONCE = 4
_MOST_JOBS = 2000
"""The newest are looked at: each is a request to a server that others ask too."""
_DAY_MS = 86_400_000
_LOCAL = "FILE"
"""The scheme of a task's own disks, by which file system counters tell it from shared ones."""


class _Job(NamedTuple):
    """One finished job; ``containers`` is how many it had on average while it ran."""

    failed: bool
    start_ms: int
    finish_ms: int
    read_bytes: int
    shuffled_bytes: int
    written_bytes: int
    containers: float


def observe(web: Web, conf: ClientConf, days: int, now_ms: int) -> Work | None:
    """What finished in the last ``days`` before ``now_ms``; None where nothing did.

    Raises ServiceError where the history server does not answer.
    """
    history = JobHistory(web, conf)
    begin_ms = now_ms - days * _DAY_MS
    ended = [job for job in history.jobs(finishedTimeBegin=begin_ms) if job.finish_ms]
    ended.sort(key=lambda job: -(job.finish_ms or 0))
    if not ended:
        return None
    if len(ended) > _MOST_JOBS:
        ended = ended[:_MOST_JOBS]
        begin_ms = ended[-1].finish_ms or begin_ms
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="howdah-history") as pool:
        observed = list(pool.map(partial(_observed, history), ended))
    jobs = [job for job in observed if job is not None]
    if not jobs:
        return None
    length = (now_ms - begin_ms) / _DAY_MS
    return Work(
        since=datetime.fromtimestamp(begin_ms / 1000, UTC).isoformat(timespec="seconds"),
        days=round(length, 3),
        finished_jobs=len(jobs),
        failed_jobs=sum(job.failed for job in jobs),
        daily_read_bytes=round(sum(job.read_bytes for job in jobs) / length),
        daily_shuffled_bytes=round(sum(job.shuffled_bytes for job in jobs) / length),
        daily_written_bytes=round(sum(job.written_bytes for job in jobs) / length),
        largest_input_bytes=max(job.read_bytes for job in jobs),
        busiest_containers=round(_busiest(jobs), 1),
    )


def _observed(history: JobHistory, job: JobFacts) -> _Job | None:
    """A finished job; None for one whose history was removed for its age since it was listed."""
    try:
        return _job(job, history.counters(job.id))
    except RefusedByDaemon as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return None


def _job(job: JobFacts, counters: Mapping[str, Sums]) -> _Job:
    start, finish = job.start_ms or job.submit_ms, job.finish_ms or 0
    took_ms = max(1, finish - start)
    busy_ms = sum(_total(counters, f"JobCounter.MILLIS_{kind}") for kind in ("MAPS", "REDUCES"))
    return _Job(
        failed=job.state != "succeeded",
        start_ms=start,
        finish_ms=finish,
        read_bytes=_shared(counters, "BYTES_READ"),
        shuffled_bytes=_total(counters, "TaskCounter.REDUCE_SHUFFLE_BYTES"),
        written_bytes=_shared(counters, "BYTES_WRITTEN"),
        # Its application master is one more.
        containers=1 + busy_ms / took_ms,
    )


def _shared(counters: Mapping[str, Sums], what: str) -> int:
    """Bytes of all file systems but the tasks' own disks."""
    return sum(
        sums.total
        for name, sums in counters.items()
        if name.startswith("FileSystemCounter.")
        and name.endswith(f"_{what}")
        and name != f"FileSystemCounter.{_LOCAL}_{what}"
    )


def _total(counters: Mapping[str, Sums], name: str) -> int:
    return counters[name].total if name in counters else 0


def _busiest(jobs: Sequence[_Job]) -> float:
    """The most that jobs running at the same time had together."""
    changes: Iterable[tuple[int, float]] = sorted(
        change
        for job in jobs
        for change in (
            (job.start_ms, job.containers),
            (max(job.finish_ms, job.start_ms + 1), -job.containers),
        )
    )
    most = now = 0.0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most
