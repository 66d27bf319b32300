"""The answer, and one sentence for each workload and phase: its time, its limit and its use of resources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import MasterLoss, WorkerLoss
from howdah.analysis.evidence.times import LimitShare, PhaseTime, WorkloadTime
from howdah.analysis.evidence.use import HostUse
from howdah.analysis.fault_effects import in_short
from howdah.analysis.limits import limit_claim, limit_compared, limit_cpu, share_numbers, share_sure
from howdah.analysis.links import link_numbers, link_sentence
from howdah.analysis.machines import on_cluster, workers_of
from howdah.analysis.masters import took_over
from howdah.analysis.other_processes import used_meanwhile
from howdah.analysis.phases import grouped
from howdah.analysis.storage import steepest, zone_finding
from howdah.analysis.table_limits import answer_sentences, together
from howdah.analysis.use import QUIET_BYTES_PER_S, by_phases, use_clauses
from howdah.analysis.wording import (
    Figure,
    Sure,
    conclude,
    finding,
    named,
    percent,
    phrase,
    sentences,
    times,
    took,
)
from howdah.model.comparison import Finding
from howdah.model.run import Outcome, RunRecord
from howdah.model.workloads.base import TOGETHER
from howdah.units import format_rate, listed

OUTSIDE_SHARE = 0.03  # Time outside all phases is reported from this share of the workload on.
OUTSIDE_S = 0.01  # Starting and ending take a few milliseconds, which only a tiny workload would notice.

_RATES: dict[str, Callable[[HostUse], float]] = {
    "disks read": lambda use: sum(disk.read_bytes_per_s for disk in use.disks if disk.data),
    "disks wrote": lambda use: sum(disk.write_bytes_per_s for disk in use.disks if disk.data),
    "received": lambda use: sum(nic.rx_bytes / nic.seconds for nic in use.nics if nic.nic != "lo"),
}


def find_times(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Every workload that the answer leaves out, and the phases of every one that is told by phases."""
    mentioned = {time.workload for time in answered(record, evidence)}
    for time in evidence.workloads:
        succeeded = time.outcome is Outcome.SUCCEEDED
        # The storage test's answer is about its files and does not tell its time.
        storage = time.result.workload.timed_by_file
        # How long a workload took that did not succeed is told where it is said how it ended.
        reported = not succeeded or (time.workload in mentioned and not storage)
        if not (reported and time.told_apart):
            yield from _time(record, evidence, time, None, reported=reported)
        for phase in time.told_apart:
            # The last phase of a workload that did not succeed was cut off, so it did not take its time.
            cut_off = not succeeded and phase is time.phases[-1]
            yield from _time(record, evidence, time, phase, reported=cut_off)


def _time(
    record: RunRecord, evidence: Evidence, time: WorkloadTime, phase: PhaseTime | None, *, reported: bool
) -> Iterator[Finding]:
    """The time, against its limit where there is one, then the use; nothing if there is neither."""
    name, elapsed_s = (phase.name, phase.elapsed_s) if phase else (None, time.elapsed_s)
    place, share = named(time.workload, name), _share(evidence, time.workload, name)
    numbers = share_numbers(share) if share else [("elapsed", elapsed_s, "s")]
    rates = [(rate.of, rate) for rate in (phase.read, phase.write) if rate] if phase else []
    if phase is None and time.rate is not None:
        rates = [("rate", time.rate)]
    numbers += [(label, rate.bytes_per_s, "B/s") for label, rate in rates]
    # What the phases did is told with each of them; a stretch must be long enough to tell.
    use = next((use for use in evidence.use if (use.workload, use.phase) == (time.workload, name)), None)
    clauses: list[str] = []
    if use and not use.coarse and len(use.hosts) == 1 and (phase or not time.told_apart):
        clauses, used = use_clauses(use.hosts[0])
        numbers += used
    if phase is None and share is None and not clauses:
        # Time and rate alone are what every form of a report begins with.
        return
    words = None if reported else "took"
    if share is not None and not (reported and phase is None):
        words = "limited"
    if words or clauses:
        yield conclude(
            "time",
            words=words or "use",
            sure=share_sure(share) if words == "limited" and share else "measured",
            numbers=numbers,
            workload=time.workload,
            phase=name,
            place=place,
            took=took(record),
            elapsed_s=elapsed_s,
            claim=limit_claim(share, took(record)) if share else None,
            compared=limit_compared(share) if share else None,
            # The clauses on use begin with the CPU.
            cpu=(limit_cpu(share) or None) if share and not clauses else None,
            clauses="; ".join(clauses) or None,
        )


def _share(evidence: Evidence, workload: str, phase: str | None) -> LimitShare | None:
    return next(
        (limit for limit in evidence.limits if (limit.workload, limit.phase) == (workload, phase)), None
    )


