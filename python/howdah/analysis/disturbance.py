"""What the host or others did to the run: CPU time and disks they used, pressure, drops, warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.use import HostUse, OthersUse, StretchUse
from howdah.analysis.fault_effects import cause_of_drops, cause_of_gap
from howdah.analysis.machines import on_cluster
from howdah.analysis.other_processes import LEAST_CPU_S, disturbed
from howdah.analysis.use import QUIET_BYTES_PER_S
from howdah.analysis.wording import Figure, finding, listed, percent
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord, RunWarning
from howdah.units import format_counted, format_rate

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
    for use in evidence.use:
        if use.phase is not None or use.coarse:
            continue
        worst = _worst(use, lambda host: host.cpu.steal if host.cpu else 0.0, STEAL_NOTED)
        if worst is not None:
            yield finding(
                "steal",
                f"{use.workload}: the hypervisor gave {percent(worst.value)} of {worst.host}'s CPU "
                f"time to others{worst.more}; the times here include that wait",
                ("steal", worst.value, "1"),
                severity="warning" if worst.value >= STEAL_WARNED else "note",
                workload=use.workload,
            )


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
    text = f"others used {percent(most.others)} of the CPU time of {most.machine} while {most.workload} ran"
    if less:
        text += f" ({listed([f'{use.workload} {percent(use.others)}' for use in less])})"
    text += f"; {_shared(most, 'the lab' if on_cluster(record) else 'howdah')}"
    scarce = most.idle < SCARCE
    if disturbed(most):
        owner = "the lab's" if on_cluster(record) else "its"
        text += f": times of this run are not {owner} own"
        text += "" if scarce else ", as far as it waited for CPUs"
    # What was used is measured; that it was missed is certain only if nothing was idle.
    yield finding(
        "others",
        text,
        *_numbers(most),
        *((f"others, {use.workload}", use.others, "1") for use in less),
        severity="warning" if disturbed(most) else "note",
        sure=("measured" if most.kernel is not None and (scarce or not disturbed(most)) else "likely"),
    )


def _shared(use: OthersUse, owner: str) -> str:
    parts = [f"{owner} used {percent(use.own)}", f"{percent(use.idle)} was idle"]
    if use.runnable is not None:
        parts.append(f"{use.runnable:.0f} tasks at a time ran or waited for its {use.cpus} CPUs")
    return listed(parts)


def _numbers(use: OthersUse) -> Iterator[Figure]:
    yield f"others, {use.workload}", use.others, "1"
    yield "own", use.own, "1"
    yield "the kernel's threads", use.kernel, "1"
    yield "idle", use.idle, "1"
    yield "steal", use.steal, "1"
    yield "some task waited for a CPU", use.waited, "1"
    yield "tasks that ran or waited", use.runnable, "1"


def find_others_disk(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Disks that were busy with what others read and wrote while a workload ran."""
    for use in evidence.others:
        disk = use.disk
        if use.phase is not None or disk is None or disk.busy_share < DISK_BUSY:
            continue
        rate = disk.others_bytes / disk.seconds
        if disk.others_bytes >= DISK_OTHERS * disk.all_bytes and rate >= QUIET_BYTES_PER_S:
            yield finding(
                "others-disk",
                f"{use.workload}: {disk.disk} of {use.machine} was {percent(disk.busy_share)} busy, and "
                f"{percent(disk.others_bytes / disk.all_bytes)} of what it moved was others': "
                f"{format_rate(rate)}",
                (f"{disk.disk} busy", disk.busy_share, "1"),
                (f"{disk.disk} moved", disk.all_bytes / disk.seconds, "B/s"),
                ("others moved", rate, "B/s"),
                severity="warning",
                workload=use.workload,
                sure="likely",
            )


def find_pressure(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Pressure stall: work that waited for memory, or for a CPU most of the time."""
    for use in evidence.use:
        if use.phase is not None or use.coarse:
            continue
        memory = _worst(use, lambda host: host.pressure.get("memory_some", 0.0), MEMORY_PRESSURE)
        if memory is not None:
            yield finding(
                "memory-pressure",
                f"{use.workload}: some of {memory.host}'s tasks waited for memory "
                f"{percent(memory.value)} of the time{memory.more}{_room(record, evidence, use.workload)}",
                ("memory pressure", memory.value, "1"),
                severity="warning",
                workload=use.workload,
            )
        cpu = _worst(use, lambda host: host.pressure.get("cpu_some", 0.0), CPU_PRESSURE)
        if cpu is not None:
            yield finding(
                "cpu-pressure",
                f"{use.workload}: some of {cpu.host}'s threads waited for a CPU "
                f"{percent(cpu.value)} of the time{cpu.more}",
                ("CPU pressure", cpu.value, "1"),
                workload=use.workload,
            )


def _room(record: RunRecord, evidence: Evidence, workload: str) -> str:
    budget = record.workloads[evidence.time_of(workload).index].memory_bytes
    return "; a smaller memory budget would leave the system room" if budget else ""


def find_drops(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Packets a network interface dropped while a workload ran, unless a fault had hit its machine."""
    for use in evidence.use:
        if use.phase is not None:
            continue
        for host, nic in [(machine, nic) for machine in use.hosts for nic in machine.nics]:
            if nic.drops >= 1 and cause_of_drops(record, evidence, use, host.host) is None:
                yield finding(
                    "packet-drops",
                    f"{use.workload}: {nic.nic} on {host.host} had to drop packets: {nic.drops:,.0f}",
                    ("drops", nic.drops, "1"),
                    severity="warning",
                    workload=use.workload,
                )


def find_recorded(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What the engine warned of while the run went, each once."""
    del evidence
    for warning in dict.fromkeys(record.warnings):
        if not _is_gap(warning):
            yield _recorded(record, warning)


def find_gaps(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What the samplers missed, each once: often no more than the sign of something that is told before.

    What a fault kept from answering is told with the fault.
    """
    for warning in dict.fromkeys(record.warnings):
        if _is_gap(warning) and cause_of_gap(record, evidence, warning) is None:
            yield _recorded(record, warning)


def _is_gap(warning: RunWarning) -> bool:
    return warning.code.endswith("-samples")


def _recorded(record: RunRecord, warning: RunWarning) -> Finding:
    return finding(warning.code, warning.text, severity="warning", sure="measured")


def find_buffered(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Workloads whose file system refused direct I/O, so that the page cache is in their figures."""
    names = [time.workload for time in evidence.workloads if record.workloads[time.index].buffered_io is True]
    if names:
        yield finding(
            "buffered-io",
            f"direct I/O was refused by the file system: {', '.join(names)} went through the page "
            "cache, so rates may be the memory's and not the disk's",
            severity="warning",
        )
