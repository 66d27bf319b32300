"""MapReduce jobs: what a history shows of each, and what to change, with the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

from howdah.jobs.tasks import (
    KINDS,
    LEAST_UNUSED,
    MUCH_MORE_DATA,
    StageTasks,
    failures_text,
    host_shares,
    most_common_error,
    roomy_mib,
    skew_s,
    summarise,
    times_as_much,
)
from howdah.model.application import Application, JobChange
from howdah.model.placement import UNSET_MB
from howdah.releases.values import is_true, read_bool, read_float, read_positive
from howdah.services.event_log_files import first_line
from howdah.services.history import MOST_BYTES
from howdah.services.job_facts import AttemptFacts, JobFacts, Kind, shared_bytes
from howdah.units import GIB, MIB, format_bytes, format_percent, format_seconds

_DEFAULT_SPLIT_BYTES = 128 * MIB  # Hadoop's default for a block.
_OUTPUT = "TaskCounter.MAP_OUTPUT_BYTES"


def mapreduce_application(job: JobFacts, source: str, source_bytes: int) -> Application:
    """Summarise a job; its configuration is in ``job.conf`` if it was readable."""
    attempts = [attempt for task in job.tasks for attempt in task.attempts if attempt.start_ms]
    last_ms = max((attempt.finish_ms or attempt.start_ms or 0 for attempt in attempts), default=job.submit_ms)
    end_ms = job.finish_ms or last_ms
    map_ends = (attempt.finish_ms or 0 for attempt in attempts if attempt.number.kind == "map")
    maps_end_ms = max(map_ends, default=0)
    facts = {kind: _facts(job, kind, attempts, end_ms, maps_end_ms) for kind in KINDS}
    stages = [stage for kind in KINDS if (stage := facts[kind].stage) is not None]
    failed = [attempt for attempt in attempts if attempt.state == "failed"]
    first_ms = min([master.start_ms for master in job.masters] or [job.start_ms or job.submit_ms])
    failure = ""
    if job.state in ("failed", "killed"):
        # If a task failed, the error of the attempt that was the last.
        last = max(failed, key=lambda attempt: attempt.finish_ms or 0, default=None)
        named = job.diagnostics and not job.diagnostics.startswith("Task failed")
        failure = first_line(job.diagnostics if named or last is None else last.error or job.diagnostics)
    elif source_bytes > MOST_BYTES:
        failure = f"only the first {format_bytes(MOST_BYTES)} of its history were read"
    return Application(
        id=job.id.replace("job_", "application_", 1),
        attempt=str(len(job.masters) or ""),
        kind="mapreduce",
        name=job.name,
        user=job.user,
        queue=job.queue.removeprefix("root."),
        version="",
        outcome="unfinished" if job.state == "running" else job.state,
        failure=failure,
        source=source,
        source_bytes=source_bytes,
        submit_s=job.submit_ms / 1e3,
        end_s=end_ms / 1e3,
        wait_s=max(0, first_ms - job.submit_ms) / 1e3 if job.submit_ms else None,
        tasks=len(job.tasks),
        containers=len(attempts),
        container_s=sum(fact.container_s for fact in facts.values()),
        container_bytes=max((fact.granted_bytes for fact in facts.values() if fact.container_s), default=0),
        idle_s=facts["reduce"].waiting_s,
        failed_attempts=len(failed),
        failed_s=sum(_seconds(attempt, end_ms) for attempt in failed),
        killed_s=sum(_seconds(attempt, end_ms) for attempt in attempts if attempt.state == "killed"),
        unused_memory_byte_s=sum(fact.unused_bytes * fact.useful_s for fact in facts.values()),
        unused_memory_s=sum(
            fact.unused_bytes / fact.granted_bytes * fact.useful_s for fact in facts.values()
        ),
        cpu_s=_total(job, "TaskCounter.CPU_MILLISECONDS", attempts) / 1e3,
        gc_s=_total(job, "TaskCounter.GC_TIME_MILLIS", attempts) / 1e3,
        spilled_bytes=sum(fact.spilled_again_bytes for fact in facts.values()),
        skew_s=sum(skew_s(stage.summary) for stage in stages),
        stages=tuple(stage.summary for stage in stages),
        hosts=host_shares(
            stages, (attempt.node for attempt in attempts), (attempt.node for attempt in failed)
        ),
        advice=advise(job, facts["map"], facts["reduce"], failed),
    )


def _seconds(attempt: AttemptFacts, end_ms: int) -> float:
    return max(0, (attempt.finish_ms or end_ms) - (attempt.start_ms or end_ms)) / 1e3


def _total(job: JobFacts, name: str, attempts: Sequence[AttemptFacts]) -> int:
    counter = job.counters.get(name)
    return counter.total if counter else sum(attempt.counters.get(name, 0) for attempt in attempts)


def _facts(
    job: JobFacts, kind: Kind, attempts: Sequence[AttemptFacts], end_ms: int, maps_end_ms: int
) -> KindFacts:
    own = [attempt for attempt in attempts if attempt.number.kind == kind]
    good = [attempt for attempt in own if attempt.state == "succeeded"]
    granted = _granted_bytes(job, kind)
    uses = ("PHYSICAL_MEMORY_BYTES", f"{kind.upper()}_PHYSICAL_MEMORY_BYTES_MAX")
    peak = max((attempt.counters.get(f"TaskCounter.{use}", 0) for attempt in own for use in uses), default=0)
    written = "MAP_OUTPUT_RECORDS" if kind == "map" else "REDUCE_INPUT_RECORDS"
    spilled, records = _sum(good, "SPILLED_RECORDS"), _sum(good, written)
    combined = _sum(good, "COMBINE_OUTPUT_RECORDS")
    moved = _sum(good, "MAP_OUTPUT_BYTES" if kind == "map" else "REDUCE_SHUFFLE_BYTES")
    # A map writes its output once, and so does a reduce its input: that frees its heap for the program.
    again = max(0, spilled - ((combined if kind == "map" else 0) or records))
    stage = _stage(kind, good)
    largest = max(good, key=lambda attempt: attempt.counters.get(_OUTPUT, 0), default=None)
    # While maps still ran, a reduce copied only little.
    waits = ((task.start_ms or 0, task.shuffle_ms) for task in good if kind == "reduce")
    return KindFacts(
        kind=kind,
        stage=stage,
        container_s=sum(_seconds(attempt, end_ms) for attempt in own),
        useful_s=sum(_seconds(attempt, end_ms) for attempt in good),
        killed_s=sum(_seconds(attempt, end_ms) for attempt in own if attempt.state == "killed"),
        granted_bytes=granted,
        peak_bytes=peak,
        waiting_s=sum(max(0, min(maps_end_ms, ready_ms or at_ms) - at_ms) / 1e3 for at_ms, ready_ms in waits),
        gc_s=_sum(own, "GC_TIME_MILLIS") / 1e3,
        largest_output_bytes=largest.counters.get(_OUTPUT, 0) if largest else 0,
        largest_input_bytes=shared_bytes(largest.counters, "BYTES_READ") if largest else 0,
        spilled_again_bytes=int(again * moved / records) if records else 0,
        more=_more(kind, good, stage) if stage is not None else None,
    )


def _more(kind: Kind, good: Sequence[AttemptFacts], stage: StageTasks) -> float | None:
    """How much more data the longest task had than the median task; None if it is unknown."""
    names = ("MAP_INPUT_RECORDS", "MAP_OUTPUT_RECORDS", "MAP_OUTPUT_BYTES")
    if kind == "reduce":
        names = ("REDUCE_INPUT_RECORDS", "REDUCE_SHUFFLE_BYTES", "REDUCE_OUTPUT_RECORDS")
    measures = [[attempt.counters.get(f"TaskCounter.{name}", 0) for attempt in good] for name in names]
    measures.append([shared_bytes(attempt.counters, "BYTES_READ") for attempt in good])
    return times_as_much(measures, stage.seconds.index(max(stage.seconds)))


def _stage(kind: Kind, good: Sequence[AttemptFacts]) -> StageTasks | None:
    return summarise(
        "maps" if kind == "map" else "reduces",
        (
            (
                attempt.node,
                # A reduce waits for maps until its merge is done; what follows is its own work.
                max(0, (attempt.finish_ms or 0) - (attempt.merge_ms or attempt.start_ms or 0)) / 1e3,
                (attempt.start_ms or 0) / 1e3,
                (attempt.finish_ms or 0) / 1e3,
            )
            for attempt in good
        ),
        input_bytes=sum(shared_bytes(attempt.counters, "BYTES_READ") for attempt in good)
        if kind == "map"
        else 0,
        output_bytes=sum(shared_bytes(attempt.counters, "BYTES_WRITTEN") for attempt in good),
        shuffle_read_bytes=_sum(good, "REDUCE_SHUFFLE_BYTES"),
        shuffle_write_bytes=_sum(good, "MAP_OUTPUT_MATERIALIZED_BYTES"),
    )


def _sum(attempts: Sequence[AttemptFacts], name: str) -> int:
    return sum(attempt.counters.get(f"TaskCounter.{name}", 0) for attempt in attempts)


def _granted_bytes(job: JobFacts, kind: Kind) -> int:
    plural = "MAPS" if kind == "map" else "REDUCES"
    charged, lasted = (job.counters.get(f"JobCounter.{name}_{plural}") for name in ("MB_MILLIS", "MILLIS"))
    if charged and lasted and charged.total > 0 and lasted.total > 0:
        return round(charged.total / lasted.total) * MIB
    return (read_positive(job.conf.get(f"mapreduce.{kind}.memory.mb")) or UNSET_MB) * MIB


_SHORT_S = 15.0
_GOOD_S = 60.0
_MANY_TASKS = 20
_SPILL_FRACTION = 0.8  # A map spills when its buffer is so full (mapreduce.map.sort.spill.percent).
_MOST_BUFFER_MIB = 2047
_LARGE_FRACTION = 0.1
_LARGE_GC = 0.1
_LEAST_KILLED_S = 60.0


class KindFacts(NamedTuple):
    """The maps or the reduces of a job."""

    kind: Kind
    stage: StageTasks | None
    container_s: float
    useful_s: float
    killed_s: float
    granted_bytes: int
    peak_bytes: int  # The largest use of memory by a task; 0 if it is unknown.
    waiting_s: float
    gc_s: float
    largest_output_bytes: int
    largest_input_bytes: int  # What the map with that output read; 0 if it is unknown.
    spilled_again_bytes: int
    more: float | None = None  # The longest task's data by the median one's; None if it is unknown.

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
        *_skew(job, maps),
        *_skew(job, reduces),
        *_failures(job, failed),
    ]
    return tuple(sorted(advice, key=lambda change: -change.saves_s))


def _memory(facts: KindFacts, job: JobFacts) -> Iterator[JobChange]:
    unused = facts.unused_bytes / facts.granted_bytes
    mib = roomy_mib(facts.peak_bytes)
    granted = facts.granted_bytes // MIB
    # A failed job may have ended before it needed its memory, and full heaps are collected again and again.
    if job.state == "failed" or facts.gc_s > _LARGE_GC * facts.useful_s:
        return
    if unused < LEAST_UNUSED or mib >= granted:
        return
    key = f"mapreduce.{facts.kind}.memory.mb"
    reason = (
        f"the largest {facts.kind} used {format_bytes(facts.peak_bytes)} of "
        f"{format_bytes(facts.granted_bytes)}; {mib} MiB is at least a quarter more"
    )
    options = f"mapreduce.{facts.kind}.java.opts"
    if options in job.conf:
        reason += f"; set -Xmx{int(mib * 0.8)}m in {options}, too"
    elif not job.conf:
        reason += f"; the job's configuration is missing: if {options} sets -Xmx, set it to {int(mib * 0.8)}m"
    yield JobChange(key, str(granted), str(mib), reason, facts.useful_s * (1 - mib / granted))


def _slow_start(job: JobFacts, maps: KindFacts, reduces: KindFacts) -> Iterator[JobChange]:
    key = "mapreduce.job.reduce.slowstart.completedmaps"
    now = job.conf.get(key, "0.05")
    all_s = maps.container_s + reduces.container_s
    if reduces.waiting_s > _LARGE_FRACTION * all_s and (read_float(now) or 0.0) < 0.8:
        reason = (
            f"reduces held containers for {format_seconds(reduces.waiting_s)} while maps still ran, "
            f"{format_percent(reduces.waiting_s / all_s)} of the job's container time"
        )
        yield JobChange(key, now, "0.9", reason, reduces.waiting_s * 0.8)


def _sort_buffer(job: JobFacts, maps: KindFacts) -> Iterator[JobChange]:
    key = "mapreduce.task.io.sort.mb"
    now = read_positive(job.conf.get(key, "100")) or 0
    need = ceil(maps.largest_output_bytes / MIB * 1.1 / _SPILL_FRACTION / 10) * 10
    if not maps.spilled_again_bytes or need <= now:
        return
    largest = (
        f"maps wrote {format_bytes(maps.spilled_again_bytes)} more than once; "
        f"the largest map output, {format_bytes(maps.largest_output_bytes)},"
    )
    if need <= _MOST_BUFFER_MIB and need < 0.6 * maps.granted_bytes / MIB:
        yield JobChange(key, str(now), str(need), f"{largest} fits in {need} MiB")
    else:
        reason = (
            f"{largest} does not fit in a container of {format_bytes(maps.granted_bytes)}: "
            "smaller splits produce smaller outputs"
        )
        split = int((maps.largest_input_bytes or _DEFAULT_SPLIT_BYTES) * min(1.0, now / need))
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
    if size > GIB and not is_true(job.conf.get(key)) and job.conf:
        reason = f"{format_bytes(size)} of map output crossed disks and network uncompressed"
        yield JobChange(key, "false", "true", reason)


def _speculation(job: JobFacts, facts: KindFacts) -> Iterator[JobChange]:
    key = f"mapreduce.{facts.kind}.speculative"
    if facts.killed_s > max(_LEAST_KILLED_S, _LARGE_FRACTION * facts.container_s) and is_true(
        job.conf.get(key, "true")
    ):
        reason = f"killed copies of {facts.kind}s took {format_seconds(facts.killed_s)} of container time"
        yield JobChange(key, "true", "false", reason, facts.killed_s)


def _skew(job: JobFacts, facts: KindFacts) -> Iterator[JobChange]:
    if facts.stage is None or not skew_s(facts.stage.summary):
        return
    stage = facts.stage.summary
    reason = (
        f"the longest {facts.kind} took {format_seconds(stage.longest_s)}, the median one "
        f"{format_seconds(stage.median_s)}"
    )
    key = f"mapreduce.{facts.kind}.speculative"
    if facts.more is None or facts.more >= MUCH_MORE_DATA:
        change = (
            "partition by a key that spreads better, or add a random part to the frequent keys"
            if facts.kind == "reduce"
            else "use a splittable compression, or split the large files"
        )
        yield JobChange("", "", "", f"{reason}: {change}")
    elif read_bool(job.conf.get(key, "true").strip()) is False:
        reason += ", with about as much data: a copy of it on another host may end sooner"
        yield JobChange(key, "false", "true", reason)


def _failures(job: JobFacts, failed: Sequence[AttemptFacts]) -> Iterator[JobChange]:
    if not failed:
        return
    errors = [first_line(attempt.error) for attempt in failed]
    reason = failures_text(errors)
    lost_ms = sum(max(0, (attempt.finish_ms or 0) - (attempt.start_ms or 0)) for attempt in failed)
    key, proposed = "", ""
    if _is_of_memory(most_common_error(errors)[0]):
        kinds = [
            attempt.number.kind for attempt, error in zip(failed, errors, strict=True) if _is_of_memory(error)
        ]
        (kind, _), *_ = Counter(kinds).most_common(1)
        key, proposed = f"mapreduce.{kind}.memory.mb", "more"
        options = f"mapreduce.{kind}.java.opts"
        if "-Xmx" in job.conf.get(options, ""):
            reason += f"; raise -Xmx in {options}, too"
    yield JobChange(key, "", proposed, reason, lost_ms / 1e3)


def _is_of_memory(error: str) -> bool:
    return "heap space" in error or ("memory" in error and ("beyond" in error or "OutOfMemory" in error))
