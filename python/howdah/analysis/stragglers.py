"""Workers and tasks that held a job up, each with its most likely cause.

All causes are weighed by one measure: the share of its time that a worker or task would have been spared
under its peers' conditions, against how far equal workers differ by it anyway. A resource that is slow
because another one is (the link of a worker whose CPU is held back) loses less by that measure than the
one it waits for, so the largest names the cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from howdah.analysis.attempts import attempts_of, by_job, done
from howdah.analysis.causes.collector import full_heaps
from howdah.analysis.causes.cpu import contention, held_back
from howdah.analysis.causes.disk import slow_disks
from howdah.analysis.causes.held import planned_limits
from howdah.analysis.causes.link import slow_links
from howdah.analysis.causes.partition import skewed_tasks
from howdah.analysis.causes.slowness import ends_later, had_little, slowdowns
from howdah.analysis.causes.start import late_starts
from howdah.analysis.causes.view import LEAST_PEERS, CauseMark, Planned, View
from howdah.analysis.evidence import (
    Cause,
    MachineOfRun,
    OthersUse,
    Sign,
    Straggler,
    WorkerLoss,
    WorkloadTime,
)
from howdah.analysis.machines import on_cluster, workers_of
from howdah.analysis.others import disturbed
from howdah.analysis.stalls import Stretch
from howdah.analysis.timeline import Timeline
from howdah.model.run import Origin, Outcome, TaskAttempt
from howdah.model.tables import RunData

# A sign that is weaker than this share of the strongest one anywhere is taken for its consequence.
CONSEQUENCE = 0.5
# Slower than this, byte for byte, and ending so much later, a worker is slow even if nothing shows why.
SLOW = 1.6
ENDS_LATER = 0.1
# Who delayed a shorter part of a job than this delayed the job by little.
LEAST_PART = 0.1
_MAPS_AND_REDUCES = 2
_SHORT_S = 5.0
# What a cause says is too little of, and what the plan allows of it.
_RESOURCES: dict[Cause, Callable[[Planned], float | None]] = {
    "slow disk": lambda planned: planned.disk_bytes_per_s,
    "slow link": lambda planned: planned.link_bytes_per_s,
    "CPU held back": lambda planned: planned.cpus,
}


def stragglers(
    run: RunData,
    timeline: Timeline,
    machines: tuple[MachineOfRun, ...],
    times: tuple[WorkloadTime, ...],
    data_disks: tuple[str, ...],
    *,
    others: tuple[OthersUse, ...],
    losses: tuple[WorkerLoss, ...],
    still: Mapping[str, tuple[Stretch, ...]],
) -> tuple[Straggler, ...]:
    """The stragglers of every job that succeeded, the one that lost most first.

    A worker that was lost is told of as such, and whoever did its work again began late for that. ``still``
    is when each workload got no answers after faults, which is no worker's fault.
    """
    if not on_cluster(run.record):
        return ()
    result: list[Straggler] = []
    for time in times:
        if time.outcome is not Outcome.SUCCEEDED:
            continue
        lost = tuple(loss for loss in losses if loss.workload == time.workload)
        for attempts in by_job(attempts_of(run, time)):
            view = _view(run, timeline, machines, attempts, lost)
            if view is not None and view.seconds >= _SHORT_S:
                contended = _contention(others, time)
                view = replace(view, still=still[time.workload])
                late = {change.machine for change in run.record.members if change.time_s > view.span[0]}
                result += [
                    straggler
                    for straggler in _of_job(time.workload, view, workers_of(machines), data_disks, contended)
                    # Who joined meanwhile could not begin sooner.
                    if not (straggler.cause == "late start" and straggler.worker in late)
                ]
    return tuple(result)


def _contention(others: tuple[OthersUse, ...], time: WorkloadTime) -> Sign | None:
    """What others used meanwhile of the machine that all workers are on, if that is much."""
    here = (use for use in others if use.workload == time.workload and use.phase is None)
    return next((contention(use) for use in here if disturbed(use)), None)


def _view(
    run: RunData,
    timeline: Timeline,
    machines: tuple[MachineOfRun, ...],
    attempts: tuple[TaskAttempt, ...],
    losses: tuple[WorkerLoss, ...],
) -> View | None:
    kinds = _long_kinds(attempts)
    gone = {loss.worker for loss in losses}
    again = tuple(attempt for loss in losses for attempt in loss.again)
    counted = tuple(
        attempt
        for kind in kinds
        for attempt in done(attempts, kind)
        if attempt not in again and attempt.worker not in gone
    )
    if not counted:
        return None
    span = (min(attempt.start_s for attempt in counted), max(attempt.end_s for attempt in counted))
    names = workers_of(machines)
    # A worker that was sampled takes part even where it had no task: it stores what others write.
    active = ({attempt.worker for attempt in counted} | set(timeline.hosts)) - gone
    planned = planned_limits(run.record.plan)
    workers = tuple(name for name in names if name in active)
    failed = tuple(attempt for attempt in attempts if attempt.state.lower() != Outcome.SUCCEEDED.value)
    held = tuple((loss.lost_s, loss.lost_s + loss.waited_s) for loss in losses)
    return View(timeline, span, workers, counted, failed, planned, run.record.origin, again, held)


def _long_kinds(attempts: tuple[TaskAttempt, ...]) -> list[str]:
    """The kinds of tasks that took a noticeable part of a job: an application may have many short stages."""
    stretches: dict[str, tuple[float, float]] = {}
    for attempt in attempts:
        start_s, end_s = stretches.get(attempt.kind, (attempt.start_s, attempt.end_s))
        stretches[attempt.kind] = min(start_s, attempt.start_s), max(end_s, attempt.end_s)
    if len(stretches) <= _MAPS_AND_REDUCES:
        return list(stretches)
    starts, ends = zip(*stretches.values(), strict=True)
    least_s = LEAST_PART * (max(ends) - min(starts))
    return [kind for kind, (start_s, end_s) in stretches.items() if end_s - start_s >= least_s]


def _of_job(
    workload: str,
    view: View,
    hosts: dict[str, str],
    data_disks: tuple[str, ...],
    contended: Sign | None,
) -> Iterator[Straggler]:
    slow = slowdowns(view)
    # What others had may have slowed one worker and not another.
    others = contended.lost_share if contended else 0.0
    idle = had_little(view)
    marks = [
        mark
        for mark in _marks(view, data_disks)
        if mark.sign.strength >= 1
        and not (mark.worker in idle and _had_no_need(mark, slow))
        and not (view.origin is Origin.SIMULATED and _could_do_more(mark, view))
    ]
    most = max((mark.sign.strength for mark in marks), default=0.0)
    places: dict[tuple[str, int | None], list[CauseMark]] = {}
    for mark in sorted(marks, key=lambda mark: -mark.sign.strength):
        places.setdefault((mark.worker, mark.task), []).append(mark)
    for (worker, task), mine in places.items():
        if mine[0].sign.strength >= CONSEQUENCE * most:
            signs = _strongest(mine)
            yield Straggler(
                workload=workload,
                kind=mine[0].kind,
                worker=worker,
                host=hosts.get(worker, worker),
                task=task,
                cause=signs[0].cause,
                confidence=_confidence(view, signs, slow.get(worker, 1.0)) * (1 - others),
                slowdown=slow.get(worker, 1.0),
                signs=signs,
            )
    if not marks and len(view.workers) > LEAST_PEERS:
        yield from _unexplained(workload, view, hosts, slow, contended)


def _marks(view: View, data_disks: tuple[str, ...]) -> Iterator[CauseMark]:
    yield from slow_disks(view, data_disks)
    yield from slow_links(view)
    yield from held_back(view)
    yield from full_heaps(view)
    yield from skewed_tasks(view)
    yield from late_starts(view)


def _had_no_need(mark: CauseMark, slow: dict[str, float]) -> bool:
    """Whether a worker with little to do used little of a resource for that alone: its tasks did not feel it.

    One without any task may still keep others waiting with its disks and links, as a DataNode.
    """
    sign = mark.sign
    if sign.cause not in _RESOURCES:
        return False
    if mark.worker not in slow:
        return sign.cause == "CPU held back"
    return not _felt(sign, slow[mark.worker])


def _could_do_more(mark: CauseMark, view: View) -> bool:
    """Whether a simulated worker's resource was planned to do what its peers' did.

    All that is simulated runs at steady rates, and so that a rate was steady does not tell of a limit.
    """
    limit_of = _RESOURCES.get(mark.sign.cause)
    limit = None if limit_of is None else limit_of(view.plan(mark.worker))
    return limit is not None and limit >= mark.sign.reference


def _felt(sign: Sign, slowdown: float) -> bool:
    """Whether a worker's tasks were slower for what it lost."""
    return slowdown > 1 + sign.lost_share / 2


