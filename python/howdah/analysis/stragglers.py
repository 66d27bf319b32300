"""Workers and tasks that held a job up, the most likely cause of each, and the findings on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from howdah.analysis.causes import tasks
from howdah.analysis.causes.limits_met import LEAST_PEERS, CauseMark, Planned, View, planned_limits
from howdah.analysis.causes.resources import contention, held_back, slow_disks, slow_links
from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import WorkerLoss
from howdah.analysis.evidence.times import Cause, Sign, Straggler, WorkloadTime
from howdah.analysis.evidence.use import OthersUse
from howdah.analysis.machines import on_cluster, workers_of
from howdah.analysis.operation_steps import TimedRun
from howdah.analysis.other_processes import disturbed, used_meanwhile
from howdah.analysis.phases import attempts_of, by_job, done, grouped
from howdah.analysis.wording import FORMS, Sure, conclude, percent, sentences, took
from howdah.model.comparison import Finding
from howdah.model.run import Origin, Outcome, RunRecord, TaskAttempt
from howdah.units import format_counted

MOST_SENTENCES = 3  # More stragglers of one kind and cause share a sentence, with as many examples.

LIKELY = 0.7
_CONTENDED: Cause = "contended machine"
_REFERENCES = {"plan": "planned", "peers": "its peers'", "quiet": "a quiet machine's"}


def find_stragglers(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A warning for each straggler with its cause and the numbers for it; those that are many share one."""
    alike = grouped(
        evidence.stragglers, lambda some: (some.workload, some.kind, some.task is None, some.cause)
    )
    for group in alike.values():
        if len(group) > MOST_SENTENCES:
            yield _of_many(evidence, group)
        else:
            yield from (_of_one(record, evidence, straggler) for straggler in group)


def _of_one(record: RunRecord, evidence: Evidence, straggler: Straggler) -> Finding:
    signs, slower = straggler.signs, straggler.slowdown > 1 and straggler.task is None
    return conclude(
        "straggler",
        words="one",
        sure=_sure(straggler.confidence),
        numbers=(
            ("confidence", straggler.confidence, "1"),
            ("seconds per byte over others'", straggler.slowdown, "1"),
            *((_lost(sign), sign.lost_share, "1") for sign in signs),
        ),
        workload=straggler.workload,
        place=_place(straggler),
        did=sentences()["straggler"]["did"][straggler.cause][0],
        reason=_reason(straggler) if signs else None,
        took=took(record),
        slower=straggler.slowdown if slower else None,
        others=_others(evidence, straggler),
        weaker=f"{signs[1].cause}, {_stands_on(signs[1])}" if len(signs) > 1 else None,
    )


def _of_many(evidence: Evidence, group: Sequence[Straggler]) -> Finding:
    """The strongest come first, and are the examples."""
    first = group[0]
    surest = max(straggler.confidence for straggler in group)
    numbers = [("stragglers", len(group), "1"), ("largest confidence", surest, "1")]
    if first.signs:
        most = max(straggler.signs[0].lost_share for straggler in group)
        numbers.append((f"most {_lost(first.signs[0])}", most, "1"))
    return conclude(
        "straggler",
        words="many",
        sure=_sure(surest),
        numbers=numbers,
        workload=first.workload,
        counted=format_counted(len(group), "worker" if first.task is None else f"{first.kind} task"),
        did=sentences()["straggler"]["did"][first.cause][1],
        examples="; ".join(
            f"{_place(straggler)}, {_reason(straggler)}" if straggler.signs else _place(straggler)
            for straggler in group[:MOST_SENTENCES]
        ),
        others=_others(evidence, first),
    )


def _others(evidence: Evidence, straggler: Straggler) -> str | None:
    return None if straggler.cause == _CONTENDED else used_meanwhile(evidence, straggler.workload)


def _place(straggler: Straggler) -> str:
    if straggler.task is None:
        return straggler.worker
    return f"{straggler.kind} task {straggler.task} on {straggler.worker}"


def _reason(straggler: Straggler) -> str:
    sign = straggler.signs[0]
    # What others used was not lost to one worker alone, and nobody knows how much of it was.
    if straggler.cause == _CONTENDED:
        return _stands_on(sign)
    return f"{_stands_on(sign)}, which cost it {percent(sign.lost_share)} of its time"


def _sure(confidence: float) -> Sure:
    return "likely" if confidence >= LIKELY else "guess"


def _lost(sign: Sign) -> str:
    return sign.quantity if sign.cause == _CONTENDED else f"time lost to {sign.cause}"


