"""Intermediate data on disk: how often rows were spilled and what compression saved."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Evidence, Spills, WorkloadTime
from howdah.analysis.wording import number, percent, times
from howdah.analysis.work import JobBytes, cluster_work, job_bytes
from howdah.model.finding import Finding
from howdah.model.run import RunRecord, WorkloadResult
from howdah.model.workloads.terasort import CODEC, ROWS, Codec
from howdah.units import format_bytes

# One spill per row is what a sort out of memory needs; anything above it is memory set too small
# (D0, RULES 64). The margin is for rows a cut-off batch spills twice.
SPILLED_ONCE = 1.01
# Compression that saves less than this costs CPU for hardly fewer bytes.
WORTHWHILE_RATIO = 1.1


def spills(record: RunRecord, workloads: tuple[WorkloadTime, ...]) -> tuple[Spills, ...]:
    """The spills of every workload that had any."""
    spilled: list[Spills] = []
    for time in workloads:
        result = record.workloads[time.index]
        if result.spark is not None:
            # Its stages have findings of their own; what a shuffle writes is no spill.
            continue
        if result.job is not None:
            work = cluster_work(result)
            if work is not None and work.stored:
                spilled.append(_of_job(time.workload, result, job_bytes(result.job)))
            continue
        counters = result.counters
        if counters.spilled_bytes == 0:
            continue
        rows = counters.input_rows or ROWS.of(result.workload) or 0
        spilled.append(
            Spills(
                workload=time.workload,
                codec=(CODEC.of(result.workload) or Codec.NONE).value,
                rows_per_row=counters.spilled_rows / rows if rows else 0.0,
                raw_bytes=counters.spilled_raw_bytes,
                stored_bytes=counters.spilled_bytes,
                read_bytes=counters.spill_read_bytes,
            )
        )
    return tuple(spilled)


def _of_job(workload: str, result: WorkloadResult, counted: JobBytes) -> Spills:
    """What the maps spilled; that reduces write once more what they merge is Hadoop's way."""
    return Spills(
        workload=workload,
        codec=(CODEC.of(result.workload) or Codec.NONE).value,
        rows_per_row=counted.map_spills,
        raw_bytes=counted.output_raw,
        stored_bytes=counted.output_stored,
        read_bytes=counted.map_file_read + counted.reduce_file_read,
    )


def find_spills(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """That a workload spilled, and a warning if it spilled rows more than once."""
    for item in evidence.spills:
        extra = item.rows_per_row > SPILLED_ONCE
        text = f"{item.workload} spilled {format_bytes(item.raw_bytes)} of intermediate data"
        if extra:
            job = record.workloads[evidence.time_of(item.workload).index].job
            remedy = "a larger mapreduce.task.io.sort.mb" if job else "more memory, or fewer tasks at once,"
            text += (
                f": every row {times(item.rows_per_row)} on average, where once would be enough; "
                f"{remedy} would spare the disks"
            )
        elif item.rows_per_row:
            text += ", no row more than once"
        yield Finding(
            id="extra-spills" if extra else "spills",
            severity="warning" if extra else "note",
            workload=item.workload,
            text=text,
            origin=record.origin,
            numbers=(
                number("spilled, raw", item.raw_bytes, "B"),
                number("spilled, on disk", item.stored_bytes, "B"),
                number("spills per row", item.rows_per_row, "1"),
            ),
        )


def find_compression(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """The compression ratio of the intermediate data, where a codec was at work."""
    for item in evidence.spills:
        if item.codec == Codec.NONE.value or item.raw_bytes == 0:
            continue
        text = (
            f"{item.workload}: {item.codec} compressed {format_bytes(item.raw_bytes)} "
            f"of intermediate data to {format_bytes(item.stored_bytes)}, a ratio of {item.ratio:.2f}"
        )
        if item.ratio < WORTHWHILE_RATIO:
            text += f", which spares {percent(1 - 1 / item.ratio)} of the bytes for the CPU time it takes"
        yield Finding(
            id="compression",
            workload=item.workload,
            text=text,
            origin=record.origin,
            numbers=(number("compression ratio", item.ratio, "1"),),
        )
