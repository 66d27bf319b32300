"""A MapReduce job as Hadoop reports it, whoever does: what all reporters have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

Kind = Literal["map", "reduce"]
"""The tasks that howdah records; a job's set-up and clean-up are none of them."""

State = Literal["running", "succeeded", "failed", "killed"]

OF_ONE_MASTER = 1000
"""The attempts of a job's second application master are numbered from here on."""

_NOTHING: Mapping[str, int] = MappingProxyType({})
_ATTEMPT = re.compile(r"(?:attempt|task)_(\d+_\d+)_([mr])_(\d+)(?:_(\d+))?")


class Sums(NamedTuple):
    """A counter over a job's map tasks, over its reduce tasks, and over the job."""

    map: int
    reduce: int
    total: int


class TaskNumber(NamedTuple):
    """What the id of a task or an attempt says: ``attempt_1700000000000_0001_m_000003_1``."""

    kind: Kind
    task: int
    attempt: int
    """0 for a task's own id."""


@dataclass(frozen=True)
class AttemptFacts:
    """One attempt at a task."""

    id: str
    """``attempt_1700000000000_0001_m_000003_1``."""
    state: State
    """How it ended; ``running`` if the reporter saw no end of it."""
    start_ms: int | None
    """When it began, milliseconds since 1970 on Hadoop's clock; None if it never did."""
    finish_ms: int | None = None
    """When it ended."""
    shuffle_ms: int | None = None
    """When a reduce had all its map output."""
    merge_ms: int | None = None
    """When a reduce had merged it."""
    node: str = ""
    """The NodeManager's host name; empty if it was given no container."""
    node_web: str = ""
    """``HOST:PORT`` of the NodeManager's web server."""
    container: str = ""
    """``container_1700000000000_0001_01_000002``."""
    locality: str = ""
    """Hadoop's own word, ``NODE_LOCAL``; empty where the reporter has none."""
    error: str = ""
    """Why it failed or was killed, as Hadoop says it, its traces included."""
    counters: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    """Its counters by ``Group.NAME``."""

    @property
    def number(self) -> TaskNumber:
        """Which task and which attempt at it."""
        return task_number(self.id)

    @property
    def master(self) -> int:
        """Which of its job's application masters began it, counted from 0."""
        return self.number.attempt // OF_ONE_MASTER

    @property
    def task(self) -> str:
        """The id of its task."""
        return f"task{self.id.removeprefix('attempt').rpartition('_')[0]}"


@dataclass(frozen=True)
class TaskFacts:
    """One task and the attempts at it."""

    id: str
    """``task_1700000000000_0001_m_000003``."""
    state: State
    """What became of it."""
    attempts: tuple[AttemptFacts, ...]
    """In the order of their numbers."""
    winner: str = ""
    """The attempt whose output was taken."""
    split_hosts: tuple[str, ...] = ()
    """The host names that hold its input; empty where the reporter does not say."""
    error: str = ""
    """Why it failed."""

    @property
    def kind(self) -> Kind:
        """Whether it maps or reduces."""
        return task_number(self.id).kind


class MasterStart(NamedTuple):
    """One application master of a job."""

    number: int
    """Which one, from 1."""
    start_ms: int
    """When it began, milliseconds since 1970 on Hadoop's clock."""
    node: str
    """The NodeManager's host name."""


@dataclass(frozen=True)
class JobFacts:
    """One job, its tasks and counters. Times are milliseconds since 1970 on Hadoop's clock."""

    id: str
    """``job_1700000000000_0001``."""
    name: str
    queue: str
    state: State
    """What became of it."""
    submit_ms: int
    """When it was handed in."""
    start_ms: int | None = None
    """When its application master had it ready."""
    finish_ms: int | None = None
    """When it ended."""
    user: str = ""
    diagnostics: str = ""
    """Why it failed, as Hadoop says it."""
    maps: int = 0
    """Map tasks."""
    reduces: int = 0
    """Reduce tasks."""
    counters: Mapping[str, Sums] = field(default_factory=lambda: MappingProxyType({}))
    """Every counter by ``Group.NAME``."""
    conf: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Its configuration as far as it was asked for; empty where the reporter has none."""
    tasks: tuple[TaskFacts, ...] = ()
    """Its tasks, maps first, by number."""
    masters: tuple[MasterStart, ...] = ()
    """Its application masters in their order; empty where the reporter does not say."""


def state_of(word: str) -> State:
    """A state of Hadoop's, of which there are many, as one of howdah's four."""
    match word.upper():
        case "SUCCEEDED" | "FAILED" | "KILLED" as ended:
            return ended.lower()  # type: ignore[return-value]
        case "ERROR" | "FAIL_TASK_CLEANUP" | "FAIL_CONTAINER_CLEANUP" | "FAIL_FINISHING_CONTAINER":
            return "failed"
        case "KILL_WAIT" | "KILL_ABORT" | "KILL_CONTAINER_CLEANUP" | "KILL_TASK_CLEANUP":
            return "killed"
        case _:
            return "running"


def task_number(name: str) -> TaskNumber:
    """What an id of a task or an attempt says; raises ValueError if it is none of a map or reduce."""
    match = _ATTEMPT.fullmatch(name)
    if match is None:
        raise ValueError(f"{name} is not the id of a map or reduce task")
    kind: Kind = "map" if match[2] == "m" else "reduce"
    return TaskNumber(kind, int(match[3]), int(match[4] or 0))


def counter_name(group: str, name: str) -> str:
    """A counter as howdah calls it, the group without its package: ``TaskCounter.SPILLED_RECORDS``."""
    return f"{group.strip().rpartition('.')[2]}.{name}"


def in_order(tasks: Mapping[str, TaskFacts]) -> tuple[TaskFacts, ...]:
    """Tasks by kind and number, whatever order they were told in."""
    return tuple(tasks[name] for name in sorted(tasks, key=task_number))


def is_task(name: str) -> bool:
    """Whether this is the id of a map or reduce task: releases of old also told of a job's set-up."""
    return _ATTEMPT.fullmatch(name) is not None
