"""Slots that stood empty while tasks waited: what the scheduler did not give out in time.

A slot is starved while it is free and a task of its job waits that needs no other to end first: a map while
maps are left, a reduce once the last map has begun. How many tasks a worker was given in each heartbeat
meanwhile tells whether heartbeats are what limits it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import Starvation, WorkloadTime
from howdah.analysis.evidence.use import FloatArray
from howdah.analysis.machines import setting_s, setting_text
from howdah.analysis.phases import attempts_of, by_job
from howdah.analysis.stalls import Stretch, apart_s
from howdah.analysis.wording import number, percent, seconds
from howdah.model.comparison import Finding
from howdah.model.placement import at_once
from howdah.model.request import Profile
from howdah.model.run import RunRecord, TaskAttempt
from howdah.model.tables import RunData

# Less than this share of a job's slot time is no more than starts and ends of tasks.
LEAST_SHARE = 0.1
# A job whose tasks begin within a few heartbeats is not held up by them.
LEAST_S = 5.0
# Heartbeats give out the same number each time; more at once than this and they are not what limits.
STEADY = 1.5

_HEARTBEAT_MS = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
_BEAT = "yarn.scheduler.capacity.per-node-heartbeat"
_OFF_SWITCH = f"{_BEAT}.maximum-offswitch-assignments"
_SEVERAL = f"{_BEAT}.multiple-assignments-enabled"
_ASYNCHRONOUS = "yarn.scheduler.capacity.schedule-asynchronously.enable"
_SCHEDULER = "yarn.resourcemanager.scheduler.class"
_FAIR_SEVERAL = "yarn.scheduler.fair.assignmultiple"


def starvations(
    run: RunData, times: tuple[WorkloadTime, ...], still: Mapping[str, Sequence[Stretch]]
) -> tuple[Starvation, ...]:
    """Every kind of task of every job that waited while slots were free; none of runs without YARN.

    ``still`` is when each workload got no answers after faults, which is no matter of the scheduler's.
    """
    record = run.record
    if record.plan.cluster is None or record.plan.cluster.request.profile is Profile.PAPER:
        return ()
    return tuple(
        starvation
        for time in times
        for attempts in by_job(attempts_of(run, time))
        for kind in ("map", "reduce")
        if (starvation := _starvation(record, time, attempts, kind, still[time.workload])) is not None
    )


def _starvation(
    record: RunRecord,
    time: WorkloadTime,
    attempts: tuple[TaskAttempt, ...],
    kind: str,
    still: Sequence[Stretch],
) -> Starvation | None:
    job = record.workloads[time.index].job
    room = at_once(record.plan, job.conf if job else None)
    slots = room.maps if kind == "map" else room.reduces
    firsts = [attempt for attempt in attempts if attempt.kind == kind and attempt.attempt % 1000 == 0]
    begun_s = min((attempt.start_s for attempt in firsts), default=0.0)
    if kind == "reduce":
        # Before the last map has begun, reduces are let wait for maps.
        maps = [attempt.start_s for attempt in attempts if attempt.kind == "map"]
        begun_s = max([begun_s, *maps])
    awaited = np.array([attempt.start_s for attempt in firsts if attempt.start_s >= begun_s])
    if len(awaited) < 2 or apart_s(awaited.min(), awaited.max(), still) < LEAST_S:
        return None
    begun_s, last_s = float(awaited.min()), float(awaited.max())
    everything = (
        np.array([attempt.start_s for attempt in attempts]),
        np.array([attempt.end_s for attempt in attempts]),
    )
    ended_s = max(attempt.end_s for attempt in firsts)
    workers = len({attempt.worker for attempt in attempts})
    heartbeat_s = setting_s(record, _HEARTBEAT_MS) or 1.0
    beats = workers * float(apart_s(begun_s, last_s, still)) / heartbeat_s
    return Starvation(
        workload=time.workload,
        kind=kind,
        slots=slots,
        workers=workers,
        start_s=begun_s,
        end_s=last_s,
        empty_share=empty_s(*everything, awaited, slots, still)
        / (slots * float(apart_s(begun_s, ended_s, still))),
        heartbeat_s=heartbeat_s,
        given_each_beat=len(awaited) / beats,
    )


def empty_s(
    starts: FloatArray, ends: FloatArray, awaited: FloatArray, slots: int, still: Sequence[Stretch] = ()
) -> float:
    """Seconds of slots that were free while a task waited for each, until the last has begun.

    ``starts`` and ``ends`` are those of all attempts, ``awaited`` the starts of the tasks that could have
    begun with the first of them; seconds.
    """
    first_s, last_s = awaited.min(), awaited.max()
    edges = np.unique(np.clip(np.concatenate((starts, ends, awaited)), first_s, last_s))
    at_s, lengths_s = edges[:-1], apart_s(edges[:-1], edges[1:], still)
    running = np.searchsorted(np.sort(starts), at_s, "right") - np.searchsorted(np.sort(ends), at_s, "right")
    waiting = len(awaited) - np.searchsorted(np.sort(awaited), at_s, "right")
    empty = np.minimum(np.maximum(slots - running, 0), waiting)
    return float((empty * lengths_s).sum())


def find_starving(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Jobs that would have ended sooner, had the scheduler filled their slots."""
    for starved in evidence.starvations:
        if starved.empty_share < LEAST_SHARE:
            continue
        each = starved.slots / starved.workers
        yield Finding(
            id="starved-slots",
            severity="warning",
            workload=starved.workload,
            text=f"{starved.workload}: {percent(starved.empty_share)} of the slots' time stood empty while "
            f"{starved.kind} tasks waited, of which the last began after "
            f"{seconds(starved.end_s - starved.start_s)}; a worker with room for {each:.0f} began "
            f"{starved.given_each_beat:.1f} in each heartbeat of {seconds(starved.heartbeat_s)}: "
            f"{_advice(record, starved)}",
            numbers=(
                number("share of slot time empty while tasks waited", starved.empty_share, "1"),
                number("until the last task had begun", starved.end_s - starved.start_s, "s"),
                number("tasks begun by a worker in each heartbeat", starved.given_each_beat, "1"),
                number("heartbeat", starved.heartbeat_s, "s"),
            ),
        )


def _advice(record: RunRecord, starved: Starvation) -> str:
    """What the plan says of the limit, where it explains what was seen."""
    if setting_text(record, _SCHEDULER).endswith("FairScheduler"):
        if setting_text(record, _FAIR_SEVERAL) != "true" and starved.given_each_beat <= STEADY:
            return f"the FairScheduler gives one at a time: set {_FAIR_SEVERAL} to true"
        return _ELSEWHERE
    if setting_text(record, _ASYNCHRONOUS) == "true":
        return f"containers are given out without heartbeats here, so {_ELSEWHERE}"
    several = setting_text(record, _SEVERAL) != "false"
    limit = int(setting_text(record, _OFF_SWITCH) or 1) if several else 1
    if starved.given_each_beat > STEADY * limit:
        return _ELSEWHERE
    key = _OFF_SWITCH if several else _SEVERAL
    cure = f"raise {key} ({limit} here)" if several else f"set {key} to true"
    return f"the scheduler gives a node no more at each: {cure}, or set {_ASYNCHRONOUS} to true"


_ELSEWHERE = (
    "it is the ResourceManager, the application master or a queue's limit that gives them out no sooner"
)
