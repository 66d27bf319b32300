"""One sentence for each workload and phase: how long it took, what held it, and what it used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from howdah.analysis.answer import answered
from howdah.analysis.evidence import Evidence, HostUse, LimitShare, PhaseTime, WorkloadTime
from howdah.analysis.limits import limit_claim, limit_compared, limit_cpu, share_numbers, share_sure
from howdah.analysis.machines import on_cluster
from howdah.analysis.use import QUIET_BYTES_PER_S, use_clauses
from howdah.analysis.wording import named, number, percent, seconds, took
from howdah.model.finding import Finding, Number
from howdah.model.run import Outcome, RunRecord
from howdah.units import format_rate

# Time that no phase accounts for is told from this share of the workload on.
OUTSIDE_SHARE = 0.03
# Starting and ending take a few milliseconds, which only a tiny workload would notice.
OUTSIDE_S = 0.01

_RATES: dict[str, Callable[[HostUse], float]] = {
    "disks read": lambda use: sum(disk.read_bytes_per_s for disk in use.disks if disk.data),
    "disks wrote": lambda use: sum(disk.write_bytes_per_s for disk in use.disks if disk.data),
    "received": lambda use: sum(nic.rx_bytes / nic.seconds for nic in use.nics if nic.nic != "lo"),
}


def find_times(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Every workload that the answer leaves out, and the phases of every one that is told by phases."""
    told = {time.workload for time in answered(record, evidence)}
    for time in evidence.workloads:
        phased = bool(time.told_apart)
        # The storage test's answer is about its files and does not tell its time.
        storage = record.workloads[time.index].workload.timed_by_file
        # How long a workload took that did not succeed is told where it is said how it ended.
        known = time.outcome is not Outcome.SUCCEEDED or (time.workload in told and not storage)
        if not (known and phased):
            yield from _of_workload(record, evidence, time, known=known, phased=phased)
        for phase in time.told_apart:
            # The last phase of a workload that did not succeed was cut off, so it did not take its time.
            cut_off = time.outcome is not Outcome.SUCCEEDED and phase is time.phases[-1]
            yield from _of_phase(record, evidence, time, phase, cut_off=cut_off)


def _of_workload(
    record: RunRecord, evidence: Evidence, time: WorkloadTime, *, known: bool, phased: bool
) -> Iterator[Finding]:
    share = _share(evidence, time.workload, None)
    numbers = share_numbers(share) if share else [number("elapsed", time.elapsed_s, "s")]
    if time.rate is not None:
        numbers.append(number("rate", time.rate.bytes_per_s, "B/s"))
    # What the phases did is told with each of them.
    clauses, used = ([], []) if phased else _use(evidence, time.workload, None)
    if share is None and not clauses:
        # Time and rate alone are what every form of a report begins with.
        return
    yield from _finding(
        record,
        (time.workload, None),
        "" if known else f"{time.workload} {took(record)} {seconds(time.elapsed_s)}",
        share=None if known else share,
        clauses=clauses,
        numbers=[*numbers, *used],
    )


def _of_phase(
    record: RunRecord, evidence: Evidence, time: WorkloadTime, phase: PhaseTime, *, cut_off: bool
) -> Iterator[Finding]:
    share = _share(evidence, time.workload, phase.name)
    numbers = share_numbers(share) if share else [number("elapsed", phase.elapsed_s, "s")]
    numbers += [
        number(rate.of, rate.bytes_per_s, "B/s") for rate in (phase.read, phase.write) if rate is not None
    ]
    clauses, used = _use(evidence, time.workload, phase.name)
    yield from _finding(
        record,
        (time.workload, phase.name),
        "" if cut_off else f"{time.workload} {phase.name} {took(record)} {seconds(phase.elapsed_s)}",
        share=share,
        clauses=clauses,
        numbers=[*numbers, *used],
    )


