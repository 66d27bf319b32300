"""What to change in a MapReduce job, and why: settings with the values that its counters support."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

from howdah.jobs.failures import failures_text, most_common_error
from howdah.jobs.spread import StageTasks, skew_s
from howdah.model.application import JobChange
from howdah.services.event_log_tasks import first_line
from howdah.services.job_facts import AttemptFacts, JobFacts, Kind
from howdah.units import GIB, MIB, format_bytes, format_percent, format_seconds

_ROOM = 1.25
"""A container gets this much of the largest use that was seen."""
_STEP_MIB = 256
_LEAST_MIB = 512
_LEAST_UNUSED = 0.3
_SHORT_S = 15.0
_GOOD_S = 60.0
_MANY_TASKS = 20
_SPILL_FRACTION = 0.8
"""The fraction of the buffer at which a map begins to spill (mapreduce.map.sort.spill.percent)."""
_MOST_BUFFER_MIB = 2047
_LARGE_FRACTION = 0.1
_LEAST_KILLED_S = 60.0


class KindFacts(NamedTuple):
    """The maps or the reduces of a job."""

    kind: Kind
    stage: StageTasks | None
    container_s: float
    useful_s: float
    killed_s: float
    granted_bytes: int
    peak_bytes: int
    """The largest use of memory by a task; 0 if it is unknown."""
    waiting_s: float
    largest_output_bytes: int
    spilled_again_bytes: int

    @property
    def unused_bytes(self) -> int:
        """Memory of a container that no task used."""
        return max(0, self.granted_bytes - self.peak_bytes) if self.peak_bytes else 0


def advise(
    job: JobFacts, maps: KindFacts, reduces: KindFacts, failed: Sequence[AttemptFacts]
) -> tuple[JobChange, ...]:
    """Every change that the job's counters support, the largest saving first."""
    advice = [
        *_memory(maps, job),
        *_memory(reduces, job),
        *_slow_start(job, maps, reduces),
        *_sort_buffer(job, maps),
        *_short_maps(job, maps),
        *_compression(job, maps),
        *_speculation(job, maps),
        *_speculation(job, reduces),
        *_skew(maps),
        *_skew(reduces),
        *_failures(failed),
    ]
    return tuple(sorted(advice, key=lambda each: -each.saves_s))


def _memory(facts: KindFacts, job: JobFacts) -> Iterator[JobChange]:
    unused = facts.unused_bytes / facts.granted_bytes
    mib = max(_LEAST_MIB, ceil(facts.peak_bytes * _ROOM / MIB / _STEP_MIB) * _STEP_MIB)
    granted = facts.granted_bytes // MIB
    if unused < _LEAST_UNUSED or mib >= granted:
        return
    key = f"mapreduce.{facts.kind}.memory.mb"
    reason = (
        f"the largest {facts.kind} used {format_bytes(facts.peak_bytes)} of "
        f"{format_bytes(facts.granted_bytes)}; {mib} MiB is at least a quarter more"
    )
    if f"mapreduce.{facts.kind}.java.opts" in job.conf:
        reason += f"; set -Xmx{int(mib * 0.8)}m in mapreduce.{facts.kind}.java.opts, too"
    yield JobChange(key, str(granted), str(mib), reason, facts.useful_s * (1 - mib / granted))


def _slow_start(job: JobFacts, maps: KindFacts, reduces: KindFacts) -> Iterator[JobChange]:
    key = "mapreduce.job.reduce.slowstart.completedmaps"
    now = job.conf.get(key, "0.05")
    all_s = maps.container_s + reduces.container_s
    if reduces.waiting_s > _LARGE_FRACTION * all_s and _number(now) < 0.8:
        reason = (
            f"reduces held containers for {format_seconds(reduces.waiting_s)} while maps still ran, "
            f"{format_percent(reduces.waiting_s / all_s)} of the job's container time"
        )
        yield JobChange(key, now, "0.9", reason, reduces.waiting_s * 0.8)


