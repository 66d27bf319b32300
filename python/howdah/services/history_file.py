"""A job's history file in HDFS, which tells of it where no JobHistoryServer does.

The application master writes it: the events of a job, one Avro record each, with the schema before them, and
the job's configuration beside it. Both lie in the user's intermediate directory until a JobHistoryServer
moves them below the directory of what is done, where not everybody may read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.etree import ElementTree

from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError, Unexpected
from howdah.services.hdfs import Hdfs
from howdah.services.history_events import read_history
from howdah.services.job import JobFacts

_JOB = re.compile(r"job_(\d+)_(\d+)")
_SERIAL_DIGITS = 6
_JOBS_IN_A_DIRECTORY = 1000


class _Found(NamedTuple):
    directory: str
    name: str


class HistoryFiles:
    """The history files of a configuration's cluster; every method raises ServiceError."""

    def __init__(self, hdfs: Hdfs, conf: ClientConf, user: str) -> None:
        self._hdfs = hdfs
        self._intermediate = _path(conf.get("mapreduce.jobhistory.intermediate-done-dir") or "")
        self._done = _path(conf.get("mapreduce.jobhistory.done-dir") or "")
        self._user = user

    def job(self, job_id: str) -> JobFacts | None:
        """A job with its counters, configuration and attempts; None if no file of it is there to be read."""
        found = self._find(job_id)
        if found is None:
            return None
        where = f"{found.directory}/{found.name}"
        facts = read_history(self._hdfs.read(where), where)
        return replace(facts, conf=self._conf(f"{found.directory}/{job_id}_conf.xml"))

    def _conf(self, path: str) -> dict[str, str]:
        """A job's configuration: a thousand properties, each of which names all of its sources."""
        try:
            content = self._hdfs.read(path)
            # The quick reader follows entities, which no file of Hadoop's own defines.
            if b"<!DOCTYPE" in content:
                return {}
            properties = ElementTree.fromstring(content).iter("property")
            return {one.findtext("name", ""): one.findtext("value", "") for one in properties}
        except (ServiceError, ElementTree.ParseError):
            return {}

    def _find(self, job_id: str) -> _Found | None:
        for directory in self._directories(job_id):
            for name in self._names(directory):
                if name.startswith(f"{job_id}-") and name.endswith(".jhist"):
                    return _Found(directory, name)
        return None

    def _directories(self, job_id: str) -> Iterator[str]:
        """Where it may lie: the intermediate directory, then those of the days, the newest first."""
        yield f"{self._intermediate}/{self._user}"
        match = _JOB.fullmatch(job_id)
        if match is None:
            raise Unexpected(job_id, "is not the id of a job", "")
        serial = f"{int(match[2]) // _JOBS_IN_A_DIRECTORY:0{_SERIAL_DIGITS}}"
        above = [self._done]
        for _ in ("year", "month", "day"):
            above = [f"{one}/{name}" for one in above for name in sorted(self._names(one), reverse=True)]
        yield from (f"{day}/{serial}" for day in above)

    def _names(self, directory: str) -> list[str]:
        try:
            return [one.name for one in self._hdfs.list(directory)]
        except ServiceError:
            return []


def _path(uri: str) -> str:
    """The path of ``hdfs://master:8020/history`` or of ``/history``."""
    return urlsplit(uri).path.rstrip("/")
