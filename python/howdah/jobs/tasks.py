"""What a job of a history did and needed: how its tasks spread and failed, and what they took."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from statistics import fmean, median
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from howdah.errors import UserError
from howdah.jobs.warm_up import warm_ups, waves_of
from howdah.model.application import HostShare, SparkLog, StageSummary
from howdah.model.placement import most_at_once, stretches
from howdah.model.user_job import DemandPart, JobDemand, TaskDemand
from howdah.releases.values import read_bool
from howdah.services.job_facts import AttemptFacts, JobFacts, Kind
from howdah.units import format_counted

MUCH_SKEW = 2.0  # A longest task of more than so many medians is skew.
LEAST_SKEW_S = 10.0
MUCH_MORE_DATA = 1.5  # A longest task with less than so many medians of data has another cause.
_LEAST_TASKS = 8
_LEAST_S = 0.05
_MOST = log(4.0)  # Of a single task: one that is ten times as long is no sign of a slow host.


def in_state(tasks: pa.Table, state: str) -> pa.Table:
    return tasks.filter(pa.array([text == state for text in names_of(tasks["state"])], pa.bool_()))


def names_of(column: Any) -> list[str]:
    """A column of names, of which each is one object, however often it occurs."""
    names: list[str] = []
    for chunk in column.chunks:
        words = chunk.dictionary.to_pylist()
        names += [words[index] for index in chunk.indices.to_pylist()]
    return names


class StageTasks(NamedTuple):
    summary: StageSummary
    seconds: Sequence[float]
    hosts: Sequence[str]


def summarise(
    name: str, tasks: Iterable[tuple[str, float, float, float]], **amounts: int
) -> StageTasks | None:
    """The stage of tasks, each a host, its work's seconds, start and end; None without any."""
    rows = list(tasks)
    if not rows:
        return None
    seconds = [row[1] for row in rows]
    summary = StageSummary(
        name=name,
        tasks=len(rows),
        start_s=min(row[2] for row in rows),
        end_s=max(row[3] for row in rows),
        median_s=median(seconds),
        longest_s=max(seconds),
        **amounts,
    )
    return StageTasks(summary, seconds, [row[0] for row in rows])


def skew_s(stage: StageSummary) -> float:
    """How much longer the longest task took than the median one; 0 if that is usual."""
    excess = stage.longest_s - stage.median_s
    return excess if stage.longest_s > MUCH_SKEW * stage.median_s and excess >= LEAST_SKEW_S else 0.0


def times_as_much(measures: Iterable[Sequence[float]], at: int) -> float | None:
    """How much more data a task had than the median task, by the measure with most; None if none is known."""
    return max((own[at] / max(1.0, median(own)) for own in measures if any(own)), default=None)


def host_shares(
    stages: Iterable[StageTasks], ran: Iterable[str], failed: Iterable[str]
) -> tuple[HostShare, ...]:
    """Each host's share; ``ran`` has the host of every attempt, ``failed`` of those that failed."""
    slowness: dict[str, list[float]] = defaultdict(list)
    for stage in stages:
        middle = stage.summary.median_s
        if stage.summary.tasks < _LEAST_TASKS or middle < _LEAST_S or len(set(stage.hosts)) < 2:
            continue
        for host, seconds in zip(stage.hosts, stage.seconds, strict=True):
            slowness[host].append(min(_MOST, max(-_MOST, log(max(seconds, 1e-3) / middle))))
    failures, shares = Counter(failed), []
    for host, tasks in sorted(Counter(ran).items()):
        if host:
            mean = sum(slowness[host]) / len(slowness[host]) if slowness[host] else 0.0
            shares.append(HostShare(host, tasks, failures[host], len(slowness[host]), mean))
    return tuple(shares)


_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")


def most_common_error(errors: Sequence[str]) -> tuple[str, int]:
    """The error of most attempts, and how many had it; the numbers of attempts and containers may differ."""
    forms = [_NUMBER.sub("0", error) for error in errors]
    (form, count), *_ = Counter(forms).most_common(1)
    return errors[forms.index(form)], count


