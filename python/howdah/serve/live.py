"""A run under way, for however many browsers: read once a second, told to all of them alike."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic_core import to_json

from howdah.errors import RecordError
from howdah.model.base import Model
from howdah.model.run import Outcome, RunRecord
from howdah.serve.hub import Hub, encoded
from howdah.serve.places import NotServed, log_tail, run_place, signature
from howdah.store.layout import LOCK, SAMPLES, TASKS, is_locked
from howdah.store.reader import load_run_json
from howdah.store.writer import RunProgress, TableTail, read_progress

MOST_POINTS = 600


_CPU_KINDS = ("user_s", "system_s", "iowait_s", "steal_s", "idle_s")
_RATES = {
    ("disk", "read_bytes"): "disk_read",
    ("disk", "written_bytes"): "disk_write",
    ("nic", "rx_bytes"): "net_receive",
    ("nic", "tx_bytes"): "net_send",
}
_LEVELS = {
    "memory/cached_bytes": "memory_cached",
    "memory/dirty_bytes": "memory_dirty",
    "process/rss_bytes": "memory_process",
}
COLUMNS = (
    "time_s", "cpu_user", "cpu_system", "cpu_iowait", "cpu_steal",
    "disk_read", "disk_write", "net_receive", "net_send",
    "memory_process", "memory_cached", "memory_dirty",
)  # fmt: skip
"""A point: shares of all CPUs, bytes a second, bytes. None for what was not sampled."""

Point = tuple[float | None, ...]


class RunCourse:
    """The points so far; fed with samples as they come."""

    def __init__(self, lab_host: str | None) -> None:
        self._lab_host = lab_host
        self._before: dict[tuple[str, str], tuple[float, float]] = {}
        """When each counter was read last, and what it was."""
        self._levels: dict[tuple[str, str], float] = {}
        self.points: list[Point] = []
        self.step = 1  # How many samplings one point stands for.
        self._waiting: list[Point] = []

    def feed(self, samples: pa.Table) -> list[Point]:
        """Take further samples in, and return the points that they make."""
        columns: Iterator[list[Any]] = (samples.column(name).to_pylist() for name in samples.column_names)
        times, hosts, metrics, values = columns
        fresh: list[Point] = []
        begin = 0
        for place in range(1, len(times) + 1):
            if place == len(times) or times[place] != times[begin]:
                tick = zip(hosts[begin:place], metrics[begin:place], values[begin:place], strict=True)
                point = self._tick(times[begin], tick)
                if point is not None:
                    self._waiting.append(point)
                if len(self._waiting) >= self.step:
                    fresh.append(_merged(self._waiting))
                    self._waiting = []
                begin = place
        self.points += fresh
        if len(self.points) > MOST_POINTS:
            self.points = [_merged(self.points[at : at + 2]) for at in range(0, len(self.points), 2)]
            self.step *= 2
        return fresh

    def _tick(self, time_s: float, tick: Iterable[tuple[str, str, float]]) -> Point | None:
        shares: dict[str, list[float]] = {}
        spent: dict[tuple[str, str], dict[str, float]] = {}
        rates: dict[str, float] = {}
        for host, metric, value in tick:
            if host == self._lab_host:
                continue
            if metric in _LEVELS:
                self._levels[host, metric] = value
                continue
            subject, _, remainder = metric.partition("/")
            instance, _, quantity = remainder.partition("/")
            cpu = subject == "cpu" and quantity in _CPU_KINDS
            rate = _RATES.get((subject, quantity)) if instance != "lo" else None
            if not cpu and rate is None:
                continue
            before = self._before.get((host, metric))
            self._before[host, metric] = time_s, value
            if before is None or time_s <= before[0]:
                continue
            grown = max(0.0, value - before[1])
            if cpu:
                spent.setdefault((host, instance), {})[quantity] = grown
            elif rate is not None:
                rates[rate] = rates.get(rate, 0.0) + grown / (time_s - before[0])
        for kinds in spent.values():
            whole = sum(kinds.values())
            for kind, seconds in kinds.items():
                shares.setdefault(kind, []).append(seconds / whole if whole > 0 else 0.0)
        if not shares and not rates:
            return None
        cpus: list[float | None] = [
            round(100 * sum(shares_of_kind) / len(shares_of_kind), 2)
            if (shares_of_kind := shares.get(kind))
            else None
            for kind in _CPU_KINDS[:-1]
        ]
        moved = [round(rates[name]) if name in rates else None for name in _RATES.values()]
        held: dict[str, float] = {}
        for (_, metric), value in self._levels.items():
            held[metric] = held.get(metric, 0) + value
        levels = (held.get(metric) for metric in ("process/rss_bytes", *list(_LEVELS)[:2]))
        return (round(time_s, 3), *cpus, *moved, *levels)


def _merged(points: Sequence[Point]) -> Point:
    """Several points as one: at the last one's time, the mean of each value."""
    if len(points) == 1:
        return points[0]
    columns = list(zip(*points, strict=True))
    means = [
        round(sum(sampled) / len(sampled), 2)
        if (sampled := [value for value in column if value is not None])
        else None
        for column in columns[1:]
    ]
    return (points[-1][0], *means)