def _stands_on(sign: Sign) -> str:
    worded = FORMS.get(sign.unit, percent)
    value, reference = (
        f"{amount:.2g}" if sign.unit == "CPUs" else worded(amount) for amount in (sign.value, sign.reference)
    )
    base = _REFERENCES[sign.against]
    text = f"{sign.quantity} {value} against {base} {reference}"
    return f"{text} for {percent(sign.held_share)} of the time" if sign.held_share is not None else text


CONSEQUENCE = 0.5  # Signs weaker than this part of the strongest one are taken for its consequences.
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
    timed: TimedRun, disks: tuple[str, ...], others: tuple[OthersUse, ...], losses: tuple[WorkerLoss, ...]
) -> tuple[Straggler, ...]:
    """The stragglers of every job that succeeded, the worst first; not lost workers and who replaced them."""
    if not on_cluster(timed.run.record):
        return ()
    result: list[Straggler] = []
    for time in timed.times:
        if time.outcome is not Outcome.SUCCEEDED:
            continue
        lost = tuple(loss for loss in losses if loss.workload == time.workload)
        for attempts in by_job(attempts_of(timed.run, time)):
            view = _view(timed, time, attempts, lost)
            if view is not None and view.seconds >= _SHORT_S:
                # What others used meanwhile of the machine that all workers are on, if that is much.
                here = (use for use in others if use.workload == time.workload and use.phase is None)
                contended = next((contention(use) for use in here if disturbed(use)), None)
                late = {change.machine for change in timed.run.record.members if change.time_s > view.span[0]}
                hosts = workers_of(timed.machines)
                result += [
                    straggler
                    for straggler in _of_job(time.workload, view, hosts, disks, contended)
                    # Who joined meanwhile could not begin sooner.
                    if not (straggler.cause == "late start" and straggler.worker in late)
                ]
    return tuple(result)


def _view(
    timed: TimedRun, time: WorkloadTime, attempts: tuple[TaskAttempt, ...], losses: tuple[WorkerLoss, ...]
) -> View | None:
    gone = {loss.worker for loss in losses}
    again = tuple(attempt for loss in losses for attempt in loss.again)
    counted = tuple(
        attempt
        for kind in _long_kinds(attempts)
        for attempt in done(attempts, kind)
        if attempt not in again and attempt.worker not in gone
    )
    if not counted:
        return None
    # A worker that was sampled takes part even where it had no task: it stores what others write.
    active = ({attempt.worker for attempt in counted} | set(timed.timeline.hosts)) - gone
    record = timed.run.record
    return View(
        timed.timeline,
        span=(min(attempt.start_s for attempt in counted), max(attempt.end_s for attempt in counted)),
        workers=tuple(name for name in workers_of(timed.machines) if name in active),
        attempts=counted,
        failed=tuple(attempt for attempt in attempts if attempt.state.lower() != Outcome.SUCCEEDED.value),
        planned=planned_limits(record.plan),
        origin=record.origin,
        again=again,
        waits=tuple((loss.lost_s, loss.lost_s + loss.waited_s) for loss in losses),
        still=timed.still[time.workload],
    )


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
    workload: str, view: View, hosts: dict[str, str], data_disks: tuple[str, ...], contended: Sign | None
) -> Iterator[Straggler]:
    slow = tasks.slowdowns(view)
    # What others had may have slowed one worker and not another.
    others = contended.lost_share if contended else 0.0
    idle = tasks.had_little(view)
    marks = [
        mark
        for mark in chain(
            slow_disks(view, data_disks),
            slow_links(view),
            held_back(view),
            tasks.full_heaps(view),
            tasks.skewed_tasks(view),
            tasks.late_starts(view),
        )
        if mark.sign.strength >= 1
        and not (mark.worker in idle and _had_no_need(mark, slow))
        and not (view.origin is Origin.SIMULATED and _could_do_more(mark, view))
    ]
    most = max((mark.sign.strength for mark in marks), default=0.0)
    strongest = sorted(marks, key=lambda mark: -mark.sign.strength)
    for (worker, task), mine in grouped(strongest, lambda mark: (mark.worker, mark.task)).items():
        if mine[0].sign.strength >= CONSEQUENCE * most:
            # The strongest of each cause, which come first.
            signs = tuple(alike[0].sign for alike in grouped(mine, lambda mark: mark.sign.cause).values())
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
        if slowdown >= SLOW and tasks.ends_later(view, worker) >= ENDS_LATER:
            host = hosts.get(worker, worker)
            yield Straggler(workload, "", worker, host, None, cause, 0.5, slowdown, signs)
