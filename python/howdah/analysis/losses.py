"""What losing a worker cost: attempts that ended with it, the wait, the work done again, and the delay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import Outage, Wait, WorkerLoss
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.fault_effects import was_meant
from howdah.analysis.machines import workers_of
from howdah.analysis.operation_steps import TimedRun
from howdah.analysis.outages import freed_s, outages, under_way, waits
from howdah.analysis.phases import attempts_of, master_of, names_machine
from howdah.analysis.spark import undone_attempts
from howdah.analysis.uneven_tasks import lost_race
from howdah.analysis.wording import conclude, named, seconds
from howdah.model.cluster import HadoopJob
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord, TaskAttempt
from howdah.units import listed

_LATE_S = 5.0  # A daemon's last sign of life may be so much earlier than the end of its worker.
Tasks = Mapping[tuple[str, int], TaskAttempt]  # An attempt that was lost, by its kind and task.


class LostMaster(NamedTuple):
    """An application master that was lost."""

    number: int  # From 1.
    restart_s: float | None  # How much later the next one began than it; None where nobody tells of either.


def losses(timed: TimedRun) -> tuple[WorkerLoss, ...]:
    record = timed.run.record
    hosts, missing = workers_of(timed.machines), outages(record.events, timed.timeline)
    result = []
    for time in timed.times:
        attempts = attempts_of(timed.run, time)
        for outage in missing:
            if outage.lost_s <= time.end_s and (outage.back_s is None or outage.back_s >= time.start_s):
                result.append(_loss(record, time, outage, hosts.get(outage.worker, outage.worker), attempts))
    return tuple(result)


def _loss(
    record: RunRecord, time: WorkloadTime, outage: Outage, host: str, attempts: Sequence[TaskAttempt]
) -> WorkerLoss:
    lost_s = outage.lost_s
    job, on_spark = time.result.job, time.result.spark is not None
    master = None if on_spark else _lost_master(attempts, outage, job)
    # Tasks of Spark that had succeeded on the worker, and whose output was lost and computed again.
    undone = frozenset(
        attempt
        for attempt in undone_attempts(attempts)
        if "NodeManager" in outage.daemons
        and attempt.worker == outage.worker
        and attempt.end_s <= lost_s + _LATE_S
    )
    ended = tuple(
        attempt for attempt in attempts if attempt in undone or _ended_with(attempt, outage, master, attempts)
    )
    tasks = {(attempt.kind, attempt.task): attempt for attempt in ended}
    again = tuple(
        attempt
        for attempt in attempts
        if (attempt.kind, attempt.task) in tasks and attempt.start_s > lost_s and attempt not in ended
    )
    takeover_s: float | None = None
    restart_s = 0.0
    if master is not None:
        numbers = [master_of(attempt.attempt) for attempt in attempts]
        later = [
            attempt.start_s
            for attempt, number in zip(attempts, numbers, strict=True)
            if number > master.number
        ]
        takeover_s = min(later) - lost_s if later else None
        # If nothing is left of what a lost master began, the whole job began again.
        restart_s = (master.restart_s or 0.0) if all(number > master.number for number in numbers) else 0.0
    until = freed_s(outage, ended, again, takeover_s)
    return WorkerLoss(
        workload=time.workload,
        phase=time.phase_at(lost_s),
        **vars(outage),
        host=host,
        before_s=max(0.0, time.start_s - lost_s),
        ended=ended,
        again=again,
        wasted_s=sum(
            max(0.0, until_s(attempt, outage.worker, lost_s) - attempt.start_s) for attempt in ended
        ),
        wasted_bytes=sum(attempt.input_bytes + attempt.output_bytes for attempt in ended),
        rerun_s=sum(attempt.elapsed_s for attempt in again),
        waits=waits(record, job, outage, until, [] if master or on_spark else under_way(outage, ended)),
        delay_s=max(takeover_s or 0.0, restart_s, _delay_s(attempts, tasks, again, lost_s)),
        takeover_s=takeover_s,
    )


def until_s(attempt: TaskAttempt, worker: str, lost_s: float) -> float:
    """Until when an attempt worked: on the lost worker until the loss, elsewhere until it ended."""
    return min(attempt.end_s, max(lost_s, attempt.start_s)) if attempt.worker == worker else attempt.end_s


def _lost_master(attempts: Sequence[TaskAttempt], outage: Outage, job: HadoopJob | None) -> LostMaster | None:
    """The job's application master that was lost with the worker; None: none was."""
    if "NodeManager" not in outage.daemons:
        return None
    masters = job.masters if job else ()
    before = [master for master in masters if master.started_s <= outage.lost_s]
    after = [master for master in masters if master.started_s > outage.lost_s]
    if before:
        reported = after and before[-1].worker == outage.worker
        return LostMaster(before[-1].number, after[0].started_s - before[-1].started_s) if reported else None
    # Nobody tells where the first one ran: attempts tell by their numbers that there was another.
    begun = [master_of(attempt.attempt) for attempt in attempts if attempt.start_s <= outage.lost_s]
    later = [master_of(attempt.attempt) for attempt in attempts if attempt.start_s > outage.lost_s]
    if not later:
        return None
    last = max(begun, default=min(later) - 1)
    return LostMaster(last, None) if 1 <= last < min(later) else None


