"""A job's history from the JobHistoryServer or from its file in HDFS, and the logs of its containers.

The file's first line is the encoding, its second is the schema. The file of a killed application master ends
in the middle; the events before are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from io import BytesIO, StringIO
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from fastavro import json_reader, parse_schema, schemaless_reader
from fastavro.schema import SchemaParseException
from fastavro.types import Schema

from howdah.errors import UserError
from howdah.hadoop.config_files import site_values
from howdah.hadoop.daemons import DAEMONS
from howdah.model.cluster import CounterValue
from howdah.model.plan import Role
from howdah.releases.values import read_list
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError, Unexpected
from howdah.services.hdfs import Hdfs
from howdah.services.job_facts import (
    AttemptFacts,
    JobFacts,
    MasterStart,
    TaskFacts,
    counter_name,
    in_order,
    is_task,
    state_of,
    task_number,
)
from howdah.services.job_rest import JobReader
from howdah.services.web import Web
from howdah.units import MIB

Event = dict[str, Any]

_BINARY = b"Avro-Binary"
_JSON = b"Avro-Json"
_WORD = re.compile(r"\S")


def read_history(data: bytes, where: str) -> JobFacts:
    """Return the job of a history file; raise Unexpected with ``where`` if it is not one."""
    history = _History()
    try:
        for kind, event in _events(data):
            history.take(kind, event)
        return history.job()
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        problem = f"is not a job history that howdah can read: {error}"
        raise Unexpected(where, problem, "does howdah support this release?") from error


def _events(data: bytes) -> Iterator[tuple[str, Event]]:
    encoding, _, remainder = data.partition(b"\n")
    line, _, body = remainder.partition(b"\n")
    if not data:
        raise ValueError("it is empty")
    if encoding not in (_BINARY, _JSON):
        raise ValueError(f"it begins with {encoding[:20]!r}")
    try:
        schema = parse_schema(json.loads(line))
    except (SchemaParseException, json.JSONDecodeError) as error:
        raise ValueError(f"its schema cannot be read: {error}") from error
    for event in _binary(body, schema) if encoding == _BINARY else _json(body, schema):
        yield event["type"], event["event"]


def _binary(body: bytes, schema: Schema) -> Iterator[Any]:
    stream = BytesIO(body)
    while stream.tell() < len(body):
        try:
            event = schemaless_reader(stream, schema, None)
        except (EOFError, IndexError, ValueError, MemoryError, OverflowError):
            return
        yield event


def _json(body: bytes, schema: Schema) -> Iterator[Any]:
    decoder, text, at = json.JSONDecoder(), body.decode(errors="replace"), 0
    while (match := _WORD.search(text, at)) is not None:
        try:
            _, at = decoder.raw_decode(text, match.start())
        except ValueError:
            return
        yield from json_reader(StringIO(text[match.start() : at].replace("\n", " ")), schema)


_FIELDS = {
    "JOB_SUBMITTED": {"id": "jobid", "name": "jobName", "user": "userName", "queue": "jobQueueName",
                      "submit_ms": "submitTime"},
    "JOB_QUEUE_CHANGED": {"queue": "jobQueueName"},
    "JOB_INITED": {"start_ms": "launchTime", "maps": "totalMaps", "reduces": "totalReduces"},
}  # fmt: skip
"""By event the job's facts, each with its name there."""