def find_outside(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Time that a workload spent in none of its phases."""
    # A job's time before and after its tasks is told with the rest of its overhead.
    mentioned = {overhead.workload for overhead in evidence.overheads}
    for time in evidence.workloads:
        outside_s = time.elapsed_s - sum(phase.elapsed_s for phase in time.phases)
        least_s = max(OUTSIDE_S, OUTSIDE_SHARE * time.elapsed_s)
        if time.workload not in mentioned and time.phases and outside_s > least_s:
            yield conclude("outside-phases", time, outside_s=outside_s)


def find_cluster_use(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """CPU, disks and network of all workers, phase by phase, with who did least and most."""
    for use in by_phases(evidence) if on_cluster(record) else ():
        clauses, numbers = _clauses(use.working)
        if numbers:
            place = named(use.workload, use.phase)
            yield conclude("use", use, place=place, clauses="; ".join(clauses), numbers=numbers)


def _clauses(machines: Sequence[HostUse]) -> tuple[list[str], list[Figure]]:
    clauses = ["the CPUs were not sampled"]
    numbers: list[Figure] = []
    with_cpu = [machine for machine in machines if machine.cpu is not None]
    if with_cpu:
        text, low, high = _range(with_cpu, lambda use: use.cpu.busy if use.cpu else 0.0)
        clauses = [f"the workers kept their CPUs {text}"]
        numbers += [("least busy CPUs", low, "1"), ("busiest CPUs", high, "1")]
    for verb, rate in _RATES.items():
        total = sum(rate(machine) for machine in machines)
        if total >= QUIET_BYTES_PER_S:
            top = max(machines, key=rate)
            most = f" (most on {top.host}, {percent(rate(top) / total)})" if len(machines) > 1 else ""
            clauses.append(f"{verb} {format_rate(total)}{most}")
            numbers.append((f"{verb}, all", total, "B/s"))
    return clauses, numbers


def _range(machines: Sequence[HostUse], share: Callable[[HostUse], float]) -> tuple[str, float, float]:
    """The shares of all machines in words: the one they have in common, or who has least and most."""
    least, most = min(machines, key=share), max(machines, key=share)
    low, high = share(least), share(most)
    if len(machines) == 1 or percent(low) == percent(high):
        return f"{percent(high)} busy", low, high
    middle = percent(median(share(machine) for machine in machines))
    return f"{middle} busy (from {percent(low)} on {least.host} to {percent(high)} on {most.host})", low, high


BRIEF_FROM = 2  # Of more workloads than this an answer tells only the most important numbers.


class _Answer(NamedTuple):
    """The claim first, then what supports it, a sentence each."""

    sentences: list[str]
    workload: str | None = None
    sure: Sure = "measured"
    numbers: Sequence[Figure] = ()


def find_answer(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Exactly one finding: the claim, after a semicolon its statistics; with faults the claim is on them."""
    answer = _answer(record, evidence)
    yield finding(
        "answer",
        "; ".join(filter(None, (in_short(record, evidence), *answer.sentences))),
        *answer.numbers,
        severity="answer",
        workload=answer.workload,
        sure=answer.sure,
    )


def _answer(record: RunRecord, evidence: Evidence) -> _Answer:
    main = answered(record, evidence)
    if not main:
        return _Answer(_unfinished(record, evidence))
    first, measured = main[0], main[0].result
    share, zone = _share(evidence, first.workload, None), steepest(evidence, first.workload)
    if len(main) == 1 and share is not None:
        text = [
            limit_claim(share, took(record)),
            ", ".join(filter(None, (limit_compared(share), limit_cpu(share)))),
        ]
        answer = _Answer(text, share.workload, share_sure(share), share_numbers(share))
    elif (links := link_sentence(measured)) is not None:
        answer = _Answer([links], first.workload, numbers=link_numbers(measured))
    elif zone is not None:
        zones = zone_finding(evidence, zone)
        numbers = [(number.name, number.value, number.unit) for number in zones.numbers]
        return _Answer([zones.text], first.workload, numbers=numbers)
    else:
        brief = len(main) > BRIEF_FROM
        text = (together(record, evidence, main) if brief else None) or [
            sentence
            for time in main
            for sentence in _sentences(record, evidence, time, brief=brief, alone=len(main) == 1)
        ]
        text += _on_the_way(evidence, main) if on_cluster(record) else []
        answer = _Answer(text, first.workload, numbers=[("elapsed", first.elapsed_s, "s")])
    # What others had of the machine makes every number before it theirs, too.
    others = used_meanwhile(evidence, *(time.workload for time in main))
    return answer._replace(sentences=answer.sentences + ([others] if others else []))


def answered(record: RunRecord, evidence: Evidence) -> list[WorkloadTime]:
    """What the run was about: the most important, or longest, or all dfsio workloads; none if it failed."""
    done = [time for time in evidence.workloads if time.outcome is Outcome.SUCCEEDED]
    if record.outcome is not Outcome.SUCCEEDED or not done:
        return []
    weights = {time.workload: time.result.workload.importance for time in done}
    highest = max(weights.values())
    main = [time for time in done if weights[time.workload] == highest]
    # Programs that write and read the same files are told together.
    return main if highest == TOGETHER else [max(main, key=lambda time: time.elapsed_s)]


def _sentences(
    record: RunRecord, evidence: Evidence, time: WorkloadTime, *, brief: bool, alone: bool
) -> list[str]:
    """The claim on one workload and its statistics, which of several are in the tables below."""
    operations = answer_sentences(record, evidence, time, brief=brief)
    if operations:
        return operations
    share = _share(evidence, time.workload, None)
    if share is not None:
        return [limit_claim(share, took(record))]
    workers = workers_of(evidence.machines)
    hosts = set(workers.values())
    claim = phrase(
        "answer",
        time,
        words="took",
        took=took(record),
        workers=len(workers) or None,
        hosts=len(hosts) if set(workers) != hosts else None,
    )
    statistics = [format_rate(time.rate.bytes_per_s)] if time.rate is not None else []
    result = time.result
    # All that it reports, or of more than a few the one that it is run for.
    main = result.primary if len(result.metrics) > BRIEF_FROM else None
    reported = result.metrics if main is None else (main,)
    statistics += [f"{metric.name} {metric.in_words()}" for metric in reported]
    busy = next((use.cpu_busy for use in evidence.use if use.workload == time.workload), None)
    if alone:
        statistics += [f"CPU {percent(busy)} busy"] if busy is not None else []
        floors = [floor for floor in evidence.floors if floor.workload == time.workload]
        statistics += [f"{times(floors[0].ratio)} the floor"] if floors else []
    if not statistics:
        return [claim]
    return [claim, ", ".join(statistics)] if alone else [f"{claim}, {', '.join(statistics)}"]


def _on_the_way(evidence: Evidence, main: list[WorkloadTime]) -> list[str]:
    """Which workers and masters were lost, and what held up the job."""
    names = {time.workload for time in main}
    text = _lost(evidence, [loss for loss in evidence.losses if loss.workload in names])
    text += _masters([loss for loss in evidence.master_losses if loss.workload in names])
    slow = [
        straggler
        for straggler in evidence.stragglers
        if straggler.workload in names and straggler.cause != "cannot tell"
    ]
    return text + [phrase("answer", straggler, words="delayed") for straggler in slow[:1]]


def _lost(evidence: Evidence, losses: Sequence[WorkerLoss]) -> list[str]:
    """The workers and hosts that were lost meanwhile, and how much later that made the end."""
    within = [loss for loss in losses if not loss.before_s]
    if not within:
        return []
    gone = _with_hosts(evidence, [loss.worker for loss in within if loss.back_s is None])
    back = _with_hosts(evidence, [loss.worker for loss in within if loss.back_s is not None])
    delay_s, were = max(loss.delay_s for loss in within), "was" if len(gone) == 1 else "were"
    both = " and " if gone and back else ""
    values = {"gone": gone or None, "back": back or None, "delay_s": delay_s if delay_s > 0 else None}
    return [phrase("answer", words="lost", were=were, both=both, **values)]


def _with_hosts(evidence: Evidence, lost: Sequence[str]) -> list[str]:
    """Workers that were lost; a host of which all several were is named instead of them."""
    hosts = workers_of(evidence.machines)
    gone, result = set(lost), []
    for host, own in grouped(hosts, hosts.__getitem__).items():
        if len(own) > 1 and gone.issuperset(own):
            result.append(f"host {host} with {listed(own)}")
            gone -= set(own)
    return [*result, *(worker for worker in dict.fromkeys(lost) if worker in gone)]


def _masters(losses: Sequence[MasterLoss]) -> list[str]:
    """The masters that served and were lost meanwhile, with who took over and how soon."""
    return [
        phrase("answer", loss, words="master_lost", took_over=took_over(loss))
        for loss in losses
        if loss.lost_s is not None and not loss.standby
    ]


def _unfinished(record: RunRecord, evidence: Evidence) -> list[str]:
    ended, error = sentences()["answer"]["ended"][record.outcome.value], record.error or None
    if not evidence.workloads:
        return [phrase("answer", words="not_begun", ended=ended, error=error)]
    done = [time.workload for time in evidence.workloads if time.outcome is Outcome.SUCCEEDED]
    open_ends = [time for time in evidence.workloads if time.outcome is not Outcome.SUCCEEDED]
    last = open_ends[-1] if open_ends else None
    text = [phrase("answer", words="unfinished", ended=ended, last=last, error=error)]
    text += _lost(evidence, [loss for loss in evidence.losses if loss.workload not in done])
    text += _masters([loss for loss in evidence.master_losses if loss.workload not in done])
    return [*text, *([phrase("answer", words="done", done=done)] if done else [])]
