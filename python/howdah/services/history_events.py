"""A job from the events in its history file.

The file's first line is the encoding, its second is the schema. The file of a killed application master ends
in the middle; the events before are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import BytesIO, StringIO
from types import MappingProxyType
from typing import Any

from fastavro import json_reader, parse_schema, schemaless_reader
from fastavro.schema import SchemaParseException
from fastavro.types import Schema

from howdah.services.errors import Unexpected
from howdah.services.job_facts import (
    AttemptFacts,
    JobFacts,
    MasterStart,
    Sums,
    TaskFacts,
    counter_name,
    in_order,
    is_task,
    state_of,
    task_number,
)

Event = dict[str, Any]

_BINARY = b"Avro-Binary"
_JSON = b"Avro-Json"


def read_history(data: bytes, where: str) -> JobFacts:
    """Return the job of a history file; raise Unexpected with ``where`` if it is not one."""
    history = _History()
    try:
        for kind, event in _events(data):
            history.take(kind, event)
        return history.job()
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Unexpected(
            where, f"is not a job history that howdah can read: {error}", "does howdah support this release?"
        ) from error


def _events(data: bytes) -> Iterator[tuple[str, Event]]:
    encoding, _, remainder = data.partition(b"\n")
    line, _, body = remainder.partition(b"\n")
    if encoding not in (_BINARY, _JSON):
        raise ValueError(f"it begins with {encoding[:20]!r}")
    try:
        schema = parse_schema(json.loads(line))
    except SchemaParseException as error:
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
    while (at := _after_space(text, at)) < len(text):
        try:
            _, end = decoder.raw_decode(text, at)
        except ValueError:
            return
        yield from json_reader(StringIO(text[at:end].replace("\n", " ")), schema)
        at = end


def _after_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


class _History:
    """A job after the events so far; a later event overrules an earlier one."""

    def __init__(self) -> None:
        self._job: dict[str, Any] = {"state": "running", "queue": "", "name": "", "submit_ms": 0}
        self._tasks: dict[str, TaskFacts] = {}
        self._attempts: dict[str, AttemptFacts] = {}
        self._masters: dict[int, MasterStart] = {}

    def job(self) -> JobFacts:
        by_task: dict[str, list[AttemptFacts]] = {}
        for name in sorted(self._attempts, key=task_number):
            attempt = self._attempts[name]
            by_task.setdefault(attempt.task, []).append(attempt)
        tasks = {
            # The event of a task's start may be missing although its attempts have theirs.
            name: replace(
                self._tasks.get(name, TaskFacts(name, "running", ())), attempts=tuple(by_task.get(name, ()))
            )
            for name in {**self._tasks, **by_task}
        }
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
        match kind:
            case "AM_STARTED":
                # A later master repeats the events of those before it.
                number = int(event["applicationAttemptId"].rpartition("_")[2])
                self._masters[number] = MasterStart(number, event["startTime"], event["nodeManagerHost"])
            case "JOB_SUBMITTED":
                self._job |= {
                    "id": event["jobid"],
                    "name": event["jobName"],
                    "user": event["userName"],
                    "queue": event["jobQueueName"],
                    "submit_ms": event["submitTime"],
                }
            case "JOB_QUEUE_CHANGED":
                self._job["queue"] = event["jobQueueName"]
            case "JOB_INITED":
                self._job |= {
                    "start_ms": event["launchTime"],
                    "maps": event["totalMaps"],
                    "reduces": event["totalReduces"],
                }
            case "JOB_FINISHED":
                self._job |= {
                    "state": "succeeded",
                    "finish_ms": event["finishTime"],
                    "counters": _sums(event),
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
                hosts = tuple(host for host in event["splitLocations"].split(",") if host)
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
            attempt = replace(
                attempt,
                state=state_of(event["status"] if "status" in event else event["taskStatus"]),
                finish_ms=done_ms or _time(event["finishTime"]),
                shuffle_ms=_time(event.get("shuffleFinishTime")),
                merge_ms=_time(event.get("sortFinishTime")),
                node=_host(event.get("hostname")) or attempt.node,
                error=event.get("error") or "",
                counters=MappingProxyType(dict(_counts(event.get("counters")))),
            )
        self._attempts[name] = attempt


def _host(name: Any) -> str:
    """Return a host name; UNKNOWN is an attempt without a container."""
    return "" if name in (None, "UNKNOWN") else str(name)


def _time(value: Any) -> int | None:
    """Return a time; None for 0 or -1, an event that has not happened."""
    return int(value) if value and value > 0 else None


def _counts(counters: Any) -> Iterator[tuple[str, int]]:
    for group in (counters or {}).get("groups", ()):
        for count in group["counts"]:
            yield counter_name(group["name"], count["name"]), int(count["value"])


def _sums(event: Event) -> Mapping[str, Sums]:
    maps, reduces = dict(_counts(event["mapCounters"])), dict(_counts(event["reduceCounters"]))
    return {
        name: Sums(maps.get(name, 0), reduces.get(name, 0), total)
        for name, total in _counts(event["totalCounters"])
    }
