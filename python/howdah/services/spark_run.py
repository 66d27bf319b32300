"""A Spark event log as parts of a run's record: the application, its phases, tasks and counters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from howdah.model.application import SparkLog, SparkStage
from howdah.model.cluster import OF_ONE_STAGE, CounterValue, SparkExecutorRun, SparkRun, SparkStageRun
from howdah.model.placement import slots
from howdah.model.reported import Counters
from howdah.model.run import Phase, TaskAttempt

_LOCALITY = {"PROCESS_LOCAL": "local", "NODE_LOCAL": "local", "RACK_LOCAL": "rack", "ANY": "remote"}
"""The record's words for Spark's; a task that read shuffle data or nothing has none (NO_PREF)."""
_SHUFFLE_READ = ("shuffle_remote_read_bytes", "shuffle_local_read_bytes")
_SAME = (
    "run_s", "cpu_s", "gc_s", "fetch_wait_s", "shuffle_write_s", "memory_spilled_bytes", "disk_spilled_bytes",
    "input_bytes", "output_bytes", "shuffle_write_bytes",
)  # fmt: skip
_SUMS = {name: (name,) for name in _SAME} | {
    "shuffle_read_bytes": _SHUFFLE_READ,
    "shuffle_remote_bytes": _SHUFFLE_READ[:1],
}  # By field of SparkStageRun the columns of the event log's tasks that it is the sum of.
_KEPT = (
    "spark.default.parallelism", "spark.driver.memory", "spark.dynamicAllocation.enabled",
    "spark.executor.cores", "spark.executor.instances", "spark.executor.memory",
    "spark.executor.memoryOverhead", "spark.io.compression.codec", "spark.memory.fraction",
    "spark.serializer", "spark.shuffle.compress", "spark.speculation", "spark.sql.adaptive.enabled",
    "spark.sql.autoBroadcastJoinThreshold", "spark.sql.shuffle.partitions", "spark.submit.deployMode",
    "Java Version", "Scala Version",
)  # fmt: skip
"""Properties that a record keeps because times depend on them. None contains a secret."""
_HADOOP_COUNTERS = {
    "FileSystemCounter.FILE_BYTES_READ": ("disk_spilled_bytes",),
    "FileSystemCounter.FILE_BYTES_WRITTEN": ("shuffle_write_bytes", "disk_spilled_bytes"),
    "TaskCounter.CPU_MILLISECONDS": ("cpu_s",),
    "TaskCounter.GC_TIME_MILLIS": ("gc_s",),
    # Spark does not count what it wrote before compression.
    "TaskCounter.MAP_OUTPUT_BYTES": ("shuffle_write_bytes",),
    "TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES": ("shuffle_write_bytes",),
    "TaskCounter.REDUCE_SHUFFLE_BYTES": _SHUFFLE_READ,
}  # By MapReduce's counter the columns that it is the sum of.
Row = dict[str, Any]


class SparkPlaces(NamedTuple):
    """The worker of a node's name, and the host of a worker."""

    worker: Callable[[str], str]
    host: Callable[[str], str]


