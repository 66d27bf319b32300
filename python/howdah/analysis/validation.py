"""What TeraValidate said about the sorted rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from howdah.analysis.evidence import Evidence
from howdah.model.finding import Finding
from howdah.model.run import Origin, Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.terasort import TERASORT, TERAVALIDATE, TeraValidate
from howdah.units import format_counted


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
        yield Finding(
            id="validation",
            severity=severity,
            workload=time.workload,
            text=f"{time.workload}: {text}",
            sure="measured",
            origin=record.origin,
        )
    kinds = [result.workload.kind for result in record.workloads if result.outcome is Outcome.SUCCEEDED]
    if record.outcome is Outcome.SUCCEEDED and TERASORT in kinds:
        after = kinds[len(kinds) - kinds[::-1].index(TERASORT) :]
        if TERAVALIDATE not in after:
            yield Finding(
                id="not-validated",
                severity="note",
                workload=TERASORT,
                text="terasort's output was not checked: no teravalidate followed",
                sure="measured",
                origin=record.origin,
            )


def _verdict(result: WorkloadResult) -> tuple[Literal["note", "warning"], str]:
    errors = result.validation_errors
    if errors:
        more = f", and {len(errors) - 1:,} more" if len(errors) > 1 else ""
        return "warning", f"{format_counted(len(errors), 'fault')} found: {errors[0].message}{more}"
    if result.expected_checksum is None:
        return (
            "note",
            f"in order, checksum {result.checksum}; no teragen record to check completeness against",
        )
    if result.checksum != result.expected_checksum:
        return "warning", (
            f"checksum {result.checksum} where teragen recorded {result.expected_checksum}: "
            "rows were lost, repeated or changed"
        )
    return "note", f"in order and complete, checksum {result.checksum} matches teragen's"
