"""A job's history from the JobHistoryServer, or from its file in HDFS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.hadoop.site_files import read_site
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError, Unexpected
from howdah.services.hdfs import Hdfs
from howdah.services.history_events import read_history
from howdah.services.job_facts import JobFacts
from howdah.services.job_rest import JobReader
from howdah.services.web import Web
from howdah.units import MIB

_JOB = re.compile(r"job_(\d+)_(\d+)")
MOST_BYTES = 256 * MIB
"""The part of a file that is read, some 50,000 attempts: they need many times as much memory."""
_SERIAL_DIGITS = 6
_JOBS_IN_A_DIRECTORY = 1000


class JobHistory(JobReader):
    """The JobHistoryServer of a configuration."""

    def __init__(self, web: Web, conf: ClientConf) -> None:
        self.url = conf.history().url
        """``http://master:19888``."""
        super().__init__(web, f"{self.url}/ws/v1/history/mapreduce")


class _Place(NamedTuple):
    """A directory, the beginning of a job's file names in it, and the file of the job's configuration."""

    directory: str
    start: str
    conf: str


class HistoryFiles:
    """The history files of a configuration's cluster; every method raises ServiceError.

    ``staging`` is the user's staging directory: a killed application master leaves its file there.
    """

    def __init__(self, hdfs: Hdfs, conf: ClientConf, user: str, staging: str = "") -> None:
        self._hdfs = hdfs
        self._intermediate_dir = _path(conf.get("mapreduce.jobhistory.intermediate-done-dir") or "")
        self._done_dir = _path(conf.get("mapreduce.jobhistory.done-dir") or "")
        self._user = user
        self._staging = staging

    def job(self, job_id: str) -> JobFacts | None:
        """Return a job with its counters, configuration and attempts; None if it has no readable file.

        Only the first MOST_BYTES are read: of a larger file the last attempts and the counters are missing.
        """
        for place in self._places(job_id):
            for name in self._names(place.directory):
                if name.startswith(place.start) and name.endswith(".jhist"):
                    where = f"{place.directory}/{name}"
                    facts = read_history(self._hdfs.read(where, MOST_BYTES), where)
                    return replace(facts, conf=self._conf(f"{place.directory}/{place.conf}"))
        return None

    def _conf(self, path: str) -> dict[str, str]:
        """Return a job's configuration, or nothing if it cannot be read."""
        try:
            return {entry.name: entry.text for entry in read_site(self._hdfs.read(path), path)}
        except (ServiceError, UserError):
            return {}

    def _places(self, job_id: str) -> Iterator[_Place]:
        """Yield the intermediate directory, the job's staging directory, then those of days, newest first."""
        start, conf = f"{job_id}-", f"{job_id}_conf.xml"
        yield _Place(f"{self._intermediate_dir}/{self._user}", start, conf)
        if self._staging:
            # Each application master of the job writes its own file.
            yield _Place(f"{self._staging}/{self._user}/.staging/{job_id}", f"{job_id}_", "job.xml")
        match = _JOB.fullmatch(job_id)
        if match is None:
            raise Unexpected(job_id, "is not the id of a job", "")
        serial = f"{int(match[2]) // _JOBS_IN_A_DIRECTORY:0{_SERIAL_DIGITS}}"
        above = [self._done_dir]
        for _ in ("year", "month", "day"):
            above = [
                f"{directory}/{name}"
                for directory in above
                for name in sorted(self._names(directory), reverse=True)
            ]
        yield from (_Place(f"{day}/{serial}", start, conf) for day in above)

    def _names(self, directory: str) -> list[str]:
        try:
            return [status.name for status in self._hdfs.list(directory)]
        except ServiceError:
            return []


def _path(uri: str) -> str:
    """Return the path of ``hdfs://master:8020/history`` or of ``/history``."""
    return urlsplit(uri).path.rstrip("/")
