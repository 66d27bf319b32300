"""Spark applications: what a log shows of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.jobs.spark_advice import SparkFacts, advise
from howdah.jobs.tasks import StageTasks, host_shares, in_state, names_of, skew_s, summarise
from howdah.model.application import Application, SparkExecutor, SparkLog
from howdah.model.placement import most_at_once, stretches
from howdah.releases.values import read_positive
from howdah.units import GIB

_DEFAULT_HEAP = GIB


def spark_application(log: SparkLog, source: str, source_bytes: int) -> Application:
    app = log.application
    end_s = app.end_s or app.start_s
    ends = log.tasks["end_s"].to_numpy()
    seconds = np.maximum(np.where(np.isnan(ends), end_s, ends) - log.tasks["start_s"].to_numpy(), 0.0)
    tasks = log.tasks.append_column("seconds", pa.array(seconds))
    stages = _stages(log, in_state(tasks, "succeeded"))
    facts = _facts(log, tasks, end_s)
    failed = in_state(tasks, "failed")
    # Jobs that end with the application are cancelled, which is no cause.
    failures = [job.failure for job in reversed(log.jobs) if job.failure and app.outcome == "failed"]
    failed_s = _sum(failed, "seconds") / facts.slots
    killed_s = _sum(in_state(tasks, "killed"), "seconds") / facts.slots
    useful_s = max(0.0, facts.container_s - facts.idle_s - failed_s - killed_s)
    adds = [executor.add_s for executor in log.executors]
    return Application(
        id=app.id,
        attempt=app.attempt,
        kind="spark",
        name=app.name,
        user=app.user,
        queue=app.queue.removeprefix("root."),
        version=app.spark_version,
        outcome=app.outcome,
        failure=min(failures, key=lambda failure: "SparkContext was shut down" in failure, default=""),
        source=source,
        source_bytes=source_bytes,
        submit_s=app.start_s,
        end_s=end_s,
        wait_s=max(0.0, min(adds) - app.start_s) if adds else None,
        tasks=tasks.num_rows,
        containers=len(log.executors),
        container_s=facts.container_s,
        container_bytes=facts.granted_bytes,
        idle_s=facts.idle_s,
        failed_attempts=failed.num_rows,
        failed_s=failed_s,
        killed_s=killed_s,
        unused_memory_byte_s=facts.unused_bytes * useful_s,
        unused_memory_s=facts.unused_bytes / facts.granted_bytes * useful_s if facts.granted_bytes else 0.0,
        cpu_s=_sum(tasks, "cpu_s"),
        gc_s=facts.gc_s,
        spilled_bytes=int(facts.spilled_bytes),
        skew_s=sum(skew_s(stage.summary) for stage in stages),
        stages=tuple(stage.summary for stage in stages),
        hosts=host_shares(stages, names_of(tasks["host"]), names_of(failed["host"])),
        advice=advise(log, facts, [stage.summary for stage in stages]),
    )


def _sum(tasks: pa.Table, name: str) -> float:
    return float(pc.sum(tasks[name]).as_py() or 0)


def _stages(log: SparkLog, tasks: pa.Table) -> list[StageTasks]:
    """The stages of successful tasks, which are sorted by them: a slice of the table is no copy."""
    if not tasks.num_rows:
        return []
    names = {(stage.id, stage.attempt): stage.name for stage in log.stages}
    tasks = tasks.sort_by([("stage", "ascending"), ("stage_attempt", "ascending")])
    keys = np.stack([tasks[name].to_numpy() for name in ("stage", "stage_attempt")], axis=1)
    begins = [0, *(np.flatnonzero((keys[1:] != keys[:-1]).any(axis=1)) + 1).tolist(), tasks.num_rows]
    stages = []
    for begin, end in pairwise(begins):
        own, key = tasks.slice(begin, end - begin), (int(keys[begin][0]), int(keys[begin][1]))
        columns = (own[name].to_pylist() for name in ("seconds", "start_s", "end_s"))
        stage = summarise(
            f"{key[0]}: {names.get(key, '')}",
            zip(names_of(own["host"]), *columns, strict=True),
            input_bytes=int(_sum(own, "input_bytes")),
            output_bytes=int(_sum(own, "output_bytes")),
            shuffle_read_bytes=int(
                _sum(own, "shuffle_remote_read_bytes") + _sum(own, "shuffle_local_read_bytes")
            ),
            shuffle_write_bytes=int(_sum(own, "shuffle_write_bytes")),
            spilled_bytes=int(_sum(own, "disk_spilled_bytes")),
        )
        if stage is not None:
            stages.append(stage)
    return stages


def _facts(log: SparkLog, tasks: pa.Table, end_s: float) -> SparkFacts:
    start_s = log.application.start_s
    lives = [(executor.add_s, executor.remove_s or end_s) for executor in log.executors]
    container_s = sum(max(0.0, gone - added) for added, gone in lives)
    if not log.executors and tasks.num_rows:
        # Without executors the driver does the work, in one container as it were.
        container_s = max(0.0, end_s - start_s)
    cores = max((executor.cores for executor in log.executors), default=1)
    slots = max(1, cores // (read_positive(log.application.properties.get("spark.task.cpus")) or 1))
    busy_s = _sum(tasks, "seconds") / slots
    first = log.executors[0] if log.executors else None
    granted = ((first.memory_bytes or _DEFAULT_HEAP) + (first.overhead_bytes or 0)) if first else 0
    return SparkFacts(
        container_s=container_s,
        idle_s=max(0.0, container_s - busy_s) if log.executors else 0.0,
        slots=slots,
        granted_bytes=granted,
        heap_bytes=(first.memory_bytes or _DEFAULT_HEAP) if first else 0,
        peak_bytes=min(granted, max((_peak(executor) for executor in log.executors), default=0)),
        peak_heap_bytes=max((executor.peak_heap_bytes or 0 for executor in log.executors), default=0),
        most_executors=most_at_once(lives),
        run_s=_sum(tasks, "run_s"),
        gc_s=_sum(tasks, "gc_s"),
        fetch_wait_s=_sum(tasks, "fetch_wait_s"),
        spilled_bytes=_sum(tasks, "disk_spilled_bytes"),
        busy_s=busy_s,
        gaps_s=tuple(_gaps(log, tasks, end_s)),
    )


def _gaps(log: SparkLog, tasks: pa.Table, end_s: float) -> Iterator[float]:
    busy = defaultdict(list)
    columns = (tasks[name].to_pylist() for name in ("start_s", "seconds"))
    for name, start, seconds in zip(names_of(tasks["executor"]), *columns, strict=True):
        busy[name].append((start, start + seconds))
    for executor in log.executors:
        at, gone = executor.add_s, executor.remove_s or end_s
        for start, end in (*stretches(busy[executor.id]), (gone, gone)):
            yield max(0.0, min(start, gone) - at)
            at = max(at, end)


def _peak(executor: SparkExecutor) -> int:
    """The memory it used: as its process reported, or its heap with all that lies outside."""
    if executor.peak_resident_bytes:
        return executor.peak_resident_bytes
    return executor.peak_heap_bytes + (executor.overhead_bytes or 0) if executor.peak_heap_bytes else 0
