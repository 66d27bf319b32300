"""Spark applications: what a log shows of each, and what to change, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.jobs.tasks import StageTasks, failures_text, host_shares, skew_s, summarise, whole_number
from howdah.model.application import Application, JobChange, SparkExecutor, SparkLog, StageSummary
from howdah.model.placement import most_at_once
from howdah.releases.values import read_seconds
from howdah.units import GIB, MIB, format_bytes, format_counted, format_percent, format_seconds

_DEFAULT_HEAP = GIB
_LEAST_OVERHEAD = 384 * MIB
_OVERHEAD = 0.1


def spark_application(log: SparkLog, source: str, source_bytes: int) -> Application:
    app = log.application
    end_s = app.end_s or app.start_s
    ends = log.tasks["end_s"].to_numpy()
    seconds = np.maximum(np.where(np.isnan(ends), end_s, ends) - log.tasks["start_s"].to_numpy(), 0.0)
    tasks = log.tasks.append_column("seconds", pa.array(seconds))
    stages = _stages(log, _in_state(tasks, "succeeded"))
    facts = _facts(log, tasks, end_s)
    failed = _in_state(tasks, "failed")
    failed_s = _sum(failed, "seconds") / facts.slots
    killed_s = _sum(_in_state(tasks, "killed"), "seconds") / facts.slots
    useful_s = max(0.0, facts.container_s - facts.idle_s - failed_s - killed_s)
    return Application(
        id=app.id,
        attempt=app.attempt,
        kind="spark",
        name=app.name,
        user=app.user,
        queue=app.queue.removeprefix("root."),
        version=app.spark_version,
        outcome=app.outcome,
        failure=next((job.failure for job in reversed(log.jobs) if job.failure), "")
        if app.outcome == "failed"
        else "",
        source=source,
        source_bytes=source_bytes,
        submit_s=app.start_s,
        end_s=end_s,
        wait_s=max(0.0, min(executor.add_s for executor in log.executors) - app.start_s)
        if log.executors
        else None,
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
        hosts=host_shares(stages, _texts(tasks["host"]), _texts(failed["host"])),
        advice=advise(log, facts, [stage.summary for stage in stages]),
    )


def _in_state(tasks: pa.Table, state: str) -> pa.Table:
    return tasks.filter(pa.array([text == state for text in _texts(tasks["state"])], pa.bool_()))


def _sum(tasks: pa.Table, name: str) -> float:
    return float(pc.sum(tasks[name]).as_py() or 0)


def _texts(column: Any) -> list[str]:
    """A column of names, of which each is one object, however often it occurs."""
    names: list[str] = []
    for chunk in column.chunks:
        words = chunk.dictionary.to_pylist()
        names += [words[index] for index in chunk.indices.to_pylist()]
    return names


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
            zip(_texts(own["host"]), *columns, strict=True),
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
    lifetimes = [max(0.0, (executor.remove_s or end_s) - executor.add_s) for executor in log.executors]
    # Without executors the driver does the work, in one container as it were.
    container_s = sum(lifetimes) if log.executors else max(0.0, end_s - start_s)
    cores = max((executor.cores for executor in log.executors), default=1)
    slots = max(1, cores // whole_number(log.application.properties.get("spark.task.cpus"), 1))
    busy_s = _sum(tasks, "seconds") / slots
    first = log.executors[0] if log.executors else None
    granted = ((first.memory_bytes or _DEFAULT_HEAP) + _overhead(first)) if first else 0
    return SparkFacts(
        container_s=container_s,
        idle_s=max(0.0, container_s - busy_s) if log.executors else 0.0,
        slots=slots,
        granted_bytes=granted,
        heap_bytes=(first.memory_bytes or _DEFAULT_HEAP) if first else 0,
        peak_bytes=min(granted, max((_peak(executor) for executor in log.executors), default=0)),
        peak_heap_bytes=max((executor.peak_heap_bytes or 0 for executor in log.executors), default=0),
        most_executors=most_at_once(
            (executor.add_s, executor.remove_s or end_s) for executor in log.executors
        ),
        run_s=_sum(tasks, "run_s"),
        gc_s=_sum(tasks, "gc_s"),
        fetch_wait_s=_sum(tasks, "fetch_wait_s"),
        spilled_bytes=_sum(tasks, "disk_spilled_bytes"),
        busy_s=busy_s,
    )


def _overhead(executor: SparkExecutor) -> int:
    heap = executor.memory_bytes or _DEFAULT_HEAP
    return executor.overhead_bytes or max(_LEAST_OVERHEAD, int(heap * _OVERHEAD))


def _peak(executor: SparkExecutor) -> int:
    """The memory it used: as its process reported, or its heap with all that lies outside."""
    if executor.peak_resident_bytes:
        return executor.peak_resident_bytes
    return executor.peak_heap_bytes + _overhead(executor) if executor.peak_heap_bytes else 0


_ROOM = 1.25
_STEP_MIB = 256
_LEAST_MIB = 512
_LEAST_UNUSED = 0.3
_LARGE_IDLE = 0.5
_IDLE_TIMEOUT_S = 15
_PARTITIONS = "200"
"""Spark's default of spark.sql.shuffle.partitions."""
_LEAST_IDLE_S = 60.0
_LARGE_GC = 0.1
_LARGE_WAIT = 0.2
_LEAST_RUN_S = 30.0
_GOOD_PARTITION = 128 * MIB
_TINY_S = 0.1
_MANY_TASKS = 1000


