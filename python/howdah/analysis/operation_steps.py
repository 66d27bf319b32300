"""Operations step by step of a workload, by how long they took, and stretches in which nothing was answered.

Only operations that were asked of the cluster as a whole are among these; what one machine asks another
(round trips) has no course.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from howdah.analysis.evidence.losses import FaultStalls, Stall
from howdah.analysis.evidence.operations import LatencyCourse
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.use import FloatArray, MachineOfRun
from howdah.analysis.machines import Timeline
from howdah.model.faults import AT_ONCE, Action, ProbeOutage
from howdah.model.placement import stretches
from howdah.model.reported import LatencyHistogram, together
from howdah.model.run import RunRecord
from howdah.model.tables import RunData

SOON_S = 5.0  # What begins so soon after something is taken to follow from it.
FOLLOWS_S = 2.0  # An outage so soon after another one continues it: clients ask every two seconds.
_AT_ONCE_S = 1.0  # What is under way so soon after a fault may be short and belong to it all the same.
UNUSUAL = 1.5  # So many times longer than any outage before a fault is reported even if it began later.
IDLE = 0.1  # Clients that do less than this part of their usual work still wait.
_ONCE = AT_ONCE | {Action.KILL}  # What is over when it is done, before its target is back.

Stretch = tuple[float, float]


def fault_stalls(record: RunRecord) -> tuple[FaultStalls, ...]:
    """Every fault that was done, and the stalls from then until the next one was."""
    done = sorted(
        ((fault.begun_s, fault) for fault in record.faults if fault.begun_s is not None),
        key=lambda pair: pair[0],
    )
    ends = [*(begun_s for begun_s, _ in done[1:]), record.elapsed_s]
    every = [(outage, number) for number, probe in enumerate(record.probes) for outage in probe.outages]
    before = (outage.elapsed_s for outage, _ in every if done and outage.end_s <= done[0][0])
    usual_s = max(before, default=0.0)
    result = []
    for (begun_s, fault), until_s in zip(done, ends, strict=False):
        mine = [
            (outage, number)
            for outage, number in every
            if begun_s < outage.end_s
            and outage.start_s < until_s
            and (outage.elapsed_s > UNUSUAL * usual_s or outage.start_s <= begun_s + _AT_ONCE_S)
        ]
        stalls = _grouped(mine)
        acts_until_s = begun_s
        if Action(fault.fault.split()[0]) not in _ONCE:
            acts_until_s = fault.ended_s if fault.ended_s is not None else math.inf
        # The fault itself, and not only what it left, keeps a cluster from answering until then.
        begins = bool(stalls) and stalls[0].start_s <= acts_until_s + SOON_S
        own, later = (stalls[0], stalls[1:]) if begins else (None, stalls)
        result.append(FaultStalls(fault, begun_s, until_s, own, tuple(later), usual_s))
    return tuple(result)


def _grouped(outages: Sequence[tuple[ProbeOutage, int]]) -> list[Stall]:
    """Outages with the number of their probe, those joined that overlap or directly follow one another."""
    groups: list[list[tuple[ProbeOutage, int]]] = []
    for pair in sorted(outages, key=lambda pair: pair[0].start_s):
        if groups and pair[0].start_s <= max(outage.end_s for outage, _ in groups[-1]) + FOLLOWS_S:
            groups[-1].append(pair)
        else:
            groups.append([pair])
    return [
        Stall(
            start_s=min(outage.start_s for outage, _ in group),
            end_s=max(outage.end_s for outage, _ in group),
            probes=len({number for _, number in group}),
            longest_s=max(outage.elapsed_s for outage, _ in group),
            ended=all(outage.ended for outage, _ in group),
        )
        for group in groups
    ]


def longest_wait_s(course: LatencyCourse, stretch: Stretch) -> float:
    """The slowest of the requests that were under way in a stretch; zero where none was."""
    longest_s = np.nan_to_num(course.longest_s)
    begun_s, ended_s = course.edges_s[:-1] - longest_s, course.edges_s[1:]
    touched = (begun_s <= stretch[1]) & (ended_s >= stretch[0])
    return float(longest_s[touched].max(initial=0.0))


def stood_still(
    time: WorkloadTime, course: LatencyCourse | None, stalls: Sequence[Stall]
) -> tuple[Stretch, ...]:
    """When a workload got no answers: the stalls within it, each until its clients were at work again."""
    ends = (stall.end_s if course is None else _at_work_s(course, stall) for stall in stalls)
    within = [
        (max(stall.start_s, time.start_s), min(time.end_s, end_s))
        for stall, end_s in zip(stalls, ends, strict=True)
    ]
    return tuple(stretches(stretch for stretch in within if stretch[0] < stretch[1]))


def _at_work_s(course: LatencyCourse, stall: Stall) -> float:
    """The end of the last step, from the stall's end on, before which clients did next to nothing."""
    usual = float(np.median(course.per_s[course.per_s > 0])) if course.per_s.any() else 0.0
    end_s = stall.end_s
    for start_s, step_end_s, per_s in zip(course.edges_s[:-1], course.edges_s[1:], course.per_s, strict=True):
        if step_end_s <= stall.end_s:
            continue
        if per_s >= IDLE * usual and start_s >= stall.end_s:
            break
        end_s = max(end_s, float(step_end_s))
    return end_s


