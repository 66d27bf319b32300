"""CPU, disk, network and memory within each workload and phase, integrated from counters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.use import CpuShare, DiskUse, HostUse, MachineOfRun, NicUse, StretchUse
from howdah.analysis.machines import LEAST_RESOLVED_S, MODES, Timeline, on_cluster
from howdah.analysis.wording import Figure, conclude, named, percent
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord
from howdah.units import format_rate, listed

SWAP_GROWTH_BYTES = 16 << 20  # Swap in use jitters by a few pages; more is the run pushing memory out.


def find_budget(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Every workload whose peak resident set went beyond its budget; where none did, the highest peak."""
    peaks = []
    for time in evidence.workloads:
        result = time.result
        if result.peak_rss_bytes is not None and result.memory_bytes:
            peaks.append((result.peak_rss_bytes, result.memory_bytes, time.workload))
    over = [peak for peak in peaks if peak[0] > peak[1]]
    for peak, budget, workload in over or sorted(peaks)[-1:]:
        yield conclude(
            "memory-budget",
            warns=peak > budget,
            workload=workload,
            peak=peak,
            budget=budget,
            share=peak / budget,
        )


def find_swapping(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Swap that grew while the run went, host by host."""
    for gauge in evidence.gauges:
        if gauge.metric == "memory/swap_used_bytes" and len(gauge.values):
            grown = float(gauge.values.max() - gauge.values[0])
            if grown > SWAP_GROWTH_BYTES:
                yield conclude("swapping", gauge, grown=grown)


QUIET_BYTES_PER_S = 1e6  # Traffic below a megabyte per second is the host's own chatter and not worth a word.
WORTH_RESOLVING = 0.05  # What a phase shorter than this share of its workload did does not matter much.


def uses(
    timeline: Timeline,
    machines: tuple[MachineOfRun, ...],
    times: Iterable[WorkloadTime],
    data_disks: tuple[str, ...],
) -> tuple[StretchUse, ...]:
    """Resource use of every workload and every phase that samples were taken in."""
    sampled = [machine for machine in machines if machine.name in timeline.hosts]
    result = []
    for time in times:
        stretches: list[tuple[str | None, float, float]] = [(None, time.start_s, time.end_s)]
        stretches += [(phase.name, phase.start_s, phase.end_s) for phase in time.phases]
        for phase, start_s, end_s in stretches:
            if end_s <= start_s or not timeline.covers(start_s, end_s):
                continue
            result.append(
                StretchUse(
                    workload=time.workload,
                    phase=phase,
                    start_s=start_s,
                    end_s=end_s,
                    intervals=timeline.intervals(start_s, end_s),
                    coarse=end_s - start_s < LEAST_RESOLVED_S or timeline.blurred(start_s, end_s),
                    hosts=tuple(
                        host_use(timeline, machine, start_s, end_s, data_disks) for machine in sampled
                    ),
                )
            )
    return tuple(result)


def host_use(
    timeline: Timeline, machine: MachineOfRun, start_s: float, end_s: float, data_disks: tuple[str, ...]
) -> HostUse:
    host, length = machine.name, end_s - start_s

    def growth(metric: str) -> float:
        return timeline.growth(host, metric, start_s, end_s)

    disks = tuple(
        DiskUse(
            disk=disk,
            data=disk in data_disks,
            read_bytes=growth(f"disk/{disk}/read_bytes"),
            written_bytes=growth(f"disk/{disk}/written_bytes"),
            busy_share=min(1.0, growth(f"disk/{disk}/busy_s") / length),
            seconds=length,
        )
        for disk in timeline.instances(host, "disk")
    )
    nics = tuple(
        NicUse(
            nic=nic,
            rx_bytes=growth(f"nic/{nic}/rx_bytes"),
            tx_bytes=growth(f"nic/{nic}/tx_bytes"),
            drops=growth(f"nic/{nic}/drops"),
            seconds=length,
        )
        for nic in timeline.instances(host, "nic")
    )
    pressure = {
        metric.removeprefix("pressure/").removesuffix("_s"): growth(metric) / length
        for metric in timeline.metrics(host, "pressure")
    }
    cpu = cpu_share(timeline, host, start_s, end_s)
    return HostUse(host, machine.level, cpu, disks, nics, pressure)


def cpu_share(timeline: Timeline, host: str, start_s: float, end_s: float) -> CpuShare | None:
    """How all CPUs of a host spent their time; None where they were not sampled or no time was counted.

    The shares are of the time the kernel accounted for, not of the wall clock: its clock ticks are too
    coarse for the two to agree over a short stretch.
    """
    cpus = timeline.instances(host, "cpu")
    spent = np.array(
        [sum(timeline.growth(host, f"cpu/{cpu}/{mode}_s", start_s, end_s) for cpu in cpus) for mode in MODES]
    )
    # The kernel's idle and iowait counters may step back by a tick; that is no time spent.
    spent = np.maximum(spent, 0.0)
    if not cpus or spent.sum() <= 0:
        return None
    user, system, iowait, steal, idle = (float(share) for share in spent / spent.sum())
    # A worker's CPUs are one track, whose time adds up to what its limit allows.
    many = float(spent.sum()) / (end_s - start_s) if cpus == ("all",) else len(cpus)
    return CpuShare(user, system, iowait, steal, idle, cpus=many)


def find_use(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """CPU, disk and network use host by host, where there are several; not of a cluster's workers."""
    for use in [] if on_cluster(record) else by_phases(evidence):
        for host in use.hosts if len(use.hosts) > 1 else ():
            clauses, numbers = use_clauses(host)
            if clauses:
                place = f"{named(use.workload, use.phase)} on {host.host}"
                yield conclude("use", use, place=place, clauses="; ".join(clauses), numbers=numbers)


def by_phases(evidence: Evidence) -> Iterator[StretchUse]:
    """The use of each phase that is long enough to tell, or of a workload without phases."""
    phased = {use.workload for use in evidence.use if use.phase is not None}
    return (
        use for use in evidence.use if not use.coarse and not (use.phase is None and use.workload in phased)
    )


def use_clauses(host: HostUse) -> tuple[list[str], list[Figure]]:
    """What a host's CPUs, data disks and network did, in words and numbers; empty if nothing was sampled."""
    clauses: list[str] = []
    numbers: list[Figure] = []
    if host.cpu is not None:
        cpu = host.cpu
        clauses.append(
            f"CPU {percent(cpu.busy)} busy ({percent(cpu.user)} user, {percent(cpu.system)} system) "
            f"and waiting for I/O for {percent(cpu.iowait)} of the time"
        )
        numbers += [(f"CPU {mode}", getattr(cpu, mode), "1") for mode in MODES]
    data = [disk for disk in host.disks if disk.data]
    clauses += _disk_clause(data)
    for disk in data:
        numbers.append((f"{disk.disk} read", disk.read_bytes_per_s, "B/s"))
        numbers.append((f"{disk.disk} written", disk.write_bytes_per_s, "B/s"))
        numbers.append((f"{disk.disk} busy", disk.busy_share, "1"))
    for nic in host.nics:
        received, sent = nic.rx_bytes / nic.seconds, nic.tx_bytes / nic.seconds
        if received + sent < QUIET_BYTES_PER_S:
            continue
        clauses.append(f"{nic.nic} received {format_rate(received)}, sent {format_rate(sent)}")
        numbers.append((f"{nic.nic} received", received, "B/s"))
        numbers.append((f"{nic.nic} sent", sent, "B/s"))
    return clauses, numbers


def _disk_clause(disks: list[DiskUse]) -> list[str]:
    """What the data disks did together, without the direction in which hardly anything moved."""
    rates = (
        ("read", sum(disk.read_bytes_per_s for disk in disks)),
        ("wrote", sum(disk.write_bytes_per_s for disk in disks)),
    )
    moved = [f"{verb} {format_rate(rate)}" for verb, rate in rates if rate >= QUIET_BYTES_PER_S]
    if not moved:
        return []
    low, high = (percent(pick(disk.busy_share for disk in disks)) for pick in (min, max))
    busy = high if low == high else f"{low} to {high}"
    names = disks[0].disk if len(disks) == 1 else f"{len(disks)} data disks"
    return [f"{names} {listed(moved)}, {busy} busy"]


def _matters(use: StretchUse, evidence: Evidence) -> bool:
    """Whether a phase is told apart from its workload and is a noticeable part of it."""
    time = evidence.time_of(use.workload)
    apart = use.phase in [phase.name for phase in time.told_apart]
    return apart and use.seconds >= WORTH_RESOLVING * time.elapsed_s


def find_coarse(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Workloads and phases too short for the samples to tell what went on in them."""
    whole = {use.workload for use in evidence.use if use.coarse and use.phase is None}
    coarse = [
        use
        for use in evidence.use
        if use.coarse and (use.phase is None or (use.workload not in whole and _matters(use, evidence)))
    ]
    if coarse:
        cost = record.telemetry
        yield conclude(
            "resolution",
            numbers=((named(use.workload, use.phase), use.seconds, "s") for use in coarse),
            interval_s=cost.interval_s if cost else coarse[0].seconds / coarse[0].intervals,
            names=list(dict.fromkeys(named(use.workload, use.phase) for use in coarse)),
        )