class SparkFacts(NamedTuple):
    """An application's executors, and its tasks together."""

    container_s: float
    idle_s: float
    slots: int
    """Tasks that an executor runs at once."""
    granted_bytes: int
    heap_bytes: int
    peak_bytes: int
    """The largest use of memory by an executor, within what it was granted; 0 if it is unknown."""
    peak_heap_bytes: int
    most_executors: int
    run_s: float
    gc_s: float
    fetch_wait_s: float
    spilled_bytes: float
    busy_s: float

    @property
    def unused_bytes(self) -> int:
        """Memory of an executor that none used."""
        return max(0, self.granted_bytes - self.peak_bytes) if self.peak_bytes else 0


def advise(log: SparkLog, facts: SparkFacts, stages: Sequence[StageSummary]) -> tuple[JobChange, ...]:
    """Every change that the log supports, the largest saving first."""
    advice = [
        *_idle(log, facts),
        *_memory(facts),
        *_spills(log, stages),
        *_skew(log, stages),
        *_garbage(facts),
        *_fetching(facts),
        *_tiny_tasks(log, stages),
        *_failures(log, facts),
    ]
    return tuple(sorted(advice, key=lambda change: -change.saves_s))


def _idle(log: SparkLog, facts: SparkFacts) -> Iterator[JobChange]:
    if facts.idle_s < _LEAST_IDLE_S or facts.idle_s < _LARGE_IDLE * facts.container_s:
        return
    properties = log.application.properties
    lasted_s = max(1e-3, (log.application.end_s or 0) - log.application.start_s)
    need = max(1, ceil(facts.busy_s / lasted_s * 1.5))
    reason = (
        f"up to {format_counted(facts.most_executors, 'executor')} had no task for "
        f"{format_seconds(facts.idle_s)}, "
        f"{format_percent(facts.idle_s / facts.container_s)} of their time"
    )
    if properties.get("spark.dynamicAllocation.enabled") == "true":
        setting = "spark.dynamicAllocation.minExecutors"
        if whole_number(properties.get(setting), 0) >= max(1, facts.most_executors // 2):
            yield JobChange(setting, properties[setting], "0", reason, facts.idle_s * 0.5)
            return
        setting = "spark.dynamicAllocation.executorIdleTimeout"
        now = properties.get(setting, "60s")
        if (read_seconds(now.replace("min", "m")) or 0.0) > _IDLE_TIMEOUT_S:
            yield JobChange(setting, now, f"{_IDLE_TIMEOUT_S}s", reason, facts.idle_s * 0.5)
        return
    both = "spark.dynamicAllocation.enabled"
    ways = [*_needs_for_dynamic(log)]
    if need < facts.most_executors:
        ways.append(f"or use {format_counted(need, 'executor')}")
    reason = "; ".join((reason, *ways))
    yield JobChange(both, properties.get(both, "false"), "true", reason, facts.idle_s * 0.8)


def _needs_for_dynamic(log: SparkLog) -> Iterator[str]:
    """What dynamic allocation needs in this release so that executors with shuffle files can be removed."""
    if log.application.properties.get("spark.shuffle.service.enabled") == "true":
        return
    release = tuple(whole_number(part, 0) for part in log.application.spark_version.split(".")[:2])
    if release < (3, 0):
        yield "it needs Spark's shuffle service, too (spark.shuffle.service.enabled=true)"
    elif release < (3, 4):
        yield "set spark.dynamicAllocation.shuffleTracking.enabled=true, too"


def _memory(facts: SparkFacts) -> Iterator[JobChange]:
    unused = facts.peak_bytes and facts.unused_bytes >= _LEAST_UNUSED * facts.granted_bytes
    if not unused or _collects_much(facts):
        return
    # If the heap's use is unknown, it may be all that the process used.
    heap = facts.peak_heap_bytes or min(facts.heap_bytes, facts.peak_bytes)
    mib = max(_LEAST_MIB, ceil(heap * _ROOM / MIB / _STEP_MIB) * _STEP_MIB)
    now = facts.heap_bytes // MIB
    if mib < now:
        reason = (
            f"the largest executor used {format_bytes(facts.peak_bytes)} of "
            f"{format_bytes(facts.granted_bytes)}; with a heap of {mib} MiB it gets "
            f"{format_bytes(facts.granted_bytes - facts.heap_bytes + mib * MIB)}"
        )
        useful_s = facts.container_s - facts.idle_s
        yield JobChange(
            "spark.executor.memory", f"{now}m", f"{mib}m", reason,
            useful_s * (facts.heap_bytes - mib * MIB) / facts.granted_bytes,
        )  # fmt: skip


def _spills(log: SparkLog, stages: Sequence[StageSummary]) -> Iterator[JobChange]:
    worst = max(stages, key=lambda stage: stage.spilled_bytes, default=None)
    if worst is None or not worst.spilled_bytes:
        return
    volume = max(worst.shuffle_read_bytes, worst.input_bytes, worst.shuffle_write_bytes)
    need = max(2 * worst.tasks, ceil((volume + worst.spilled_bytes) / _GOOD_PARTITION))
    properties = log.application.properties
    setting = "spark.sql.shuffle.partitions" if log.sql else "spark.default.parallelism"
    now = properties.get(setting, _PARTITIONS if log.sql else str(worst.tasks))
    proposed = str(need)
    if log.sql and not worst.shuffle_read_bytes:
        # A scan is divided by bytes, and so is a shuffle whose partitions adaptive execution joins.
        setting, now = "spark.sql.files.maxPartitionBytes", "128MB"
    elif log.sql and worst.tasks < whole_number(now, 0):
        setting, now = "spark.sql.adaptive.advisoryPartitionSizeInBytes", "64MB"
    if log.sql and setting.endswith("Bytes"):
        now, proposed = properties.get(setting, now), f"{max(1, volume // need // MIB)}m"
    reason = (
        f"stage {worst.name} spilled {format_bytes(worst.spilled_bytes)}: its {worst.tasks:,} tasks had "
        f"{format_bytes(volume / worst.tasks)} each; more partitions are smaller"
    )
    yield JobChange(setting, now, proposed, reason)


def _skew(log: SparkLog, stages: Sequence[StageSummary]) -> Iterator[JobChange]:
    worst = max(stages, key=skew_s, default=None)
    if worst is None or not skew_s(worst):
        return
    reason = (
        f"the longest task of stage {worst.name} took {format_seconds(worst.longest_s)}, "
        f"the median one {format_seconds(worst.median_s)}"
    )
    properties = log.application.properties
    setting = "spark.sql.adaptive.enabled"
    if not worst.shuffle_read_bytes:
        remedy = (
            "split its large files, or use a splittable format"
            if worst.input_bytes
            else "divide the work more evenly over its partitions"
        )
        yield JobChange("", "", "", f"{reason}: {remedy}")
    elif log.sql and properties.get(setting) == "false":
        yield JobChange(setting, "false", "true", f"{reason}: adaptive execution splits skewed joins")
    elif log.sql:
        setting = "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes"
        reason += (
            ": a lower threshold splits more partitions; otherwise add a random part to the frequent keys"
        )
        yield JobChange(setting, properties.get(setting, "256MB"), "64MB", reason)
    else:
        yield JobChange(
            "", "", "", f"{reason}: add a random part to the frequent keys, and combine in two steps"
        )


def _garbage(facts: SparkFacts) -> Iterator[JobChange]:
    if _collects_much(facts) and facts.heap_bytes:
        more = f"{facts.heap_bytes * 3 // 2 // MIB}m"
        reason = (
            f"tasks spent {format_seconds(facts.gc_s)} in garbage collection, "
            f"{format_percent(facts.gc_s / facts.run_s)} of their time"
        )
        yield JobChange("spark.executor.memory", f"{facts.heap_bytes // MIB}m", more, reason)


def _collects_much(facts: SparkFacts) -> bool:
    return facts.run_s >= _LEAST_RUN_S and facts.gc_s > _LARGE_GC * facts.run_s


def _fetching(facts: SparkFacts) -> Iterator[JobChange]:
    if facts.run_s >= _LEAST_RUN_S and facts.fetch_wait_s > _LARGE_WAIT * facts.run_s:
        reason = (
            f"tasks waited {format_seconds(facts.fetch_wait_s)}, "
            f"{format_percent(facts.fetch_wait_s / facts.run_s)} of their time, "
            "for shuffle blocks of other executors: larger executors fetch less"
        )
        yield JobChange("spark.executor.cores", str(facts.slots), str(facts.slots * 2), reason)


def _tiny_tasks(log: SparkLog, stages: Sequence[StageSummary]) -> Iterator[JobChange]:
    worst = max(stages, key=lambda stage: stage.tasks, default=None)
    if worst is not None and worst.tasks >= _MANY_TASKS and worst.median_s < _TINY_S:
        reason = (
            f"stage {worst.name} has {worst.tasks:,} tasks of {format_seconds(worst.median_s)}: "
            "starting them takes longer than their work"
        )
        if not worst.shuffle_read_bytes:
            # Its files or the program divide what it reads.
            yield JobChange("", "", "", f"{reason}; join small files, or use fewer partitions")
            return
        setting = "spark.sql.shuffle.partitions" if log.sql else "spark.default.parallelism"
        now = log.application.properties.get(setting, str(worst.tasks))
        yield JobChange(setting, now, str(max(1, worst.tasks // 10)), reason)


def _failures(log: SparkLog, facts: SparkFacts) -> Iterator[JobChange]:
    reasons = [
        executor.removal_reason
        for executor in log.executors
        if "memory limits" in executor.removal_reason or "Exit status: 143" in executor.removal_reason
    ]
    if reasons:
        now = max(384, facts.granted_bytes // MIB - facts.heap_bytes // MIB)
        killed = "executor was" if len(reasons) == 1 else "executors were"
        reason = f"{len(reasons):,} {killed} killed: {reasons[0]}"
        yield JobChange("spark.executor.memoryOverhead", f"{now}m", f"{now * 2}m", reason)
    failed = [
        (failure, max(0.0, (end or start) - start))
        for state, failure, start, end in zip(
            *(log.tasks[name].to_pylist() for name in ("state", "failure", "start_s", "end_s")), strict=True
        )
        if state == "failed"
    ]
    if failed:
        lost_s = sum(seconds for _, seconds in failed) / facts.slots
        yield JobChange("", "", "", failures_text([failure for failure, _ in failed]), lost_s)