def outside(stretch: Stretch, still: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """What is left of a stretch without those in which everything stood still, which are in order."""
    edges = [stretch[0], *(edge for stretch_still in still for edge in stretch_still), stretch[1]]
    parts = zip(edges[::2], edges[1::2], strict=True)
    return tuple((start_s, end_s) for start_s, end_s in parts if end_s > start_s)


def apart_s(start_s: FloatArray | float, end_s: FloatArray | float, still: Sequence[Stretch]) -> FloatArray:
    """How long something lasted, without the stretches in which everything stood still."""
    lasted_s = np.asarray(end_s, dtype=np.float64) - np.asarray(start_s, dtype=np.float64)
    for from_s, to_s in still:
        lasted_s = lasted_s - np.maximum(0.0, np.minimum(end_s, to_s) - np.maximum(start_s, from_s))
    return lasted_s


def in_stretches(edges_s: FloatArray, stretches: Sequence[Stretch]) -> NDArray[np.bool_]:
    """Which steps touch one of the stretches."""
    touched = np.zeros(len(edges_s) - 1, dtype=bool)
    for start_s, end_s in stretches:
        touched |= (edges_s[:-1] < end_s) & (edges_s[1:] > start_s)
    return touched


_MICROSECONDS: Final = 1_000_000
_HALF: Final = 10  # Half of the places of one width, as a power of two: the least that keeps three digits.


def counted(histograms: Iterable[str]) -> NDArray[np.int64]:
    """Histograms together as counts for each place of ``up_to_s``, up to that of the slowest operation."""
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


SHARES = (0.5, 0.95, 0.99, 0.999)  # The shares whose times are explained step by step.
ALL = "all requests"  # What all operations together are called.
MOST_STEPS = 600
INTENDED = ", intended"  # Ends the name of an operation timed from when its rate had it begin.
_OF_OTHERS = frozenset({"read-modify-write"})  # Made of others, which are counted separately.


class TimedRun(NamedTuple):
    """A run with the requests of its workloads counted step by step, and the course of each operation."""

    run: RunData
    timeline: Timeline
    machines: tuple[MachineOfRun, ...]
    times: tuple[WorkloadTime, ...]
    steps: Mapping[str, StepCounts]
    courses: tuple[LatencyCourse, ...]
    still: Mapping[str, tuple[Stretch, ...]]  # When each workload got no answers after faults.

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
    """How many operations took how long in each step."""

    edges_s: FloatArray  # Bounds the steps, seconds since the run's start.
    counts: NDArray[np.int32]  # A row for each step and a column for each place of ``up_to_s``.

    @property
    def step_s(self) -> float:
        return float(np.diff(self.edges_s).mean())

    @property
    def operations(self) -> NDArray[np.int64]:
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
    rank = np.maximum(1, np.ceil(share * totals - 1e-9)).astype(np.int64)
    places = (np.cumsum(counts, axis=1, dtype=np.int64) >= rank[:, None]).argmax(axis=1)
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
    # No step is shorter than an interval or than a second.
    start_s, end_s = min(row.start_s for row in rows), max(row.end_s for row in rows)
    interval_s = float(np.median([row.end_s - row.start_s for row in rows]))
    step_s = max(1.0, round(interval_s), np.ceil((end_s - start_s) / MOST_STEPS))
    many = max(1, round((end_s - start_s) / step_s))
    edges_s = np.asarray(start_s + (end_s - start_s) * np.arange(many + 1) / many)
    yield ALL, _counts(requests, edges_s)
    for operation in dict.fromkeys(row.operation for row in rows):
        yield operation, _counts([row for row in rows if row.operation == operation], edges_s)


def _rows_of(run: RunData, time: WorkloadTime) -> pa.Table:
    """A workload's intervals by their middles: its kind may have run before, if only to warm up."""
    rows, kind = run.latencies, time.result.workload.kind
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
    stalls = [effect.stall for effect in fault_stalls(run.record) if effect.stall is not None]
    for time in times:
        every: LatencyCourse | None = None
        for operation, counts in operation_steps(run, time):
            courses.append(
                LatencyCourse(
                    workload=time.workload,
                    operation=operation,
                    requests=operation == ALL,
                    edges_s=counts.edges_s,
                    per_s=counts.operations / np.diff(counts.edges_s),
                    within_s=tuple((share, counts.within_s(share)) for share in SHARES),
                    longest_s=counts.longest_s(),
                )
            )
            if operation == ALL:
                steps[time.workload], every = counts, courses[-1]
        still[time.workload] = stood_still(time, every, stalls)
    return TimedRun(run, timeline, machines, times, steps, tuple(courses), still)


def _counts(rows: Sequence[LatencyHistogram], edges_s: FloatArray) -> StepCounts:
    middles = np.array([(row.start_s + row.end_s) / 2 for row in rows])
    at = np.clip(np.searchsorted(edges_s, middles, side="right") - 1, 0, len(edges_s) - 2)
    histograms: defaultdict[int, list[str]] = defaultdict(list)
    for step, row in zip(at, rows, strict=True):
        histograms[int(step)].append(row.histogram)
    by_step = {step: counted(texts) for step, texts in histograms.items()}
    counts = np.zeros((len(edges_s) - 1, max(len(values) for values in by_step.values())), dtype=np.int32)
    for step, values in by_step.items():
        counts[step, : len(values)] = values
    return StepCounts(edges_s, counts)