class _History:
    """A job after the events so far; a later event overrules an earlier one."""

    def __init__(self) -> None:
        self._job: dict[str, Any] = {"state": "running", "queue": "", "name": "", "submit_ms": 0}
        self._tasks: dict[str, TaskFacts] = {}
        self._attempts: dict[str, AttemptFacts] = {}
        self._masters: dict[int, MasterStart] = {}

    def job(self) -> JobFacts:
        if "id" not in self._job:
            raise ValueError("it ends before the job's first event")
        tasks = dict(self._tasks)
        for name in sorted(self._attempts, key=task_number):
            attempt = self._attempts[name]
            # The event of a task's start may be missing although its attempts have theirs.
            task = tasks.get(attempt.task, TaskFacts(attempt.task, "running", ()))
            tasks[task.id] = replace(task, attempts=(*task.attempts, attempt))
        return JobFacts(**self._job, tasks=in_order(tasks), masters=tuple(sorted(self._masters.values())))

    def take(self, kind: str, event: Event) -> None:
        if kind.startswith(("MAP_ATTEMPT", "REDUCE_ATTEMPT")):
            self._take_attempt(kind, event)
        elif kind.startswith("TASK"):
            if is_task(event["taskid"]):
                self._take_task(kind, event)
        else:
            self._take_job(kind, event)

    def _take_job(self, kind: str, event: Event) -> None:
        self._job |= {name: event[key] for name, key in _FIELDS.get(kind, {}).items()}
        match kind:
            case "AM_STARTED":
                # A later master repeats the events of those before it.
                number = int(event["applicationAttemptId"].rpartition("_")[2])
                self._masters[number] = MasterStart(number, event["startTime"], event["nodeManagerHost"])
            case "JOB_FINISHED":
                maps, reduces = dict(_counts(event["mapCounters"])), dict(_counts(event["reduceCounters"]))
                self._job |= {
                    "state": "succeeded",
                    "finish_ms": event["finishTime"],
                    "counters": {
                        name: CounterValue(map=maps.get(name, 0), reduce=reduces.get(name, 0), total=total)
                        for name, total in _counts(event["totalCounters"])
                    },
                }
            case "JOB_FAILED" | "JOB_KILLED" | "JOB_ERROR":
                self._job |= {
                    "state": state_of(event["jobStatus"]),
                    "finish_ms": event["finishTime"],
                    "diagnostics": event.get("diagnostics") or "",
                }

    def _take_task(self, kind: str, event: Event) -> None:
        name = event["taskid"]
        task = self._tasks.get(name, TaskFacts(name, "running", ()))
        match kind:
            case "TASK_STARTED":
                hosts = read_list(event["splitLocations"])
                task = replace(task, split_hosts=hosts)
            case "TASK_FINISHED":
                winner = event.get("successfulAttemptId") or ""
                task = replace(task, state=state_of(event["status"]), winner=winner)
            case "TASK_FAILED":
                task = replace(task, state=state_of(event["status"]), error=event["error"])
        self._tasks[name] = task

    def _take_attempt(self, kind: str, event: Event) -> None:
        name = event["attemptId"]
        attempt = self._attempts.get(name, AttemptFacts(name, "running", None))
        if kind.endswith("STARTED"):
            attempt = replace(
                attempt,
                start_ms=_time(event["startTime"]),
                node=event["trackerName"],
                node_web=f"{event['trackerName']}:{event['httpPort']}",
                container=event.get("containerId") or "",
                locality=event.get("locality") or "",
            )
        else:
            # The output of a succeeded attempt may be lost later; its end stays.
            done_ms = attempt.finish_ms if attempt.state == "succeeded" else None
            host = event.get("hostname")
            attempt = replace(
                attempt,
                state=state_of(event["status"] if "status" in event else event["taskStatus"]),
                finish_ms=done_ms or _time(event["finishTime"]),
                shuffle_ms=_time(event.get("shuffleFinishTime")),
                merge_ms=_time(event.get("sortFinishTime")),
                # UNKNOWN is an attempt without a container.
                node=attempt.node if host in (None, "", "UNKNOWN") else str(host),
                error=event.get("error") or "",
                counters=MappingProxyType(dict(_counts(event.get("counters")))),
            )
        self._attempts[name] = attempt


def _time(value: Any) -> int | None:
    """Return a time; None for 0 or -1, an event that has not happened."""
    return int(value) if value and value > 0 else None


def _counts(counters: Any) -> Iterator[tuple[str, int]]:
    for group in (counters or {}).get("groups", ()):
        for count in group["counts"]:
            yield counter_name(group["name"], count["name"]), int(count["value"])


_JOB = re.compile(r"job_(\d+)_(\d+)")
MOST_BYTES = 256 * MIB  # What is read, some 50,000 attempts: they need many times as much memory.
_SERIAL_DIGITS = 6
_JOBS_IN_A_DIRECTORY = 1000


