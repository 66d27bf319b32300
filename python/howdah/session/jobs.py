"""Finished applications: importing their histories, and what the table of them shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.files import check_jobs_dir
from howdah.hadoop.daemons import DAEMONS
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
from howdah.jobs.ranking import Overview, find_application, overview
from howdah.jobs.store import JobStore, texts
from howdah.model.application import Application
from howdah.model.job_ranking import Filters
from howdah.model.plan import Role
from howdah.services.conf import ClientConf, conf_directory
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode
from howdah.services.web import Web

_BATCH = 500  # Applications that are stored at once: an import that is interrupted keeps the earlier ones.


def overview_of(jobs_dir: Path, filters: Filters, order: str = "waste", top: int = 20) -> Overview:
    """What the imported applications show; raises UserError for a file."""
    check_jobs_dir(jobs_dir)
    return overview(JobStore(jobs_dir), filters, order, top)


def application_of(jobs_dir: Path, name: str) -> Application:
    """The application of this id, beginning or last number; raises UserError unless it is exactly one."""
    matches = find_application(JobStore(jobs_dir), name)
    if not matches:
        raise UserError(name, f"no such application in {jobs_dir}", "`howdah jobs` lists them")
    if len({application.id for application in matches}) > 1:
        names = ", ".join(application.id for application in matches[:5])
        raise UserError(name, f"matches several applications: {names}", "give more of the id")
    return matches[-1]


def exact_application(jobs_dir: Path, name: str) -> Application | None:
    """The newest application of this id, with or without its attempt; None if there is none."""
    try:
        matches = find_application(JobStore(jobs_dir), name)
    except UserError:
        return None
    exact = (match for match in reversed(matches) if name in (match.id, f"{match.id}_{match.attempt}"))
    return next(exact, None)


def stored_files(jobs_dir: Path) -> list[Path]:
    """The files with the imported applications, which an import changes."""
    return list(JobStore(jobs_dir).files())


def applications_in(jobs_dir: Path) -> list[str]:
    """The ids of all imported applications, for completion; none of a directory that cannot be read."""
    try:
        return sorted(set(texts(JobStore(jobs_dir).read(("id",)), "id")))
    except (OSError, UserError):
        return []


Watch = Callable[[int, int], None]  # Called with the numbers of histories that are read, and that there are.


@dataclass(frozen=True)
class JobImport:
    """The result of an import; ``unchanged`` histories were imported before."""

    added: int
    replaced: int
    unchanged: int
    problems: tuple[str, ...]


class _Import:
    """One import: what the table had before, what became of the histories, and who is shown the progress."""

    def __init__(self, store: JobStore, watch: Watch) -> None:
        table = store.read(("source", "source_bytes", "outcome"))
        columns = (table[name].to_pylist() for name in ("source", "source_bytes", "outcome", "id", "attempt"))
        self._sources: dict[str, int] = {}
        self._outcomes: dict[tuple[str, str], str] = {}
        for source, size, outcome, name, attempt in zip(*columns, strict=True):
            if outcome != "unfinished":
                self._sources[source] = size
            self._outcomes[name, attempt] = outcome
        self.counts = {"new": 0, "better": 0, "known": 0}
        self.watch = watch

    def has_source(self, source: str) -> bool:
        """Whether a source was imported, be its size what it may."""
        return source in self._sources

    def fresh(self, histories: Sequence[History], *, sized: bool = True) -> list[History]:
        """The histories that were not imported or have changed since; the others are counted as known."""
        fresh = [
            history
            for history in histories
            if not self.has_source(history.source)
            or (sized and self._sources[history.source] != history.size_bytes)
        ]
        self.counts["known"] += len(histories) - len(fresh)
        return fresh

    def take(self, application: Application) -> bool:
        """Count an application; return whether it is new, or better than an unfinished one."""
        key = application.id, application.attempt
        before = self._outcomes.get(key)
        if before is not None and (before != "unfinished" or application.outcome == "unfinished"):
            self.counts["known"] += 1
            return False
        self._outcomes[key] = application.outcome
        self.counts["new" if before is None else "better"] += 1
        return True


def import_jobs(sources: list[str], jobs_dir: Path, conf: Path | None, watch: Watch) -> JobImport:
    """Import everything that the sources hold: directories, files, paths in HDFS, history servers' URLs."""
    store = JobStore(jobs_dir)
    work = _Import(store, watch)
    problems: list[str] = []
    batch: list[Application] = []
    try:
        for read in chain.from_iterable(_histories(source, conf, work) for source in sources):
            if read.application is None:
                problems.append(read.error)
            elif work.take(read.application):
                batch.append(read.application)
            if len(batch) == _BATCH:
                store.add(batch)
                batch.clear()
    except ServiceError as error:
        raise UserError(error.where, error.what, error.hint) from error
    finally:
        store.add(batch)
    return JobImport(work.counts["new"], work.counts["better"], work.counts["known"], tuple(problems))