class ReadSpark:
    """One application's event log; ``seconds`` converts seconds since 1970 to those since the run's start."""

    def __init__(self, log: SparkLog, places: SparkPlaces, seconds: Callable[[float], float]) -> None:
        self._log = log
        self._places = places
        self._seconds = seconds
        self._tasks: list[Row] = [row for row in log.tasks.to_pylist() if row["start_s"] is not None]
        self._end_s = log.application.end_s or log.application.start_s
        # The first job that needed a stage is the one that ran it.
        self._job_of = {stage: job for job in reversed(log.jobs) for stage in job.stages}

    def run(self) -> SparkRun:
        app = self._log.application
        return SparkRun(
            id=app.id,
            version=app.spark_version,
            deploy_mode=app.deploy_mode,
            attempt=int(app.attempt) if app.attempt.isdigit() else 1,
            outcome=app.outcome,
            truncated=self._log.truncated,
            start_s=self._seconds(app.start_s),
            end_s=self._seconds(self._end_s),
            executors=tuple(
                SparkExecutorRun(
                    id=executor.id,
                    worker=self._places.worker(executor.host),
                    cores=executor.cores,
                    start_s=self._seconds(executor.add_s),
                    end_s=None if executor.remove_s is None else self._seconds(executor.remove_s),
                    removal_reason=executor.removal_reason,
                    heap_bytes=executor.memory_bytes,
                    peak_heap_bytes=executor.peak_heap_bytes,
                    peak_resident_bytes=executor.peak_resident_bytes,
                )
                for executor in self._log.executors
            ),
            stages=tuple(self._stages()),
            properties={key: app.properties[key] for key in _KEPT if key in app.properties},
        )

    def _stages(self) -> Iterator[SparkStageRun]:
        rows: dict[tuple[int, int], list[Row]] = defaultdict(list)
        for row in self._tasks:
            if row["state"] == "succeeded":
                rows[row["stage"], row["stage_attempt"]].append(row)
        for stage in self._log.stages:
            if stage.submit_s is None:
                continue
            own = rows[stage.id, stage.attempt]
            yield SparkStageRun(
                id=stage.id,
                attempt=stage.attempt,
                name=stage.name,
                what=self._description(stage),
                parents=stage.parents,
                start_s=self._seconds(stage.submit_s),
                end_s=self._seconds(max(stage.submit_s, stage.end_s or self._end_s)),
                failure=stage.failure,
                tasks=stage.tasks,
                **{name: _total(own, *columns) for name, columns in _SUMS.items()},
            )

    def _description(self, stage: SparkStage) -> str:
        job = self._job_of.get(stage.id)
        return job.description if job else ""

    def phases(self) -> tuple[Phase, ...]:
        """The described parts of the application, such as queries, or its stages if none is described."""
        stages = [stage for stage in self._log.stages if stage.submit_s is not None]
        parts: dict[str, tuple[float, float]] = {}
        described = any(self._description(stage) for stage in stages)
        for stage in stages:
            name = self._description(stage) if described else stage_kind(stage.id)
            assert stage.submit_s is not None
            start_s, end_s = stage.submit_s, max(stage.submit_s, stage.end_s or self._end_s)
            begun = parts.get(name, (start_s, end_s))
            parts[name] = min(begun[0], start_s), max(begun[1], end_s)
        return tuple(
            Phase(name=name or "other", start_s=self._seconds(start_s), end_s=self._seconds(end_s))
            for name, (start_s, end_s) in sorted(parts.items(), key=lambda part: part[1])
        )

    def attempts(self, workload: str) -> list[TaskAttempt]:
        places = self._slots()
        rows = [self._attempt(row, workload, place) for row, place in zip(self._tasks, places, strict=True)]
        return sorted(rows, key=lambda row: (row.start_s, row.kind, row.task, row.attempt))

    def _slots(self) -> list[int]:
        """The place of each task on its worker: all stages share an executor's cores."""
        lanes: dict[str, list[int]] = defaultdict(list)
        for index, row in enumerate(self._tasks):
            lanes[self._places.worker(row["host"] or "")].append(index)
        result = [0] * len(self._tasks)
        # By worker the most cores that its executors had at once.
        changes: dict[str, list[tuple[float, int]]] = defaultdict(list)
        for executor in self._log.executors:
            end_s = self._end_s if executor.remove_s is None else executor.remove_s
            own = changes[self._places.worker(executor.host)]
            own += [(executor.add_s, executor.cores), (end_s, -executor.cores)]
        cores = {
            worker: max(1, *accumulate(change for _, change in sorted(own)))
            for worker, own in changes.items()
        }
        for worker, indexes in lanes.items():
            times = [self._times(self._tasks[index]) for index in indexes]
            # The driver notices a task's end a little later than its executor has begun the next one.
            for index, place in zip(indexes, slots(times, cores.get(worker)), strict=True):
                result[index] = place
        return result

    def _times(self, row: Row) -> tuple[float, float]:
        end_s = row["end_s"]
        return row["start_s"], max(row["start_s"], self._end_s if end_s is None else end_s)

    def _attempt(self, row: Row, workload: str, slot: int) -> TaskAttempt:
        worker = self._places.worker(row["host"] or "")
        start_s, end_s = self._times(row)
        shuffled, written = _total([row], *_SHUFFLE_READ), row["shuffle_write_bytes"] or 0
        ended = row["state"] in ("succeeded", "failed", "killed")
        return TaskAttempt(
            workload=workload,
            kind=stage_kind(row["stage"]),
            # A stage that runs again numbers its tasks from 0, but its partitions as before.
            task=row["index"] if row["partition"] is None else row["partition"],
            # An attempt of a stage numbers its tasks' attempts from 0 again.
            attempt=OF_ONE_STAGE * (row["stage_attempt"] or 0) + (row["attempt"] or 0),
            host=self._places.host(worker),
            worker=worker,
            slot=slot,
            start_s=self._seconds(start_s),
            end_s=self._seconds(end_s),
            input_rows=(row["input_rows"] or 0) or (row["shuffle_read_rows"] or 0),
            output_rows=(row["output_rows"] or 0) or (row["shuffle_write_rows"] or 0),
            input_bytes=(row["input_bytes"] or 0) or shuffled,
            output_bytes=(row["output_bytes"] or 0) or written,
            spilled_bytes=written + (row["disk_spilled_bytes"] or 0),
            locality=_LOCALITY.get(row["locality"] or "", "") if row["input_bytes"] else "",
            state=row["state"] if ended else "killed",
            shuffled_bytes=shuffled or None,
            cpu_s=row["cpu_s"],
            gc_s=row["gc_s"],
            error=(row["failure"] or None) if ended else "the event log has no end of it",
            job=self._log.application.id,
            executor=row["executor"],
            fetch_wait_s=row["fetch_wait_s"],
        )

    def counters(self) -> Counters:
        """The bytes and rows of all tasks that succeeded."""
        done = [row for row in self._tasks if row["state"] == "succeeded"]
        return Counters(
            input_rows=_total(done, "input_rows"),
            output_rows=_total(done, "output_rows"),
            read_bytes=_total(done, "input_bytes"),
            written_bytes=_total(done, "output_bytes"),
            spilled_rows=_total(done, "shuffle_write_rows"),
            spilled_bytes=_total(done, "shuffle_write_bytes", "disk_spilled_bytes"),
            spill_read_bytes=_total(done, *_SHUFFLE_READ, "disk_spilled_bytes"),
        )

    def hadoop_counters(self) -> dict[str, CounterValue]:
        """The same bytes by the names of MapReduce's counters, as far as both count the same."""
        done = [row for row in self._tasks if row["state"] == "succeeded"]
        result = {}
        for name, columns in _HADOOP_COUNTERS.items() if done else ():
            # A task that reads files counts as a map task, one that reads shuffle data as a reduce task.
            maps = _counted([row for row in done if row["input_bytes"]], columns)
            reduces = _counted([row for row in done if not row["input_bytes"]], columns)
            result[name] = CounterValue(map=maps, reduce=reduces, total=maps + reduces)
        read, written = _total(done, "input_bytes"), _total(done, "output_bytes")
        result["FileSystemCounter.HDFS_BYTES_READ"] = CounterValue(map=0, reduce=0, total=read)
        result["FileSystemCounter.HDFS_BYTES_WRITTEN"] = CounterValue(map=0, reduce=0, total=written)
        return result


def _total(rows: Sequence[Row], *columns: str) -> Any:
    return sum(row[column] or 0 for row in rows for column in columns)


def _counted(rows: Sequence[Row], columns: tuple[str, ...]) -> int:
    """The sum of columns; times in seconds are counted in whole milliseconds of each task."""
    if columns[0].endswith("_s"):
        return sum(round(1000 * (row[columns[0]] or 0)) for row in rows)
    return int(_total(rows, *columns))


def stage_kind(stage: int) -> str:
    """The kind of a stage's tasks in the table of tasks."""
    return f"stage {stage}"
