"""Importing histories of finished applications into the table of jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.jobs.histories import (
    HdfsHistories,
    History,
    JobHistoryServer,
    Read,
    SparkHistoryServer,
    find_histories,
    read_all,
)
from howdah.jobs.mapreduce import mapreduce_application
from howdah.jobs.store import JobStore
from howdah.model.application import Application
from howdah.services.conf import ClientConf, conf_directory
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode
from howdah.services.web import Web

_BATCH = 500
"""Applications that are stored at once: an import that is interrupted keeps the earlier ones."""

Watch = Callable[[int, int], None]
"""Called with the numbers of histories that are read, and that there are."""


@dataclass(frozen=True)
class JobImport:
    """The result of an import."""

    added: int
    replaced: int
    known: int
    """Histories that were imported before and have not changed."""
    problems: tuple[str, ...]
    """Histories that are unreadable, and why."""


class _Known:
    """What the table has already."""

    def __init__(self, store: JobStore) -> None:
        table = store.read(("source", "source_bytes", "outcome"))
        rows = zip(
            *(table[name].to_pylist() for name in ("source", "source_bytes", "outcome", "id", "attempt")),
            strict=True,
        )
        self._sources: dict[str, int] = {}
        self._outcomes: dict[tuple[str, str], str] = {}
        for source, size, outcome, name, attempt in rows:
            if outcome != "unfinished":
                self._sources[source] = size
            self._outcomes[name, attempt] = outcome

    def has(self, history: History) -> bool:
        """Whether this history was imported and has not changed."""
        return self._sources.get(history.source) == history.size_bytes

    def has_source(self, source: str) -> bool:
        """The same for a source whose size is unknown."""
        return source in self._sources

    def take(self, application: Application) -> str:
        """Whether it is ``new``, ``better`` than an unfinished one, or ``known``."""
        key = application.id, application.attempt
        before = self._outcomes.get(key)
        if before is not None and (before != "unfinished" or application.outcome == "unfinished"):
            return "known"
        self._outcomes[key] = application.outcome
        return "new" if before is None else "better"


def import_jobs(sources: list[str], jobs_dir: Path, conf: Path | None, watch: Watch) -> JobImport:
    """Import everything that the sources hold: directories, files, paths in HDFS, history servers' URLs."""
    store = JobStore(jobs_dir)
    known = _Known(store)
    counts = {"new": 0, "better": 0, "known": 0}
    problems: list[str] = []
    batch: list[Application] = []

    def add(read: Read) -> None:
        if read.application is None:
            problems.append(read.error)
            return
        verdict = known.take(read.application)
        counts[verdict] += 1
        if verdict != "known":
            batch.append(read.application)
        if len(batch) == _BATCH:
            store.add(batch)
            batch.clear()

    try:
        for source in sources:
            try:
                for read in _histories(source, conf, known, counts, watch):
                    add(read)
            except ServiceError as error:
                raise UserError(error.where, error.what, error.hint) from error
    finally:
        store.add(batch)
    return JobImport(counts["new"], counts["better"], counts["known"], tuple(problems))


def _histories(
    source: str, conf: Path | None, known: _Known, counts: dict[str, int], watch: Watch
) -> Iterator[Read]:
    parts = urlsplit(source)
    if parts.scheme in ("http", "https"):
        with closing(Web()) as web:
            yield from _from_server(web, source.rstrip("/"), known, counts, watch)
    elif parts.scheme == "hdfs":
        with in_hdfs(source, conf) as histories:
            yield from _from_hdfs(histories, known, counts, watch)
    elif parts.scheme and not Path(source).exists():
        raise UserError(
            source, "is no directory, path in HDFS or URL", "give DIR, hdfs:///PATH or http://HOST:PORT"
        )
    else:
        yield from _from_directory(Path(source), known, counts, watch)


@contextmanager
def in_hdfs(source: str, conf: Path | None) -> Iterator[HdfsHistories]:
    """The histories at a path in HDFS; raises UserError if the cluster's configuration is unknown."""
    directory = conf_directory(conf)
    if directory is None:
        raise UserError(
            source, "the cluster's configuration is unknown", "give --conf DIR, or set HADOOP_CONF_DIR"
        )
    client = ClientConf.read(directory)
    with closing(Web(kerberos=client.secure)) as web:
        yield HdfsHistories(NameNode(web, client), urlsplit(source).path)


def _from_directory(directory: Path, known: _Known, counts: dict[str, int], watch: Watch) -> Iterator[Read]:
    found = find_histories(directory)
    if not found:
        raise UserError(
            str(directory),
            "contains no history of MapReduce or Spark",
            "it needs *.jhist files or Spark event logs",
        )
    new = [history for history in found if not known.has(history)]
    counts["known"] += len(found) - len(new)
    for done, read in enumerate(read_all(new), 1):
        watch(done, len(new))
        if read.application is None and directory.is_file():
            raise UserError("", read.error, "give *.jhist files or Spark event logs")
        yield read


def _from_hdfs(
    histories: HdfsHistories, known: _Known, counts: dict[str, int], watch: Watch
) -> Iterator[Read]:
    found = histories.find()
    new = [history for history in found if not known.has(history)]
    counts["known"] += len(found) - len(new)
    for done, history in enumerate(new, 1):
        with TemporaryDirectory(prefix="howdah-import-") as folder:
            yield from read_all([histories.copy(history, Path(folder))])
        watch(done, len(new))


def _from_server(web: Web, url: str, known: _Known, counts: dict[str, int], watch: Watch) -> Iterator[Read]:
    try:
        web.get_object(f"{url}/ws/v1/history/info")
    except ServiceError as error:
        try:
            web.get_object(f"{url}/api/v1/version")
        except ServiceError:
            raise error from None
        yield from _from_spark(SparkHistoryServer(web, url), known, counts, watch)
        return
    server = JobHistoryServer(web, url)
    jobs = [job for job in server.find() if not known.has_source(server.source(job))]
    for done, job in enumerate(jobs, 1):
        source = server.source(job)
        try:
            whole = server.read(job.id)
            yield Read(History(source, 0, source), mapreduce_application(whole, source, 0), "")
        except ServiceError as error:
            yield Read(History(source, 0, source), None, str(error))
        watch(done, len(jobs))


def _from_spark(
    server: SparkHistoryServer, known: _Known, counts: dict[str, int], watch: Watch
) -> Iterator[Read]:
    found = server.find()
    new = [history for history in found if not known.has_source(history.source)]
    counts["known"] += len(found) - len(new)
    for done, history in enumerate(new, 1):
        with TemporaryDirectory(prefix="howdah-import-") as folder:
            try:
                copied = server.copy(history, Path(folder))
            except ServiceError as error:
                yield Read(history, None, str(error))
                continue
            yield from read_all([copied])
        watch(done, len(new))
