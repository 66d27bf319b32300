"""What TeraValidate said about the sorted rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from howdah.analysis.evidence import Evidence
from howdah.model.finding import Finding
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.workload import WorkloadKind
from howdah.units import format_counted

_COUNTER_BITS = 64


def find_validation(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Order, checksum and completeness of the output, or that nobody looked."""
    for time in evidence.workloads:
        result = record.workloads[time.index]
        if result.workload.kind is not WorkloadKind.TERAVALIDATE:
            continue
        if result.outcome is not Outcome.SUCCEEDED and not result.validation_errors:
            # It did not come to a verdict; that it stopped is another finding.
            continue
        severity, text = _verdict(result, _recorded(record, time.index))
        yield Finding(
            id="validation",
            severity=severity,
            workload=time.workload,
            text=f"{time.workload}: {text}",
            sure="measured",
            origin=record.origin,
        )
    kinds = [result.workload.kind for result in record.workloads if result.outcome is Outcome.SUCCEEDED]
    if record.outcome is Outcome.SUCCEEDED and WorkloadKind.TERASORT in kinds:
        after = kinds[len(kinds) - kinds[::-1].index(WorkloadKind.TERASORT) :]
        if WorkloadKind.TERAVALIDATE not in after:
            yield Finding(
                id="not-validated",
                severity="note",
                workload=WorkloadKind.TERASORT.value,
                text="nothing checked terasort's output: no teravalidate followed it",
                sure="measured",
                origin=record.origin,
            )


def _recorded(record: RunRecord, index: int) -> str | None:
    """The checksum of the rows that TeraValidate should have found: as recorded, or by TeraGen's own job."""
    result = record.workloads[index]
    if result.expected_checksum is not None or result.workload.inputs is not None:
        return result.expected_checksum
    for earlier in reversed(record.workloads[:index]):
        if earlier.workload.kind is WorkloadKind.TERAGEN and earlier.job is not None:
            counter = earlier.job.counters.get("TeraGen$Counters.CHECKSUM")
            # Hadoop's counters are signed.
            return f"{counter.total % (1 << _COUNTER_BITS):x}" if counter else earlier.checksum
    return None


def _same(result: WorkloadResult, expected: str) -> bool:
    """Whether two checksums agree; a job's counter holds no more than the low 64 bits of one."""
    found = result.checksum
    if found is None or result.job is None or len(expected) > _COUNTER_BITS // 4:
        return found == expected
    return int(found, 16) % (1 << _COUNTER_BITS) == int(expected, 16)


def _verdict(result: WorkloadResult, expected: str | None) -> tuple[Literal["note", "warning"], str]:
    errors = result.validation_errors
    if errors:
        more = f", and {len(errors) - 1:,} more" if len(errors) > 1 else ""
        return "warning", f"{format_counted(len(errors), 'fault')} found: {errors[0].message}{more}"
    if expected is None:
        return (
            "note",
            f"in order, checksum {result.checksum}; no teragen record to check completeness against",
        )
    if not _same(result, expected):
        return "warning", (
            f"checksum {result.checksum} where teragen recorded {expected}: "
            "rows were lost, repeated or changed"
        )
    return "note", f"in order and complete, checksum {result.checksum} matches teragen's"
