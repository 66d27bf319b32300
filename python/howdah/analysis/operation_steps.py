"""Operations counted by how long they took, step by step of a workload: histograms of all clients, merged.

Only operations that were asked of the cluster as a whole are among these; what one machine asks another
(round trips) has no course.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from howdah.analysis.evidence.operations import LatencyCourse
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.use import FloatArray, MachineOfRun
from howdah.analysis.stalls import Stretch, fault_stalls, in_stretches, outside, stood_still
from howdah.analysis.timeline import Timeline
from howdah.model.reported import LatencyHistogram, together
from howdah.model.tables import RunData

_MICROSECONDS: Final = 1_000_000
_HALF: Final = 10
"""Half of the places that are of one width, as a power of two: the least that keeps three digits."""


def counted(histograms: Iterable[str]) -> NDArray[np.int64]:
    """Histograms together as how many operations took how long: one count for each place of ``up_to_s``.

    What lies beyond the slowest operation is left out, so that many of them take little room.
    """
    counts = np.frombuffer(together(histograms).counts, dtype=np.uint64)
    used = np.flatnonzero(counts)
    return counts[: used[-1] + 1 if len(used) else 0].astype(np.int64)


def up_to_s(places: int) -> NDArray[np.float64]:
    """The longest time that each of a histogram's first places stands for, seconds.

    HdrHistogram.java's ``valueFromIndex`` and ``highestEquivalentValue`` for three digits: the first 2048
    places are a microsecond wide each, and every 1024 after them twice as wide as those before.
    """
    at = np.arange(places, dtype=np.int64)
    doubled = np.maximum((at >> _HALF) - 1, 0)
    within = np.where(at >> _HALF, (at & ((1 << _HALF) - 1)) + (1 << _HALF), at)
    highest: NDArray[np.int64] = (within << doubled) + (1 << doubled) - 1
    return highest / _MICROSECONDS


SHARES = (0.5, 0.95, 0.99, 0.999)
"""The shares whose times are told step by step."""
ALL = "all requests"
"""What all operations together are called."""
MOST_STEPS = 600
INTENDED = ", intended"
"""Ends the name of an operation timed from when it should have begun, at the rate that was asked for."""
_OF_OTHERS = frozenset({"read-modify-write"})
"""Operations that are made of others, which are counted by themselves."""


class TimedRun(NamedTuple):
    """A run with the requests of its workloads counted step by step, and the course of each operation."""

    run: RunData
    timeline: Timeline
    machines: tuple[MachineOfRun, ...]
    times: tuple[WorkloadTime, ...]
    steps: Mapping[str, StepCounts]
    courses: tuple[LatencyCourse, ...]
    still: Mapping[str, tuple[Stretch, ...]]
    """When each workload got no answers after faults."""

    def apart(self, time: WorkloadTime) -> tuple[Stretch, ...]:
        """The stretches of a workload in which it got answers: what limited it is judged in these."""
        return outside((time.start_s, time.end_s), self.still[time.workload])

    def requests(self, time: WorkloadTime) -> StepCounts | None:
        """All requests of a workload; None where none was timed."""
        return self.steps.get(time.workload)

    def clients(self, time: WorkloadTime) -> tuple[str, ...]:
        """The machines that asked."""
        rows = _rows_of(self.run, time)
        return tuple(str(host) for host in rows.column("host").unique().to_pylist())

    def host_of(self, machine: str) -> str:
        """The host that a machine is on; its own name where nothing tells."""
        return next((entry.host for entry in self.machines if entry.name == machine), machine)


class StepCounts(NamedTuple):
    """How many operations took how long in each step.

    ``edges_s`` bounds the steps, seconds since the run's start; ``counts`` has a row for each of them and a
    column for each place of ``howdah.analysis.operation_steps.up_to_s``.
    """

    edges_s: FloatArray
    counts: NDArray[np.int32]

    @property
    def step_s(self) -> float:
        """How long a step is."""
        return float(np.diff(self.edges_s).mean())

    @property
    def operations(self) -> NDArray[np.int64]:
        """How many ended in each step."""
        return np.asarray(self.counts.sum(axis=1, dtype=np.int64))

    def within_s(self, share: float) -> FloatArray:
        """The time within which a share of each step's operations ended; NaN where none did."""
        return _within_s(self.counts, share)

    def together_s(self, share: float, steps: NDArray[np.bool_] | None = None) -> float | None:
        """The same over many steps, all of them unless told which; None where none ended in them."""
        rows = self.counts if steps is None else self.counts[steps]
        merged = rows.sum(axis=0, keepdims=True, dtype=np.int64)
        return float(_within_s(merged, share)[0]) if merged.sum() else None

    def longest_s(self) -> FloatArray:
        """The slowest operation of each step; NaN where none ended."""
        return _within_s(self.counts, 1.0)

    def slower(self, than_s: float) -> NDArray[np.int64]:
        """How many operations of each step took longer."""
        first = int(np.searchsorted(up_to_s(self.counts.shape[1]), than_s, side="right"))
        return np.asarray(self.counts[:, first:].sum(axis=1, dtype=np.int64))

    def mean_s(self) -> float:
        """The mean time of all operations."""
        every = self.counts.sum(axis=0, dtype=np.int64)
        return float(every @ up_to_s(len(every)) / every.sum())

    def apart(self, still: Sequence[Stretch]) -> StepCounts:
        """The same without the steps in which all stood still, and without what was under way meanwhile."""
        if not still:
            return self
        counts = self.counts * ~in_stretches(self.edges_s, still)[:, None]
        shortest_s = min(end_s - start_s for start_s, end_s in still)
        counts[:, up_to_s(counts.shape[1]) >= shortest_s] = 0
        return self._replace(counts=counts)


