"""Stretches in which a cluster gave no answer, as probes and a workload's own clients saw them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from howdah.analysis.evidence import FloatArray, LatencyCourse, Stall, WorkloadTime
from howdah.model.faults import ProbeOutage, ProbeTold

SOON_S = 5.0
"""What begins so soon after something is taken to follow from it."""
IDLE = 0.1
"""Clients that do less than this part of their usual work still wait."""

Stretch = tuple[float, float]


def stalls_of(probes: Iterable[ProbeTold]) -> list[Stall]:
    """The outages of all probes, those joined that overlap or directly follow one another."""
    every = sorted(
        ((outage, number) for number, probe in enumerate(probes) for outage in probe.outages),
        key=lambda pair: pair[0].start_s,
    )
    groups: list[list[tuple[ProbeOutage, int]]] = []
    for pair in every:
        if groups and pair[0].start_s <= max(outage.end_s for outage, _ in groups[-1]) + SOON_S:
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
    found: list[Stretch] = []
    for stall in stalls:
        start_s = max(stall.start_s, time.start_s)
        end_s = min(time.end_s, stall.end_s if course is None else _at_work_s(course, stall))
        if end_s <= start_s:
            continue
        if found and start_s <= found[-1][1]:
            found[-1] = found[-1][0], max(end_s, found[-1][1])
        else:
            found.append((start_s, end_s))
    return tuple(found)


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
