"""What follows from a fault as a matter of course: daemons that are not sampled, packets that are dropped."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from howdah.analysis.evidence import Evidence, StretchUse
from howdah.model.faults import FaultReport
from howdah.model.run import RunRecord, RunWarning
from howdah.units import format_count

_SETTLING_S = 60.0
"""How long a daemon that was started again may take until it answers."""
_SILENT_S = 15.0
"""How long before it was lost a daemon may have been heard last: heartbeats and samples are seconds apart."""
_EARLY_S = 2.0
"""A daemon that is being hit may fail to answer a moment before the fault is reported as done."""


def machines_hit(evidence: Evidence, fault: FaultReport) -> set[str]:
    """The machines that a fault hit, and their hosts, whose links are theirs."""
    names = {hit.rpartition(" on ")[2] for hit in fault.hit}
    return names | {machine.host for machine in evidence.machines if machine.name in names}


def _within(fault: FaultReport, start_s: float) -> bool:
    """Whether something began while a fault lasted, or while what it hit came back."""
    if fault.begun_s is None:
        return False
    return fault.begun_s - _EARLY_S <= start_s <= (fault.ended_s or math.inf) + _SETTLING_S


def cause_of_gap(record: RunRecord, evidence: Evidence, warning: RunWarning) -> FaultReport | None:
    """The fault that kept a daemon or a machine from being sampled; None where any gap has no such cause."""
    causes = [
        next(
            (
                fault
                for fault in record.faults
                if _within(fault, gap.start_s) and warning.machine in machines_hit(evidence, fault)
            ),
            None,
        )
        for gap in warning.gaps
    ]
    return causes[0] if causes and None not in causes else None


def was_meant(record: RunRecord, evidence: Evidence, machine: str, lost_s: float) -> bool:
    """Whether a machine, or a daemon on it, was lost to a fault, a little after its last sign of life."""
    return any(
        _within(fault, lost_s + _SILENT_S) and machine in machines_hit(evidence, fault)
        for fault in record.faults
    )


def cause_of_drops(
    record: RunRecord, evidence: Evidence, use: StretchUse, machine: str
) -> FaultReport | None:
    """The fault that had hit a machine, or one on it, while packets were dropped there; None without one."""
    return next(
        (
            fault
            for fault in record.faults
            if fault.begun_s is not None
            and fault.begun_s <= use.end_s
            and use.start_s <= (fault.ended_s or math.inf) + _SETTLING_S
            and machine in machines_hit(evidence, fault)
        ),
        None,
    )


def consequences(record: RunRecord, evidence: Evidence, fault: FaultReport) -> Iterator[str]:
    """What of a run followed from a fault as a matter of course, in words."""
    for warning in dict.fromkeys(record.warnings):
        if warning.gaps and cause_of_gap(record, evidence, warning) == fault:
            yield warning.text.partition(": ")[0]
    dropped: defaultdict[str, float] = defaultdict(float)
    for use in evidence.use:
        for host in use.hosts:
            if use.phase is None and cause_of_drops(record, evidence, use, host.host) == fault:
                dropped[host.host] += sum(nic.drops for nic in host.nics)
    for machine, drops in dropped.items():
        if drops >= 1:
            yield f"{machine} dropped {format_count(round(drops))} packets"