def _within_s(counts: NDArray[np.integer[Any]], share: float) -> FloatArray:
    """HdrHistogram's own rule: the first place with so many operations up to it, rounded up."""
    totals = counts.sum(axis=1, dtype=np.int64)
    wanted = np.maximum(1, np.ceil(share * totals - 1e-9)).astype(np.int64)
    places = (np.cumsum(counts, axis=1, dtype=np.int64) >= wanted[:, None]).argmax(axis=1)
    times_s = up_to_s(counts.shape[1])
    return np.where(totals > 0, times_s[places] if len(times_s) else np.nan, np.nan)


def operation_steps(run: RunData, time: WorkloadTime) -> Iterator[tuple[str, StepCounts]]:
    """All requests of a workload together, then every operation; nothing where none was timed.

    The counts of a long workload take room, so that they are given one by one and only their sum is kept.
    """
    table = _rows_of(run, time)
    rows = [
        row
        for values in zip(*(column.to_pylist() for column in table.columns), strict=True)
        if (row := LatencyHistogram(*values)).peer is None and row.operations
    ]
    requests = [row for row in rows if is_request(row.operation)]
    if not requests or time.end_s <= time.start_s:
        return
    edges_s = _edges(rows, time)
    yield ALL, _counts(requests, edges_s)
    for operation in dict.fromkeys(row.operation for row in rows):
        yield operation, _counts([row for row in rows if row.operation == operation], edges_s)


def _rows_of(run: RunData, time: WorkloadTime) -> pa.Table:
    """A workload's intervals by their middles: its kind may have run before, if only to warm up."""
    rows, kind = run.latencies, run.record.workloads[time.index].workload.kind
    rows = rows.filter(pc.equal(rows.column("workload"), pa.scalar(kind)))
    starts, ends = (rows.column(name).to_numpy() for name in ("start_s", "end_s"))
    middles = (starts + ends) / 2
    return rows.filter(pa.array((middles >= time.start_s) & (middles <= time.end_s)))


def is_request(operation: str) -> bool:
    """Whether a client sent one request for each of these, and counted its own time."""
    return operation not in _OF_OTHERS and not operation.endswith(INTENDED)


def timed_run(
    run: RunData, timeline: Timeline, machines: tuple[MachineOfRun, ...], times: tuple[WorkloadTime, ...]
) -> TimedRun:
    """The run with its operations counted."""
    steps: dict[str, StepCounts] = {}
    courses: list[LatencyCourse] = []
    still: dict[str, tuple[Stretch, ...]] = {}
    stalls = [each.own for each in fault_stalls(run.record) if each.own is not None]
    for time in times:
        every: LatencyCourse | None = None
        for operation, counts in operation_steps(run, time):
            courses.append(_course(time.workload, operation, counts))
            if operation == ALL:
                steps[time.workload], every = counts, courses[-1]
        still[time.workload] = stood_still(time, every, stalls)
    return TimedRun(run, timeline, machines, times, steps, tuple(courses), still)


def _course(workload: str, operation: str, counts: StepCounts) -> LatencyCourse:
    return LatencyCourse(
        workload=workload,
        operation=operation,
        requests=operation == ALL,
        edges_s=counts.edges_s,
        per_s=counts.operations / np.diff(counts.edges_s),
        within_s=tuple((share, counts.within_s(share)) for share in SHARES),
        longest_s=counts.longest_s(),
    )


def _edges(rows: Sequence[LatencyHistogram], time: WorkloadTime) -> FloatArray:
    """Equal steps from the first interval to the last, none shorter than an interval or than a second."""
    start_s, end_s = min(row.start_s for row in rows), max(row.end_s for row in rows)
    interval_s = float(np.median([row.end_s - row.start_s for row in rows]))
    step_s = max(1.0, round(interval_s), np.ceil((end_s - start_s) / MOST_STEPS))
    many = max(1, round((end_s - start_s) / step_s))
    return np.asarray(start_s + (end_s - start_s) * np.arange(many + 1) / many)


def _counts(rows: Sequence[LatencyHistogram], edges_s: FloatArray) -> StepCounts:
    """The rows by steps; an interval counts for the step that its middle is in."""
    middles = np.array([(row.start_s + row.end_s) / 2 for row in rows])
    at = np.clip(np.searchsorted(edges_s, middles, side="right") - 1, 0, len(edges_s) - 2)
    histograms: defaultdict[int, list[str]] = defaultdict(list)
    for step, row in zip(at, rows, strict=True):
        histograms[int(step)].append(row.histogram)
    each = {step: counted(texts) for step, texts in histograms.items()}
    counts = np.zeros((len(edges_s) - 1, max(len(values) for values in each.values())), dtype=np.int32)
    for step, values in each.items():
        counts[step, : len(values)] = values
    return StepCounts(edges_s, counts)