def _ended_with(
    attempt: TaskAttempt, outage: Outage, master: LostMaster | None, attempts: Sequence[TaskAttempt]
) -> bool:
    """Whether an attempt's work was lost: on that worker, under that master, or for want of either."""
    lost_s = outage.lost_s
    # One that lost a race that was on before the loss; a later one was run in its place.
    raced = lost_race(attempt.error) and any(
        rival.succeeded and rival.start_s <= lost_s
        for rival in attempts
        if (rival.kind, rival.task) == (attempt.kind, attempt.task)
    )
    if attempt.succeeded or raced:
        return False
    under_way = attempt.start_s <= lost_s <= attempt.end_s
    if under_way and master is not None and master_of(attempt.attempt) == master.number:
        return True
    if attempt.worker == outage.worker and "NodeManager" in outage.daemons:
        # One whose output was lost had ended before, and Hadoop says why it undid it.
        undone = "unusable node" in (attempt.error or "")
        return attempt.start_s <= lost_s and (under_way or undone)
    return attempt.end_s >= lost_s and names_machine(attempt.error, outage.worker)


def _delay_s(
    attempts: Sequence[TaskAttempt], tasks: Tasks, again: Sequence[TaskAttempt], lost_s: float
) -> float:
    """How much later the last task ended than it would have.

    Reduces wait for the last map, so that maps hold up the end by as much as theirs; reduces done again do so
    by as much as they ended after the others, which the maps may have held up as well.
    """
    others = [
        attempt for attempt in attempts if (attempt.kind, attempt.task) not in tasks and attempt.succeeded
    ]
    mapped_s = max((attempt.end_s for attempt in others if attempt.kind == "map"), default=0.0)
    by_maps_s = _later_s([attempt for attempt in again if attempt.kind == "map"], tasks, lost_s, mapped_s)
    ended_s = max((attempt.end_s for attempt in others), default=0.0) - by_maps_s
    return max(
        by_maps_s, _later_s([attempt for attempt in again if attempt.kind != "map"], tasks, lost_s, ended_s)
    )


def _later_s(again: Sequence[TaskAttempt], tasks: Tasks, lost_s: float, others_s: float) -> float:
    """How much later than others, which ended at a moment, work that was done again made the end of all.

    It began so much later than at first; what was ready before the loss came back so long after it.
    """
    if not again:
        return 0.0
    later = (
        min(attempt.start_s - tasks[attempt.kind, attempt.task].start_s, attempt.end_s - lost_s)
        for attempt in again
    )
    return max(0.0, min(max(later), max(attempt.end_s for attempt in again) - others_s))


def find_losses(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One warning for each worker that was missing during a workload; a note where a fault was to do that."""
    for loss in evidence.losses:
        before, master_lost = loss.before_s > 0, loss.takeover_s is not None
        lost_work = "what was under way" if loss.ended else None
        no_attempt = None if loss.ended or master_lost else "no task attempt was lost with it"
        moments = [
            f"{event} {seconds(moment - loss.lost_s)}{later}"
            for event, moment, later in (
                ("noticed", loss.noticed_s if loss.noticed_s > loss.lost_s else None, " later"),
                ("given up by YARN after", loss.given_up_s, ""),
                ("back after", loss.back_s, ""),
            )
            if moment is not None
        ]
        waits = [(seconds(wait.seconds), _ended(wait)) for wait in loss.waits]
        until = f": {listed([f'{length} until {end}' for length, end in waits])}" if waits else None
        yield conclude(
            "worker-lost",
            loss,
            warns=not was_meant(record, evidence, loss.worker, loss.lost_s),
            early_s=loss.before_s if before else None,
            place=None if before else named(loss.workload, loss.phase),
            moments=", ".join(moments) or None,
            lost_work=lost_work or "everything that it had started, which is not reported",
            attempts=len(loss.ended) or None,
            moved=loss.wasted_bytes or None if loss.ended else None,
            no_attempt=no_attempt,
            until=f", until {waits[0][1]}" if len(waits) == 1 else until,
            repeated=len(loss.again) or None,
            held_up_s=loss.delay_s if loss.delay_s > 0 else None,
            attempts_lost=len(loss.ended),
        )


def _ended(wait: Wait) -> str:
    if wait.setting is None:
        return wait.ended_by
    value = "" if wait.value_s is None else f", {seconds(wait.value_s)} here"
    return f"{wait.ended_by} ({wait.setting}{value})"
