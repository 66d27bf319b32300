"""What the host, other processes and labs did to a run: CPU time and disks, pressure, drops, warnings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.use import DiskShare, HostUse, NeighbourUse, OthersUse, Series, StretchUse
from howdah.analysis.fault_effects import cause_of_drops, cause_of_gap
from howdah.analysis.machines import Timeline, on_cluster, ratio
from howdah.analysis.use import QUIET_BYTES_PER_S, cpu_share
from howdah.analysis.wording import conclude, finding, percent
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord, RunWarning
from howdah.units import format_counted, listed

_NOTED = 0.03
_MUCH = 0.1  # From a tenth of a link or of CPUs on, times are not those without the neighbour.


def neighbour_uses(
    record: RunRecord, timeline: Timeline, stretches: Iterable[StretchUse]
) -> tuple[NeighbourUse, ...]:
    """What each had of the hosts in every workload; empty where nobody else was on them."""
    cluster = record.plan.cluster
    if cluster is None or cluster.request.sharing is None:
        return ()
    labs: defaultdict[str, list[str]] = defaultdict(list)
    for host in timeline.hosts:
        for lab in timeline.instances(host, "neighbour"):
            labs[lab].append(host)
    uses = []
    for stretch, (lab, hosts) in product(stretches, labs.items()):
        if stretch.phase is None and not stretch.coarse:
            span, ports, name = (stretch.start_s, stretch.end_s), cluster.port_bits_per_s, f"neighbour/{lab}"
            cpu_s = sum(timeline.growth(host, f"{name}/cpu_s", *span) for host in hosts)
            link = max(
                timeline.growth(host, f"{name}/{way}_bytes", *span) / stretch.seconds * 8 / ports[host]
                for host in hosts
                for way in ("sent", "received")
            )
            uses.append(NeighbourUse(stretch.workload, lab, tuple(hosts), cpu_s / stretch.seconds, link))
    return tuple(uses)


def find_neighbours(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One finding for each laboratory that was at work on the same hosts meanwhile."""
    for lab in dict.fromkeys(use.lab for use in evidence.neighbours):
        uses = [use for use in evidence.neighbours if use.lab == lab and use.link >= _NOTED]
        much = any(use.link >= _MUCH for use in uses)
        if uses:
            yield conclude(
                "neighbours",
                warns=much,
                numbers=((f"link, {use.workload}", use.link, "1") for use in uses),
                lab=lab,
                hosts=uses[0].hosts,
                noted=[
                    f"{percent(use.link)} of a host's link and {use.cpus:.2g} CPUs during {use.workload}"
                    for use in uses
                ],
                disturbed=": times of this run are not those of hosts without neighbours" if much else None,
            )


DISTURBED = 0.1  # Other processes always take a few per cent; from a tenth on they change times.
# The kernel counts what CPUs did at its ticks, so that less than this may be chance.
LEAST_CPU_S = 0.2
MIN_SAMPLES = 2


def machine_of(record: RunRecord) -> str | None:
    """The machine that a run had to share, if it was sampled; none of a cluster that is no laboratory."""
    if not on_cluster(record):
        return record.host.name
    return record.laboratory.machine if record.laboratory else None


def _sampled(record: RunRecord, timeline: Timeline) -> str | None:
    """That machine, if what the run itself used of it was sampled: all else would look like others'."""
    machine = machine_of(record)
    most = "lab" if on_cluster(record) else "howdah"
    return machine if machine and most in timeline.instances(machine, "own") else None


def others_uses(
    record: RunRecord, timeline: Timeline, stretches: Iterable[StretchUse]
) -> tuple[OthersUse, ...]:
    """Who used that machine in every workload and phase; empty where the run's own use was not sampled."""
    machine = _sampled(record, timeline)
    if machine is None:
        return ()
    uses = (_others(timeline, machine, stretch) for stretch in stretches if not stretch.coarse)
    return tuple(use for use in uses if use is not None)


def _others(timeline: Timeline, machine: str, stretch: StretchUse) -> OthersUse | None:
    start_s, end_s = stretch.start_s, stretch.end_s
    cpu = cpu_share(timeline, machine, start_s, end_s)
    if cpu is None:
        return None
    whole_s = cpu.cpus * stretch.seconds
    own = min(cpu.busy, own_growth(timeline, machine, "cpu_s", start_s, end_s) / whole_s)
    threads = timeline.track(machine, "kernel/cpu_s")
    kernel = None if threads is None else min(cpu.busy - own, threads.growth(start_s, end_s) / whole_s)
    queue = timeline.track(machine, "load/runnable")
    waits = timeline.track(machine, "pressure/cpu_some_s")
    return OthersUse(
        workload=stretch.workload,
        phase=stretch.phase,
        machine=machine,
        seconds=stretch.seconds,
        cpus=round(cpu.cpus),
        own=own,
        kernel=kernel,
        others=max(0.0, cpu.busy - own - (kernel or 0.0)),
        steal=cpu.steal,
        idle=cpu.idle + cpu.iowait,
        runnable=None if queue is None else queue.mean(start_s, end_s),
        waited=None if waits is None else min(1.0, waits.growth(start_s, end_s) / stretch.seconds),
        disk=_disk(timeline, machine, stretch),
    )


