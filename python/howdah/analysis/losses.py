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
from howdah.analysis.wording import finding, listed, named, seconds
from howdah.model.cluster import HadoopJob
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord, TaskAttempt
from howdah.units import format_bytes, format_counted

_LATE_S = 5.0  # A daemon's last sign of life may be so much earlier than the end of its worker.

Tasks = Mapping[tuple[str, int], TaskAttempt]  # An attempt that was lost, by its kind and task.


class LostMaster(NamedTuple):
    """An application master that was lost: its number, from 1, and how much later the next one began than it.

    ``restart_s`` is None where nobody tells of either.
    """

    number: int
    restart_s: float | None


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
    job, on_spark = record.workloads[time.index].job, record.workloads[time.index].spark is not None
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
    phases = [phase.name for phase in time.phases if phase.start_s <= lost_s <= phase.end_s]
    return WorkerLoss(
        workload=time.workload,
        phase=phases[0] if phases else None,
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
    if attempt.succeeded or _raced(attempt, lost_s, attempts):
        return False
    under_way = attempt.start_s <= lost_s <= attempt.end_s
    if under_way and master is not None and master_of(attempt.attempt) == master.number:
        return True
    if attempt.worker == outage.worker and "NodeManager" in outage.daemons:
        # One whose output was lost had ended before, and Hadoop says why it undid it.
        undone = "unusable node" in (attempt.error or "")
        return attempt.start_s <= lost_s and (under_way or undone)
    return attempt.end_s >= lost_s and names_machine(attempt.error, outage.worker)


def _raced(attempt: TaskAttempt, lost_s: float, attempts: Sequence[TaskAttempt]) -> bool:
    """Whether an attempt lost a race that was on before the loss; a later one was run in its place."""
    return lost_race(attempt.error) and any(
        rival.succeeded and rival.start_s <= lost_s
        for rival in attempts
        if (rival.kind, rival.task) == (attempt.kind, attempt.task)
    )


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
        yield finding(
            "worker-lost",
            "; ".join(_clauses(loss)),
            ("attempts lost", len(loss.ended), "1"),
            ("work lost", loss.wasted_s, "s"),
            ("bytes lost", loss.wasted_bytes, "B"),
            ("waited", loss.waited_s, "s"),
            ("work done again", loss.rerun_s, "s"),
            ("end held up", loss.delay_s, "s"),
            severity="note" if was_meant(record, evidence, loss.worker, loss.lost_s) else "warning",
            workload=loss.workload,
            phase=loss.phase,
        )


def _clauses(loss: WorkerLoss) -> Iterator[str]:
    yield _when(loss)
    if loss.takeover_s is not None:
        lost_work = (
            "what was under way" if loss.ended else "everything that it had started, which is not reported"
        )
        yield (
            f"the job's application master was lost as well, and with it {lost_work}: the next one "
            f"began its first task {seconds(loss.takeover_s)} after the loss"
        )
    if loss.ended:
        text = f"{format_counted(len(loss.ended), 'task attempt')} ended with it"
        text += f", {seconds(loss.wasted_s)} of work"
        yield f"{text} over {format_bytes(loss.wasted_bytes)}" if loss.wasted_bytes else text
    elif loss.takeover_s is None:
        yield "no task attempt was lost with it"
    if len(loss.waits) == 1:
        yield f"for {seconds(loss.waited_s)} that work was not repeated, until {_ended(loss.waits[0])}"
    elif loss.waits:
        parts = listed([f"{seconds(wait.seconds)} until {_ended(wait)}" for wait in loss.waits])
        yield f"for {seconds(loss.waited_s)} that work was not repeated: {parts}"
    if loss.again:
        yield f"{format_counted(len(loss.again), 'attempt')} of {seconds(loss.rerun_s)} did it again"
    if loss.delay_s > 0:
        yield f"the end was held up by {seconds(loss.delay_s)}"


def _when(loss: WorkerLoss) -> str:
    daemons = f"the {listed(loss.daemons)} of {loss.worker} on {loss.host}"
    if loss.before_s > 0:
        text = f"{loss.workload} began without {loss.worker}: {daemons} had gone missing"
        text += f" {seconds(loss.before_s)} before"
    else:
        text = f"{named(loss.workload, loss.phase)}: {daemons} went missing"
        text += f" at {seconds(loss.lost_s)}"
    moments = []
    if loss.noticed_s > loss.lost_s:
        moments.append(f"noticed {seconds(loss.noticed_s - loss.lost_s)} later")
    if loss.given_up_s is not None:
        moments.append(f"given up by YARN after {seconds(loss.given_up_s - loss.lost_s)}")
    if loss.back_s is not None:
        moments.append(f"back after {seconds(loss.back_s - loss.lost_s)}")
    return f"{text} ({', '.join(moments)})" if moments else text


def _ended(wait: Wait) -> str:
    if wait.setting is None:
        return wait.ended_by
    value = "" if wait.value_s is None else f", {seconds(wait.value_s)} here"
    return f"{wait.ended_by} ({wait.setting}{value})"
