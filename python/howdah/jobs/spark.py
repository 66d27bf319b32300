"""A Spark event log as an application."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from howdah.jobs.spark_advice import SparkFacts, advise
from howdah.jobs.spread import StageTasks, host_shares, skew_s, summarise
from howdah.model.application import Application
from howdah.model.spark_log import SparkExecutor, SparkLog
from howdah.units import GIB, MIB

_DEFAULT_HEAP = GIB
_LEAST_OVERHEAD = 384 * MIB
_OVERHEAD = 0.1
_COLUMNS = (
    "stage", "stage_attempt", "host", "executor", "state", "start_s", "end_s", "cpu_s", "gc_s", "run_s",
    "fetch_wait_s", "disk_spilled_bytes", "input_bytes", "output_bytes", "shuffle_remote_read_bytes",
    "shuffle_local_read_bytes", "shuffle_write_bytes",
)  # fmt: skip


def spark_application(log: SparkLog, source: str, source_bytes: int) -> Application:
    """Summarise an application."""
    app = log.application
    end_s = app.end_s or app.start_s
    columns = {name: log.tasks[name].to_pylist() for name in _COLUMNS}
    tasks = [dict(zip(_COLUMNS, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for task in tasks:
        task["seconds"] = max(0.0, (task["end_s"] or end_s) - task["start_s"])
    stages = _stages(log, tasks)
    facts = _facts(log, tasks, stages, end_s)
    failed = [task for task in tasks if task["state"] == "failed"]
    failed_s = sum(task["seconds"] for task in failed) / facts.slots
    killed_s = sum(task["seconds"] for task in tasks if task["state"] == "killed") / facts.slots
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
        tasks=len(tasks),
        containers=len(log.executors),
        container_s=facts.container_s,
        container_bytes=facts.granted_bytes,
        idle_s=facts.idle_s,
        failed_attempts=len(failed),
        failed_s=failed_s,
        killed_s=killed_s,
        unused_memory_byte_s=facts.unused_bytes * useful_s,
        unused_memory_s=facts.unused_bytes / facts.granted_bytes * useful_s if facts.granted_bytes else 0.0,
        cpu_s=_sum(tasks, "cpu_s"),
        gc_s=facts.gc_s,
        spilled_bytes=int(facts.spilled_bytes),
        skew_s=sum(skew_s(stage.summary) for stage in stages),
        stages=tuple(stage.summary for stage in stages),
        hosts=host_shares(stages, (task["host"] for task in tasks), (task["host"] for task in failed)),
        advice=advise(log, facts, [stage.summary for stage in stages]),
    )


def _sum(tasks: list[dict[str, Any]], name: str) -> float:
    return float(sum(task[name] for task in tasks))


def _stages(log: SparkLog, tasks: list[dict[str, Any]]) -> list[StageTasks]:
    names = {(stage.id, stage.attempt): stage.name for stage in log.stages}
    by_stage: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for task in tasks:
        if task["state"] == "succeeded":
            by_stage[task["stage"], task["stage_attempt"]].append(task)
    stages = (
        summarise(
            f"{key[0]}: {names.get(key, '')}",
            ((task["host"], task["seconds"], task["start_s"], task["end_s"]) for task in own),
            input_bytes=int(_sum(own, "input_bytes")),
            output_bytes=int(_sum(own, "output_bytes")),
            shuffle_read_bytes=int(
                _sum(own, "shuffle_remote_read_bytes") + _sum(own, "shuffle_local_read_bytes")
            ),
            shuffle_write_bytes=int(_sum(own, "shuffle_write_bytes")),
            spilled_bytes=int(_sum(own, "disk_spilled_bytes")),
        )
        for key, own in sorted(by_stage.items())
    )
    return [stage for stage in stages if stage is not None]


def _facts(log: SparkLog, tasks: list[dict[str, Any]], stages: list[StageTasks], end_s: float) -> SparkFacts:
    start_s = log.application.start_s
    lifetimes = [max(0.0, (executor.remove_s or end_s) - executor.add_s) for executor in log.executors]
    # Without executors the driver does the work, in one container as it were.
    container_s = sum(lifetimes) if log.executors else max(0.0, end_s - start_s)
    cores = max((executor.cores for executor in log.executors), default=1)
    slots = max(1, cores // max(1, _whole(log.application.properties.get("spark.task.cpus"), 1)))
    busy_s = sum(task["seconds"] for task in tasks) / slots
    first = log.executors[0] if log.executors else None
    granted = _granted(first) if first else 0
    return SparkFacts(
        container_s=container_s,
        idle_s=max(0.0, container_s - busy_s) if log.executors else 0.0,
        slots=slots,
        granted_bytes=granted,
        heap_bytes=(first.memory_bytes or _DEFAULT_HEAP) if first else 0,
        peak_bytes=min(granted, max((_peak(executor) for executor in log.executors), default=0)),
        peak_heap_bytes=max((executor.peak_heap_bytes or 0 for executor in log.executors), default=0),
        most_executors=_most_at_once(log.executors, end_s),
        run_s=_sum(tasks, "run_s"),
        gc_s=_sum(tasks, "gc_s"),
        fetch_wait_s=_sum(tasks, "fetch_wait_s"),
        spilled_bytes=_sum(tasks, "disk_spilled_bytes"),
        busy_s=busy_s,
    )


def _overhead(executor: SparkExecutor) -> int:
    heap = executor.memory_bytes or _DEFAULT_HEAP
    return executor.overhead_bytes or max(_LEAST_OVERHEAD, int(heap * _OVERHEAD))


def _granted(executor: SparkExecutor) -> int:
    return (executor.memory_bytes or _DEFAULT_HEAP) + _overhead(executor)


def _peak(executor: SparkExecutor) -> int:
    """The memory it used: as its process reported, or its heap with all that lies outside."""
    if executor.peak_resident_bytes:
        return executor.peak_resident_bytes
    return executor.peak_heap_bytes + _overhead(executor) if executor.peak_heap_bytes else 0


def _most_at_once(executors: tuple[SparkExecutor, ...], end_s: float) -> int:
    changes = sorted(
        change for executor in executors for change in ((executor.add_s, 1), (executor.remove_s or end_s, -1))
    )
    now = most = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def _whole(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else default
