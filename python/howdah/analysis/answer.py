"""The answer: what was run, how fast it was and what limited it, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.analysis.evidence import Evidence, LimitShare, MasterLoss, StorageZones, WorkerLoss, WorkloadTime
from howdah.analysis.fault_effects import in_short
from howdah.analysis.limits import sentence, share_numbers, share_sure
from howdah.analysis.links import link_numbers, link_sentence
from howdah.analysis.machines import on_cluster, workers_of
from howdah.analysis.masters import took_over
from howdah.analysis.others import disturbance_of, used_meanwhile
from howdah.analysis.storage import zone_numbers, zone_sentence
from howdah.analysis.table_limits import answer_sentence, together
from howdah.analysis.wording import listed, number, percent, seconds, times
from howdah.model.finding import Finding, Number
from howdah.model.run import Outcome, RunRecord
from howdah.model.workloads.base import TOGETHER
from howdah.units import format_counted, format_rate

BRIEF_FROM = 2
"""Of more workloads than this an answer tells only the most important numbers."""


def find_answer(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Exactly one finding, whatever the run came to; it begins with what was done meanwhile."""
    for finding in _answer(record, evidence):
        faults = in_short(record, evidence)
        text = f"{faults}; {finding.text}" if faults else finding.text
        yield finding.model_copy(update={"text": text})