def failures_text(errors: Sequence[str]) -> str:
    """How many attempts failed, and with which error most of them; there is at least one."""
    error, count = most_common_error(errors)
    failed = f"{format_counted(len(errors), 'attempt')} failed"
    if len(errors) > 1:
        failed += ", all" if count == len(errors) else f", {count:,} of them"
    return f"{failed} with: {error or 'no message'}"


_KINDS: tuple[Kind, ...] = ("map", "reduce")
_REPLICATION = 3  # Hadoop's default for files whose replication the history does not show.
_LOCAL = "FileSystemCounter.FILE_"
_LOCAL_THREADS = re.compile(r"local\[(\d+)")
_COLUMNS = (
    *("stage", "host", "executor", "start_s", "end_s", "run_s"),
    *("cpu_s", "deserialize_cpu_s", "gc_s", "fetch_wait_s"),
    *("input_bytes", "output_bytes", "disk_spilled_bytes", "shuffle_write_bytes"),
    *("shuffle_remote_read_bytes", "shuffle_local_read_bytes"),
)
"""Columns of an event log's tasks that their demand is computed from."""


def demand_of(history: JobFacts | SparkLog, container_bytes: int) -> JobDemand:
    """What a job needed; raises UserError if it did not succeed, or if its history has no counters."""
    if isinstance(history, SparkLog):
        return _spark(history, container_bytes)
    return _mapreduce(history, container_bytes)


def _mapreduce(job: JobFacts, container_bytes: int) -> JobDemand:
    if job.state != "succeeded":
        raise _not_succeeded(job.id, job.state)
    attempts = [attempt for task in job.tasks for attempt in task.attempts if attempt.start_ms]
    good = [attempt for attempt in attempts if attempt.state == "succeeded" and attempt.finish_ms]
    if not good:
        raise UserError(job.id, "its history has no task that succeeded", "replay a job that ran tasks")
    if not any("TaskCounter.CPU_MILLISECONDS" in attempt.counters for attempt in good):
        problem = "its history has no counters of its tasks, so their demand is unknown"
        raise UserError(job.id, problem, "import the history file (*.jhist) of a job that has ended")
    replication = whole_number(job.conf.get("dfs.replication"), _REPLICATION)
    nodes = tuple(sorted({attempt.node for attempt in good}))
    maps_end_s = max((_end_s(attempt) for attempt in good if attempt.number.kind == "map"), default=0.0)
    parts, busy = [], []
    for kind in _KINDS:
        own = sorted((attempt for attempt in good if attempt.number.kind == kind), key=_start_s)
        if not own:
            continue
        # Reduces wait for the last map: what comes after it is their own work.
        from_s = maps_end_s if kind == "reduce" else 0.0
        tasks = tuple(_task(attempt, from_s, replication, len(nodes)) for attempt in own)
        at_once = most_at_once((_start_s(attempt), _end_s(attempt)) for attempt in own)
        parts.append(DemandPart(f"{kind}s", max(1, at_once), {0: tasks}, {}, _handover_s(own, at_once)))
        # Gaps between containers are part of it.
        busy.append((max(from_s, _start_s(own[0])), max(map(_end_s, own))))
    start_s = min([master.start_ms for master in job.masters] or [job.start_ms or job.submit_ms]) / 1e3
    end_s = (job.finish_ms or 0) / 1e3
    gaps = [
        "A MapReduce history has no waits for disks, links or processors: "
        "a task's time beyond its processor time may be any of these."
    ]
    if "dfs.replication" not in job.conf:
        gaps.append(f"The job's configuration is missing: {_REPLICATION} replicas of its output are assumed.")
    return JobDemand(
        id=job.id.replace("job_", "application_", 1),
        name=job.name,
        kind="mapreduce",
        elapsed_s=end_s - start_s,
        idle_s=max(0.0, end_s - start_s - sum(end - start for start, end in stretches(busy))),
        nodes=nodes,
        containers=max(1, most_at_once((_start_s(attempt), _end_s(attempt)) for attempt in good)),
        container_cores=1,
        container_bytes=container_bytes,
        parts=tuple(parts),
        input_bytes=sum(file_bytes(task, "BYTES_READ") for task in good if task.number.kind == "map"),
        failed=len(attempts) - len(good),
        gaps=tuple(gaps),
    )


