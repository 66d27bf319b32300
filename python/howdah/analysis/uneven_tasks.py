"""What uneven task times and slow scheduling cost: long poles, idle tails, slower tasks, empty slots.

A slot is starved while it is free and a task of its job waits that needs no other to end first: a map while
maps are left, a reduce once the last map has begun. How many tasks a worker was given in each heartbeat
meanwhile tells whether heartbeats are what limits it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import TaskSpread, WorkloadTime
from howdah.analysis.evidence.use import FloatArray
from howdah.analysis.machines import setting_s, setting_text
from howdah.analysis.operation_steps import Stretch, apart_s
from howdah.analysis.other_processes import used_meanwhile
from howdah.analysis.phases import attempts_of, by_job, tasks_of
from howdah.analysis.wording import conclude, named, phrase, took
from howdah.model.comparison import Finding
from howdah.model.placement import at_once
from howdah.model.request import Profile
from howdah.model.run import Outcome, RunRecord, TaskAttempt
from howdah.model.tables import RunData
from howdah.units import format_counted

# With fewer tasks than this a trend over time is too easily chance.
DRIFT_TASKS = 12
DRIFT_RATIO = 1.25
DRIFT_RANK = 0.6

# A task is a long pole if it takes half as long again as the median one, stands out from the usual
# spread, and costs its workload a noticeable share of its time.
POLE_OVER_MEDIAN = 1.5
POLE_OVER_SPREAD = 5.0
TAIL_SHARE = 0.05
# From this share of the workload on, a pole or tail asks for attention rather than informing.
COSTLY_SHARE = 0.10
LEAST_SAVING_S = 0.05  # Less time than this is not worth a change.
MAD_TO_DEVIATION = 1.4826  # Standard deviation over median absolute deviation of a normal distribution.


def drift_of(starts: FloatArray, lengths: FloatArray, moved: FloatArray) -> tuple[float, float]:
    """Whether later tasks took longer per byte than earlier ones: ratio of thirds, rank correlation."""
    per_byte = lengths / moved if (moved > 0).all() else lengths
    order = np.argsort(starts, kind="stable")
    third = len(order) // 3
    if third == 0:
        return 1.0, 0.0
    early = float(np.median(per_byte[order[:third]]))
    late = float(np.median(per_byte[order[-third:]]))
    ranks = np.argsort(np.argsort(per_byte[order], kind="stable"), kind="stable").astype(np.float64)
    rank = float(np.corrcoef(np.arange(len(ranks)), ranks)[0, 1])
    return (late / early if early > 0 else 1.0), rank


def find_slowdown(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Tasks that grow slower as time passes: heat, other tenants, or a disk reaching its inner zones."""
    for spread in evidence.spreads:
        if spread.tasks >= DRIFT_TASKS and spread.drift >= DRIFT_RATIO and spread.drift_rank >= DRIFT_RANK:
            others = used_meanwhile(evidence, spread.workload)
            yield conclude("slowing-down", spread, took=took(record), others=others)


def spreads(
    run: RunData, workloads: tuple[WorkloadTime, ...], still: Mapping[str, Sequence[Stretch]] = {}
) -> tuple[TaskSpread, ...]:
    """How even the tasks of each job and kind were, without waits while ``still``; empty without tasks."""
    result = []
    for time in workloads:
        mine = tasks_of(run.tasks, time.result.workload.kind, time)
        # Jobs of a workload run one after the other: their tasks never shared the slots.
        lanes = list(zip(mine.column("job").to_pylist(), mine.column("kind").to_pylist(), strict=True))
        for lane in dict.fromkeys(lanes):
            rows = mine.filter(pa.array([value == lane for value in lanes], pa.bool_()))
            spread = _spread(run.record, time, str(lane[1]), rows, still.get(time.workload, ()))
            if spread is not None:
                result.append(spread)
    return tuple(result)


def succeeded(tasks: pa.Table) -> pa.Table:
    """The attempts whose work counted."""
    states = (str(state).lower() for state in tasks.column("state").to_pylist())
    return tasks.filter(pa.array([state == Outcome.SUCCEEDED.value for state in states], pa.bool_()))


