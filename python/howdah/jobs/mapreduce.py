"""A MapReduce job's history as an application."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from howdah.jobs.mapreduce_advice import KindFacts, advise
from howdah.jobs.spread import StageTasks, host_shares, skew_s, summarise
from howdah.model.application import Application
from howdah.services.event_log_tasks import first_line
from howdah.services.job_facts import AttemptFacts, JobFacts, Kind
from howdah.units import MIB

_DEFAULT_MIB = 1024
"""Hadoop's default for a task's container."""
_KINDS: tuple[Kind, ...] = ("map", "reduce")


def mapreduce_application(job: JobFacts, source: str, source_bytes: int) -> Application:
    """Summarise a job; its configuration is in ``job.conf`` if it was readable."""
    attempts = [attempt for task in job.tasks for attempt in task.attempts if attempt.start_ms]
    last_ms = max((attempt.finish_ms or attempt.start_ms or 0 for attempt in attempts), default=job.submit_ms)
    end_ms = job.finish_ms or last_ms
    maps_end_ms = max((attempt.finish_ms or 0 for attempt in attempts if _kind(attempt) == "map"), default=0)
    facts = {kind: _facts(job, kind, attempts, end_ms, maps_end_ms) for kind in _KINDS}
    stages = [stage for kind in _KINDS if (stage := facts[kind].stage) is not None]
    failed = [attempt for attempt in attempts if attempt.state == "failed"]
    first_ms = min([master.start_ms for master in job.masters] or [job.start_ms or job.submit_ms])
    return Application(
        id=job.id.replace("job_", "application_", 1),
        attempt=str(len(job.masters) or ""),
        kind="mapreduce",
        name=job.name,
        user=job.user,
        queue=job.queue.removeprefix("root."),
        version="",
        outcome="unfinished" if job.state == "running" else job.state,
        failure=first_line(job.diagnostics or next((attempt.error for attempt in failed), ""))
        if job.state in ("failed", "killed")
        else "",
        source=source,
        source_bytes=source_bytes,
        submit_s=job.submit_ms / 1e3,
        end_s=end_ms / 1e3,
        wait_s=max(0, first_ms - job.submit_ms) / 1e3 if job.submit_ms else None,
        tasks=len(job.tasks),
        containers=len(attempts),
        container_s=sum(fact.container_s for fact in facts.values()),
        container_bytes=max(fact.granted_bytes for fact in facts.values() if fact.container_s)
        if attempts
        else 0,
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


def _kind(attempt: AttemptFacts) -> Kind:
    return attempt.number.kind


def _seconds(attempt: AttemptFacts, end_ms: int) -> float:
    return max(0, (attempt.finish_ms or end_ms) - (attempt.start_ms or end_ms)) / 1e3


def _total(job: JobFacts, name: str, attempts: Sequence[AttemptFacts]) -> int:
    counter = job.counters.get(name)
    return counter.total if counter else sum(attempt.counters.get(name, 0) for attempt in attempts)


def _facts(
    job: JobFacts, kind: Kind, attempts: Sequence[AttemptFacts], end_ms: int, maps_end_ms: int
) -> KindFacts:
    own = [attempt for attempt in attempts if _kind(attempt) == kind]
    good = [attempt for attempt in own if attempt.state == "succeeded"]
    granted = _granted_bytes(job, kind)
    prefix = kind.upper()
    peak = max(
        (
            max(
                attempt.counters.get("TaskCounter.PHYSICAL_MEMORY_BYTES", 0),
                attempt.counters.get(f"TaskCounter.{prefix}_PHYSICAL_MEMORY_BYTES_MAX", 0),
            )
            for attempt in own
        ),
        default=0,
    )
    written = "MAP_OUTPUT_RECORDS" if kind == "map" else "REDUCE_INPUT_RECORDS"
    spilled, records = _sum(good, "SPILLED_RECORDS"), _sum(good, written)
    combined = _sum(good, "COMBINE_OUTPUT_RECORDS")
    moved = _sum(good, "MAP_OUTPUT_BYTES" if kind == "map" else "REDUCE_SHUFFLE_BYTES")
    # A map writes its output once; a reduce may merge in memory.
    again = max(0, spilled - (combined or records)) if kind == "map" else spilled
    return KindFacts(
        kind=kind,
        stage=_stage(kind, good),
        container_s=sum(_seconds(attempt, end_ms) for attempt in own),
        useful_s=sum(_seconds(attempt, end_ms) for attempt in good),
        killed_s=sum(_seconds(attempt, end_ms) for attempt in own if attempt.state == "killed"),
        granted_bytes=granted,
        peak_bytes=peak,
        waiting_s=sum(_waiting_s(attempt, maps_end_ms) for attempt in good) if kind == "reduce" else 0.0,
        largest_output_bytes=max(
            (attempt.counters.get("TaskCounter.MAP_OUTPUT_BYTES", 0) for attempt in good), default=0
        ),
        spilled_again_bytes=int(again * moved / records) if records else 0,
    )


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
        input_bytes=_bytes(good, "BYTES_READ") if kind == "map" else 0,
        output_bytes=_bytes(good, "BYTES_WRITTEN"),
        shuffle_read_bytes=_sum(good, "REDUCE_SHUFFLE_BYTES"),
        shuffle_write_bytes=_sum(good, "MAP_OUTPUT_MATERIALIZED_BYTES"),
    )


def _waiting_s(attempt: AttemptFacts, maps_end_ms: int) -> float:
    """How long a reduce waited for the last map; while maps still ran, it copied only little."""
    start = attempt.start_ms or 0
    return max(0, min(maps_end_ms, attempt.shuffle_ms or start) - start) / 1e3


def _sum(attempts: Sequence[AttemptFacts], name: str) -> int:
    return sum(attempt.counters.get(f"TaskCounter.{name}", 0) for attempt in attempts)


def _bytes(attempts: Sequence[AttemptFacts], name: str) -> int:
    """Bytes of file systems other than the local one, HDFS or a store."""
    return sum(
        value
        for attempt in attempts
        for counter, value in attempt.counters.items()
        if counter.startswith("FileSystemCounter.")
        and counter.endswith(f"_{name}")
        and not counter.startswith("FileSystemCounter.FILE_")
    )


def _granted_bytes(job: JobFacts, kind: Kind) -> int:
    """Memory of a container: as YARN charged it, or as configured."""
    plural = "MAPS" if kind == "map" else "REDUCES"
    charged, lasted = (job.counters.get(f"JobCounter.{name}_{plural}") for name in ("MB_MILLIS", "MILLIS"))
    if charged and lasted and charged.total > 0 and lasted.total > 0:
        return round(charged.total / lasted.total) * MIB
    return (_positive(job.conf, f"mapreduce.{kind}.memory.mb") or _DEFAULT_MIB) * MIB


def _positive(conf: Mapping[str, str], name: str) -> int | None:
    text = conf.get(name, "").strip()
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else None
