"""Runs that ended badly, invalid output, failed operations, and missing parts of a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from howdah.analysis.evidence import Evidence
from howdah.analysis.machines import on_cluster
from howdah.analysis.wording import counted_tasks, finding, listed, percent, seconds, state
from howdah.model.comparison import Finding
from howdah.model.run import Origin, Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.terasort import TERASORT, TERAVALIDATE, TeraValidate
from howdah.units import format_count, format_counted


def find_validation(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Order, checksum and completeness of the output, or that nobody looked."""
    if record.origin is Origin.SIMULATED:
        # No row was sorted: there is nothing that could be in order, or that somebody should have checked.
        return
    for time in evidence.workloads:
        result = record.workloads[time.index]
        if not isinstance(result.workload, TeraValidate):
            continue
        if result.outcome is not Outcome.SUCCEEDED and not result.validation_errors:
            # It did not come to a verdict; that it stopped is another finding.
            continue
        severity, text = _verdict(result)
        yield finding("validation", f"{time.workload}: {text}", severity=severity, workload=time.workload)
    kinds = [result.workload.kind for result in record.workloads if result.outcome is Outcome.SUCCEEDED]
    if record.outcome is Outcome.SUCCEEDED and TERASORT in kinds:
        after = kinds[len(kinds) - kinds[::-1].index(TERASORT) :]
        if TERAVALIDATE not in after:
            yield finding(
                "not-validated",
                "terasort's output was not checked: no teravalidate followed",
                workload=TERASORT,
            )


def _verdict(result: WorkloadResult) -> tuple[Literal["note", "warning"], str]:
    errors, checksum = result.validation_errors, f"checksum {result.checksum}"
    if errors:
        more = f", and {len(errors) - 1:,} more" if len(errors) > 1 else ""
        return "warning", f"faults of its output, {len(errors):,} in all: {errors[0].message}{more}"
    if result.expected_checksum is None:
        return "note", f"in order, {checksum}; no teragen record to check completeness against"
    if result.checksum == result.expected_checksum:
        return "note", f"in order and complete, {checksum} matches teragen's"
    return "warning", (
        f"{checksum} where teragen recorded {result.expected_checksum}: rows were lost, repeated or changed"
    )


OK = "OK"  # YCSB's word for an operation that did what it should.


def find_failed_operations(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A warning for each workload of which not all operations returned what they should."""
    for time in evidence.workloads:
        clauses, numbers = [], []
        for count in record.workloads[time.index].operations:
            ended = sum(count.returns.values())
            failed = {word: many for word, many in count.returns.items() if word != OK and many}
            if not failed:
                continue
            returns = listed([f"{format_count(many)} {word}" for word, many in failed.items()])
            share = percent(sum(failed.values()) / ended)
            clauses.append(f"of {format_count(ended)} times {count.operation} {returns} ({share})")
            numbers += [(f"{count.operation}, {word}", many, "1") for word, many in failed.items()]
        if clauses:
            yield finding(
                "failed-operations",
                f"{time.workload}: not all operations did what they should: {'; '.join(clauses)}",
                *numbers,
                severity="warning",
                workload=time.workload,
            )


def find_exceptions(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What RegionServers answered with exceptions, after most of which clients wait and ask again."""
    for workload in dict.fromkeys(use.workload for use in evidence.region_servers):
        mine = [use for use in evidence.region_servers if use.workload == workload]
        every, busy, moved = (
            round(sum(getattr(use, name) for use in mine))
            for name in ("exceptions", "too_busy", "not_serving")
        )
        if not every:
            continue
        why = [f"{format_count(busy)} since memstores were full"] if busy else []
        why += [f"{format_count(moved)} since regions were elsewhere"] if moved else []
        yield finding(
            "exceptions",
            f"{workload}: RegionServers answered {format_count(every)} calls with exceptions, after "
            f"most of which clients wait and ask again{': ' if why else ''}{listed(why)}",
            ("exceptions", every, "1"),
            ("for full memstores", busy, "1"),
            ("for regions elsewhere", moved, "1"),
            severity="warning" if busy else "note",
            workload=workload,
        )


_KINDS_LISTED = 2  # More kinds of tasks than maps and reduces are not listed one by one.


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
        done = [counted_tasks(many, kind) for kind, many in tasks.items()]
        if len(done) > _KINDS_LISTED:
            # An application of Spark may have hundreds of stages.
            done = [f"{format_counted(tasks.total(), 'task')} of {len(done):,} stages"]
        if record.workloads[time.index].workload.has_tasks:
            text += f"; finished by that time: {listed(done) or 'no task'}"
        yield finding(
            "unfinished", text, ("elapsed", time.elapsed_s, "s"), severity="warning", workload=time.workload
        )
    missing = record.suite.workloads[len(record.workloads) :]
    if missing:
        yield finding(
            "never-began",
            f"workloads that the run never began: {listed([workload.kind for workload in missing])}",
            severity="warning",
        )


def find_simulated(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """That the numbers were computed and not measured."""
    if record.origin is Origin.SIMULATED and evidence.workloads:
        yield finding(
            "simulated", f"every number here was computed by the {record.engine} engine, none was measured"
        )


def find_missing(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What the record does not hold, and what cannot be said for want of it."""
    if not evidence.workloads:
        return
    gaps = []
    divided = any(result.workload.has_tasks for result in record.workloads)
    if not evidence.use and divided:
        # There may be samples of daemons, which tell nothing of their machines.
        gaps.append("no samples of CPU, disks and network while a workload ran: their use is not known")
    if not evidence.spreads and divided:
        gaps.append("no task attempts: task times and balance are not known")
    limited = any(result.workload.limited for result in record.workloads)
    # A cluster's disks and links are planned ones, and what holds it shows in its workers' use.
    if record.limits is None and limited and not on_cluster(record):
        gaps.append("no raw limits: how close the disks came to theirs is not known")
    for gap in gaps:
        yield finding("missing", f"the record holds {gap}")
