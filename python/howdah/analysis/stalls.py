"""Stretches in which a cluster gave no answer, as probes and a workload's own clients saw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from howdah.analysis.evidence.losses import Stall
from howdah.analysis.evidence.operations import LatencyCourse
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.use import FloatArray
from howdah.model.faults import AT_ONCE, Action, FaultReport, ProbeOutage
from howdah.model.run import RunRecord

SOON_S = 5.0
"""What begins so soon after something is taken to follow from it."""
FOLLOWS_S = 2.0
"""An outage that begins so soon after another one goes on with it: clients ask every two seconds."""
_AT_ONCE_S = 1.0
"""What is under way so soon after a fault may be short and belong to it all the same."""
UNUSUAL = 1.5
"""What is so many times longer than any outage before a fault is told of, though it did not begin with it."""
IDLE = 0.1
"""Clients that do less than this part of their usual work still wait."""
_ONCE = AT_ONCE | {Action.KILL}
"""What is over when it is done, however long it takes until what it hit is there again."""

Stretch = tuple[float, float]


class FaultStalls(NamedTuple):
    """A fault that was done, and the stalls from then until the next one was.

    ``own`` is the stall that began with the fault, with all that overlaps or directly follows; ``later``
    are the others. ``usual_s`` is the longest outage of any probe before the first fault of the run: what is
    not much longer is told of only where it began with the fault.
    """

    fault: FaultReport
    begun_s: float
    until_s: float
    own: Stall | None
    later: tuple[Stall, ...]
    usual_s: float


def fault_stalls(record: RunRecord) -> tuple[FaultStalls, ...]:
    """Every fault that was done, in the order of time."""
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
        begins = bool(stalls) and stalls[0].start_s <= _acts_until_s(fault, begun_s) + SOON_S
        own, later = (stalls[0], stalls[1:]) if begins else (None, stalls)
        result.append(FaultStalls(fault, begun_s, until_s, own, tuple(later), usual_s))
    return tuple(result)


def _acts_until_s(fault: FaultReport, begun_s: float) -> float:
    """Until when a fault itself, and not only what it left, keeps a cluster from answering."""
    if Action(fault.fault.split()[0]) in _ONCE:
        return begun_s
    return fault.ended_s if fault.ended_s is not None else math.inf


def _grouped(outages: Sequence[tuple[ProbeOutage, int]]) -> list[Stall]:
    """Outages with the number of their probe, those joined that overlap or directly follow one another."""
    groups: list[list[tuple[ProbeOutage, int]]] = []
    for pair in sorted(outages, key=lambda pair: pair[0].start_s):
        if groups and pair[0].start_s <= max(outage.end_s for outage, _ in groups[-1]) + FOLLOWS_S:
            groups[-1].append(pair)
        else:
            groups.append([pair])
    return [_stall(group) for group in groups]


def _stall(group: Sequence[tuple[ProbeOutage, int]]) -> Stall:
    outages = [outage for outage, _ in group]
    return Stall(
        start_s=min(outage.start_s for outage in outages),
        end_s=max(outage.end_s for outage in outages),
        probes=len({number for _, number in group}),
        longest_s=max(outage.elapsed_s for outage in outages),
        ended=all(outage.ended for outage in outages),
    )


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
    stretches: list[Stretch] = []
    for stall in stalls:
        start_s = max(stall.start_s, time.start_s)
        end_s = min(time.end_s, stall.end_s if course is None else _at_work_s(course, stall))
        if end_s <= start_s:
            continue
        if stretches and start_s <= stretches[-1][1]:
            stretches[-1] = stretches[-1][0], max(end_s, stretches[-1][1])
        else:
            stretches.append((start_s, end_s))
    return tuple(stretches)


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
    edges = [stretch[0], *(edge for each in still for edge in each), stretch[1]]
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