def _histories(source: str, conf: Path | None, work: _Import) -> Iterator[Read]:
    parts = urlsplit(source)
    if parts.scheme in ("http", "https"):
        with closing(Web()) as web:
            yield from _from_server(web, source.rstrip("/"), work)
    elif parts.scheme == "hdfs":
        with in_hdfs(source, conf) as histories:
            new = work.fresh(histories.find())
            for done, history in enumerate(new, 1):
                with TemporaryDirectory(prefix="howdah-import-") as folder:
                    yield from read_all([histories.copy(history, Path(folder))])
                work.watch(done, len(new))
    elif parts.scheme and not Path(source).exists():
        hint = "give DIR, hdfs:///PATH or http://HOST:PORT"
        raise UserError(source, "is not a directory, a path in HDFS or a URL", hint)
    else:
        yield from _from_directory(Path(source), work)


@contextmanager
def in_hdfs(source: str, conf: Path | None) -> Iterator[HdfsHistories]:
    """The histories at a path in HDFS; raises UserError if the cluster's configuration is unknown."""
    directory = conf_directory(conf)
    if directory is None:
        hint = "give --conf DIR, or set HADOOP_CONF_DIR"
        raise UserError(source, "the cluster's configuration is unknown", hint)
    client = ClientConf.read(directory)
    with closing(Web(kerberos=client.secure)) as web:
        yield HdfsHistories(NameNode(web, client), urlsplit(source).path)


def _from_directory(directory: Path, work: _Import) -> Iterator[Read]:
    histories = find_histories(directory)
    if not histories:
        hint = "give a directory of *.jhist files or Spark event logs"
        raise UserError(str(directory), "contains no history of MapReduce or Spark", hint)
    new = work.fresh(histories)
    for done, read in enumerate(read_all(new), 1):
        work.watch(done, len(new))
        if read.application is None and directory.is_file():
            raise UserError("", read.error, "give *.jhist files or Spark event logs")
        yield read


def _from_server(web: Web, url: str, work: _Import) -> Iterator[Read]:
    try:
        web.get_object(f"{url}{DAEMONS[Role.JOB_HISTORY].page.path}")
    except ServiceError as error:
        try:
            web.get_object(f"{url}/api/v1/version")
        except ServiceError:
            raise error from None
        yield from _from_spark(SparkHistoryServer(web, url), work)
        return
    server = JobHistoryServer(web, url)
    jobs = [job for job in server.find() if not work.has_source(server.source(job))]
    for done, job in enumerate(jobs, 1):
        source = server.source(job)
        history = History(source, 0, source)
        try:
            yield Read(history, mapreduce_application(server.read(job.id), source, 0), "")
        except ServiceError as error:
            yield Read(history, None, str(error))
        work.watch(done, len(jobs))


def _from_spark(server: SparkHistoryServer, work: _Import) -> Iterator[Read]:
    new = work.fresh(server.find(), sized=False)
    for done, history in enumerate(new, 1):
        with TemporaryDirectory(prefix="howdah-import-") as folder:
            try:
                copied = server.copy(history, Path(folder))
            except ServiceError as error:
                yield Read(history, None, str(error))
                continue
            yield from read_all([copied])
        work.watch(done, len(new))
