"""Changes to Spark applications: each from the numbers of its log that support it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.jobs.tasks import MUCH_MORE_DATA, failures_text, in_state, skew_s, times_as_much, whole_number
from howdah.model.application import JobChange, SparkLog, StageSummary
from howdah.releases.values import read_bool, read_seconds
from howdah.services.event_log import spark_bytes
from howdah.units import MIB, format_bytes, format_counted, format_percent, format_seconds

_ROOM = 1.25
_STEP_MIB = 256
_LEAST_MIB = 512
_LEAST_UNUSED = 0.3
_LARGE_IDLE = 0.5
_LARGE_SAVING = 0.2
_IDLE_TIMEOUT_S = 15
_SKEWED_BYTES = 64 * MIB
_PARTITIONS = "200"  # Spark's default of spark.sql.shuffle.partitions.
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
    slots: int  # Tasks that an executor runs at once.
    granted_bytes: int
    heap_bytes: int
    peak_bytes: int  # An executor's largest use within its grant; 0 if it is unknown.
    peak_heap_bytes: int
    most_executors: int
    run_s: float
    gc_s: float
    fetch_wait_s: float
    spilled_bytes: float
    busy_s: float
    gaps_s: tuple[float, ...] = ()  # Every time for which an executor had no task, in none of its slots.

    @property
    def unused_bytes(self) -> int:
        """Memory of an executor that none used."""
        return max(0, self.granted_bytes - self.peak_bytes) if self.peak_bytes else 0


def advise(log: SparkLog, facts: SparkFacts, stages: Sequence[StageSummary]) -> tuple[JobChange, ...]:
    """Every change that the log supports, the largest saving first."""
    advice = [
        *_idle(log, facts),
        *_memory(log, facts),
        *_spills(log, stages),
        *_skew(log, stages),
        *_few_tasks(facts, stages),
        *_waits(facts),
        *_tiny_tasks(log, stages),
        *_failures(log, facts),
    ]
    if not log.application.properties:
        # The log lacks the configuration, so that no current value is known.
        advice = [change for change in advice if not change.setting]
    return tuple(sorted(advice, key=lambda change: -change.saves_s))


def _idle(log: SparkLog, facts: SparkFacts) -> Iterator[JobChange]:
    get, key = log.application.properties.get, "spark.dynamicAllocation."
    timeout = get(f"{key}executorIdleTimeout", "60s")
    timeout_s = read_seconds(timeout.replace("min", "m")) or 0.0
    owner, possessive = "the executor", "its"
    if facts.most_executors != 1:
        owner, possessive = f"up to {facts.most_executors:,} executors", "their"
    unused = sum(facts.gaps_s) / max(1e-3, facts.container_s)
    reason = (
        f"{owner} had no task for {format_seconds(sum(facts.gaps_s))}, "
        f"{format_percent(unused)} of {possessive} time"
    )
    # An executor is released only after the timeout.
    released_s = sum(max(0.0, gap - timeout_s) for gap in facts.gaps_s)
    lasted_s = max(1e-3, (log.application.end_s or 0) - log.application.start_s)
    need = max(1, ceil(facts.busy_s / lasted_s * 1.5))
    if read_bool(get(f"{key}enabled", "")):
        setting = f"{key}minExecutors"
        if whole_number(get(setting), 0) >= max(1, facts.most_executors // 2):
            change = JobChange(setting, get(setting, ""), "0", reason, released_s)
        else:
            sooner_s = sum(max(0.0, min(gap, timeout_s) - _IDLE_TIMEOUT_S) for gap in facts.gaps_s)
            change = JobChange(f"{key}executorIdleTimeout", timeout, f"{_IDLE_TIMEOUT_S}s", reason, sooner_s)
    elif _is_large(released_s, _LARGE_SAVING, facts):
        ways = [*_needs_for_dynamic(log)]
        if need < facts.most_executors:
            ways.append(f"or use {format_counted(need, 'executor')}")
        reason = "; ".join((reason, *ways))
        change = JobChange(f"{key}enabled", get(f"{key}enabled", "false"), "true", reason, released_s)
    elif need < (now := whole_number(get("spark.executor.instances"), 0)) and _is_large(
        facts.idle_s, _LARGE_IDLE, facts
    ):
        reason = (
            f"tasks used {format_percent(1 - facts.idle_s / facts.container_s)} of the executors' time, with "
            "pauses too short for dynamic allocation; with fewer executors the application takes longer"
        )
        saves_s = facts.idle_s * (1 - need / now)
        change = JobChange("spark.executor.instances", str(now), str(need), reason, saves_s)
    else:
        return
    if _is_large(change.saves_s, _LARGE_SAVING, facts):
        yield change


def _is_large(seconds: float, fraction: float, facts: SparkFacts) -> bool:
    return seconds >= max(_LEAST_IDLE_S, fraction * facts.container_s)


def _release(log: SparkLog) -> tuple[int, ...]:
    """Spark's release, such as (3, 5); (0,) if the log does not have it."""
    return tuple(whole_number(part, 0) for part in log.application.spark_version.split(".")[:2])