def _strongest(marks: list[CauseMark]) -> tuple[Sign, ...]:
    """The strongest sign of every cause, the strongest cause first."""
    best: dict[str, Sign] = {}
    for mark in marks:
        best.setdefault(mark.sign.cause, mark.sign)
    return tuple(best.values())


def _confidence(view: View, signs: tuple[Sign, ...], slowdown: float) -> float:
    """How far the strongest cause stands out; less with few peers, and where no task was slower for it."""
    first, second = signs[0].strength, signs[1].strength if len(signs) > 1 else 0.0
    clear = 0.5 + 0.5 * (first - second) / first
    peers = min(1.0, (1 + len(view.workers)) / (2 + LEAST_PEERS))
    felt = 1.0 if _felt(signs[0], slowdown) or signs[0].cause == "skewed partition" else 0.85
    return min(0.99, clear * peers * felt)


def _unexplained(
    workload: str, view: View, hosts: dict[str, str], slow: dict[str, float], contended: Sign | None
) -> Iterator[Straggler]:
    cause: Cause = contended.cause if contended else "cannot tell"
    signs = (contended,) if contended else ()
    for worker, slowdown in slow.items():
        if slowdown >= SLOW and ends_later(view, worker) >= ENDS_LATER:
            host = hosts.get(worker, worker)
            yield Straggler(workload, "", worker, host, None, cause, 0.5, slowdown, signs)