_HISTORY, _NODE = DAEMONS[Role.JOB_HISTORY].page.rest_path, DAEMONS[Role.NODEMANAGER].page.rest_path
JOBS = f"{_HISTORY}/mapreduce"  # The path of jobs at the history server.


class JobHistory(JobReader):
    def __init__(self, web: Web, conf: ClientConf) -> None:
        super().__init__(web, f"{conf.history().url}{JOBS}")


class HistoryFiles:
    """A cluster's history files, in ``staging`` those of killed masters; methods raise ServiceError."""

    def __init__(self, hdfs: Hdfs, conf: ClientConf, user: str, staging: str = "") -> None:

        def path(key: str) -> str:
            # ``hdfs://master:8020/history``, or ``/history``.
            return urlsplit(conf.get(f"mapreduce.jobhistory.{key}") or "").path.rstrip("/")

        self._hdfs = hdfs
        self._intermediate_dir, self._done_dir = path("intermediate-done-dir"), path("done-dir")
        self._user = user
        self._staging = staging

    def job(self, job_id: str) -> JobFacts | None:
        """A job from its file's first MOST_BYTES, whole if that is shorter; None without a readable file."""
        for directory, start, conf in self._places(job_id):
            for name in self._names(directory):
                if name.startswith(start) and name.endswith(".jhist"):
                    where, path = f"{directory}/{name}", f"{directory}/{conf}"
                    facts = read_history(self._hdfs.read(where, MOST_BYTES), where)
                    # Without its configuration, which may be unreadable, a job is still a job.
                    with suppress(ServiceError, UserError):
                        facts = replace(facts, conf=site_values(self._hdfs.read(path), path))
                    return facts
        return None

    def _places(self, job_id: str) -> Iterator[tuple[str, str, str]]:
        """Yield directories, those of days last, with a file name's start and the configuration's."""
        start, conf = f"{job_id}-", f"{job_id}_conf.xml"
        yield f"{self._intermediate_dir}/{self._user}", start, conf
        if self._staging:
            # Each application master of the job writes its own file.
            yield f"{self._staging}/{self._user}/.staging/{job_id}", f"{job_id}_", "job.xml"
        match = _JOB.fullmatch(job_id)
        if match is None:
            raise Unexpected(job_id, "is not the id of a job", "")
        serial = f"{int(match[2]) // _JOBS_IN_A_DIRECTORY:0{_SERIAL_DIGITS}}"
        above = [self._done_dir]
        for _ in ("year", "month", "day"):
            listed = {directory: sorted(self._names(directory), reverse=True) for directory in above}
            above = [f"{directory}/{name}" for directory, names in listed.items() for name in names]
        yield from ((f"{day}/{serial}", start, conf) for day in above)

    def _names(self, directory: str) -> list[str]:
        try:
            return [status.name for status in self._hdfs.list(directory)]
        except ServiceError:
            return []


MOST_LOG_BYTES = 64 * 1024  # The end of a log is enough to find the reason of a failure.
_CONTENTS = "\nLogContents:\n"
_END = re.compile(r"\n*End of LogType:.*\Z", re.DOTALL)


class TaskLogs:
    """Reads the ends of containers' logs."""

    def __init__(self, web: Web, conf: ClientConf) -> None:
        self._web = web
        self._conf = conf

    def tail(self, container: str, node_web: str, name: str) -> str:
        """A log's end (``syslog``), at ``HOST:PORT`` or from the history server; else empty."""
        node, history = self._conf.nodemanager_url(node_web), self._conf.history().url
        for url in (
            f"{node}{_NODE}/containers/{container}/logs/{name}",
            f"{history}{_HISTORY}/containerlogs/{container}/{name}",
        ):
            with suppress(ServiceError):
                return contents(self._web.get_text(url, size=-MOST_LOG_BYTES))
        return ""


def contents(answer: str) -> str:
    """Return a log without the lines that servers add; empty if the answer contains no log."""
    _, begins, text = answer.rpartition(_CONTENTS)
    return _END.sub("", text)[-MOST_LOG_BYTES:] if begins else ""