def _spread(
    record: RunRecord, time: WorkloadTime, kind: str, rows: pa.Table, still: Sequence[Stretch]
) -> TaskSpread | None:
    done = succeeded(rows)
    if done.num_rows == 0:
        return None
    starts, ends = done.column("start_s").to_numpy(), done.column("end_s").to_numpy()
    lengths = apart_s(starts, ends, still)
    places = list(zip(*(done.column(name).to_pylist() for name in ("host", "worker", "slot")), strict=True))
    free: dict[tuple[str, str, int], float] = {}
    for place, end in zip(places, ends, strict=True):
        free[place] = max(end, free.get(place, 0.0))
    slots = slots_of(record, time, kind, tasks=done.num_rows, places=len(free))
    first, last = float(starts.min()), float(ends.max())
    # A slot that never got a task was idle from the first start to the last end.
    length = float(apart_s(first, last, still))
    idle = sum(float(apart_s(end, last, still)) for end in free.values()) + (slots - len(free)) * length
    whole = slots * length
    longest = int(lengths.argmax())
    median = float(np.median(lengths))
    moved = sum(done.column(name).to_numpy() for name in ("input_bytes", "output_bytes", "spilled_bytes"))
    ratio, rank = drift_of(starts, lengths, np.asarray(moved, dtype=np.float64))
    return TaskSpread(
        workload=time.workload,
        phase=next((phase.name for phase in time.phases if phase.start_s < last <= phase.end_s + 1e-6), None),
        kind=kind,
        tasks=done.num_rows,
        failed=rows.num_rows - done.num_rows,
        raced=sum(lost_race(error) for error in rows.column("error").to_pylist()),
        slots=slots,
        start_s=first,
        end_s=last,
        median_s=median,
        spread_s=float(np.median(np.abs(lengths - median))),
        longest_s=float(lengths[longest]),
        longest_task=int(done.column("task")[longest].as_py()),
        longest_host=str(done.column("host")[longest].as_py()),
        tail_share=float(idle / whole) if whole > 0 else 0.0,
        saving_s=float(idle / slots),
        drift=ratio,
        drift_rank=rank,
    )


def lost_race(error: str | None) -> bool:
    """Whether an attempt ended because another one of its task had succeeded first."""
    return error is not None and error.startswith("Speculation")


def slots_of(record: RunRecord, time: WorkloadTime, kind: str, *, tasks: int, places: int) -> int:
    """How many tasks of a kind could run at once, of which so many ran in so many places.

    Slots count as idle only where there were too few tasks to fill them; an engine that uses fewer slots
    than it was given, as the storage test does, chose to.
    """
    result = time.result
    job = result.job
    if result.spark is not None:
        # Every stage may use all cores of the executors.
        cores = max((executor.cores for executor in result.spark.executors), default=1)
        planned = cores * len(result.spark.executors)
        return max(places, planned) if tasks < planned else places
    room = at_once(record.plan, job.conf if job else None)
    planned = room.maps if kind == "map" else room.reduces
    return max(places, planned) if tasks < planned else places


