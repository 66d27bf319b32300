"""The answer: what was run, how fast it was and what limited it, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Evidence, LimitShare, WorkloadTime
from howdah.analysis.limits import sentence, share_finding
from howdah.analysis.storage import zone_sentence
from howdah.analysis.wording import listed, number, percent, seconds
from howdah.model.finding import Finding
from howdah.model.run import Outcome, RunRecord
from howdah.model.workload import WorkloadKind
from howdah.units import format_rate

_DFSIO = (WorkloadKind.DFSIO_WRITE, WorkloadKind.DFSIO_READ)


def find_answer(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Exactly one finding, whatever the run came to."""
    done = [time for time in evidence.workloads if time.outcome is Outcome.SUCCEEDED]
    if record.outcome is not Outcome.SUCCEEDED or not done:
        yield _plain(record, _unfinished(record, evidence))
        return
    main = _main(record, done)
    shares = [share for time in main if (share := _share(evidence, time)) is not None]
    if len(main) == len(shares) == 1:
        yield share_finding(record, shares[0], "answer", sentence(shares[0]))
        return
    yield _plain(record, "; ".join(_told(record, evidence, time) for time in main), main[0])


def _main(record: RunRecord, done: list[WorkloadTime]) -> list[WorkloadTime]:
    """What the run was about: the sort, else all of dfsio, else the workload that took longest."""
    kinds = {time.workload: record.workloads[time.index].workload.kind for time in done}
    sorts = [time for time in done if kinds[time.workload] is WorkloadKind.TERASORT]
    if sorts:
        return [max(sorts, key=lambda time: time.elapsed_s)]
    files = [time for time in done if kinds[time.workload] in _DFSIO]
    return files or [max(done, key=lambda time: time.elapsed_s)]


def _told(record: RunRecord, evidence: Evidence, time: WorkloadTime) -> str:
    share = _share(evidence, time)
    if share is not None:
        return sentence(share)
    zones = [
        zone for zone in evidence.storage if zone.workload == time.workload and zone.operation == "write"
    ]
    if zones:
        return zone_sentence(max(zones, key=lambda zone: zone.drop))
    text = f"{time.workload} took {seconds(time.elapsed_s)}"
    if time.rate is not None:
        text += f", {format_rate(time.rate.bytes_per_s)}"
    answer = record.workloads[time.index].answer
    if answer is not None:
        text += f" and says {answer}"
    busy = next((use.cpu_busy for use in evidence.use if use.workload == time.workload), None)
    return text + (f": CPU {percent(busy)} busy" if busy is not None else "")


def _share(evidence: Evidence, time: WorkloadTime) -> LimitShare | None:
    return next(
        (each for each in evidence.limits if each.workload == time.workload and each.phase is None), None
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
    text += reason
    return f"{text}; {listed(done)} had succeeded" if done else text


def _plain(record: RunRecord, text: str, time: WorkloadTime | None = None) -> Finding:
    return Finding(
        id="answer",
        severity="answer",
        workload=time.workload if time else None,
        text=text,
        sure="measured",
        origin=record.origin,
        numbers=(number("elapsed", time.elapsed_s, "s"),) if time else (),
    )