def shared_series(record: RunRecord, timeline: Timeline) -> tuple[Series, ...]:
    """Who had that machine's CPUs between its samples, as shares of all of them."""
    machine = _sampled(record, timeline)
    parts = timeline.instances(machine, "own") if machine else ()
    first = timeline.track(machine, f"own/{parts[0]}/cpu_s") if machine else None
    if machine is None or first is None or len(first.times_s) < MIN_SAMPLES:
        return ()
    edges = first.times_s
    spent = timeline.modes(machine, edges)
    busy = spent["user"] + spent["system"]
    own = np.minimum(timeline.steps(machine, [f"own/{part}/cpu_s" for part in parts], edges), busy)
    kernel = np.minimum(timeline.steps(machine, ["kernel/cpu_s"], edges), busy - own)
    seconds = {"own": own, "kernel": kernel, "others": busy - own - kernel, "steal": spent["steal"]}
    whole = sum(spent.values(), np.zeros(len(edges) - 1))
    return tuple(
        Series(machine, "shared", "all", name, "1", edges, ratio(values, whole))
        for name, values in seconds.items()
    )


def own_growth(timeline: Timeline, machine: str, quantity: str, start_s: float, end_s: float) -> float:
    """How much a counter of the run's own use grew, all its parts together."""
    parts = timeline.instances(machine, "own")
    return sum(timeline.growth(machine, f"own/{part}/{quantity}", start_s, end_s) for part in parts)


def _disk(timeline: Timeline, machine: str, stretch: StretchUse) -> DiskShare | None:
    """The disk that was busiest, with all that the run moved compared with it: on which disk is not known."""
    here = next((host for host in stretch.hosts if host.host == machine), None)
    if here is None or not here.disks:
        return None
    span = stretch.start_s, stretch.end_s
    busiest = max(here.disks, key=lambda disk: disk.busy_share)
    ways = ("read_bytes", "written_bytes")
    return DiskShare(
        disk=busiest.disk,
        busy_share=busiest.busy_share,
        all_bytes=busiest.read_bytes + busiest.written_bytes,
        own_bytes=sum(own_growth(timeline, machine, way, *span) for way in ways),
        seconds=stretch.seconds,
    )


def disturbed(use: OthersUse) -> bool:
    """Whether others had so much of the CPUs that a time is not the run's own."""
    return use.others >= DISTURBED and use.others_cpu_s >= LEAST_CPU_S


def used_meanwhile(evidence: Evidence, *workloads: str) -> str | None:
    """The clause that a sentence about something slow ends with; None where others did not use much."""
    uses = (use for use in evidence.others if use.workload in workloads and use.phase is None)
    most = max(filter(disturbed, uses), key=lambda use: use.others, default=None)
    if most is None:
        return None
    return f"others used {percent(most.others)} of {most.machine}'s CPU time meanwhile"


# Ready time below 5 % is fine for a virtual machine (D0, RULES 22); above 1 % it is worth knowing.
STEAL_NOTED = 0.01
STEAL_WARNED = 0.05
OTHERS_NOTED = 0.03  # Other work of a machine during a run takes a few per cent.
SCARCE = 0.1  # With less left idle, what others had is what the run did without.
# A disk that was busy so much, and moved so much for others, kept the run waiting.
DISK_BUSY = 0.5
DISK_OTHERS = 0.3
# Any time at all in which work stood still for want of memory means the machine was reclaiming it.
MEMORY_PRESSURE = 0.01
CPU_PRESSURE = 0.5  # More runnable threads than CPUs for this share of the time: the slots may be too many.


class Worst(NamedTuple):
    """The machine that something happened to most; ``more`` says in words how many others it happened to."""

    host: str
    value: float
    more: str


def _worst(use: StretchUse, value: Callable[[HostUse], float], least: float) -> Worst | None:
    """The machine with the highest value; None where none reaches the least."""
    over = sorted((host for host in use.hosts if value(host) >= least), key=value)
    if not over:
        return None
    others = format_counted(len(over) - 1, "other machine")
    return Worst(over[-1].host, value(over[-1]), f", and less on {others}" if len(over) > 1 else "")


