"""The tasks of a Spark event log as columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from howdah.hadoop.config_files import without_secrets
from howdah.model.application import SPARK_TASKS_SCHEMA

Event = dict[str, Any]
Row = tuple[Any, ...]

_BATCH = 8192
_LONGEST_MESSAGE = 300
_TRACEBACK = "Traceback (most recent call last):"
_DETAILS = ("Class Name", "Description", "Loss Reason", "Kill Reason", "Message")
"""Details that a reason may have in addition to its name, in the order shown."""


class TaskColumns:
    """Task attempts, added in any order."""

    def __init__(self) -> None:
        self._batches: list[pa.RecordBatch] = []
        self._rows: list[Row] = []
        self._running: dict[int, Row] = {}
        self.first_ms = 0
        self.last_ms = 0

    def start(self, event: Event) -> None:
        """Note an attempt that runs."""
        info = event["Task Info"]
        # The columns before the metrics; kind is only in the event of its end.
        self._running[int(info["Task ID"])] = self._head(event, info, "", "running", "")

    def end(self, event: Event) -> None:
        """Add an attempt that ended."""
        info, reason = event["Task Info"], event.get("Task End Reason") or {}
        state, failure = _ending(reason)
        head = self._head(event, info, str(event.get("Task Type") or ""), state, failure)
        # Failed attempts of old releases have their metrics in the reason.
        row = head + _metrics(event.get("Task Metrics") or reason.get("Metrics") or {})
        self._running.pop(int(info["Task ID"]), None)
        self._rows.append(row)
        if len(self._rows) == _BATCH:
            self._flush()

    def table(self) -> pa.Table:
        """Return all attempts, those that still run last."""
        self._rows += [head + _metrics({}) for head in self._running.values()]
        self._running = {}
        self._flush()
        return pa.Table.from_batches(self._batches, SPARK_TASKS_SCHEMA).unify_dictionaries()

    def _head(self, event: Event, info: Event, kind: str, state: str, failure: str) -> Row:
        start, end = _count(info, "Launch Time"), _count(info, "Finish Time")
        self.first_ms = min(self.first_ms or start, start)
        self.last_ms = max(self.last_ms, start, end)
        partition = info.get("Partition ID")
        return (
            _int32(event["Stage ID"]),
            _int32(event.get("Stage Attempt ID") or 0),
            _count(info, "Task ID"),
            _int32(info["Index"]),
            None if partition in (None, -1) else _int32(partition),
            _int32(info.get("Attempt") or 0),
            kind,
            str(info["Host"]),
            str(info["Executor ID"]),
            str(info.get("Locality") or ""),
            bool(info.get("Speculative")),
            state,
            failure,
            start / 1000,
            end / 1000 if end else None,
            _count(info, "Getting Result Time") / 1000 or None,
        )

    def _flush(self) -> None:
        columns = list(zip(*self._rows, strict=True)) or [()] * len(SPARK_TASKS_SCHEMA)
        arrays = [
            pa.array(column, field.type) for column, field in zip(columns, SPARK_TASKS_SCHEMA, strict=True)
        ]
        self._batches.append(pa.RecordBatch.from_arrays(arrays, schema=SPARK_TASKS_SCHEMA))
        self._rows = []


def _metrics(metrics: Event) -> Row:
    """The columns of metrics; a metric that a release or an attempt lacks is 0, as Spark itself counts it."""
    read = metrics.get("Shuffle Read Metrics") or {}
    write = metrics.get("Shuffle Write Metrics") or {}
    source = metrics.get("Input Metrics") or {}
    target = metrics.get("Output Metrics") or {}
    return (
        _count(metrics, "Executor Run Time") / 1e3,
        _count(metrics, "Executor CPU Time") / 1e9,
        _count(metrics, "JVM GC Time") / 1e3,
        _count(metrics, "Executor Deserialize Time") / 1e3,
        _count(metrics, "Executor Deserialize CPU Time") / 1e9,
        _count(metrics, "Result Serialization Time") / 1e3,
        _count(metrics, "Result Size"),
        _count(metrics, "Memory Bytes Spilled"),
        _count(metrics, "Disk Bytes Spilled"),
        _count(metrics, "Peak Execution Memory"),
        _count(source, "Bytes Read"),
        _count(source, "Records Read"),
        _count(target, "Bytes Written"),
        _count(target, "Records Written"),
        _count(read, "Remote Bytes Read"),
        _count(read, "Local Bytes Read"),
        _count(read, "Total Records Read"),
        _count(read, "Fetch Wait Time") / 1e3,
        _count(write, "Shuffle Bytes Written"),
        _count(write, "Shuffle Records Written"),
        _count(write, "Shuffle Write Time") / 1e9,
    )


def first_line(text: Any) -> str:
    """Return the first line of a message without secrets; of a traceback, the error below it."""
    first, _, remainder = str(text or "").strip().partition("\n")
    if _TRACEBACK in first:
        first = next((line for line in remainder.splitlines() if line[:1].strip()), first)
    return without_secrets(first.strip())[:_LONGEST_MESSAGE]


def _count(metrics: Event, name: str) -> int:
    count = int(metrics.get(name) or 0)
    if not -(2**63) <= count < 2**63:
        raise OverflowError(name)
    return count


def _int32(value: Any) -> int:
    number = int(value)
    if not -(2**31) <= number < 2**31:
        raise OverflowError(number)
    return number


def _ending(reason: Event) -> tuple[str, str]:
    """A task's state, and why it did not succeed."""
    name = str(reason.get("Reason") or "Success")
    if name == "Success":
        return "succeeded", ""
    text = ": ".join([name, *(first_line(reason[key]) for key in _DETAILS if reason.get(key))])[
        :_LONGEST_MESSAGE
    ]
    return ("killed" if name in ("TaskKilled", "TaskCommitDenied", "Resubmitted") else "failed"), text
