"""Histories of finished applications, in directories, in HDFS or at history servers, and what they hold."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from os import cpu_count, walk
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote
from zipfile import BadZipFile, ZipFile

from howdah.errors import HowdahError, UserError, os_errors
from howdah.hadoop.config_files import site_values
from howdah.jobs.mapreduce import mapreduce_application
from howdah.jobs.spark import spark_application
from howdah.model.application import Application, SparkLog
from howdah.services.errors import ServiceError, Unexpected
from howdah.services.event_log import read_event_log
from howdah.services.event_log_files import ROLLING, begins_as_event_log, is_event_log_name
from howdah.services.hdfs import FileStatus, Hdfs
from howdah.services.history import JOBS, MOST_BYTES, read_history
from howdah.services.job_facts import JobFacts
from howdah.services.job_rest import JobReader
from howdah.services.web import Web, list_at

_JOB = re.compile(r"(job_\d+_\d+)\b.*\.jhist|.+\.jhist")
_SPARK = re.compile(r"(?:application_\d+_\d+|app-\d+-\d+|local-\d+|spark-[0-9a-f]+)")
_FEW = 8  # So few are read without further processes, whose start takes a second.


class History(NamedTuple):
    path: str  # A file, or a directory of a rolling event log.
    size_bytes: int
    source: str  # What it is called in the table: the same as ``path``, or the place that it was copied from.
    conf: str = ""  # The file with a MapReduce job's configuration.


class Read(NamedTuple):
    """What a history contains, or why it is unreadable."""

    history: History
    application: Application | None
    error: str


def find_histories(directory: Path) -> list[History]:
    """The histories below a directory, or the one that it is; raises UserError if it does not exist."""
    if not directory.exists():
        raise UserError(str(directory), "no such file or directory", "give a directory of history files")
    if directory.is_file() or directory.name.startswith(ROLLING):
        return [_history(directory)]
    histories: list[History] = []
    for folder, folders, files in walk(directory):
        for name in sorted(folders):
            if name.startswith(ROLLING):
                histories.append(_history(Path(folder, name)))
        folders[:] = sorted(name for name in folders if not name.startswith((ROLLING, ".")))
        for path in (Path(folder, name) for name in sorted(files)):
            possible = is_event_log_name(path.name) and path.suffix not in (".xml", ".jhist", ".parquet")
            spark = possible and (_SPARK.match(path.name) or begins_as_event_log(path))
            if _JOB.fullmatch(path.name) or spark:
                histories.append(_history(path))
    return histories


def is_history_name(name: str) -> bool:
    return bool(_JOB.fullmatch(name)) or bool(_SPARK.match(name) and is_event_log_name(name))


def conf_name(name: str) -> str:
    """The name of the file with the configuration of a history's job; empty for Spark's."""
    match = _JOB.fullmatch(name)
    return f"{match[1]}_conf.xml" if match and match[1] else ""


def _history(path: Path) -> History:
    with os_errors(path, "cannot be read: {}", "check its permissions"):
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        size = sum(file.stat().st_size for file in files if file.is_file())
    conf = conf_name(path.name)
    return History(str(path), size, str(path.absolute()), str(path.parent / conf) if conf else "")


def read_application(history: History) -> Application:
    """Read a history and summarise it; raises HowdahError if it is none."""
    return application_of(read_source(history), history)


def read_source(history: History) -> JobFacts | SparkLog:
    """Read all that a history has; raises HowdahError if it is none."""
    path = Path(history.path)
    if not path.name.endswith(".jhist"):
        return read_event_log(path)
    with os_errors(history.source, "cannot be read: {}", ""), path.open("rb") as stream:
        job = read_history(stream.read(MOST_BYTES), history.source)
    try:
        conf = site_values(Path(history.conf).read_bytes(), history.conf)
    except (OSError, UserError):
        conf = {}
    return replace(job, conf=conf)


def application_of(source: JobFacts | SparkLog, history: History) -> Application:
    if isinstance(source, JobFacts):
        return mapreduce_application(source, history.source, history.size_bytes)
    application = spark_application(source, history.source, history.size_bytes)
    # A log that was cut off early may lack the id, but Spark names the file after it.
    name = Path(history.path).name
    match = _SPARK.match(name.removeprefix(ROLLING))
    return application if application.id else replace(application, id=match[0] if match else name)


def _read(history: History) -> Read:
    try:
        return Read(history, read_application(history), "")
    except HowdahError as error:
        return Read(history, None, str(error))


def read_all(histories: Iterable[History]) -> Iterator[Read]:
    """Read histories in their order, on all processors if they are many."""
    several = list(histories)
    if len(several) <= _FEW:
        yield from map(_read, several)
        return
    with ProcessPoolExecutor(max(1, cpu_count() or 1), mp_context=get_context("forkserver")) as pool:
        yield from pool.map(_read, several, chunksize=4)


class HdfsHistories:
    """Histories below a directory of HDFS; methods raise ServiceError."""

    def __init__(self, hdfs: Hdfs, path: str) -> None:
        self._hdfs = hdfs
        self._path = path.rstrip("/") or "/"

    def find(self) -> list[History]:
        status = self._hdfs.stat(self._path)
        if status is None:
            hint = "give a directory of history files"
            raise UserError(f"HDFS {self._path}", "no such file or directory", hint)
        if not status.is_directory:
            return [self._file(self._path, status)]
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
                yield self._file(path, status)

    def _file(self, path: str, status: FileStatus) -> History:
        conf = conf_name(posixpath.basename(path))
        conf_path = posixpath.join(posixpath.dirname(path), conf) if conf else ""
        return History(path, status.size_bytes, f"hdfs:{path}", conf_path)

    def _rolling(self, path: str) -> History:
        return History(path, sum(status.size_bytes for status in self._hdfs.list(path)), f"hdfs:{path}")

    def copy(self, history: History, folder: Path) -> History:
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
        self._reader = JobReader(web, f"{url}{JOBS}")

    def find(self) -> list[JobFacts]:
        return self._reader.jobs()

    def source(self, job: JobFacts) -> str:
        return f"{self._url}{JOBS}/jobs/{job.id}"

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
        histories = []
        answer = self._web.get_json(f"{self._base}/applications")
        for app in filter(lambda app: isinstance(app, dict), answer if isinstance(answer, list) else ()):
            for attempt in list_at(app, "attempts"):
                parts = [str(app.get("id", "")), str(attempt.get("attemptId") or "")]
                path = "/".join(quote(part, safe="") for part in parts if part)
                source = f"{self._base}/applications/{path}"
                histories.append(History(f"{source}/logs", 0, source))
        return histories

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
            problem = f"returns no zip file: {error}"
            raise Unexpected(history.path, problem, "is it Spark's history server?") from error
        parts = sorted(unpacked.iterdir())
        if len(parts) != 1:
            raise Unexpected(history.path, f"returns {len(parts)} logs instead of one", "")
        return history._replace(path=str(parts[0]))
