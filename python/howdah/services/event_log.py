"""Spark's event log as frozen data: one JSON event to a line, read in one pass.

Field names are those of Spark's JsonProtocol; a release that lacks one leaves its value empty. Tasks go into
columns, so that millions of them fit in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from howdah.errors import UserError
from howdah.hadoop.config_files import HIDDEN, shown_value
from howdah.model.application import (
    Outcome,
    SparkApplication,
    SparkExecutor,
    SparkJob,
    SparkLog,
    SparkStage,
    SqlExecution,
)
from howdah.releases.catalogue import spark_size
from howdah.services.event_log_files import EventLines, TaskColumns, first_line
from howdah.units import GIB, MIB

Event = dict[str, Any]

_BEGIN = b'{"Event":"'
_SQL = "org.apache.spark.sql.execution.ui."
_LONGEST_VALUE = 500
_DRIVER = ("driver", "<driver>")
_HEAP_ONLY = ("spark:", "local-cluster")  # Standalone masters, whose workers count the heap alone.
_OVERHEAD_FACTOR = "0.1"
_LEAST_OVERHEAD = 384 * MIB


def read_event_log(path: Path) -> SparkLog:
    """The application of an event log up to its last whole line; raises UserError if it is none."""
    lines = EventLines(path)
    reader = _Reader()
    for line in lines:
        reader.read(line)
    log = reader.log(truncated=lines.truncated)
    if log is None:
        problem = "contains no complete event of Spark" if reader.events else "is not a Spark event log"
        raise UserError(str(path), problem, "give a file of spark.eventLog.dir, or a directory eventlog_v2_…")
    return replace(log, unreadable_lines=log.unreadable_lines + lines.skipped)


class _Reader:
    def __init__(self) -> None:
        self._app: dict[str, Any] = {}
        self._version = ""
        self._properties: dict[str, str] = {}
        self._profiles: dict[int, tuple[int | None, int, int]] = {}
        self._jobs: dict[int, SparkJob] = {}
        self._stages: dict[tuple[int, int], SparkStage] = {}
        self._executors: dict[str, SparkExecutor] = {}
        self._storage: dict[str, int] = {}
        self._peaks: dict[str, tuple[int, int]] = {}
        self._sql: dict[int, SqlExecution] = {}
        self._tasks = TaskColumns()
        self._last_s = 0.0
        self.events = 0
        self._unreadable = 0

    def read(self, line: bytes) -> None:
        """Add the event of a line; a line that is none is counted."""
        if line.startswith(_BEGIN) and not line.startswith(_HANDLED_BEGINNINGS):
            self.events += 1
            return
        if not line.strip():
            return
        try:
            # Before Spark 3, the driver's platform decided the encoding.
            event = json.loads(line.decode("utf-8-sig", "replace"))
            name = event["Event"].rpartition(".")[2]
            handler = getattr(self, f"_{name}", None) if name.startswith("SparkListener") else None
            if handler is not None:
                handler(event)
            self.events += 1
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            self._unreadable += 1

    def log(self, *, truncated: bool) -> SparkLog | None:
        """Return the whole application; None if no event was readable."""
        if not self.events or not (self._app or self._jobs or self._version or self._executors):
            return None
        return SparkLog(
            application=self._application(),
            jobs=tuple(self._jobs[number] for number in sorted(self._jobs)),
            stages=tuple(self._stages.values()),
            executors=tuple(self._with_memory(executor) for executor in self._executors.values()),
            tasks=self._tasks.table(),
            sql=tuple(self._sql[number] for number in sorted(self._sql)),
            truncated=truncated,
            unreadable_lines=self._unreadable,
        )

    def _application(self) -> SparkApplication:
        get = self._properties.get
        last_s = max(self._last_s, self._tasks.last_ms / 1000)
        master = get("spark.master", "")
        return SparkApplication(
            id=self._app.get("id") or get("spark.app.id", ""),
            name=self._app.get("name") or get("spark.app.name", ""),
            user=self._app.get("user", ""),
            spark_version=self._version,
            attempt=self._app.get("attempt", ""),
            start_s=self._app.get("start_s", self._tasks.first_ms / 1000 or last_s),
            end_s=self._app.get("end_s") or last_s or None,
            outcome=self._outcome(),
            queue=get("spark.yarn.queue", "default") if master.startswith("yarn") else "",
            master=master,
            deploy_mode=get("spark.submit.deployMode", "client"),
            driver_host=get("spark.driver.host", ""),
            properties=MappingProxyType(dict(self._properties)),
        )

    def _outcome(self) -> Outcome:
        if "end_s" not in self._app:
            return "unfinished"
        mode = self._properties.get("spark.submit.deployMode", "client")
        if self._app.get("exit_code") or ("exit_code" in self._app and mode == "cluster"):
            return "failed" if self._app["exit_code"] else "succeeded"
        # Before Spark 4 no event has the exit code, and in client mode it is 0 even if the driver threw an
        # exception: an application whose last job failed has failed.
        last = max(self._jobs.values(), key=lambda job: job.end_s or 0, default=None)
        return "failed" if last is not None and last.succeeded is False else "succeeded"

    def _with_memory(self, executor: SparkExecutor) -> SparkExecutor:
        get = self._properties.get
        heap, overhead, beyond = self._profiles.get(executor.resource_profile, (None, 0, 0))
        if heap is None:
            heap = spark_size("spark.executor.memory", get("spark.executor.memory", ""))
        # The second name is that before Spark 2.3.
        for name in ("spark.executor.memoryOverhead", "spark.yarn.executor.memoryOverhead"):
            overhead = overhead or spark_size("spark.executor.memoryOverhead", get(name, "")) or 0
        if get("spark.master", "").startswith(_HEAP_ONLY):
            overhead = 0
        elif not overhead:
            factor = get("spark.kubernetes.memoryOverheadFactor", _OVERHEAD_FACTOR)
            try:
                overhead = int((heap or GIB) * float(get("spark.executor.memoryOverheadFactor", factor)))
            except (ValueError, OverflowError):
                overhead = 0
            overhead = max(_LEAST_OVERHEAD, overhead)
        peak_heap, peak_resident = self._peaks.get(executor.id, (0, 0))
        return replace(
            executor,
            memory_bytes=heap,
            overhead_bytes=overhead + beyond,
            storage_bytes=self._storage.get(executor.id),
            peak_heap_bytes=peak_heap or None,
            peak_resident_bytes=peak_resident or None,
        )

    # One method for each event, named after it.

    def _SparkListenerLogStart(self, event: Event) -> None:  # noqa: N802
        self._version = str(event["Spark Version"])

    def _SparkListenerApplicationStart(self, event: Event) -> None:  # noqa: N802
        self._app |= {
            "id": str(event.get("App ID") or ""),
            "name": str(event["App Name"]),
            "user": str(event.get("User") or ""),
            "attempt": str(event.get("App Attempt ID") or ""),
            "start_s": self._time_s(event["Timestamp"]),
        }

    def _SparkListenerApplicationEnd(self, event: Event) -> None:  # noqa: N802
        self._app["end_s"] = self._time_s(event["Timestamp"])
        if "ExitCode" in event:
            self._app["exit_code"] = int(event["ExitCode"])

    def _SparkListenerEnvironmentUpdate(self, event: Event) -> None:  # noqa: N802
        properties = {
            str(name): str(value)[:_LONGEST_VALUE]
            for name, value in _pairs(event.get("Spark Properties"))
            if str(name).startswith("spark.")
        }
        for name, value in _pairs(event.get("JVM Information")):
            if name in ("Java Version", "Scala Version"):
                properties[name] = str(value)
        self._properties = {
            name: HIDDEN if "redacted" in value else shown_value(name, value)
            for name, value in properties.items()
        }

    def _SparkListenerResourceProfileAdded(self, event: Event) -> None:  # noqa: N802
        requests = event.get("Executor Resource Requests") or {}
        amounts = {name: int(request["Amount"]) * MIB for name, request in requests.items()}
        # The default profile has an overhead of 0 where Spark computes it later.
        beyond = amounts.get("offHeap", 0) + amounts.get("pyspark.memory", 0)
        profile = amounts.get("memory"), amounts.get("memoryOverhead", 0), beyond
        self._profiles[int(event["Resource Profile Id"])] = profile

    def _SparkListenerJobStart(self, event: Event) -> None:  # noqa: N802
        properties = event.get("Properties") or {}
        sql = properties.get("spark.sql.execution.id")
        job = int(event["Job ID"])
        self._jobs[job] = SparkJob(
            job,
            self._time_s(event.get("Submission Time")) or self._last_s,
            tuple(int(stage) for stage in event.get("Stage IDs") or ()),
            description=first_line(properties.get("spark.job.description")),
            sql_execution=None if sql is None else int(sql),
        )

    def _SparkListenerJobEnd(self, event: Event) -> None:  # noqa: N802
        job = int(event["Job ID"])
        result = event["Job Result"]
        succeeded = result["Result"] == "JobSucceeded"
        end_s = self._time_s(event.get("Completion Time")) or self._last_s
        before = self._jobs.get(job, SparkJob(job, end_s, ()))
        failure = "" if succeeded else first_line((result.get("Exception") or {}).get("Message"))
        self._jobs[job] = replace(before, end_s=end_s, succeeded=succeeded, failure=failure)

    def _SparkListenerStageSubmitted(self, event: Event) -> None:  # noqa: N802
        stage = event["Stage Info"]
        key = int(stage["Stage ID"]), int(stage.get("Stage Attempt ID") or 0)
        end_s = self._time_s(stage.get("Completion Time"))
        submit_s = self._time_s(stage.get("Submission Time"))
        before = self._stages.get(key)
        scopes = [rdd.get("Scope") for rdd in stage.get("RDD Info") or ()]
        objects = [scope for scope in scopes if isinstance(scope, str) and scope.startswith("{")]
        names = dict.fromkeys(str(json.loads(scope).get("name")) for scope in objects)
        self._stages[key] = SparkStage(
            *key,
            name=first_line(stage["Stage Name"]),
            parents=tuple(int(parent) for parent in stage.get("Parent IDs") or ()),
            tasks=int(stage["Number of Tasks"]),
            scopes=tuple(names),
            submit_s=submit_s or (before.submit_s if before else None),
            end_s=end_s or None,
            failure=first_line(stage.get("Failure Reason")),
            resource_profile=int(stage.get("Resource Profile Id") or 0),
        )

    _SparkListenerStageCompleted = _SparkListenerStageSubmitted

    def _SparkListenerStageExecutorMetrics(self, event: Event) -> None:  # noqa: N802
        self._add_peaks(str(event["Executor ID"]), event.get("Executor Metrics") or {})

    def _SparkListenerTaskStart(self, event: Event) -> None:  # noqa: N802
        self._tasks.start(event)

    def _SparkListenerTaskEnd(self, event: Event) -> None:  # noqa: N802
        self._tasks.end(event)
        if metrics := event.get("Task Executor Metrics"):
            self._add_peaks(str(event["Task Info"]["Executor ID"]), metrics)

    def _add_peaks(self, executor: str, metrics: Mapping[str, Any]) -> None:
        heap, resident = self._peaks.get(executor, (0, 0))
        parts = [f"ProcessTree{part}RSSMemory" for part in ("JVM", "Python", "Other")]
        total = sum(int(metrics.get(part) or 0) for part in parts)
        self._peaks[executor] = max(heap, int(metrics.get("JVMHeapMemory") or 0)), max(resident, total)

    def _SparkListenerExecutorAdded(self, event: Event) -> None:  # noqa: N802
        executor, info = str(event["Executor ID"]), event["Executor Info"]
        if executor in _DRIVER:
            return
        attributes = info.get("Attributes") or {}
        self._executors[executor] = SparkExecutor(
            executor,
            host=str(info["Host"]),
            cores=int(info["Total Cores"]),
            add_s=self._time_s(event["Timestamp"]),
            resource_profile=int(info.get("Resource Profile Id") or 0),
            container=str(attributes.get("CONTAINER_ID") or ""),
        )

    def _SparkListenerExecutorRemoved(self, event: Event) -> None:  # noqa: N802
        executor = self._executors.get(str(event["Executor ID"]))
        if executor is not None:
            self._executors[executor.id] = replace(
                executor,
                remove_s=self._time_s(event["Timestamp"]),
                removal_reason=first_line(event.get("Removed Reason")),
            )

    def _SparkListenerBlockManagerAdded(self, event: Event) -> None:  # noqa: N802
        self._storage[str(event["Block Manager ID"]["Executor ID"])] = int(event["Maximum Memory"])
        self._time_s(event.get("Timestamp"))

    def _SparkListenerSQLExecutionStart(self, event: Event) -> None:  # noqa: N802
        query = int(event["executionId"])
        description = first_line(event.get("description"))
        self._sql[query] = SqlExecution(query, description, self._time_s(event["time"]))

    def _SparkListenerSQLExecutionEnd(self, event: Event) -> None:  # noqa: N802
        query = int(event["executionId"])
        end_s = self._time_s(event["time"])
        before = self._sql.get(query, SqlExecution(query, "", end_s))
        self._sql[query] = replace(before, end_s=end_s, failure=first_line(event.get("errorMessage")))

    def _time_s(self, milliseconds: Any) -> float:
        """An event's time in seconds, 0 if it has none; the latest is the end of a log without one."""
        time_s = int(milliseconds or 0) / 1000
        self._last_s = max(self._last_s, time_s)
        return time_s


_HANDLED_BEGINNINGS = tuple(
    _BEGIN + f"{_SQL if 'SQL' in name else ''}{name.removeprefix('_')}".encode()
    for name in vars(_Reader)
    if name.startswith("_SparkListener")
)


def _pairs(properties: Any) -> Iterable[tuple[Any, Any]]:
    """Properties, which are an object in all releases; lists of pairs are accepted, too."""
    if isinstance(properties, Mapping):
        return properties.items()
    return ((pair[0], pair[1]) for pair in properties or ())
