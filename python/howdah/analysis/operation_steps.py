"""Operations counted by how long they took, step by step of a workload: histograms of all clients, merged.

Only operations that were asked of the cluster as a whole are among these; what one machine asks another
(round trips) has no course.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from howdah.analysis.evidence import FloatArray, LatencyCourse, MachineOfRun, WorkloadTime
from howdah.analysis.timeline import Timeline
from howdah.model.latencies import LatencyHistogram, counted, up_to_s
from howdah.model.tables import RunData

SHARES = (0.5, 0.95, 0.99, 0.999)
"""The shares whose times are told step by step."""
ALL = "all requests"
"""What all operations together are called."""
MOST_STEPS = 600
_INTENDED = ", intended"
_OF_OTHERS = frozenset({"read-modify-write"})
"""Operations that are made of others, which are counted by themselves."""


class TimedRun(NamedTuple):
    """A run with the operations of its workloads, by workload and operation, counted step by step."""

    run: RunData
    timeline: Timeline
    machines: tuple[MachineOfRun, ...]
    times: tuple[WorkloadTime, ...]
    steps: Mapping[str, Mapping[str, StepCounts]]

    def requests(self, time: WorkloadTime) -> StepCounts | None:
        """All requests of a workload; None where none was timed."""
        return self.steps.get(time.workload, {}).get(ALL)

    def clients(self, time: WorkloadTime) -> tuple[str, ...]:
        """The machines that asked."""
        rows = self.run.latencies.select(["workload", "host"]).to_pylist()
        return tuple(dict.fromkeys(str(row["host"]) for row in rows if row["workload"] == time.workload))

    def host_of(self, machine: str) -> str:
        """The host that a machine is on; its own name where nothing tells."""
        return next((one.host for one in self.machines if one.name == machine), machine)


class StepCounts(NamedTuple):
    """How many operations took how long in each step.

    ``edges_s`` bounds the steps, seconds since the run's start; ``counts`` has a row for each of them and a
    column for each place of ``howdah.model.latencies.up_to_s``.
    """

    edges_s: FloatArray
    counts: NDArray[np.int64]

    @property
    def step_s(self) -> float:
        """How long a step is."""
        return float(np.diff(self.edges_s).mean())

    @property
    def operations(self) -> NDArray[np.int64]:
        """How many ended in each step."""
        return np.asarray(self.counts.sum(axis=1))

    def within_s(self, share: float) -> FloatArray:
        """The time within which a share of each step's operations ended; NaN where none did."""
        return _within_s(self.counts, share)

    def together_s(self, share: float, steps: NDArray[np.bool_] | None = None) -> float | None:
        """The same over many steps, all of them unless told which; None where none ended in them."""
        rows = self.counts if steps is None else self.counts[steps]
        merged = rows.sum(axis=0, keepdims=True)
        return float(_within_s(merged, share)[0]) if merged.sum() else None

    def longest_s(self) -> FloatArray:
        """The slowest operation of each step; NaN where none ended."""
        return _within_s(self.counts, 1.0)

    def slower(self, than_s: float) -> NDArray[np.int64]:
        """How many operations of each step took longer."""
        first = int(np.searchsorted(up_to_s(self.counts.shape[1]), than_s, side="right"))
        return np.asarray(self.counts[:, first:].sum(axis=1))

    def mean_s(self) -> float:
        """The mean time of all operations."""
        every = self.counts.sum(axis=0)
        return float(every @ up_to_s(len(every)) / every.sum())


def _within_s(counts: NDArray[np.int64], share: float) -> FloatArray:
    """HdrHistogram's own rule: the first place with so many operations up to it, rounded to the nearest."""
    totals = counts.sum(axis=1)
    wanted = np.maximum(1, np.floor(share * totals + 0.5)).astype(np.int64)
    places = (np.cumsum(counts, axis=1) >= wanted[:, None]).argmax(axis=1)
    times_s = up_to_s(counts.shape[1])
    return np.where(totals > 0, times_s[places] if len(times_s) else np.nan, np.nan)


def operation_steps(run: RunData, time: WorkloadTime) -> dict[str, StepCounts]:
    """Every operation of a workload, all requests together first; empty where none was timed."""
    rows = [
        LatencyHistogram(*values)
        for values in zip(*(column.to_pylist() for column in run.latencies.columns), strict=True)
    ]
    rows = [row for row in rows if row.workload == time.workload and row.peer is None and row.operations]
    if not rows or time.end_s <= time.start_s:
        return {}
    edges_s = _edges(rows, time)
    found: dict[str, StepCounts] = {}
    for operation in dict.fromkeys(row.operation for row in rows):
        found[operation] = _counts([row for row in rows if row.operation == operation], edges_s)
    asked = [steps for operation, steps in found.items() if is_request(operation)]
    if not asked:
        return {}
    return {ALL: StepCounts(edges_s, _sum(steps.counts for steps in asked)), **found}


def is_request(operation: str) -> bool:
    """Whether a client sent one request for each of these, and counted its own time."""
    return operation not in _OF_OTHERS and not operation.endswith(_INTENDED)


def timed_run(
    run: RunData,
    timeline: Timeline,
    machines: tuple[MachineOfRun, ...],
    times: tuple[WorkloadTime, ...],
) -> TimedRun:
    """The run with its operations counted."""
    return TimedRun(
        run, timeline, machines, times, {time.workload: operation_steps(run, time) for time in times}
    )


def courses(timed: TimedRun) -> tuple[LatencyCourse, ...]:
    """The course of every operation of every workload."""
    return tuple(
        LatencyCourse(
            workload=workload,
            operation=operation,
            requests=operation == ALL,
            edges_s=counts.edges_s,
            per_s=counts.operations / np.diff(counts.edges_s),
            within_s=tuple((share, counts.within_s(share)) for share in SHARES),
            longest_s=counts.longest_s(),
        )
        for workload, operations in timed.steps.items()
        for operation, counts in operations.items()
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
    counts = np.zeros((len(edges_s) - 1, max(len(values) for values in each.values())), dtype=np.int64)
    for step, values in each.items():
        counts[step, : len(values)] = values
    return StepCounts(edges_s, counts)


def _sum(tables: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Tables of the same steps added up, whose slowest operations differ."""
    every = list(tables)
    total = np.zeros((len(every[0]), max(table.shape[1] for table in every)), dtype=np.int64)
    for table in every:
        total[:, : table.shape[1]] += table
    return total
