"""What imported applications show together: which waste most, which hosts are slow, which queues wait."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import exp, log, sqrt
from statistics import NormalDist, median
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.jobs.store import JobStore, applications, texts
from howdah.model.application import ORIGIN, Application
from howdah.model.job_ranking import ORDERS, Filters

_SCALARS = tuple(
    name for name in Application.__dataclass_fields__ if name not in ("stages", "hosts", "advice")
)
_LEAST_APPLICATIONS = 5
_MOST_TASKS = 50  # A larger application counts no more: its tasks share their causes.
_CONFIDENCE = 0.95
_SLOW = 1.05


@dataclass(frozen=True)
class HostVerdict:
    """How a host's tasks compare with the same stages' tasks on other hosts."""

    host: str
    applications: int
    tasks: int
    failed: int
    slower: float | None  # Its tasks' time by a typical host's, 1.2 is 20 % longer; None for too few.
    low: float | None  # Ends of the 95 % interval, wider for many hosts.
    high: float | None
    weeks: int  # Calendar weeks with compared tasks.
    slow_weeks: int  # Those in which its tasks took over 5 % longer.

    @property
    def slow(self) -> bool:
        """Whether it is slower by more than 5 %, beyond chance."""
        return self.low is not None and self.low > _SLOW


@dataclass(frozen=True)
class QueueWait:
    """How long a queue's applications waited for their first container."""

    queue: str
    applications: int
    median_s: float
    p95_s: float
    longest_s: float
    total_s: float
    container_s: float


@dataclass(frozen=True)
class Overview:
    """Everything that `howdah jobs` shows."""

    order: str
    filters: Filters
    count: int
    stored: int  # Imported applications, those included that the filters leave out.
    since_s: float
    until_s: float
    container_s: float
    wasted_s: float
    failed: int
    applications: tuple[Application, ...]
    hosts: tuple[HostVerdict, ...]  # Slow ones first.
    queues: tuple[QueueWait, ...]

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "origin": ORIGIN,
            **vars(self),
            "filters": self.filters._asdict(),
            "applications": [application.as_json() for application in self.applications],
            "hosts": [{**asdict(host), "slow": host.slow} for host in self.hosts],
            "queues": [asdict(queue) for queue in self.queues],
        }


def overview(store: JobStore, filters: Filters, order: str = "waste", top: int = 20) -> Overview:
    """Rank the applications that the filters include, and judge hosts and queues by all of these."""
    table = store.read(_SCALARS)
    stored = table.num_rows
    table = table.filter(_mask(table, filters)) if stored else table
    wasted = np.minimum(
        _numbers(table, "container_s"),
        sum(
            (_numbers(table, name) for name in ("idle_s", "failed_s", "killed_s", "unused_memory_s")),
            np.zeros(table.num_rows),
        ),
    )
    column = ORDERS[order].column
    values = wasted if column == "wasted_s" else _numbers(table, column)
    ranks = np.argsort(-values, kind="stable")[:top]
    best = table.take(pa.array(ranks, pa.int64()))
    waits: dict[str, list[float]] = defaultdict(list)
    used: dict[str, float] = defaultdict(float)
    columns = (table[name].to_pylist() for name in ("queue", "wait_s", "container_s"))
    for queue, wait, container in zip(*columns, strict=True):
        if queue and wait is not None:
            waits[queue].append(wait)
            used[queue] += container
    queues = []
    for queue, own in waits.items():
        p95_s = float(np.quantile(own, 0.95))
        queues.append(QueueWait(queue, len(own), median(own), p95_s, max(own), sum(own), used[queue]))
    return Overview(
        order=order,
        filters=filters,
        count=table.num_rows,
        stored=stored,
        since_s=float(_numbers(table, "submit_s").min()) if table.num_rows else 0.0,
        until_s=float(_numbers(table, "end_s").max()) if table.num_rows else 0.0,
        container_s=float(_numbers(table, "container_s").sum()),
        wasted_s=float(wasted.sum()),
        failed=sum(outcome == "failed" for outcome in table["outcome"].to_pylist()),
        applications=tuple(_large(store, best)),
        hosts=_hosts(store, filters),
        queues=tuple(sorted(queues, key=lambda queue: -queue.total_s)),
    )