def _task(attempt: AttemptFacts, from_s: float, replication: int, hosts: int) -> TaskDemand:
    start_s, end_s = max(from_s, _start_s(attempt)), _end_s(attempt)
    seconds, whole_s = max(0.0, end_s - start_s), max(1e-3, end_s - _start_s(attempt))
    get = attempt.counters.get
    cpu_s = get("TaskCounter.CPU_MILLISECONDS", 0) / 1e3
    # A process with many threads uses more than one processor; a reduce uses none while it waits.
    cpu_s = min(seconds, cpu_s if whole_s - seconds > seconds else cpu_s * seconds / whole_s)
    shuffled_s = max(0.0, (attempt.shuffle_ms or 0) / 1e3 - start_s)
    fetched = get("TaskCounter.REDUCE_SHUFFLE_BYTES", 0)
    local = get(f"{_LOCAL}BYTES_READ", 0) + get(f"{_LOCAL}BYTES_WRITTEN", 0)
    read, written = file_bytes(attempt, "BYTES_READ"), file_bytes(attempt, "BYTES_WRITTEN")
    return TaskDemand(
        seconds=seconds,
        cpu_s=cpu_s,
        network_s=min(shuffled_s, seconds - cpu_s),
        disk_bytes=local + read + replication * written,
        network_bytes=round(fetched * (hosts - 1) / hosts) + (replication - 1) * written,
    )


def _handover_s(attempts: Sequence[AttemptFacts], slots: int) -> float:
    """The mean time until a slot freed by the earliest end is used again; 0 if all ran at once."""
    starts, ends = sorted(map(_start_s, attempts)), sorted(map(_end_s, attempts))
    gaps = [max(0.0, start - end) for start, end in zip(starts[slots:], ends, strict=False)]
    return fmean(gaps) if gaps else 0.0


def file_bytes(attempt: AttemptFacts, ending: str) -> int:
    """Bytes of file systems other than the local one, HDFS or a store."""
    return sum(
        value
        for name, value in attempt.counters.items()
        if name.startswith("FileSystemCounter.")
        and name.endswith(f"_{ending}")
        and not name.startswith(_LOCAL)
    )


def _start_s(attempt: AttemptFacts) -> float:
    return (attempt.start_ms or 0) / 1e3


def _end_s(attempt: AttemptFacts) -> float:
    return (attempt.finish_ms or 0) / 1e3


def whole_number(text: str | None, default: int) -> int:
    """A whole number of a configuration; the default for no number and for zero."""
    return int(text) if text and text.isascii() and text.isdigit() and int(text) else default


def _not_succeeded(name: str, outcome: str) -> UserError:
    problem = f"the job has not succeeded ({outcome}), so its time is unknown"
    return UserError(name, problem, "replay a run that succeeded")


