"""Drives one Rust operation from the run's side: progress, finished tasks, cancellation."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from howdah import _native
from howdah.engines.base import PartialResult, RunClock
from howdah.engines.local.workspace import Workspace
from howdah.errors import UserError
from howdah.model.host import FileSystem, Host
from howdah.model.plan import Worker
from howdah.model.reported import FileRate, LatencyHistogram
from howdah.model.run import Phase, TaskAttempt
from howdah.model.tables import Job, Progress, SampleSink, Unit
from howdah.model.workloads.terasort import TeraSort
from howdah.telemetry.processes import rss_bytes
from howdah.units import MIB, format_memory

if TYPE_CHECKING:
    from howdah.simulation.local_engine import RanTask

_POLL_S = 0.1

R = TypeVar("R")


class Watch:
    """Waits for operations of one workload and passes on their progress."""

    def __init__(self, context: LocalContext, workload: str, unit: Unit) -> None:
        self._context = context
        self._workload = workload
        self._unit = unit
        self.phases: list[Phase] = []

    def follow(self, operation: _native.Operation[R]) -> R:
        """Wait for the operation's result; on Ctrl-C cancel it and await its end before raising."""
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
            at_s = self._context.clock.at_s
            for name, start, end in operation.phases():
                self.phases.append(Phase(name=name, start_s=at_s(start), end_s=at_s(end)))
        return operation.result()

    def _pass_on(self, operation: _native.Operation[R], elapsed_s: float) -> None:
        sink, at_s, workload = self._context.sink, self._context.clock.at_s, self._workload
        host, worker = self._context.job.host.name, self._context.worker.name
        progress = operation.progress()
        done, total = progress.done_bytes, progress.total_bytes
        sink.progress(Progress(workload, progress.phase, done, total, self._unit, elapsed_s))
        if tasks := operation.take_tasks():
            sink.tasks([attempt_of(task, workload, host, worker, at_s) for task in tasks])
        histograms = [
            LatencyHistogram(
                workload=workload,
                operation=timed.name,
                host=host,
                peer=None,
                start_s=at_s(timed.start_ns),
                end_s=at_s(timed.end_ns),
                operations=timed.operations,
                histogram=b64encode(timed.histogram).decode("ascii"),
            )
            for timed in operation.take_intervals()
        ]
        if histograms:
            sink.latencies(histograms)


def attempt_of(
    task: _native.Task | RanTask, workload: str, host: str, worker: str, seconds: Callable[[int], float]
) -> TaskAttempt:
    """A finished task of the kernels, or a simulated one; ``seconds`` reads its times in ns."""
    return TaskAttempt(
        workload=workload,
        kind=task.kind,
        task=task.task,
        attempt=0,
        host=host,
        worker=worker,
        slot=task.slot,
        start_s=seconds(task.start_ns),
        end_s=seconds(task.end_ns),
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
    """One run's resources for all programs; ``warn`` adds a warning by code and text."""

    job: Job
    worker: Worker
    workspace: Workspace
    pool: _native.Pool
    clock: RunClock
    sink: SampleSink
    warn: Callable[[str, str], None]

    def watch(self, name: str, unit: Unit = "B") -> Watch:
        """Return a watch over the operations of a workload, with the unit of its progress."""
        return Watch(self, name, unit)


Program = Callable[[LocalContext, Any, Watch], PartialResult]


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


USUAL_PROCESS_BYTES = 192 * MIB  # Python, libraries and thread stacks, with their growth in a run.
_GROWTH_BYTES = 48 * MIB
_BUFFERS_BYTES = 256 * MIB
_LEAST_POOL_BYTES = 64 * MIB
_STORE_BUFFERS_BYTES = 64 * MIB  # Upper limit of the embedded store's write buffers for each directory.
_LEAST_CACHE_BYTES = 16 * MIB
_CACHED_FOR_EACH = 1.25  # Bytes of the store's cache for each byte of records, including names and indexes.


def sort_needs(rows: int, reduces: int, slots: int, process_bytes: int | None = None) -> tuple[int, int]:
    """The least budgets to sort rows, and to sort them without spilling, around a process of that size."""
    least, in_memory = _native.terasort_needs(rows, reduces, slots)
    # The process grows by a few libraries between the plan and the run.
    process = (process_bytes or _process_bytes()) + _GROWTH_BYTES
    return max(least, _LEAST_POOL_BYTES) + process, max(in_memory, _LEAST_POOL_BYTES) + process


def pool_bytes(job: Job, process_bytes: int | None = None) -> int:
    """The kernels' pool within the budget, as large as a sort can use; raises UserError if too small."""
    worker = job.plan.workers[0]
    process = process_bytes or _process_bytes()
    remaining = worker.memory_bytes - process
    if remaining < _LEAST_POOL_BYTES:
        problem = f"{format_memory(worker.memory_bytes)} is too small to run in"
        raise UserError("--memory", problem, f"give at least {format_memory(process + _LEAST_POOL_BYTES)}")
    sorts = [item for item in job.suite.workloads if isinstance(item, TeraSort)]
    moves = any(item.uses_disks for item in job.suite.workloads)
    least = _BUFFERS_BYTES if moves else _LEAST_POOL_BYTES
    return min(remaining, max([least, *(_in_memory_bytes(job, sort) for sort in sorts)]))


def store_needs(table_bytes: int, data_dirs: int) -> int:
    """The least budget in which the embedded store keeps a table of that size in its cache, bytes."""
    return _around_cache_bytes(data_dirs) + max(_LEAST_CACHE_BYTES, int(table_bytes * _CACHED_FOR_EACH))


def store_cache_bytes(job: Job) -> int:
    """The embedded store's cache within the budget; raises UserError if it is too small."""
    worker = job.plan.workers[0]
    around = _around_cache_bytes(len(worker.data_dirs))
    if worker.memory_bytes < around + _LEAST_CACHE_BYTES:
        problem = f"{format_memory(worker.memory_bytes)} is too small for the store of YCSB's table"
        raise UserError("--memory", problem, f"give at least {format_memory(around + _LEAST_CACHE_BYTES)}")
    return worker.memory_bytes - around


def _around_cache_bytes(data_dirs: int) -> int:
    process = USUAL_PROCESS_BYTES + _GROWTH_BYTES + _LEAST_POOL_BYTES
    return process + data_dirs * _STORE_BUFFERS_BYTES


def sorts_in_memory(job: Job, workload: TeraSort, size_bytes: int) -> bool:
    """Whether a pool of that size sorts the workload's rows without spilling."""
    return size_bytes >= _in_memory_bytes(job, workload)


def _in_memory_bytes(job: Job, sort: TeraSort) -> int:
    worker = job.plan.workers[0]
    slots = max(worker.map_slots, worker.reduce_slots)
    _, in_memory = _native.terasort_needs(sort.rows or 0, sort.reduces or 1, slots)
    return in_memory


def _process_bytes() -> int:
    return max(USUAL_PROCESS_BYTES, rss_bytes() + _GROWTH_BYTES)