def _is_adaptive(log: SparkLog) -> bool:
    """Whether adaptive execution was on, as it is by default since Spark 3.2."""
    default = "true" if _release(log) >= (3, 2) else "false"
    text = log.application.properties.get("spark.sql.adaptive.enabled", default)
    return bool(log.sql) and read_bool(text) is True


def _needs_for_dynamic(log: SparkLog) -> Iterator[str]:
    """What dynamic allocation needs in this release so that executors with shuffle files can be removed."""
    if read_bool(log.application.properties.get("spark.shuffle.service.enabled", "")):
        return
    if _release(log) < (3, 0):
        yield "it needs Spark's shuffle service, too (spark.shuffle.service.enabled=true)"
    elif _release(log) < (3, 4):
        yield "set spark.dynamicAllocation.shuffleTracking.enabled=true, too"


def _memory(log: SparkLog, facts: SparkFacts) -> Iterator[JobChange]:
    unused = facts.peak_bytes and facts.unused_bytes >= _LEAST_UNUSED * facts.granted_bytes
    # A failed application may have ended before it needed its memory.
    if not unused or _collects_much(facts) or log.application.outcome == "failed":
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
    volume = worst.shuffle_read_bytes or worst.input_bytes or worst.shuffle_write_bytes
    need = max(2 * worst.tasks, ceil((volume + worst.spilled_bytes) / _GOOD_PARTITION))
    properties = log.application.properties
    setting = "spark.sql.shuffle.partitions" if log.sql else "spark.default.parallelism"
    now = properties.get(setting, _PARTITIONS if log.sql else str(worst.tasks))
    proposed = str(need)
    bytes_of_task = f"{max(1, volume // need // MIB)}m"
    if log.sql and not worst.shuffle_read_bytes:
        # A scan is divided by bytes; what a program generates or has cached is not.
        setting = "spark.sql.files.maxPartitionBytes" if worst.input_bytes else ""
        now, proposed = properties.get(setting, "128MB"), bytes_of_task
    elif log.sql and worst.tasks < whole_number(now, 0):
        # Adaptive execution has joined partitions, or the program has its own number of them.
        setting = "spark.sql.adaptive.advisoryPartitionSizeInBytes" if _is_adaptive(log) else ""
        now, proposed = properties.get(setting, "64MB"), bytes_of_task
    reason = (
        f"stage {worst.name} spilled {format_bytes(worst.spilled_bytes)}: its {worst.tasks:,} tasks had "
        f"{format_bytes(volume / worst.tasks)} each; more partitions are smaller"
    )
    yield JobChange(setting, now if setting else "", proposed if setting else "", reason)


class _Longest(NamedTuple):
    """The longest task of a stage, whose data is compared with the median task's."""

    starting_s: float  # Its time to load the program, which the first task on an executor needs.
    shuffled_bytes: int
    read: float | None
    written: float | None


def _longest(log: SparkLog, stage: StageSummary) -> _Longest | None:
    number = int(stage.name.partition(":")[0])
    tasks = in_state(log.tasks.filter(pc.equal(log.tasks["stage"], pa.scalar(number))), "succeeded")
    if not tasks.num_rows:
        return None

    def column(name: str) -> Any:
        return tasks[name].to_numpy()

    shuffled = column("shuffle_remote_read_bytes") + column("shuffle_local_read_bytes")
    at = int(np.argmax(column("end_s") - column("start_s")))
    read = shuffled + column("input_bytes"), column("input_rows") + column("shuffle_read_rows")
    written_bytes = column("output_bytes") + column("shuffle_write_bytes")
    written = written_bytes, column("output_rows") + column("shuffle_write_rows")
    ratios = (times_as_much((own.tolist() for own in measures), at) for measures in (read, written))
    return _Longest(float(column("deserialize_s")[at]), int(shuffled[at]), *ratios)


