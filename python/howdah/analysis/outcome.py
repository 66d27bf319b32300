"""Runs that did not end well, or were not measured, and parts of a record that are not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.machines import on_cluster
from howdah.analysis.wording import listed, number, seconds, state
from howdah.model.finding import Finding
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.units import format_counted

_KINDS_LISTED = 2
"""More kinds of tasks than maps and reduces are not listed one by one."""


def find_unfinished(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Workloads that failed, were cut off or never began, and how far they came."""
    for time in evidence.workloads:
        if time.outcome is Outcome.SUCCEEDED:
            continue
        text = f"{time.workload} {state(time.outcome)} {seconds(time.elapsed_s)}"
        if time.phases:
            text += f", last in {time.phases[-1].name}"
        tasks: Counter[str] = Counter()
        for spread in evidence.spreads:
            if spread.workload == time.workload:
                tasks[spread.kind] += spread.tasks
        done = [format_counted(many, f"{kind} task") for kind, many in tasks.items()]
        if len(done) > _KINDS_LISTED:
            # An application of Spark may have hundreds of stages.
            done = [f"{format_counted(tasks.total(), 'task')} of {len(done):,} stages"]
        if record.workloads[time.index].workload.has_tasks:
            text += f"; {listed(done)} had finished" if done else "; no task had finished"
        yield Finding(
            id="unfinished",
            severity="warning",
            workload=time.workload,
            text=text,
            sure="measured",
            origin=record.origin,
            numbers=(number("elapsed", time.elapsed_s, "s"),),
        )
    missing = record.suite.workloads[len(record.workloads) :]
    if missing:
        yield Finding(
            id="never-began",
            severity="warning",
            text=f"never began: {listed([workload.kind for workload in missing])}",
            sure="measured",
            origin=record.origin,
        )


def find_simulated(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """That the numbers were computed and not measured."""
    if record.origin is Origin.SIMULATED and evidence.workloads:
        yield Finding(
            id="simulated",
            severity="note",
            text=f"every number here was computed by the {record.engine} engine, none was measured",
            sure="measured",
            origin=record.origin,
        )


def find_missing(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What the record does not hold, and what cannot be said for want of it."""
    if not evidence.workloads:
        return
    gaps = []
    divided = any(result.workload.has_tasks for result in record.workloads)
    if not evidence.use and divided:
        # There may be samples of daemons, which tell nothing of their machines.
        gaps.append("no samples of CPU, disks and network: their use is not known")
    if not evidence.spreads and divided:
        gaps.append("no task attempts: long poles and balance are not known")
    limited = any(result.workload.limited for result in record.workloads)
    # A cluster's disks and links are planned ones, and what holds it shows in its workers' use.
    if record.limits is None and limited and not on_cluster(record):
        gaps.append("no raw limits: how close the disks came to theirs is not known")
    for gap in gaps:
        yield Finding(
            id="missing",
            severity="note",
            text=f"the record holds {gap}",
            sure="measured",
            origin=record.origin,
        )
