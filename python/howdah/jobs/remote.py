"""Histories that are not on this machine: in HDFS, or at a history server of MapReduce or Spark."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zipfile import BadZipFile, ZipFile

from howdah.errors import UserError
from howdah.jobs.histories import History, conf_name, is_history_name
from howdah.services.errors import ServiceError, Unexpected
from howdah.services.event_log_files import ROLLING
from howdah.services.hdfs import FileStatus, Hdfs
from howdah.services.job_facts import JobFacts
from howdah.services.job_rest import JobReader
from howdah.services.web import Web, list_at


class HdfsHistories:
    """Histories below a directory of HDFS; methods raise ServiceError."""

    def __init__(self, hdfs: Hdfs, path: str) -> None:
        self._hdfs = hdfs
        self._path = path.rstrip("/") or "/"

    def find(self) -> list[History]:
        """Every history, its path in HDFS."""
        status = self._hdfs.stat(self._path)
        if status is None:
            raise UserError(
                f"HDFS {self._path}", "no such file or directory", "give a directory of history files"
            )
        if not status.is_directory:
            return [self._one(self._path, status)]
        if posixpath.basename(self._path).startswith(ROLLING):
            return [self._rolling(self._path)]
        return list(self._below(self._path))

    def _below(self, directory: str) -> Iterator[History]:
        for status in self._hdfs.list(directory):
            path = posixpath.join(directory, status.name)
            if status.is_directory and status.name.startswith(ROLLING):
                yield self._rolling(path)
            elif status.is_directory:
                yield from self._below(path)
            elif is_history_name(status.name):
                yield self._one(path, status)

    def _one(self, path: str, status: FileStatus) -> History:
        conf = conf_name(posixpath.basename(path))
        return History(
            path,
            status.size_bytes,
            f"hdfs:{path}",
            posixpath.join(posixpath.dirname(path), conf) if conf else "",
        )

    def _rolling(self, path: str) -> History:
        return History(path, sum(status.size_bytes for status in self._hdfs.list(path)), f"hdfs:{path}")

    def copy(self, history: History, folder: Path) -> History:
        """Copy a history to a folder of this machine."""
        name = posixpath.basename(history.path)
        if name.startswith(ROLLING):
            (folder / name).mkdir()
            for status in self._hdfs.list(history.path):
                if status.name.startswith("events_"):
                    self._copy(f"{history.path}/{status.name}", folder / name / status.name)
        else:
            self._copy(history.path, folder / name)
        conf = folder / posixpath.basename(history.conf) if history.conf else None
        if conf is not None:
            try:
                self._copy(history.conf, conf)
            except ServiceError:
                conf.unlink(missing_ok=True)
        return history._replace(path=str(folder / name), conf=str(conf or ""))

    def _copy(self, path: str, target: Path) -> None:
        with target.open("wb") as file:
            self._hdfs.read_to(path, file)


class JobHistoryServer:
    """MapReduce's history server; methods raise ServiceError."""

    def __init__(self, web: Web, url: str) -> None:
        self._url = url
        self._reader = JobReader(web, f"{url}/ws/v1/history/mapreduce")

    def find(self) -> list[JobFacts]:
        """Every job that it lists."""
        return self._reader.jobs()

    def source(self, job: JobFacts) -> str:
        """The job's name in the table."""
        return f"{self._url}/ws/v1/history/mapreduce/jobs/{job.id}"

    def read(self, job_id: str) -> JobFacts:
        """A job with its tasks: a request for each of its attempts."""
        return self._reader.whole(job_id)


class SparkHistoryServer:
    """Spark's history server, which returns event logs as zip files; methods raise ServiceError."""

    def __init__(self, web: Web, url: str) -> None:
        self._web = web
        self._base = f"{url}/api/v1"

    def find(self) -> list[History]:
        """Every attempt that it lists; the size of its log is unknown."""
        found = []
        for app in _objects(self._web.get_json(f"{self._base}/applications")):
            for attempt in list_at(app, "attempts"):
                parts = [str(app.get("id", "")), str(attempt.get("attemptId") or "")]
                path = "/".join(quote(part, safe="") for part in parts if part)
                found.append(
                    History(f"{self._base}/applications/{path}/logs", 0, f"{self._base}/applications/{path}")
                )
        return found

    def copy(self, history: History, folder: Path) -> History:
        """Fetch and unpack the log of an attempt."""
        packed = folder / "log.zip"
        with packed.open("wb") as file:
            self._web.read_to(history.path, file)
        unpacked = folder / "log"
        try:
            with ZipFile(packed) as archive:
                # extractall keeps members within the folder.
                archive.extractall(unpacked)
        except (BadZipFile, OSError, ValueError) as error:
            raise Unexpected(
                history.path, f"returns no zip file: {error}", "is it Spark's history server?"
            ) from error
        parts = sorted(unpacked.iterdir())
        if len(parts) != 1:
            raise Unexpected(history.path, f"returns {len(parts)} logs instead of one", "")
        return history._replace(path=str(parts[0]))


def _objects(answer: Any) -> list[dict[str, Any]]:
    return [part for part in answer if isinstance(part, dict)] if isinstance(answer, list) else []