def _skew(log: SparkLog, stages: Sequence[StageSummary]) -> Iterator[JobChange]:
    worst = max(stages, key=skew_s, default=None)
    if worst is None or not skew_s(worst):
        return
    longest = _longest(log, worst) or _Longest(0.0, 0, None, None)
    if longest.starting_s > skew_s(worst) / 2:
        return
    reason = (
        f"the longest task of stage {worst.name} took {format_seconds(worst.longest_s)}, "
        f"the median one {format_seconds(worst.median_s)}"
    )
    properties = log.application.properties
    threshold = "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes"
    now = properties.get(threshold, "256MB")
    moved = max(longest.read or 0.0, longest.written or 0.0)
    if 0 < moved < MUCH_MORE_DATA:
        setting = "spark.speculation"
        if log.executors and not read_bool(properties.get(setting, "")):
            reason += ", with about as much data: a copy of it on another host may end sooner"
            yield JobChange(setting, "false", "true", reason)
    elif not worst.shuffle_read_bytes:
        remedy = (
            "split its large files or row groups, or use a splittable format"
            if worst.input_bytes and (longest.read or MUCH_MORE_DATA) >= MUCH_MORE_DATA
            else "divide the work more evenly over its partitions"
        )
        yield JobChange("", "", "", f"{reason}: {remedy}")
    elif log.sql and not _is_adaptive(log) and _release(log) >= (3, 0):
        setting = "spark.sql.adaptive.enabled"
        yield JobChange(setting, "false", "true", f"{reason}: adaptive execution splits skewed joins")
    elif _is_adaptive(log) and _SKEWED_BYTES < longest.shuffled_bytes <= (spark_bytes(now, 1) or 0):
        reason += (
            ": a lower threshold splits more partitions; otherwise add a random part to the frequent keys"
        )
        yield JobChange(threshold, now, f"{_SKEWED_BYTES // MIB}MB", reason)
    else:
        yield JobChange(
            "", "", "", f"{reason}: add a random part to the frequent keys, and combine in two steps"
        )


def _few_tasks(facts: SparkFacts, stages: Sequence[StageSummary]) -> Iterator[JobChange]:
    slots = facts.most_executors * facts.slots
    narrow: list[tuple[float, StageSummary]] = []
    for stage in stages:
        # Executors wait at most because it, and all that ran at the same time, had too few tasks.
        slot_s = (stage.end_s - stage.start_s) / facts.slots
        if _is_large((slots - stage.tasks) * slot_s, _LARGE_SAVING, facts):
            together = sum(
                concurrent.tasks
                for concurrent in stages
                if concurrent.start_s < stage.end_s and concurrent.end_s > stage.start_s
            )
            narrow.append((min((slots - together) * slot_s, facts.idle_s), stage))
    waited_s, worst = max(narrow, key=lambda pair: pair[0], default=(0.0, None))
    if worst is not None and _is_large(waited_s, _LARGE_SAVING, facts):
        reason = (
            f"stage {worst.name} took {format_seconds(worst.end_s - worst.start_s)} with "
            f"{format_counted(worst.tasks, 'task')} for {slots:,} slots: with more partitions it ends sooner"
        )
        yield JobChange("", "", "", reason, waited_s)


def _waits(facts: SparkFacts) -> Iterator[JobChange]:
    if _collects_much(facts) and facts.heap_bytes:
        larger = f"{facts.heap_bytes * 3 // 2 // MIB}m"
        reason = (
            f"tasks spent {format_seconds(facts.gc_s)} in garbage collection, "
            f"{format_percent(facts.gc_s / facts.run_s)} of their time"
        )
        yield JobChange("spark.executor.memory", f"{facts.heap_bytes // MIB}m", larger, reason)
    if facts.run_s >= _LEAST_RUN_S and facts.fetch_wait_s > _LARGE_WAIT * facts.run_s:
        reason = (
            f"tasks waited {format_seconds(facts.fetch_wait_s)}, "
            f"{format_percent(facts.fetch_wait_s / facts.run_s)} of their time, "
            "for shuffle blocks of other executors: larger executors fetch less"
        )
        yield JobChange("spark.executor.cores", str(facts.slots), str(facts.slots * 2), reason)


def _collects_much(facts: SparkFacts) -> bool:
    return facts.run_s >= _LEAST_RUN_S and facts.gc_s > _LARGE_GC * facts.run_s


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
        if "memory limits" in executor.removal_reason or "container OOM" in executor.removal_reason
    ]
    if reasons:
        now = max(384, facts.granted_bytes // MIB - facts.heap_bytes // MIB)
        killed = "executor was" if len(reasons) == 1 else "executors were"
        reason = f"{len(reasons):,} {killed} killed: {reasons[0]}"
        yield JobChange("spark.executor.memoryOverhead", f"{now}m", f"{now * 2}m", reason)
    columns = (log.tasks[name].to_pylist() for name in ("state", "failure", "start_s", "end_s"))
    failed = [
        (failure, max(0.0, (end or start) - start))
        for state, failure, start, end in zip(*columns, strict=True)
        if state == "failed"
    ]
    if failed:
        lost_s = sum(seconds for _, seconds in failed) / facts.slots
        yield JobChange("", "", "", failures_text([failure for failure, _ in failed]), lost_s)
