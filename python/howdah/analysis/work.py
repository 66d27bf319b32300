"""The bytes a workload has to move, by theory, and in which phase.

A row is TeraSort's 100 bytes and the local file is its only replica. A sort that does not fit its
memory writes every row once more, compressed as its own counters say, and reads it back.
"""

from __future__ import annotations

from typing import NamedTuple

from howdah.analysis.disks import data_dirs
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.workload import ROW_BYTES, WorkloadKind


class Work(NamedTuple):
    """Bytes to read and to write."""

    read: int
    write: int


def work_of(record: RunRecord, result: WorkloadResult) -> Work | None:
    """What a finished workload had to move; None where it did not finish or nothing tells."""
    if result.outcome is not Outcome.SUCCEEDED:
        return None
    kind = result.workload.kind
    if kind in (WorkloadKind.DFSIO_WRITE, WorkloadKind.DFSIO_READ, WorkloadKind.STORAGE):
        return _files(record, result)
    if kind is WorkloadKind.PI:
        return Work(0, 0)
    rows = rows_of(result)
    if rows is None:
        return None
    size = rows * ROW_BYTES
    both = size + spill_of(result, size)
    return {WorkloadKind.TERAGEN: Work(0, size), WorkloadKind.TERAVALIDATE: Work(size, 0)}.get(
        kind, Work(both, both)
    )


def phase_work(result: WorkloadResult, work: Work | None, phase: str) -> Work | None:
    """The part of a workload's work that falls into one phase; None where theory does not say."""
    if work is None:
        return None
    names = [each.name for each in result.phases]
    if len(names) == 1:
        return work
    nothing = Work(0, 0)
    if result.workload.kind is WorkloadKind.TERASORT:
        size = (rows_of(result) or 0) * ROW_BYTES
        spill = work.read - size
        parts = {"map-shuffle": Work(size, spill), "reduce-merge": Work(spill, size)}
    elif result.workload.kind is WorkloadKind.STORAGE:
        # The test writes and reads one data directory after another, each the same number of bytes.
        parts = {
            "write": Work(0, work.write // max(1, names.count("write"))),
            "read": Work(work.read // max(1, names.count("read")), 0),
        }
    else:
        # Everything else does its work in map tasks; reduces only put together what they found.
        parts = {"map": work, "reduce": nothing}
    return parts.get(phase)


def spill_of(result: WorkloadResult, size: int) -> int:
    """Bytes of intermediate data if every row is spilled once; 0 for a sort in memory."""
    counters = result.counters
    if counters.spilled_bytes == 0 or counters.spilled_raw_bytes == 0:
        return 0
    return round(size * counters.spilled_bytes / counters.spilled_raw_bytes)


def rows_of(result: WorkloadResult) -> int | None:
    """The rows asked for, or those counted where the workload took what it found."""
    return result.workload.rows or result.counters.input_rows or result.counters.output_rows or None


def _files(record: RunRecord, result: WorkloadResult) -> Work | None:
    files, size = result.workload.files, result.workload.file_bytes
    if files is None or size is None:
        return None
    total = files * size
    if result.workload.kind is WorkloadKind.DFSIO_WRITE:
        return Work(0, total)
    if result.workload.kind is WorkloadKind.DFSIO_READ:
        return Work(total, 0)
    # The storage test puts so many files on every data directory, and reads back what it says it read.
    total *= len(data_dirs(record))
    done = {file.operation for file in result.files}
    return Work(total if "read" in done else 0, total if "write" in done else 0)
