"""MapReduce's REST interface: jobs, tasks and attempts, and the progress of a running job."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from howdah.model.cluster import CounterValue
from howdah.model.hostname import split_address
from howdah.services.job_facts import (
    AttemptFacts,
    JobFacts,
    TaskFacts,
    counter_name,
    in_order,
    is_task,
    state_of,
)
from howdah.services.web import (
    AnswerPart,
    Object,
    Parameter,
    PlainClient,
    Web,
    list_at,
    object_at,
    parse_list,
    parse_object,
)
from howdah.units import format_counted

_AT_ONCE = 4  # Concurrent requests: a history server has few threads, and other clients.
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else str(value))]
Time = Annotated[int | None, BeforeValidator(lambda value: value if value and value > 0 else None)]
"""Milliseconds since 1970; None for servers' 0 or -1."""


class _Job(AnswerPart):
    id: str
    name: Text = ""
    queue: Text = ""
    user: Text = ""
    state: str
    submit_ms: Time = Field(None, alias="submitTime")
    start_ms: Time = Field(None, alias="startTime")
    finish_ms: Time = Field(None, alias="finishTime")
    diagnostics: Text = ""
    maps: int = Field(0, alias="mapsTotal")
    reduces: int = Field(0, alias="reducesTotal")


class _Task(AnswerPart):
    id: str
    state: str
    winner: Text = Field("", alias="successfulAttempt")


class _Attempt(AnswerPart):
    id: str
    state: str
    start_ms: Time = Field(None, alias="startTime")
    finish_ms: Time = Field(None, alias="finishTime")
    shuffle_ms: Time = Field(None, alias="shuffleFinishTime")
    merge_ms: Time = Field(None, alias="mergeFinishTime")
    node_web: Text = Field("", alias="nodeHttpAddress")
    container: Text = Field("", alias="assignedContainerId")
    error: Text = Field("", alias="diagnostics")


class _Counter(AnswerPart):
    name: Text
    value: int = 0
    map: int = Field(0, alias="mapCounterValue")
    reduce: int = Field(0, alias="reduceCounterValue")
    total: int = Field(0, alias="totalCounterValue")


class _Property(AnswerPart):
    name: Text
    value: object = None


class JobReader:
    """Reads jobs from ``base``, ``http://…/ws/v1/history/mapreduce``; every method raises ServiceError."""

    def __init__(self, web: Web, base: str) -> None:
        self._web = web
        self._base = base

    def jobs(self, **params: Parameter) -> list[JobFacts]:
        """The server's jobs without tasks, by Hadoop's ``startedTimeBegin``, ``state``, ``limit`` …"""
        return [_job(job) for job in list_at(self._get("jobs", **params).get("jobs"), "job")]

    def job(self, job_id: str) -> JobFacts:
        """A job, without its counters, configuration or tasks."""
        return _job(object_at(self._get(f"jobs/{job_id}"), "job", job_id))

    def counters(self, job_id: str) -> dict[str, CounterValue]:
        """A job's counters by ``Group.NAME``."""
        answer = self._get(f"jobs/{job_id}/counters").get("jobCounters")
        counted = _counted(answer, "counterGroup", job_id)
        return {name: CounterValue(map=c.map, reduce=c.reduce, total=c.total) for name, c in counted}

    def conf(self, job_id: str) -> dict[str, str]:
        """A job's configuration as it ran, secrets included."""
        entries = parse_list(_Property, self._get(f"jobs/{job_id}/conf").get("conf"), "property", job_id)
        # Servers convert some texts to numbers and booleans.
        values = {entry.name: "" if entry.value is None else entry.value for entry in entries}
        return {
            name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()
        }

    def tasks(self, job_id: str) -> tuple[TaskFacts, ...]:
        """A job's map and reduce tasks, without their attempts."""
        tasks = parse_list(_Task, self._get(f"jobs/{job_id}/tasks").get("tasks"), "task", job_id)
        facts = (TaskFacts(task.id, state_of(task.state), (), task.winner) for task in tasks)
        return in_order({task.id: task for task in facts if is_task(task.id)})

    def attempts(self, job_id: str, task_id: str) -> tuple[AttemptFacts, ...]:
        answer = self._get(f"jobs/{job_id}/tasks/{task_id}/attempts").get("taskAttempts")
        attempts = [_attempt(fields, task_id) for fields in list_at(answer, "taskAttempt")]
        return tuple(sorted(attempts, key=lambda attempt: attempt.number))

    def attempt_counters(self, job_id: str, task_id: str, attempt_id: str) -> dict[str, int]:
        """An attempt's counters by ``Group.NAME``."""
        answer = self._get(f"jobs/{job_id}/tasks/{task_id}/attempts/{attempt_id}/counters")
        counted = _counted(answer.get("jobTaskAttemptCounters"), "taskAttemptCounterGroup", attempt_id)
        return {name: counter.value for name, counter in counted}

    def whole(self, job_id: str) -> JobFacts:
        """A job with its counters, its configuration, and all attempts at its tasks."""
        job, counters, conf = self.job(job_id), self.counters(job_id), self.conf(job_id)
        # Counters of attempts need a request for each of these.
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="howdah-history") as pool:
            tasks = tuple(pool.map(partial(self.whole_task, job_id), self.tasks(job_id)))
        return replace(job, counters=counters, conf=conf, tasks=tasks)

    def whole_task(self, job_id: str, task: TaskFacts) -> TaskFacts:
        """A task with all attempts at it and their counters."""
        attempts = (
            replace(attempt, counters=self.attempt_counters(job_id, task.id, attempt.id))
            for attempt in self.attempts(job_id, task.id)
        )
        return replace(task, attempts=tuple(attempts))

    def _get(self, path: str, **params: Parameter) -> Object:
        return self._web.get_object(f"{self._base}/{path}", **params)


