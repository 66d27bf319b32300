"""Drives one Rust operation from the run's side: progress, finished tasks, cancellation."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from howdah import _native
from howdah.engines.local.workspace import Workspace
from howdah.engines.under_way import PartialResult
from howdah.model.host import FileSystem, Host
from howdah.model.latencies import LatencyHistogram
from howdah.model.plan import Worker
from howdah.model.reported import FileRate
from howdah.model.run import Phase, TaskAttempt
from howdah.model.tables import Job, Progress, SampleSink, Unit

_POLL_S = 0.1

R = TypeVar("R")


class WorkClock:
    """Seconds since the start of the run, on CLOCK_MONOTONIC like everything else in a record."""

    def __init__(self) -> None:
        self.start_ns = time.monotonic_ns()

    def now_s(self) -> float:
        """Seconds since the run started."""
        return self.seconds(time.monotonic_ns())

    def seconds(self, monotonic_ns: int) -> float:
        """A kernel's time as seconds since the run started."""
        return (monotonic_ns - self.start_ns) / 1e9


class Watch:
    """Waits for operations of one workload and passes on their progress."""

    def __init__(
        self, workload: str, host: str, worker: str, clock: WorkClock, sink: SampleSink, *, unit: Unit
    ) -> None:
        self._workload = workload
        self._host = host
        self._worker = worker
        self._clock = clock
        self._sink = sink
        self._unit = unit
        self.phases: list[Phase] = []

    def follow(self, operation: _native.Operation[R]) -> R:
        """Wait for the operation's end and return its result.

        On Ctrl-C the operation is cancelled, its end awaited and the interrupt passed on.
        """
        started = time.monotonic()
        try:
            while not operation.wait(_POLL_S):
                self._pass_on(operation, time.monotonic() - started)
        except BaseException:
            operation.cancel()
            while not operation.wait(_POLL_S):
                pass
            raise
        finally:
            self._pass_on(operation, time.monotonic() - started)
            self.phases += [
                Phase(name=name, start_s=self._clock.seconds(start), end_s=self._clock.seconds(end))
                for name, start, end in operation.phases()
            ]
        return operation.result()

    def _pass_on(self, operation: _native.Operation[R], elapsed_s: float) -> None:
        progress = operation.progress()
        self._sink.progress(
            Progress(
                self._workload,
                progress.phase,
                progress.done_bytes,
                progress.total_bytes,
                self._unit,
                elapsed_s,
            )
        )
        tasks = operation.take_tasks()
        if tasks:
            self._sink.tasks([self._attempt(task) for task in tasks])
        intervals = operation.take_intervals()
        if intervals:
            self._sink.latencies([self._histogram(timed) for timed in intervals])

    def _histogram(self, timed: _native.Timed) -> LatencyHistogram:
        return LatencyHistogram(
            workload=self._workload,
            operation=timed.name,
            host=self._host,
            peer=None,
            start_s=self._clock.seconds(timed.start_ns),
            end_s=self._clock.seconds(timed.end_ns),
            operations=timed.operations,
            histogram=b64encode(timed.histogram).decode("ascii"),
        )

    def _attempt(self, task: _native.Task) -> TaskAttempt:
        return TaskAttempt(
            workload=self._workload,
            kind=task.kind,
            task=task.task,
            attempt=0,
            host=self._host,
            worker=self._worker,
            slot=task.slot,
            start_s=self._clock.seconds(task.start_ns),
            end_s=self._clock.seconds(task.end_ns),
            input_rows=task.input_rows,
            output_rows=task.output_rows,
            input_bytes=task.input_bytes,
            output_bytes=task.output_bytes,
            spilled_bytes=task.spilled_bytes,
            locality="local",
            state="succeeded",
        )


@dataclass
class LocalContext:
    """One run's resources, handed from program to program.

    ``warn`` adds a warning by code and text.
    """

    job: Job
    worker: Worker
    workspace: Workspace
    pool: _native.Pool
    clock: WorkClock
    sink: SampleSink
    warn: Callable[[str, str], None]

    def watch(self, name: str, unit: Unit = "B") -> Watch:
        """Return a watch over the operations of a workload, with the unit of its progress."""
        return Watch(name, self.job.host.name, self.worker.name, self.clock, self.sink, unit=unit)


Program = Callable[[LocalContext, Any, Watch], PartialResult]
"""Runs one workload to its durable end."""


def file_rates(done: _native.Files, operation: Literal["write", "read"]) -> tuple[FileRate, ...]:
    """The files an operation wrote or read, as the record keeps them."""
    return tuple(
        FileRate(path=file.path, bytes=file.bytes, io_s=file.io_s, operation=operation) for file in done.files
    )


def device_of(path: Path, host: Host) -> str:
    """The disk (or else the device) below the mount that holds the path; ``unknown`` if unlisted."""
    mount = host.mount_of(path.resolve())
    if mount is None:
        return "unknown"
    return (isinstance(mount, FileSystem) and mount.disk) or mount.device