def _finding(
    record: RunRecord,
    where: tuple[str, str | None],
    text: str,
    *,
    share: LimitShare | None,
    clauses: list[str],
    numbers: list[Number],
) -> Iterator[Finding]:
    """The time, against its limit where there is one, then the use; nothing if there is neither."""
    workload, phase = where
    if share is not None:
        # The clauses on use begin with the CPU.
        cpu = "" if clauses else limit_cpu(share)
        text = "; ".join(filter(None, (limit_claim(share, took(record)), limit_compared(share), cpu)))
    said = [text] if text else []
    if not said and clauses:
        clauses = [f"{named(workload, phase)}: {clauses[0]}", *clauses[1:]]
    if said or clauses:
        yield Finding(
            id="time",
            severity="note",
            workload=workload,
            phase=phase,
            text="; ".join(said + clauses),
            sure=share_sure(share) if share else "measured",
            origin=record.origin,
            numbers=tuple(numbers),
        )


def _share(evidence: Evidence, workload: str, phase: str | None) -> LimitShare | None:
    return next(
        (limit for limit in evidence.limits if (limit.workload, limit.phase) == (workload, phase)),
        None,
    )


def _use(evidence: Evidence, workload: str, phase: str | None) -> tuple[list[str], list[Number]]:
    """What the only host did in a stretch long enough to tell."""
    for use in evidence.use:
        if (use.workload, use.phase) == (workload, phase) and not use.coarse and len(use.hosts) == 1:
            return use_clauses(use.hosts[0])
    return [], []


def find_outside(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Time that a workload spent in none of its phases."""
    told = {overhead.workload for overhead in evidence.overheads}
    for time in evidence.workloads:
        # A job's time before and after its tasks is told with the rest of its overhead.
        if time.workload in told:
            continue
        outside_s = time.elapsed_s - sum(phase.elapsed_s for phase in time.phases)
        if time.phases and outside_s > max(OUTSIDE_S, OUTSIDE_SHARE * time.elapsed_s):
            yield Finding(
                id="outside-phases",
                severity="note",
                workload=time.workload,
                text=f"{time.workload} spent {seconds(outside_s)} outside its phases",
                sure="measured",
                origin=record.origin,
                numbers=(number("outside phases", outside_s, "s"),),
            )


def find_cluster_use(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """CPU, disks and network of all workers, phase by phase, with who did least and most."""
    if not on_cluster(record):
        return
    phased = {use.workload for use in evidence.use if use.phase is not None}
    for use in evidence.use:
        if use.coarse or (use.phase is None and use.workload in phased):
            continue
        clauses, numbers = _clauses(use.working)
        if clauses:
            yield Finding(
                id="use",
                severity="note",
                workload=use.workload,
                phase=use.phase,
                text=f"{named(use.workload, use.phase)}: {'; '.join(clauses)}",
                sure="measured",
                origin=record.origin,
                numbers=tuple(numbers),
            )


def _clauses(machines: Sequence[HostUse]) -> tuple[list[str], list[Number]]:
    clauses: list[str] = []
    numbers: list[Number] = []
    with_cpu = [machine for machine in machines if machine.cpu is not None]
    if with_cpu:
        text, low, high = _range(with_cpu, lambda use: use.cpu.busy if use.cpu else 0.0)
        clauses.append(f"CPU {text}")
        numbers += [number("least busy CPUs", low, "1"), number("busiest CPUs", high, "1")]
    for verb, rate in _RATES.items():
        total = sum(rate(machine) for machine in machines)
        if total >= QUIET_BYTES_PER_S:
            clauses.append(f"{verb} {format_rate(total)}{_most(machines, rate, total)}")
            numbers.append(number(f"{verb}, all", total, "B/s"))
    return clauses, numbers


def _range(machines: Sequence[HostUse], share: Callable[[HostUse], float]) -> tuple[str, float, float]:
    """The shares of all machines in words: the one they have in common, or who has least and most."""
    least, most = min(machines, key=share), max(machines, key=share)
    low, high = share(least), share(most)
    if len(machines) == 1 or percent(low) == percent(high):
        return f"{percent(high)} busy", low, high
    middle = percent(median(share(machine) for machine in machines))
    return f"{middle} busy (from {percent(low)} on {least.host} to {percent(high)} on {most.host})", low, high


def _most(machines: Sequence[HostUse], rate: Callable[[HostUse], float], total: float) -> str:
    if len(machines) < 2:
        return ""
    top = max(machines, key=rate)
    return f" (most on {top.host}, {percent(rate(top) / total)})"
