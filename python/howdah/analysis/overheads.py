"""Work besides the data that a job processes: its start and end, spilled data, and measuring."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import JobOverhead, WorkloadTime
from howdah.analysis.machines import on_cluster
from howdah.analysis.phases import attempts_of, by_job, cluster_work, done, grouped, job_bytes
from howdah.analysis.uneven_tasks import slots_of
from howdah.analysis.wording import conclude, counted_tasks, took
from howdah.model.comparison import Finding
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.tables import RunData
from howdah.model.workloads.terasort import CODEC, ROWS, Codec

SHARE_AT_1_HZ = 0.01  # Telemetry is to stay under 1 % of one core at 1 Hz; what it costs grows with its rate.
# A laboratory is several machines with their daemons, all sampled by one process.
ON_CLUSTER = 0.02
LATE_SHARE = 0.05
JUDGED_FROM_S = 1.0  # Starting to sample costs more than a sample, so short runs are not judged.


def find_cost(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A sampler that cost more than it may, or came too late too often."""
    cost = record.telemetry
    if cost is None or cost.elapsed_s <= 0 or cost.interval_s <= 0:
        return
    share = cost.cpu_s / cost.elapsed_s
    allowed = (ON_CLUSTER if on_cluster(record) else SHARE_AT_1_HZ) * max(1.0, 1.0 / cost.interval_s)
    if share > allowed and cost.elapsed_s >= JUDGED_FROM_S:
        yield conclude("telemetry-cost", cost, share=share, allowed=allowed)
    if cost.ticks and cost.late_ticks / cost.ticks > LATE_SHARE:
        yield conclude("late-samples", cost, share=cost.late_ticks / cost.ticks)


def overheads(run: RunData, times: tuple[WorkloadTime, ...]) -> tuple[JobOverhead, ...]:
    """The overhead of every job that succeeded and told of its tasks."""
    result = []
    for time in times:
        job = time.result.job
        jobs = by_job(attempts_of(run, time))
        # The record keeps the last job of a workload: what came before it says nothing of its own.
        attempts = jobs[-1] if jobs else ()
        kinds = dict.fromkeys(attempt.kind for attempt in attempts)
        tasks = tuple(attempt for kind in kinds for attempt in done(attempts, kind))
        if job is None or not tasks or time.outcome is not Outcome.SUCCEEDED:
            continue
        # Waves and turnaround are those of the kind there are most of: the maps.
        most = max(kinds, key=lambda kind: len(done(attempts, kind)))
        mine = done(attempts, most)
        in_order = sorted(mine, key=lambda task: task.start_s)
        places = list(grouped(in_order, lambda task: (task.worker, task.slot)).values())
        slots = slots_of(run.record, time, most, tasks=len(mine), places=len(places))
        first_s = min(task.start_s for task in tasks)
        whole_s = sum(task.elapsed_s for task in tasks)
        gaps = [
            max(0.0, after.start_s - before.end_s) for place in places for before, after in pairwise(place)
        ]
        result.append(
            JobOverhead(
                workload=time.workload,
                jobs=len(jobs),
                before_s=max(0.0, first_s - job.submitted_s),
                after_s=max(0.0, time.end_s - max(task.end_s for task in tasks)),
                least_task_s=min(task.elapsed_s for task in tasks),
                kind=most,
                tasks=len(mine),
                slots=slots,
                waves=len(mine) / slots,
                turnaround_s=(median(gaps) if gaps else None),
                task_s=whole_s,
                cpu_share=_share([task.cpu_s for task in tasks], whole_s),
                gc_share=_share([task.gc_s for task in tasks], whole_s),
            )
        )
    return tuple(result)


def _share(parts: list[float | None], whole_s: float) -> float | None:
    reported = [part for part in parts if part is not None]
    return sum(reported) / whole_s if len(reported) == len(parts) and whole_s > 0 else None


def find_overheads(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One note per job on the time before, between and after its tasks, and on what tasks did with theirs."""
    for overhead in evidence.overheads:
        yield conclude(
            "job-overhead",
            overhead,
            several=overhead.jobs if overhead.jobs > 1 else None,
            counted=counted_tasks(overhead.tasks, overhead.kind),
            took=took(record),
            collecting=None if overhead.cpu_share is None else overhead.gc_share,
        )


# One spill per row is what a sort out of memory needs; anything above it is memory set too small
# (D0, RULES 64). The margin is for rows a cut-off batch spills twice.
SPILLED_ONCE = 1.01
WORTHWHILE_RATIO = 1.1  # Compression that saves less than this costs CPU for hardly fewer bytes.


def find_spills(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """That a workload spilled, and a warning if it spilled rows more than once."""
    for time in evidence.workloads:
        result = time.result
        spilled = _spilled(result)
        if spilled is not None:
            extra = spilled.rows_per_row > SPILLED_ONCE
            remedy = "more memory, or fewer tasks at once,"
            yield conclude(
                "extra-spills" if extra else "spills",
                spilled,
                workload=time.workload,
                remedy=remedy if result.job is None else "a larger mapreduce.task.io.sort.mb",
                once=", no row more than once" if spilled.rows_per_row else None,
            )


class _Spilled(NamedTuple):
    """Intermediate data on disk: rows spilled per input row, and raw over stored bytes."""

    rows_per_row: float
    raw_bytes: int
    stored_bytes: int


def _spilled(result: WorkloadResult) -> _Spilled | None:
    """What a workload spilled; None of Spark: its stages have findings of their own."""
    counters = result.counters
    if result.job is not None:
        work = cluster_work(result) if result.spark is None else None
        # What the maps spilled; that reduces write once more what they merge is Hadoop's way.
        moved = job_bytes(result.job)
        spilled = _Spilled(moved.map_spills, moved.output_raw, moved.output_stored)
        return spilled if work is not None and work.stored else None
    if result.spark is not None or not counters.spilled_bytes:
        return None
    rows = counters.input_rows or ROWS.of(result.workload) or 0
    share = counters.spilled_rows / rows if rows else 0.0
    return _Spilled(share, counters.spilled_raw_bytes, counters.spilled_bytes)


def find_compression(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """The compression ratio of the intermediate data, where a codec was at work."""
    for time in evidence.workloads:
        result = time.result
        codec, spilled = (CODEC.of(result.workload) or Codec.NONE).value, _spilled(result)
        if spilled is not None and codec != Codec.NONE.value and spilled.raw_bytes:
            ratio = spilled.raw_bytes / spilled.stored_bytes if spilled.stored_bytes > 0 else 1.0
            spared = 1 - 1 / ratio if ratio < WORTHWHILE_RATIO else None
            yield conclude(
                "compression", spilled, workload=time.workload, codec=codec, ratio=ratio, spared=spared
            )
