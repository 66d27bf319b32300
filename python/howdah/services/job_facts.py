"""Facts about a MapReduce job, its tasks and attempts, from any of Hadoop's reporters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from howdah.model.cluster import CounterValue

Kind = Literal["map", "reduce"]  # The tasks that howdah records, without a job's set-up and clean-up.
State = Literal["running", "succeeded", "failed", "killed"]

ATTEMPTS_PER_MASTER = 1000  # The first attempt number of a job's second application master.
LOCAL_COUNTERS = "FileSystemCounter.FILE_"  # Begins the names of counters of a task's own disks.
_NO_COUNTERS: Mapping[str, int] = MappingProxyType({})
_ATTEMPT = re.compile(r"(?:attempt|task)_(\d+_\d+)_([mr])_(\d+)(?:_(\d+))?")


class TaskNumber(NamedTuple):
    """The parts of a task's or attempt's id: ``attempt_1700000000000_0001_m_000003_1``."""

    kind: Kind
    task: int
    attempt: int


@dataclass(frozen=True)
class AttemptFacts:
    id: str  # ``attempt_1700000000000_0001_m_000003_1``.
    state: State  # Its last known state; ``running`` if the reporter has no end of it.
    start_ms: int | None  # Milliseconds since 1970 on Hadoop's clock; None if it never began.
    finish_ms: int | None = None
    shuffle_ms: int | None = None  # Time at which a reduce had fetched all map output.
    merge_ms: int | None = None  # Time at which a reduce had merged it.
    node: str = ""  # The NodeManager's host name; empty if it had no container.
    node_web: str = ""  # ``HOST:PORT`` of the NodeManager's web server.
    container: str = ""  # ``container_1700000000000_0001_01_000002``.
    locality: str = ""  # Hadoop's own word, ``NODE_LOCAL``; empty if the reporter has none.
    error: str = ""  # Hadoop's reason for its failure, stack traces included.
    counters: Mapping[str, int] = field(default_factory=lambda: _NO_COUNTERS)

    @property
    def number(self) -> TaskNumber:
        return task_number(self.id)

    @property
    def master(self) -> int:
        return self.number.attempt // ATTEMPTS_PER_MASTER

    @property
    def task(self) -> str:
        return f"task{self.id.removeprefix('attempt').rpartition('_')[0]}"


@dataclass(frozen=True)
class TaskFacts:
    id: str  # ``task_1700000000000_0001_m_000003``.
    state: State
    attempts: tuple[AttemptFacts, ...]  # In the order of their numbers.
    winner: str = ""  # The attempt whose output is used.
    split_hosts: tuple[str, ...] = ()  # The hosts with its input; empty if the reporter has none.
    error: str = ""

    @property
    def kind(self) -> Kind:
        return task_number(self.id).kind


class MasterStart(NamedTuple):
    number: int
    start_ms: int
    node: str


@dataclass(frozen=True)
class JobFacts:
    """One job, its tasks and counters. Times are milliseconds since 1970 on Hadoop's clock."""

    id: str  # ``job_1700000000000_0001``.
    name: str
    queue: str
    state: State
    submit_ms: int
    start_ms: int | None = None  # Time at which its application master had initialised it.
    finish_ms: int | None = None
    user: str = ""
    diagnostics: str = ""  # Hadoop's reason for its failure.
    maps: int = 0
    reduces: int = 0
    counters: Mapping[str, CounterValue] = field(default_factory=lambda: MappingProxyType({}))
    conf: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Its configuration if it was requested; empty if the reporter has none."""
    tasks: tuple[TaskFacts, ...] = ()  # Maps first, by number.
    masters: tuple[MasterStart, ...] = ()  # Its application masters in order; empty if the reporter has none.


_WORDS: dict[State, tuple[str, ...]] = {
    "succeeded": ("SUCCEEDED",),
    "failed": ("FAILED", "ERROR", "FAIL_TASK_CLEANUP", "FAIL_CONTAINER_CLEANUP", "FAIL_FINISHING_CONTAINER"),
    "killed": ("KILLED", "KILL_WAIT", "KILL_ABORT", "KILL_CONTAINER_CLEANUP", "KILL_TASK_CLEANUP"),
}


def state_of(word: str) -> State:
    """Return one of howdah's four states for a state of Hadoop."""
    return next((state for state, words in _WORDS.items() if word.upper() in words), "running")


def task_number(name: str) -> TaskNumber:
    """Return the parts of a task's or attempt's id; raise ValueError for other ids."""
    match = _ATTEMPT.fullmatch(name)
    if match is None:
        raise ValueError(f"{name} is not the id of a map or reduce task")
    kind: Kind = "map" if match[2] == "m" else "reduce"
    return TaskNumber(kind, int(match[3]), int(match[4] or 0))


def counter_name(group: str, name: str) -> str:
    """Return howdah's name of a counter, its group without package: ``TaskCounter.SPILLED_RECORDS``."""
    return f"{group.strip().rpartition('.')[2]}.{name}"


def shared_bytes(counters: Mapping[str, int], ending: str) -> int:
    """Bytes of file systems other than the local one, HDFS or a store: ``BYTES_READ``."""
    return sum(
        value
        for name, value in counters.items()
        if name.startswith("FileSystemCounter.")
        and name.endswith(f"_{ending}")
        and not name.startswith(LOCAL_COUNTERS)
    )


def in_order(tasks: Mapping[str, TaskFacts]) -> tuple[TaskFacts, ...]:
    return tuple(tasks[name] for name in sorted(tasks, key=task_number))


def is_task(name: str) -> bool:
    """Whether this is the id of a map or reduce task; old releases also report a job's set-up."""
    return _ATTEMPT.fullmatch(name) is not None
