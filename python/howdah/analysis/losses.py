"""What losing a worker cost: attempts that ended with it, the work done again, and the delay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from howdah.analysis.attempts import attempts_of
from howdah.analysis.evidence import Evidence, Machine, WorkerLoss, WorkloadTime
from howdah.analysis.machines import workers_of
from howdah.analysis.poles import lost_race
from howdah.analysis.wording import listed, named, number, seconds
from howdah.model.cluster import Event
from howdah.model.finding import Finding
from howdah.model.run import Outcome, RunRecord, TaskAttempt
from howdah.model.tables import RunData
from howdah.units import format_bytes, format_counted

# A worker is missed some heartbeats after it was lost; its attempts may have ended before that.
NOTICED_AFTER_S = 60.0
# The attempts of a job's second application master are numbered from 1000 on, its third's from 2000 on.
_OF_ONE_MASTER = 1000
_DAEMONS = {"datanode": "DataNode", "nodemanager": "NodeManager"}


def losses(
    run: RunData, machines: tuple[Machine, ...], times: tuple[WorkloadTime, ...]
) -> tuple[WorkerLoss, ...]:
    """Every worker that was lost during a workload, in order."""
    hosts = workers_of(machines)
    found = []
    for time in times:
        within = [each for each in run.record.events if time.start_s <= each.time_s <= time.end_s]
        attempts = attempts_of(run, time)
        lost = sorted((each for each in within if each.kind.endswith("-lost")), key=lambda each: each.worker)
        for worker, events in groupby(lost, key=lambda each: each.worker):
            back = [
                each for each in run.record.events if each.worker == worker and each.kind.endswith("-back")
            ]
            place = (worker, hosts.get(worker, worker))
            found.append(_loss(time, place, tuple(events), back, attempts))
    return tuple(sorted(found, key=lambda loss: loss.time_s))


def _loss(
    time: WorkloadTime,
    place: tuple[str, str],
    lost: Sequence[Event],
    back: Sequence[Event],
    attempts: Sequence[TaskAttempt],
) -> WorkerLoss:
    worker, host = place
    moment = min(each.time_s for each in lost)
    wasted = [each for each in attempts if _ended_with(each, worker, moment)]
    tasks = {(each.kind, each.task) for each in wasted}
    gone = set(wasted)
    again = [each for each in attempts if (each.kind, each.task) in tasks and each not in gone]
    ends: dict[str, float] = {}
    for each in attempts:
        if (each.kind, each.task) not in tasks:
            ends[each.kind] = max(each.end_s, ends.get(each.kind, 0.0))
    delays = [each.end_s - ends[each.kind] for each in again if each.kind in ends]
    takeover_s = (
        _takeover_s(attempts, moment) if any(each.kind == "nodemanager-lost" for each in lost) else None
    )
    phases = [phase.name for phase in time.phases if phase.start_s <= moment <= phase.end_s]
    return WorkerLoss(
        workload=time.workload,
        phase=phases[0] if phases else None,
        worker=worker,
        host=host,
        daemons=tuple(dict.fromkeys(_DAEMONS[each.kind.partition("-")[0]] for each in lost)),
        time_s=moment,
        back_s=min((each.time_s for each in back if each.time_s > moment), default=None),
        lost=len(wasted),
        wasted_s=sum(each.end_s - each.start_s for each in wasted),
        wasted_bytes=sum(each.input_bytes + each.output_bytes for each in wasted),
        rerun=len(again),
        rerun_s=sum(each.end_s - each.start_s for each in again),
        delay_s=max((takeover_s or 0.0, *delays)),
        takeover_s=takeover_s,
    )


def _takeover_s(attempts: Sequence[TaskAttempt], moment: float) -> float | None:
    """How long after a loss the first task of the next application master began, if another one took over."""
    before = {each.attempt // _OF_ONE_MASTER for each in attempts if each.start_s <= moment}
    after = [each for each in attempts if each.start_s > moment]
    if not before or not after:
        return None
    first = min(after, key=lambda each: each.start_s)
    return first.start_s - moment if first.attempt // _OF_ONE_MASTER > max(before) else None


def _ended_with(attempt: TaskAttempt, worker: str, moment: float) -> bool:
    """Whether an attempt's work was lost: on that worker, or elsewhere for want of what lay on it."""
    if lost_race(attempt.error):
        return False
    if attempt.state == Outcome.SUCCEEDED.value or attempt.end_s < moment - NOTICED_AFTER_S:
        return False
    return attempt.worker == worker or worker in (attempt.error or "")


def find_losses(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Who was lost, when, and what it cost."""
    for loss in evidence.losses:
        yield Finding(
            id="worker-lost",
            severity="warning",
            workload=loss.workload,
            phase=loss.phase,
            text=_told(loss, evidence.time_of(loss.workload).start_s),
            sure="measured",
            origin=record.origin,
            numbers=(
                number("attempts lost", loss.lost, "1"),
                number("work lost", loss.wasted_s, "s"),
                number("bytes lost", loss.wasted_bytes, "B"),
                number("work done again", loss.rerun_s, "s"),
                number("end held up", loss.delay_s, "s"),
            ),
        )


def _told(loss: WorkerLoss, began_s: float) -> str:
    text = (
        f"{named(loss.workload, loss.phase)}: the {listed(loss.daemons)} of {loss.worker} on {loss.host} "
        f"went missing {seconds(loss.time_s - began_s)} after the start"
    )
    text += f" and back {seconds(loss.back_s - loss.time_s)} later" if loss.back_s is not None else ""
    if loss.lost:
        text += (
            f"; {format_counted(loss.lost, 'task attempt')} ended with it, {seconds(loss.wasted_s)} of "
            f"work over {format_bytes(loss.wasted_bytes)}, and {format_counted(loss.rerun, 'attempt')} "
            f"of {seconds(loss.rerun_s)} did it again"
        )
    if loss.takeover_s is not None:
        return (
            f"{text}; the job's application master was lost as well, and with it what was under way: the "
            f"next one began its first task {seconds(loss.takeover_s)} later, which held up the end by at "
            "least that"
        )
    if not loss.lost:
        return f"{text}; no task attempt was lost with it"
    return text + (f", which held up the end by {seconds(loss.delay_s)}" if loss.delay_s > 0 else "")
