"""What every local program works with, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from howdah import _native
from howdah.engines.local.work import Watch, WorkClock
from howdah.engines.local.workspace import Workspace
from howdah.engines.under_way import PartialResult
from howdah.model.host import Host
from howdah.model.job import Job
from howdah.model.plan import Worker
from howdah.model.reported import FileRate
from howdah.model.sink import SampleSink, Unit
from howdah.model.storage import FileSystem


@dataclass
class LocalContext:
    """One run's resources, handed from program to program.

    ``warn`` notes, by code and text, something that a reader of the numbers should know.
    """

    job: Job
    worker: Worker
    workspace: Workspace
    pool: _native.Pool
    clock: WorkClock
    sink: SampleSink
    warn: Callable[[str, str], None]

    def watch(self, name: str, unit: Unit = "B") -> Watch:
        """A watch over the operations of the workload of that name, whose progress is counted in a unit."""
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