def find_poles(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Tasks that ran much longer than their like, and slots that idled while the last ones finished."""
    for spread in evidence.spreads:
        time = evidence.time_of(spread.workload)
        least_s = max(LEAST_SAVING_S, TAIL_SHARE * time.elapsed_s)
        # A lone reduce puts together what maps found: there is nothing to spread.
        lone = spread.kind == "reduce" and spread.tasks == 1
        # A tail that work done again for a lost worker made is told with that worker.
        again = any(
            attempt.kind == spread.kind and attempt.end_s >= spread.end_s
            for loss in evidence.losses
            if loss.workload == spread.workload
            for attempt in loss.again
        )
        if time.outcome is not Outcome.SUCCEEDED or spread.saving_s < least_s or lone or again:
            continue
        deviation = MAD_TO_DEVIATION * spread.spread_s
        pole = (
            spread.tasks > 1
            and spread.longest_over_median > POLE_OVER_MEDIAN
            and spread.longest_s - spread.median_s > POLE_OVER_SPREAD * deviation
        )
        slots = f"for {spread.slots} slots"
        if spread.tasks >= spread.slots:
            slots = f"on {spread.slots} slots ({spread.tasks / spread.slots:.1f} each) did not end together"
        yield conclude(
            "long-pole" if pole else "idle-tail",
            spread,
            warns=spread.saving_s > COSTLY_SHARE * time.elapsed_s,
            place=named(spread.workload, spread.phase),
            took=took(record),
            counted=format_counted(spread.tasks, f"{spread.kind} task"),
            slots=slots,
            others=used_meanwhile(evidence, spread.workload),
        )


def find_failed_attempts(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Task attempts that failed or were killed and had to be run again, and those that lost a race."""
    for spread in evidence.spreads:
        # What ended with a lost worker or failed for want of a master is told with that.
        explained = [(loss.workload, attempt) for loss in evidence.losses for attempt in loss.ended]
        explained += [(loss.workload, attempt) for loss in evidence.master_losses for attempt in loss.failed]
        lost = {
            attempt
            for workload, attempt in explained
            if (workload, attempt.kind) == (spread.workload, spread.kind)
            and not attempt.succeeded
            and not lost_race(attempt.error)
        }
        failed, attempts = spread.failed - spread.raced - len(lost), spread.failed + spread.tasks
        if failed:
            yield conclude("failed-attempts", spread, failed=failed, attempts=attempts)
        if spread.raced:
            yield conclude("speculative-attempts", spread, attempts=attempts)


LEAST_SHARE = 0.1  # Less than this share of a job's slot time is no more than starts and ends of tasks.
LEAST_S = 5.0  # A job whose tasks begin within a few heartbeats is not held up by them.
STEADY = 1.5  # Heartbeats give out equally many tasks; with more at once than this, they do not limit.

_HEARTBEAT_MS = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
_BEAT = "yarn.scheduler.capacity.per-node-heartbeat"
_LIMITS = f"{_BEAT}.maximum-offswitch-assignments", f"{_BEAT}.maximum-container-assignments"
"""Limits on the containers that a heartbeat brings; -1 is none."""
_SEVERAL = f"{_BEAT}.multiple-assignments-enabled"
_ASYNCHRONOUS = "yarn.scheduler.capacity.schedule-asynchronously.enable"
_SCHEDULER = "yarn.resourcemanager.scheduler.class"
_FAIR_SEVERAL = "yarn.scheduler.fair.assignmultiple"


def _starvation(
    record: RunRecord,
    time: WorkloadTime,
    attempts: Sequence[TaskAttempt],
    kind: str,
    still: Sequence[Stretch],
) -> Starvation | None:
    job = time.result.job
    room = at_once(record.plan, job.conf if job else None)
    slots = room.maps if kind == "map" else room.reduces
    firsts = [attempt for attempt in attempts if attempt.kind == kind and attempt.attempt % 1000 == 0]
    begun_s = min((attempt.start_s for attempt in firsts), default=0.0)
    if kind == "reduce":
        # Before the last map has begun, reduces are let wait for maps.
        begun_s = max([begun_s, *(attempt.start_s for attempt in attempts if attempt.kind == "map")])
    awaited = np.array([attempt.start_s for attempt in firsts if attempt.start_s >= begun_s])
    if len(awaited) < 2 or apart_s(awaited.min(), awaited.max(), still) < LEAST_S:
        return None
    begun_s, last_s = float(awaited.min()), float(awaited.max())
    starts = np.array([attempt.start_s for attempt in attempts])
    ends = np.array([attempt.end_s for attempt in attempts])
    ended_s = max(attempt.end_s for attempt in firsts)
    workers = len({attempt.worker for attempt in attempts})
    heartbeat_s = setting_s(record, _HEARTBEAT_MS) or 1.0
    beats = workers * float(apart_s(begun_s, last_s, still)) / heartbeat_s
    whole_s = slots * float(apart_s(begun_s, ended_s, still))
    return Starvation(
        kind=kind,
        room=slots / workers,
        lasted_s=last_s - begun_s,
        empty_share=empty_s(starts, ends, awaited, slots, still) / whole_s,
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
    """Jobs that would have ended sooner, had the scheduler filled their slots; none of runs without YARN."""
    timed, cluster = evidence.timed, record.plan.cluster
    if cluster is None or cluster.request.profile is Profile.PAPER:
        return
    for time in evidence.workloads:
        for attempts in by_job(attempts_of(timed.run, time)):
            for kind in ("map", "reduce"):
                starved = _starvation(record, time, attempts, kind, timed.still[time.workload])
                if starved is not None and starved.empty_share >= LEAST_SHARE:
                    yield conclude(
                        "starved-slots", starved, workload=time.workload, advice=_advice(record, starved)
                    )


class Starvation(NamedTuple):
    """Tasks of one kind of a job that waited, and how many slots stood empty meanwhile."""

    kind: str
    room: float
    lasted_s: float  # After so long the last one began.
    empty_share: float
    """Part of all slot time, from when tasks could begin to the end of the last one, in which slots were free
    while as many tasks waited."""
    heartbeat_s: float
    given_each_beat: float  # How many a worker with room began in each heartbeat, in the mean.


def _advice(record: RunRecord, starved: Starvation) -> str:
    """What the plan says of the limit, where it explains what was seen."""
    several = setting_text(record, _SEVERAL) != "false"
    limits = {key: int(setting_text(record, key)) for key in _LIMITS}
    key = min((key for key in _LIMITS if limits[key] > 0), key=limits.__getitem__, default=_LIMITS[0])
    limit = limits[key] if several else 1
    words = "several" if several else "single"
    if setting_text(record, _SCHEDULER).endswith("FairScheduler"):
        single = setting_text(record, _FAIR_SEVERAL) != "true" and starved.given_each_beat <= STEADY
        words = "fair" if single else "elsewhere"
    elif setting_text(record, _ASYNCHRONOUS) == "true":
        words = "asynchronous"
    elif starved.given_each_beat > STEADY * limit:
        words = "elsewhere"
    return phrase("starved-slots-advice", words=words, key=key, limit=limit)
