"""What the host or others did to the run: stolen CPU time, pressure, dropped packets, warnings on record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from howdah.analysis.evidence import Evidence, HostUse, StretchUse
from howdah.analysis.wording import number, percent
from howdah.model.finding import Finding
from howdah.model.run import RunRecord, RunWarning
from howdah.units import format_counted

# Ready time below 5 % is fine for a virtual machine (D0, RULES 22); above 1 % it is worth knowing.
STEAL_NOTED = 0.01
STEAL_WARNED = 0.05
# Any time at all in which work stood still for want of memory means the machine was reclaiming it.
MEMORY_PRESSURE = 0.01
# More runnable threads than CPUs for this share of the time: the slots may be too many.
CPU_PRESSURE = 0.5


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
            yield Finding(
                id="steal",
                severity="warning" if worst.value >= STEAL_WARNED else "note",
                workload=use.workload,
                text=f"{use.workload}: the hypervisor gave {percent(worst.value)} of {worst.host}'s CPU "
                f"time to others{worst.more}; the times here include that wait",
                sure="measured",
                origin=record.origin,
                numbers=(number("steal", worst.value, "1"),),
            )


def find_pressure(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Pressure stall: work that waited for memory, or for a CPU most of the time."""
    for use in evidence.use:
        if use.phase is not None or use.coarse:
            continue
        memory = _worst(use, lambda host: host.pressure.get("memory_some", 0.0), MEMORY_PRESSURE)
        if memory is not None:
            yield Finding(
                id="memory-pressure",
                severity="warning",
                workload=use.workload,
                text=f"{use.workload}: some of {memory.host}'s tasks waited for memory "
                f"{percent(memory.value)} of the time{memory.more}; a smaller memory budget would leave the "
                "system room",
                sure="measured",
                origin=record.origin,
                numbers=(number("memory pressure", memory.value, "1"),),
            )
        cpu = _worst(use, lambda host: host.pressure.get("cpu_some", 0.0), CPU_PRESSURE)
        if cpu is not None:
            yield Finding(
                id="cpu-pressure",
                severity="note",
                workload=use.workload,
                text=f"{use.workload}: some of {cpu.host}'s threads waited for a CPU "
                f"{percent(cpu.value)} of the time{cpu.more}",
                sure="measured",
                origin=record.origin,
                numbers=(number("CPU pressure", cpu.value, "1"),),
            )


def find_drops(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Packets a network interface dropped while a workload ran."""
    for use in evidence.use:
        if use.phase is not None:
            continue
        for host in use.hosts:
            for nic in host.nics:
                if nic.drops >= 1:
                    yield Finding(
                        id="packet-drops",
                        severity="warning",
                        workload=use.workload,
                        text=f"{use.workload}: {nic.nic} on {host.host} dropped {nic.drops:,.0f} packets",
                        sure="measured",
                        origin=record.origin,
                        numbers=(number("drops", nic.drops, "1"),),
                    )


def find_recorded(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What the engine warned of while the run went, each once."""
    del evidence
    for warning in dict.fromkeys(record.warnings):
        if not _is_gap(warning):
            yield _recorded(record, warning)


def find_gaps(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What the samplers missed, each once: often no more than the sign of something that is told before."""
    del evidence
    for warning in dict.fromkeys(record.warnings):
        if _is_gap(warning):
            yield _recorded(record, warning)


def _is_gap(warning: RunWarning) -> bool:
    return warning.code.endswith("-samples")


def _recorded(record: RunRecord, warning: RunWarning) -> Finding:
    return Finding(
        id=warning.code, severity="warning", text=warning.text, sure="measured", origin=record.origin
    )


def find_buffered(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Workloads whose file system refused direct I/O, so that the page cache is in their figures."""
    names = [time.workload for time in evidence.workloads if record.workloads[time.index].buffered_io is True]
    if names:
        yield Finding(
            id="buffered-io",
            severity="warning",
            text=f"direct I/O was refused by the file system: {', '.join(names)} went through the page "
            "cache, so rates may be the memory's and not the disk's",
            sure="measured",
            origin=record.origin,
        )