INTERVAL_S = 1.0
_LOG_BYTES = 16 * 2**10
_LAST_TASKS = 12


class LiveWorkload(Model):
    """One workload of a run under way."""

    name: str
    outcome: str
    elapsed_s: float


class LiveTask(Model):
    """One of the tasks that ended last."""

    workload: str
    kind: str
    task: int
    worker: str
    state: str
    start_s: float
    end_s: float
    error: str


class LiveRun(Model):
    """All that a page shows of a run under way, but for its figures and its log."""

    id: str
    outcome: str  # ``running``, how it ended, or ``gone`` where its directory was removed.
    created: str
    elapsed_s: float
    workloads: tuple[LiveWorkload, ...]
    planned: tuple[str, ...]
    progress: RunProgress | None
    left_s: float | None  # Seconds until that ends, if it goes on as it went.
    tasks: dict[str, int]
    last_tasks: tuple[LiveTask, ...]  # Those that ended last, the newest first.
    error: str


class LiveFigures(Model):
    """Points that were added to a run's figures."""

    columns: tuple[str, ...] = COLUMNS
    points: tuple[Point, ...]
    whole: bool  # Whether these are all points, and replace those that were told before.


class FollowedRun:
    """Reads on in one run's record; used by one thread at a time."""

    def __init__(self, runs_dir: Path, name: str) -> None:
        self._runs_dir, self._name = runs_dir, name
        path = run_place(runs_dir, name)
        self._samples, self._task_rows = TableTail(path, SAMPLES), TableTail(path, TASKS)
        self._record: RunRecord | None = None
        self._signature = ""
        self._course: RunCourse | None = None
        self._tasks: Counter[str] = Counter()
        self._last: list[LiveTask] = []
        self._step = 1
        self.state: LiveRun | None = None
        self.added: LiveFigures | None = None  # What the last look added to the figures.
        self.log = ""

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        return self.state is not None and self.state.outcome != Outcome.RUNNING

    @property
    def figures(self) -> LiveFigures:
        """All points so far."""
        return LiveFigures(points=tuple(self._course.points) if self._course else (), whole=True)

    def refresh(self) -> LiveRun:
        """Read what is new, and say how the run stands."""
        try:
            path = run_place(self._runs_dir, self._name)
            self.state = self._looked(path)
        except NotServed:
            self.state = self._ended("gone", "its directory was removed")
        except RecordError as error:
            self.state = self._ended("unreadable", str(error).replace(str(self._runs_dir), ""))
        return self.state

    def _looked(self, path: Path) -> LiveRun:
        lives = is_locked(path / LOCK)
        now = signature(path)
        if now != self._signature or self._record is None or not lives:
            self._record, self._signature = load_run_json(path), now
        record = self._record
        if self._course is None:
            self._course = RunCourse(
                record.cluster.lab.machine if record.cluster and record.cluster.lab else None
            )
        fresh = self._course.feed(self._samples.more())
        merged = self._course.step != self._step
        self._step = self._course.step
        self.added = self.figures if merged else LiveFigures(points=tuple(fresh), whole=False)
        self._count(self._task_rows.more())
        going = record.outcome is Outcome.RUNNING and lives
        outcome = Outcome.ABORTED if record.outcome is Outcome.RUNNING and not lives else record.outcome
        self.log = log_tail(path, _LOG_BYTES)
        progress = read_progress(path) if going else None
        elapsed_s = _since_s(record.created) if going else record.elapsed_s
        return LiveRun(
            id=self._name,
            outcome=outcome.value,
            created=record.created,
            elapsed_s=elapsed_s,
            workloads=tuple(
                LiveWorkload(name=entry.workload.kind, outcome=entry.outcome.value, elapsed_s=entry.elapsed_s)
                for entry in record.workloads
            ),
            planned=tuple(workload.kind for workload in record.suite.workloads),
            progress=progress,
            left_s=progress.left_s if progress else None,
            tasks=dict(self._tasks),
            last_tasks=tuple(self._last),
            error=record.error
            or ("" if outcome is not Outcome.ABORTED else "its process has ended before it did"),
        )

    def _ended(self, outcome: str, error: str) -> LiveRun:
        self.added = None
        empty = LiveRun(
            id=self._name, outcome=outcome, created="", elapsed_s=0.0, workloads=(), planned=(),
            progress=None, left_s=None, tasks={}, last_tasks=(), error=error,
        )  # fmt: skip
        before = self.state or empty
        return before.model_copy(
            update={"outcome": outcome, "error": error, "progress": None, "left_s": None}
        )

    def _count(self, rows: pa.Table) -> None:
        if not rows.num_rows:
            return
        for pair in zip(rows.column("kind").to_pylist(), rows.column("state").to_pylist(), strict=True):
            self._tasks[" ".join(map(str, pair))] += 1
        newest = rows.slice(max(0, rows.num_rows - _LAST_TASKS)).to_pylist()
        fields = ("workload", "kind", "task", "worker", "state", "start_s", "end_s")
        tasks = [
            LiveTask(**{name: row[name] for name in fields}, error=row["error"] or "")
            for row in reversed(newest)
        ]
        self._last = [*tasks, *self._last][:_LAST_TASKS]


