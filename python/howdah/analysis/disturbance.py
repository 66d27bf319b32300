"""What the host or others did to the run: CPU time and disks they used, pressure, drops, warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.use import HostUse, StretchUse
from howdah.analysis.fault_effects import cause_of_drops, cause_of_gap
from howdah.analysis.machines import on_cluster
from howdah.analysis.other_processes import LEAST_CPU_S, disturbed
from howdah.analysis.use import QUIET_BYTES_PER_S
from howdah.analysis.wording import conclude, finding, listed, percent
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord, RunWarning
from howdah.units import format_counted

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
            budget = record.workloads[evidence.time_of(use.workload).index].memory_bytes
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
    """What the samplers missed, each once: often no more than the sign of something that is told before.

    What a fault kept from answering is told with the fault.
    """
    for warning in dict.fromkeys(record.warnings):
        if _is_gap(warning) and cause_of_gap(record, evidence, warning) is None:
            yield finding(warning.code, warning.text, severity="warning")


def _is_gap(warning: RunWarning) -> bool:
    return warning.code.endswith("-samples")


def find_buffered(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Workloads whose file system refused direct I/O, so that the page cache is in their figures."""
    names = [time.workload for time in evidence.workloads if record.workloads[time.index].buffered_io is True]
    if names:
        yield conclude("buffered-io", names=", ".join(names))