def find_application(store: JobStore, name: str) -> list[Application]:
    """The applications whose id, or id with attempt, is, begins or ends with ``name``; also a job's id."""
    table = store.read(_SCALARS)
    searched = name.replace("job_", "application_", 1)
    ids = texts(table, "id")
    attempts = [f"{id_}_{attempt}" for id_, attempt in zip(ids, texts(table, "attempt"), strict=True)]
    hits = [
        at
        for at, id_ in enumerate(ids)
        if id_.startswith(searched) or id_.endswith(f"_{searched}") or attempts[at] == searched
    ]
    exact = [at for at in hits if searched in (ids[at], attempts[at])]
    return _large(store, table.take(pa.array((exact or hits)[:50], pa.int64())))


def _large(store: JobStore, rows: pa.Table) -> list[Application]:
    if not rows.num_rows:
        return []
    whole = store.read(names=texts(rows, "id"))
    by_key = {(application.id, application.attempt): application for application in applications(whole)}
    keys = zip(texts(rows, "id"), texts(rows, "attempt"), strict=True)
    return [by_key[key] for key in keys]


def _mask(table: pa.Table, filters: Filters) -> pa.Array[Any]:
    mask = np.ones(table.num_rows, dtype=bool)
    queue = filters.queue and filters.queue.removeprefix("root.")
    for column, value in (("queue", queue), ("user", filters.user)):
        if value is not None:
            mask &= np.array([text == value for text in table[column].to_pylist()], dtype=bool)
    if filters.since_s is not None:
        mask &= _numbers(table, "end_s") >= filters.since_s
    if filters.until_s is not None:
        mask &= _numbers(table, "submit_s") < filters.until_s
    return pa.array(mask)


def _numbers(table: pa.Table, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return table[name].to_numpy().astype(np.float64)


class _Seen(NamedTuple):
    end_s: float
    weight: float
    slowness: float


def _hosts(store: JobStore, filters: Filters) -> tuple[HostVerdict, ...]:
    table = store.read(("hosts", "queue", "user", "submit_s"))
    if table.num_rows:
        table = table.filter(_mask(table, filters))
    if not table.num_rows:
        return ()
    column = table["hosts"]
    parents = pc.list_parent_indices(column).to_pylist()
    parts = pa.Table.from_struct_array(pc.call_function("list_flatten", [column]))
    ends = table["end_s"].to_pylist()
    seen: dict[str, list[_Seen]] = defaultdict(list)
    tasks: dict[str, int] = defaultdict(int)
    failed: dict[str, int] = defaultdict(int)
    fields = (parts[name].to_pylist() for name in ("host", "tasks", "failed", "compared", "slowness"))
    for parent, host, ran, lost, compared, slowness in zip(parents, *fields, strict=True):
        tasks[host] += ran
        failed[host] += lost
        if compared:
            seen[host].append(_Seen(ends[parent], min(compared, _MOST_TASKS), slowness))
    tested = sum(len(applications) >= _LEAST_APPLICATIONS for applications in seen.values())
    verdicts = [_verdict(host, tasks[host], failed[host], seen[host], tested) for host in tasks]
    verdicts.sort(key=lambda host: (not host.slow, -(host.low or 0), -host.failed, host.host))
    return tuple(verdicts)


def _verdict(host: str, tasks: int, failed: int, seen: Sequence[_Seen], tested: int) -> HostVerdict:
    weeks: dict[tuple[int, int], list[_Seen]] = defaultdict(list)
    for application in seen:
        year, week, _ = datetime.fromtimestamp(application.end_s, UTC).isocalendar()
        weeks[year, week].append(application)
    slow_weeks = sum(_mean(own) > log(_SLOW) for own in weeks.values())
    slower = low = high = None
    if len(seen) >= _LEAST_APPLICATIONS:
        middle, error = _mean(seen), _error(seen)
        # Every host may be slow by chance: with many hosts, intervals are wider (Bonferroni).
        factor = NormalDist().inv_cdf(1 - (1 - _CONFIDENCE) / 2 / max(1, tested))
        slower, low, high = exp(middle), exp(middle - factor * error), exp(middle + factor * error)
    return HostVerdict(host, len(seen), tasks, failed, slower, low, high, len(weeks), slow_weeks)


def _mean(seen: Sequence[_Seen]) -> float:
    weight = sum(application.weight for application in seen)
    return sum(application.weight * application.slowness for application in seen) / weight


def _error(seen: Sequence[_Seen]) -> float:
    """The standard error of the weighted mean, from the differences between applications."""
    middle, weight = _mean(seen), sum(application.weight for application in seen)
    squares = sum(
        (application.weight / weight) ** 2 * (application.slowness - middle) ** 2 for application in seen
    )
    count = len(seen)
    # For few applications a normal distribution is too narrow: that of Student's t has this variance.
    return sqrt(squares * count / (count - 3))