def _spark(log: SparkLog, container_bytes: int) -> JobDemand:
    app = log.application
    if app.outcome != "succeeded" or app.end_s is None:
        raise _not_succeeded(app.id, app.outcome)
    ended = log.tasks.filter(pc.and_(pc.is_valid(log.tasks["start_s"]), pc.is_valid(log.tasks["end_s"])))
    succeeded = pc.equal(ended["state"].cast(pa.string()), pa.scalar("succeeded"))
    # Of a large log, rows of all columns would not fit in memory.
    good = ended.filter(succeeded).select(_COLUMNS).sort_by("start_s").to_pylist()
    if not good:
        raise UserError(app.id, "its event log has no task that succeeded", "replay a job that ran tasks")
    if not any(row["run_s"] for row in good):
        problem = "its event log has no metrics of its tasks, so their demand is unknown"
        raise UserError(app.id, problem, "import another run")
    ends = {executor.id: executor.remove_s or app.end_s for executor in log.executors}
    executors = most_at_once((executor.add_s, ends[executor.id]) for executor in log.executors)
    cores = max((executor.cores for executor in log.executors), default=0)
    cores //= whole_number(app.properties.get("spark.task.cpus"), 1)
    if not executors or not cores:
        # Without executors the driver runs the tasks. It notes their ends late, so that more seem to overlap.
        threads = _LOCAL_THREADS.match(app.master)
        overlap = most_at_once((row["start_s"], row["end_s"]) for row in good)
        executors, cores = 1, int(threads[1]) if threads else overlap
    covered = stretches((row["start_s"], row["end_s"]) for row in good)
    gaps = [
        "An event log has no waits for disks or processors: a task's time beyond its processor time and "
        "its waits for shuffle data may be either."
    ]
    if read_bool(app.properties.get("spark.dynamicAllocation.enabled", "")):
        gaps.append(
            "Executors came and went (dynamic allocation): the replay has the most of them throughout."
        )
    return JobDemand(
        id=app.id,
        name=app.name,
        kind="spark",
        elapsed_s=app.end_s - app.start_s,
        idle_s=max(0.0, app.end_s - app.start_s - sum(end - start for start, end in covered)),
        nodes=tuple(sorted({executor.host for executor in log.executors} or {row["host"] for row in good})),
        containers=executors,
        container_cores=cores,
        container_bytes=container_bytes,
        parts=tuple(_parts(log, good, [start for start, _ in covered], executors, cores)),
        input_bytes=sum(row["input_bytes"] or 0 for row in good),
        failed=ended.num_rows - len(good),
        gaps=tuple(gaps),
        start_s=max(0.0, good[0]["start_s"] - app.start_s),
    )


def _parts(
    log: SparkLog, rows: Sequence[dict[str, Any]], starts: Sequence[float], executors: int, cores: int
) -> Iterator[DemandPart]:
    """Stretches in which tasks ran, by their starts; between them the driver worked alone."""
    replication = whole_number(log.application.properties.get("spark.hadoop.dfs.replication"), _REPLICATION)
    parents = {stage.id: stage.parents for stage in log.stages}
    waves = waves_of(rows, cores)
    warm = warm_ups(rows, waves)
    stages: dict[int, dict[int, list[TaskDemand]]] = defaultdict(lambda: defaultdict(list))
    for row, wave in zip(rows, waves, strict=True):
        part = bisect_right(starts, row["start_s"]) - 1
        stages[part][row["stage"]].append(_spark_task(row, replication, wave))
    for part in sorted(stages):
        own = {stage: tuple(tasks) for stage, tasks in sorted(stages[part].items())}
        first, last = min(own), max(own)
        name = f"stage {first}" if first == last else f"stages {first} to {last}"
        above = {stage: parents.get(stage, ()) for stage in own}
        yield DemandPart(name, executors * cores, own, above, warm_ups={stage: warm[stage] for stage in own})


def _spark_task(row: Mapping[str, Any], replication: int, wave: int) -> TaskDemand:
    def number(*names: str) -> float:
        return sum(row[name] or 0 for name in names)

    seconds = max(0.0, row["end_s"] - row["start_s"])
    cpu_s = min(seconds, number("cpu_s", "deserialize_cpu_s", "gc_s"))
    remote, written = number("shuffle_remote_read_bytes"), number("output_bytes")
    moved = number("input_bytes", "shuffle_write_bytes") + 2 * number("disk_spilled_bytes")
    shuffled = remote + number("shuffle_local_read_bytes")
    return TaskDemand(
        seconds=seconds,
        cpu_s=cpu_s,
        network_s=min(seconds - cpu_s, number("fetch_wait_s")),
        disk_bytes=round(moved + shuffled + replication * written),
        network_bytes=round(remote + (replication - 1) * written),
        wave=wave,
    )