def _sort_buffer(job: JobFacts, maps: KindFacts) -> Iterator[JobChange]:
    key = "mapreduce.task.io.sort.mb"
    now = int(_number(job.conf.get(key, "100")))
    need = ceil(maps.largest_output_bytes / MIB * 1.1 / _SPILL_FRACTION / 10) * 10
    if not maps.spilled_again_bytes or need <= now:
        return
    largest = (
        f"maps wrote {format_bytes(maps.spilled_again_bytes)} more than once; "
        f"the largest map output, {format_bytes(maps.largest_output_bytes)},"
    )
    if need <= _MOST_BUFFER_MIB and need < 0.6 * maps.granted_bytes / MIB:
        reason = f"{largest} fits in {need} MiB"
        yield JobChange(key, str(now), str(need), reason)
    else:
        reason = (
            f"{largest} does not fit in a container of {format_bytes(maps.granted_bytes)}: "
            "smaller splits produce smaller outputs"
        )
        split = int(128 * MIB * min(1.0, now / need))
        yield JobChange("mapreduce.input.fileinputformat.split.maxsize", "", str(split), reason)


def _short_maps(job: JobFacts, maps: KindFacts) -> Iterator[JobChange]:
    if maps.stage is None:
        return
    stage = maps.stage.summary
    if stage.tasks < _MANY_TASKS or stage.median_s >= _SHORT_S or not stage.input_bytes:
        return
    good = stage.input_bytes / stage.tasks * _GOOD_S / max(stage.median_s, 1.0)
    split = ceil(good / (64 * MIB)) * 64 * MIB
    reason = (
        f"{stage.tasks:,} maps ran for {format_seconds(stage.median_s)} each and read "
        f"{format_bytes(stage.input_bytes / stage.tasks)}; starting a container takes seconds. "
        "Join small files, or use CombineFileInputFormat if they are smaller than a block"
    )
    yield JobChange("mapreduce.input.fileinputformat.split.minsize", "", str(split), reason)


def _compression(job: JobFacts, maps: KindFacts) -> Iterator[JobChange]:
    key = "mapreduce.map.output.compress"
    size = maps.stage.summary.shuffle_write_bytes if maps.stage else 0
    if size > GIB and job.conf.get(key, "false").strip().lower() == "false" and job.conf:
        reason = f"{format_bytes(size)} of map output crossed disks and network uncompressed"
        yield JobChange(key, "false", "true", reason)


def _speculation(job: JobFacts, facts: KindFacts) -> Iterator[JobChange]:
    key = f"mapreduce.{facts.kind}.speculative"
    if (
        facts.killed_s > max(_LEAST_KILLED_S, _LARGE_FRACTION * facts.container_s)
        and job.conf.get(key, "true") == "true"
    ):
        reason = f"killed copies of {facts.kind}s took {format_seconds(facts.killed_s)} of container time"
        yield JobChange(key, "true", "false", reason, facts.killed_s)


def _skew(facts: KindFacts) -> Iterator[JobChange]:
    if facts.stage is None or not skew_s(facts.stage.summary):
        return
    stage = facts.stage.summary
    change = (
        "partition by a key that spreads better, or add a random part to the frequent keys"
        if facts.kind == "reduce"
        else "use a splittable compression, or split the large files"
    )
    reason = (
        f"the longest {facts.kind} took {format_seconds(stage.longest_s)}, the median one "
        f"{format_seconds(stage.median_s)}: {change}"
    )
    yield JobChange("", "", "", reason)


def _failures(failed: Sequence[AttemptFacts]) -> Iterator[JobChange]:
    if not failed:
        return
    errors = [first_line(attempt.error) for attempt in failed]
    error, _ = most_common_error(errors)
    lost_s = (
        sum(max(0, (each.finish_ms or 0) - (each.start_ms or 0)) for each in failed if each.finish_ms) / 1e3
    )
    kind = failed[0].number.kind
    memory = "heap space" in error or ("memory" in error and ("beyond" in error or "OutOfMemory" in error))
    yield JobChange(
        f"mapreduce.{kind}.memory.mb" if memory else "",
        "",
        "more" if memory else "",
        failures_text(errors),
        lost_s,
    )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