def _since_s(created: str) -> float:
    try:
        began = datetime.fromisoformat(created)
    except ValueError:
        return 0.0
    if began.tzinfo is None:
        began = began.replace(tzinfo=UTC)
    return max(0.0, time.time() - began.timestamp())


class LiveRuns:
    """The runs that somebody watches, each read by one task for all who do."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._followed: dict[str, tuple[FollowedRun, asyncio.Task[None]]] = {}

    async def begin(self, runs_dir: Path, name: str) -> bytes:
        """Follow a run, unless that is done already, and return what a page has to know first.

        Raises NotServed where there is no such run.
        """
        topic = self.topic(runs_dir, name)
        if topic not in self._followed:
            followed = FollowedRun(runs_dir, name)
            await asyncio.to_thread(followed.refresh)
            if topic not in self._followed:
                self._followed[topic] = followed, asyncio.create_task(self._follow(topic, followed))
        followed, _ = self._followed[topic]
        assert followed.state is not None
        return (
            encoded("state", followed.state.model_dump_json())
            + encoded("figures", followed.figures.model_dump_json())
            + encoded("log", _text(followed.log))
        )

    @staticmethod
    def topic(runs_dir: Path, name: str) -> str:
        """What those who watch a run listen to."""
        return f"run/{runs_dir}/{name}"

    async def _follow(self, topic: str, followed: FollowedRun) -> None:
        try:
            while True:
                await asyncio.sleep(INTERVAL_S)
                if not self._hub.count(topic):
                    return
                before = followed.log
                state = await asyncio.to_thread(followed.refresh)
                self._hub.publish(topic, "state", state.model_dump_json())
                if followed.log != before:
                    self._hub.publish(topic, "log", _text(followed.log))
                if followed.added and followed.added.points:
                    self._hub.publish(topic, "figures", followed.added.model_dump_json())
                if followed.over:
                    return
        finally:
            self._followed.pop(topic, None)

    async def close(self) -> None:
        """Follow nothing any more."""
        tasks = [task for _, task in self._followed.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _text(text: str) -> str:
    return to_json({"text": text}).decode()
