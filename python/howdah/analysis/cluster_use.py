"""What a cluster's workers did in each phase, all of them in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from howdah.analysis.evidence import Evidence, HostUse
from howdah.analysis.machines import on_cluster
from howdah.analysis.use import QUIET_BYTES_PER_S
from howdah.analysis.wording import named, number, percent
from howdah.model.finding import Finding, Number
from howdah.model.run import RunRecord
from howdah.units import format_rate

_RATES: dict[str, Callable[[HostUse], float]] = {
    "disks read": lambda each: sum(disk.read_bytes_per_s for disk in each.disks if disk.data),
    "disks wrote": lambda each: sum(disk.write_bytes_per_s for disk in each.disks if disk.data),
    "received": lambda each: sum(nic.rx_bytes / nic.seconds for nic in each.nics if nic.nic != "lo"),
}


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
    with_cpu = [each for each in machines if each.cpu is not None]
    if with_cpu:
        text, low, high = _range(with_cpu, lambda each: each.cpu.busy if each.cpu else 0.0)
        clauses.append(f"CPU {text} busy")
        numbers += [number("least busy CPUs", low, "1"), number("busiest CPUs", high, "1")]
    for verb, rate in _RATES.items():
        total = sum(rate(each) for each in machines)
        if total >= QUIET_BYTES_PER_S:
            clauses.append(f"{verb} {format_rate(total)}{_most(machines, rate, total)}")
            numbers.append(number(f"{verb}, all", total, "B/s"))
    return clauses, numbers


def _range(machines: Sequence[HostUse], share: Callable[[HostUse], float]) -> tuple[str, float, float]:
    """The shares of all machines in words: the one they have in common, or who has least and most."""
    least, most = min(machines, key=share), max(machines, key=share)
    low, high = share(least), share(most)
    if len(machines) == 1 or percent(low) == percent(high):
        return percent(high), low, high
    middle = percent(median(share(each) for each in machines))
    return f"{middle} (from {percent(low)} on {least.host} to {percent(high)} on {most.host})", low, high


def _most(machines: Sequence[HostUse], rate: Callable[[HostUse], float], total: float) -> str:
    if len(machines) < 2:
        return ""
    top = max(machines, key=rate)
    return f" (most on {top.host}, {percent(rate(top) / total)})"