def _answer(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    main = answered(record, evidence)
    if not main:
        yield _plain(record, _unfinished(record, evidence), None, [])
        return
    shares = [share for time in main if (share := _share(evidence, time)) is not None]
    if len(main) == len(shares) == 1:
        yield Finding(
            id="answer",
            severity="answer",
            workload=shares[0].workload,
            text=sentence(shares[0]) + _meanwhile(evidence, main),
            sure=share_sure(shares[0]),
            origin=record.origin,
            numbers=tuple(share_numbers(shares[0])),
        )
        return
    zone = _zone(evidence, main[0])
    measured = record.workloads[main[0].index]
    if (links := link_sentence(measured)) is not None:
        text, numbers = links + _meanwhile(evidence, main), link_numbers(measured)
    elif zone is not None:
        text, numbers = zone_sentence(record, evidence, zone), zone_numbers(record, evidence, zone)
    else:
        brief = len(main) > BRIEF_FROM
        text = (together(record, evidence, main) if brief else None) or "; ".join(
            _told(record, evidence, time, brief=brief) for time in main
        )
        if on_cluster(record):
            text += _where(evidence, main)
        text += _meanwhile(evidence, main)
        numbers = [number("elapsed", main[0].elapsed_s, "s")]
    yield _plain(record, text, main[0].workload, numbers)


def answered(record: RunRecord, evidence: Evidence) -> list[WorkloadTime]:
    """What the run was about: the workload that matters most, of several that took longest, or all of dfsio.

    It is empty for a run that did not succeed, whose answer is how it ended.
    """
    done = [time for time in evidence.workloads if time.outcome is Outcome.SUCCEEDED]
    if record.outcome is not Outcome.SUCCEEDED or not done:
        return []
    weights = {time.workload: record.workloads[time.index].workload.importance for time in done}
    highest = max(weights.values())
    main = [time for time in done if weights[time.workload] == highest]
    # Programs that write and read the same files are told together.
    return main if highest == TOGETHER else [max(main, key=lambda time: time.elapsed_s)]


def _told(record: RunRecord, evidence: Evidence, time: WorkloadTime, *, brief: bool) -> str:
    operations = answer_sentence(evidence, time, brief=brief)
    if operations is not None:
        return operations
    share = _share(evidence, time)
    if share is not None:
        return sentence(share)
    text = f"{time.workload} took {seconds(time.elapsed_s)}"
    if time.rate is not None:
        text += f", {format_rate(time.rate.bytes_per_s)}"
    result = record.workloads[time.index]
    # All that it reports, or of more than a few the one that it is run for.
    main = result.primary if len(result.metrics) > BRIEF_FROM else None
    reported = result.metrics if main is None else (main,)
    if reported:
        text += f", {listed([f'{metric.name} {metric.in_words()}' for metric in reported])}"
    busy = next((use.cpu_busy for use in evidence.use if use.workload == time.workload), None)
    return text + (f": CPU {percent(busy)} busy" if busy is not None else "")


def _where(evidence: Evidence, main: list[WorkloadTime]) -> str:
    """On how many workers, how far from the floor, who was lost, and what held up the job."""
    workers = workers_of(evidence.machines)
    text = ""
    if workers:
        text = f", on {format_counted(len(workers), 'worker')}"
        if set(workers) != set(workers.values()):
            text += f" of {format_counted(len(set(workers.values())), 'host')}"
    names = {time.workload for time in main}
    floors = [floor for floor in evidence.floors if floor.workload in names]
    if floors:
        text += f", {times(floors[0].ratio)} the floor"
    text += _lost([loss for loss in evidence.losses if loss.workload in names])
    text += _masters([loss for loss in evidence.master_losses if loss.workload in names])
    slow = [
        straggler
        for straggler in evidence.stragglers
        if straggler.workload in names and straggler.cause != "cannot tell"
    ]
    return f"{text}; {slow[0].worker} held it up: {slow[0].cause}" if slow else text


def _meanwhile(evidence: Evidence, main: Sequence[WorkloadTime]) -> str:
    """That others had much of the machine, which makes every number before it theirs, too."""
    uses = filter(None, (disturbance_of(evidence, time.workload) for time in main))
    most = max(uses, key=lambda use: use.others, default=None)
    return f"; {used_meanwhile(most)}" if most else ""


def _lost(losses: Sequence[WorkerLoss]) -> str:
    """The workers that were lost meanwhile, and how much later that made the end."""
    within = [loss for loss in losses if not loss.before_s]
    if not within:
        return ""
    gone = [loss.worker for loss in within if loss.back_s is None]
    back = [loss.worker for loss in within if loss.back_s is not None]
    told = [f"{listed(gone)} {'was' if len(gone) == 1 else 'were'} lost"] if gone else []
    told += [f"{listed(back)} went missing and came back"] if back else []
    delay_s = max(loss.delay_s for loss in within)
    cost = f", which held up the end by {seconds(delay_s)}" if delay_s > 0 else ""
    return f"; {' and '.join(told)} on the way{cost}"


def _masters(losses: Sequence[MasterLoss]) -> str:
    """The masters that served and were lost meanwhile, with who took over and how soon."""
    return "".join(
        f"; the {loss.daemon} on {loss.machine} was lost on the way, {took_over(loss)}"
        for loss in losses
        if loss.lost_s is not None and not loss.standby
    )


def _zone(evidence: Evidence, time: WorkloadTime) -> StorageZones | None:
    """The files of the storage test whose rates fall most from first to last."""
    written = [
        zones for zones in evidence.storage if zones.workload == time.workload and zones.operation == "write"
    ]
    return max(written, key=lambda zones: zones.drop, default=None)


def _share(evidence: Evidence, time: WorkloadTime) -> LimitShare | None:
    return next(
        (limit for limit in evidence.limits if limit.workload == time.workload and limit.phase is None), None
    )


def _unfinished(record: RunRecord, evidence: Evidence) -> str:
    verb = {
        Outcome.SUCCEEDED: "ended",
        Outcome.FAILED: "failed",
        Outcome.ABORTED: "was cut off",
        Outcome.RUNNING: "is still going",
    }[record.outcome]
    reason = f": {record.error}" if record.error else ""
    open_ends = [time for time in evidence.workloads if time.outcome is not Outcome.SUCCEEDED]
    if not evidence.workloads:
        return f"the run {verb} before any workload began{reason}"
    done = [time.workload for time in evidence.workloads if time.outcome is Outcome.SUCCEEDED]
    text = f"the run {verb}"
    if open_ends:
        text += f" in {open_ends[-1].workload} after {seconds(open_ends[-1].elapsed_s)}"
    text += reason + _lost([loss for loss in evidence.losses if loss.workload not in done])
    text += _masters([loss for loss in evidence.master_losses if loss.workload not in done])
    return f"{text}; {listed(done)} had succeeded" if done else text


def _plain(record: RunRecord, text: str, workload: str | None, numbers: list[Number]) -> Finding:
    return Finding(
        id="answer",
        severity="answer",
        workload=workload,
        text=text,
        sure="measured",
        origin=record.origin,
        numbers=tuple(numbers),
    )
