"""Runs that ended badly, invalid output, failed operations, and missing parts of a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.machines import on_cluster
from howdah.analysis.phases import grouped
from howdah.analysis.wording import conclude, counted_tasks, percent, state
from howdah.model.comparison import Finding
from howdah.model.run import Origin, Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.terasort import TERASORT, TERAVALIDATE, TeraValidate
from howdah.units import format_count, format_counted, listed


def find_validation(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Order, checksum and completeness of the output, or that nobody looked."""
    if record.origin is Origin.SIMULATED:
        # No row was sorted: there is nothing that could be in order, or that somebody should have checked.
        return
    for time in evidence.workloads:
        result = time.result
        # One that did not come to a verdict and stopped is another finding.
        judged = result.outcome is Outcome.SUCCEEDED or result.validation_errors
        if isinstance(result.workload, TeraValidate) and judged:
            yield _verdict(time.workload, result)
    kinds = [result.workload.kind for result in record.workloads if result.outcome is Outcome.SUCCEEDED]
    if record.outcome is Outcome.SUCCEEDED and TERASORT in kinds:
        after = kinds[len(kinds) - kinds[::-1].index(TERASORT) :]
        if TERAVALIDATE not in after:
            yield conclude("not-validated", workload=TERASORT)


def _verdict(workload: str, result: WorkloadResult) -> Finding:
    errors, expected = result.validation_errors, result.expected_checksum
    same = expected in (None, result.checksum)
    words = "order" if expected is None else "complete" if same else "different"
    return conclude(
        "validation",
        words="faults" if errors else words,
        warns=bool(errors) or not same,
        workload=workload,
        faults=len(errors),
        first=errors[0].message if errors else None,
        others=len(errors) - 1 if len(errors) > 1 else None,
        checksum=str(result.checksum),
        expected_checksum=expected,
    )


OK = "OK"  # YCSB's word for an operation that did what it should.


def find_failed_operations(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A warning for each workload of which not all operations returned what they should."""
    for time in evidence.workloads:
        clauses, numbers = [], []
        for count in time.result.operations:
            ended = sum(count.returns.values())
            failed = {word: many for word, many in count.returns.items() if word != OK and many}
            if not failed:
                continue
            returns = listed([f"{format_count(many)} {word}" for word, many in failed.items()])
            share = percent(sum(failed.values()) / ended)
            clauses.append(f"of {format_count(ended)} times {count.operation} {returns} ({share})")
            numbers += [(f"{count.operation}, {word}", many, "1") for word, many in failed.items()]
        if clauses:
            text = "; ".join(clauses)
            yield conclude("failed-operations", workload=time.workload, clauses=text, numbers=numbers)


def find_exceptions(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What RegionServers answered with exceptions, after most of which clients wait and ask again."""
    for mine in grouped(evidence.region_servers, lambda item: item.workload).values():
        calls, busy, moved = (
            round(sum(getattr(use, name) for use in mine))
            for name in ("exceptions", "too_busy", "not_serving")
        )
        why = [f"{format_count(busy)} since memstores were full"] if busy else []
        why += [f"{format_count(moved)} since regions were elsewhere"] if moved else []
        if calls:
            yield conclude(
                "exceptions", mine[0], warns=bool(busy), calls=calls, busy=busy, moved=moved, why=why or None
            )


_KINDS_LISTED = 2  # More kinds of tasks than maps and reduces are not listed one by one.


def find_unfinished(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Workloads that failed, were cut off or never began, and how far they came."""
    for time in evidence.workloads:
        if time.outcome is Outcome.SUCCEEDED:
            continue
        tasks: Counter[str] = Counter()
        for spread in evidence.spreads:
            if spread.workload == time.workload:
                tasks[spread.kind] += spread.tasks
        done = [counted_tasks(many, kind) for kind, many in tasks.items()]
        if len(done) > _KINDS_LISTED:
            # An application of Spark may have hundreds of stages.
            done = [f"{format_counted(tasks.total(), 'task')} of {len(done):,} stages"]
        divided = time.result.workload.has_tasks
        yield conclude(
            "unfinished",
            time,
            ended=state(time.outcome),
            last=time.phases[-1].name if time.phases else None,
            tasks=listed(done) or "no task" if divided else None,
        )
    missing = record.suite.workloads[len(record.workloads) :]
    if missing:
        yield conclude("never-began", kinds=[workload.kind for workload in missing])


def find_simulated(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """That the numbers were computed and not measured."""
    if record.origin is Origin.SIMULATED and evidence.workloads:
        yield conclude("simulated", engine=record.engine)


def find_missing(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What the record does not hold, and what cannot be said for want of it."""
    divided = any(result.workload.has_tasks for result in record.workloads)
    limited = any(result.workload.limited for result in record.workloads)
    gaps = {
        # There may be samples of daemons, which tell nothing of their machines.
        "use": divided and not evidence.use,
        "tasks": divided and not evidence.spreads,
        # A cluster's disks and links are planned ones, and what holds it shows in its workers' use.
        "limits": limited and record.limits is None and not on_cluster(record),
    }
    for words, missing in gaps.items() if evidence.workloads else ():
        if missing:
            yield conclude("missing", words=words)
