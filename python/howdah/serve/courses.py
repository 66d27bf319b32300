"""What the machines of a run under way did, second by second, as far as it was sampled.

Counters become rates between two samplings; machines are added up, and of processors the mean is taken. The
machine beneath a laboratory is left out, as reports do. Of a long run neighbouring points are merged, so that
a page that is opened late has no more to draw than one that was there from the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

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


class _Before(NamedTuple):
    time_s: float
    value: float


class RunCourse:
    """The points so far; fed with samples as they come."""

    def __init__(self, beneath: str | None) -> None:
        self._beneath = beneath
        self._before: dict[tuple[str, str], _Before] = {}
        self._levels: dict[tuple[str, str], float] = {}
        self.points: list[Point] = []
        self.step = 1
        """How many samplings one point stands for."""
        self._waiting: list[Point] = []

    def feed(self, samples: pa.Table) -> list[Point]:
        """Take further samples in, and return the points that they make."""
        times, hosts, metrics, values = (_column(samples, name) for name in samples.column_names)
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
            if host == self._beneath:
                continue
            if metric in _LEVELS:
                self._levels[host, metric] = value
                continue
            subject, _, rest = metric.partition("/")
            instance, _, quantity = rest.partition("/")
            cpu = subject == "cpu" and quantity in _CPU_KINDS
            rate = _RATES.get((subject, quantity)) if instance != "lo" else None
            if not cpu and rate is None:
                continue
            before = self._before.get((host, metric))
            self._before[host, metric] = _Before(time_s, value)
            if before is None or time_s <= before.time_s:
                continue
            grown = max(0.0, value - before.value)
            if cpu:
                spent.setdefault((host, instance), {})[quantity] = grown
            elif rate is not None:
                rates[rate] = rates.get(rate, 0.0) + grown / (time_s - before.time_s)
        for kinds in spent.values():
            whole = sum(kinds.values())
            for kind, seconds in kinds.items():
                shares.setdefault(kind, []).append(seconds / whole if whole > 0 else 0.0)
        if not shares and not rates:
            return None
        cpus: list[float | None] = [
            round(100 * sum(each) / len(each), 2) if (each := shares.get(kind)) else None
            for kind in _CPU_KINDS[:-1]
        ]
        moved = [round(rates[name]) if name in rates else None for name in _RATES.values()]
        held = [self._held(metric) for metric in ("process/rss_bytes", *list(_LEVELS)[:2])]
        return (round(time_s, 3), *cpus, *moved, *held)

    def _held(self, wanted: str) -> float | None:
        each = [value for (_, metric), value in self._levels.items() if metric == wanted]
        return sum(each) if each else None


def _column(samples: pa.Table, name: str) -> list[Any]:
    return samples.column(name).to_pylist()


def _merged(points: Sequence[Point]) -> Point:
    """Several points as one: at the last one's time, the mean of each value."""
    if len(points) == 1:
        return points[0]
    columns = list(zip(*points, strict=True))
    means = [
        round(sum(known) / len(known), 2)
        if (known := [value for value in column if value is not None])
        else None
        for column in columns[1:]
    ]
    return (points[-1][0], *means)