def find_steal(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """CPU time the hypervisor gave to others while a workload ran."""
    for use in _whole(evidence):
        worst = _worst(use, lambda host: host.cpu.steal if host.cpu else 0.0, STEAL_NOTED)
        if worst is not None:
            warns = worst.value >= STEAL_WARNED
            yield conclude("steal", worst, workload=use.workload, warns=warns)


def _whole(evidence: Evidence) -> Iterator[StretchUse]:
    """The use of each workload that was long enough to tell."""
    return (use for use in evidence.use if use.phase is None and not use.coarse)


def find_others(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """CPU time that others had while workloads ran: one finding, the workload with most of it first."""
    noted = sorted(
        (
            use
            for use in evidence.others
            if use.phase is None and use.others >= OTHERS_NOTED and use.others_cpu_s >= LEAST_CPU_S
        ),
        key=lambda use: (not disturbed(use), -use.others_cpu_s),
    )
    if not noted:
        return
    most, *less = noted
    lab, scarce, much = on_cluster(record), most.idle < SCARCE, disturbed(most)
    idle = f"{percent(most.idle)} was idle"
    tasks = f", {idle}" if most.runnable is not None else f" and {idle}"
    if most.runnable is not None:
        tasks += f" and {most.runnable:.0f} tasks at a time ran or waited for its {most.cpus} CPUs"
    # What was used is measured; that it was missed is certain only if nothing was idle.
    yield conclude(
        "others",
        most,
        warns=much,
        sure="measured" if most.kernel is not None and (scarce or not much) else "likely",
        numbers=((f"others, {use.workload}", use.others, "1") for use in less),
        less=listed([f"{use.workload} {percent(use.others)}" for use in less]) or None,
        owner="the lab" if lab else "howdah",
        tasks=tasks,
        own_times=None if not much else "the lab's" if lab else "its",
        ran=most.workload,
        workload=None,
        as_far=", as far as it waited for CPUs" if much and not scarce else None,
    )


def find_others_disk(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Disks that were busy with what others read and wrote while a workload ran."""
    for use in evidence.others:
        disk = use.disk
        if use.phase is not None or disk is None or disk.busy_share < DISK_BUSY:
            continue
        rate = disk.others_bytes / disk.seconds
        if disk.others_bytes >= DISK_OTHERS * disk.all_bytes and rate >= QUIET_BYTES_PER_S:
            share, moved = disk.others_bytes / disk.all_bytes, disk.all_bytes / disk.seconds
            yield conclude("others-disk", use, share=share, rate=rate, moved=moved)


def find_pressure(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Pressure stall: work that waited for memory, or for a CPU most of the time."""
    for use in _whole(evidence):
        memory = _worst(use, lambda host: host.pressure.get("memory_some", 0.0), MEMORY_PRESSURE)
        if memory is not None:
            budget = evidence.time_of(use.workload).result.memory_bytes
            remedy = "; a smaller memory budget would leave the system room" if budget else ""
            yield conclude("memory-pressure", memory, workload=use.workload, remedy=remedy)
        cpu = _worst(use, lambda host: host.pressure.get("cpu_some", 0.0), CPU_PRESSURE)
        if cpu is not None:
            yield conclude("cpu-pressure", cpu, workload=use.workload)


def find_drops(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Packets a network interface dropped while a workload ran, unless a fault had hit its machine."""
    for use in evidence.use:
        if use.phase is None:
            for host, nic in [(machine, nic) for machine in use.hosts for nic in machine.nics]:
                if nic.drops >= 1 and cause_of_drops(record, evidence, use, host.host) is None:
                    yield conclude("packet-drops", nic, workload=use.workload, host=host.host)


def find_recorded(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What the engine warned of while the run went, each once."""
    for warning in dict.fromkeys(record.warnings):
        if not _is_gap(warning):
            yield finding(warning.code, warning.text, severity="warning")


def find_gaps(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What the samplers missed, each once: often the sign of something else; not what a fault explains."""
    for warning in dict.fromkeys(record.warnings):
        if _is_gap(warning) and cause_of_gap(record, evidence, warning) is None:
            yield finding(warning.code, warning.text, severity="warning")


def _is_gap(warning: RunWarning) -> bool:
    return warning.code.endswith("-samples")


def find_buffered(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Workloads whose file system refused direct I/O, so that the page cache is in their figures."""
    names = [time.workload for time in evidence.workloads if time.result.buffered_io is True]
    if names:
        yield conclude("buffered-io", names=", ".join(names))