def _job(answer: Object) -> JobFacts:
    job = parse_object(_Job, answer, "a job")
    # An application master does not report when its job was submitted.
    submit_ms = job.submit_ms or job.start_ms or 0
    fields = job.model_dump(exclude={"state", "submit_ms"})
    return JobFacts(**fields, state=state_of(job.state), submit_ms=submit_ms)


def _attempt(answer: Object, where: str) -> AttemptFacts:
    attempt = parse_object(_Attempt, answer, where)
    state = state_of(attempt.state)
    values = attempt.model_dump(exclude={"state"})
    if state in ("failed", "killed"):
        # The history server returns the attempt's end for times that are missing in its file.
        values |= {"shuffle_ms": None, "merge_ms": None}
    return AttemptFacts(**values, state=state, node=split_address(attempt.node_web)[0])


def _counted(answer: object, groups: str, where: str) -> Iterator[tuple[str, _Counter]]:
    for group in list_at(answer, groups):
        for counter in parse_list(_Counter, group, "counter", where):
            yield counter_name(str(group.get("counterGroupName", "")), counter.name), counter


class JobProgress(AnswerPart):
    id: str
    state: str  # ``NEW``, ``INITED``, ``RUNNING``, ``SUCCEEDED``, ``FAILED``, ``KILLED``, ``ERROR``.
    maps: int = Field(alias="mapsTotal")
    reduces: int = Field(alias="reducesTotal")
    maps_completed: int = Field(alias="mapsCompleted")
    reduces_completed: int = Field(0, alias="reducesCompleted")
    maps_running: int = Field(0, alias="mapsRunning")
    reduces_running: int = Field(0, alias="reducesRunning")
    map_percent: float = Field(0, alias="mapProgress")
    reduce_percent: float = Field(0, alias="reduceProgress")
    uberised: bool = Field(False, alias="uberized")  # Whether its tasks run inside the application master.

    phase: ClassVar[str | None] = None  # The phase; None if it follows from the progress of maps and reduces.

    @property
    def tasks_ended(self) -> str:
        """The tasks of each kind that have ended, of all: ``4 of 8 maps ended``."""
        kinds = (("map", self.maps_completed, self.maps), ("reduce", self.reduces_completed, self.reduces))
        counted = ", ".join(f"{done:,} of {format_counted(all_, kind)}" for kind, done, all_ in kinds if all_)
        return f"{counted} ended" if counted else ""


class AppMaster:
    """An application master, queried through the ResourceManager's proxy; methods raise ServiceError."""

    def __init__(self, web: Web, url: str) -> None:
        self.url = url  # The base of its REST interface, ``…/proxy/application_…/ws/v1/mapreduce``.
        self._client = PlainClient(web)

    def job(self) -> JobProgress | None:
        """Return its job's progress; None before the job is initialised."""
        where = f"{self.url}/jobs"
        answer = self._client.get_json(where)
        jobs = list_at(answer.get("jobs") if isinstance(answer, dict) else None, "job")
        return parse_object(JobProgress, jobs[0], where) if jobs else None
