"""What a program needs that runs on HBase, and the table that all programs of a run share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from howdah.engines.clock import RunClock
from howdah.engines.hbase.admin import HBaseAdmin
from howdah.engines.hbase.probes import RegionProbes
from howdah.engines.hbase.target import HBaseTarget
from howdah.model.job import Job
from howdah.model.sink import Progress, SampleSink
from howdah.model.workloads.base import Workload

W = TypeVar("W", bound=Workload)


def table_name(run_id: str) -> str:
    """The table that a run makes."""
    return f"howdah-{run_id}"


@dataclass
class RunTable:
    """The table that a run's programs work on."""

    name: str
    fields: int
    field_bytes: int
    rows: int = 0
    """How many records it holds."""
    made_here: bool = False
    """Whether this run made it."""
    keep: bool = False
    """Whether later runs are to find it."""


@dataclass
class HBaseContext:
    """What all programs of a run work with; ``warn`` notes, by code and text, what a reader should know."""

    job: Job
    target: HBaseTarget
    admin: HBaseAdmin
    clock: RunClock
    sink: SampleSink
    warn: Callable[[str, str], None]
    table: RunTable | None = None
    """The table, once one was made or found."""
    ledger: Path | None = None
    """Where clients write down what was acknowledged, where faults are asked for."""
    probes: RegionProbes | None = None
    """What probes the table's regions, where faults are asked for."""

    @property
    def faulty(self) -> bool:
        """Whether faults are done meanwhile: operations may fail then, nothing acknowledged may be lost."""
        return self.target.heal is not None


@dataclass(frozen=True)
class HBaseWork(Generic[W]):
    """A workload, and the run that it belongs to."""

    workload: W
    """What is to be run, every size decided."""
    context: HBaseContext
    start_s: float
    """When the workload began."""
    last: bool
    """Whether it is the last one that uses the table."""

    def progress(self, phase: str, done: int, total: int) -> None:
        """Say how far it is."""
        elapsed_s = self.context.clock.now_s() - self.start_s
        kind = self.workload.kind
        self.context.sink.progress(Progress(kind, phase, done, total, "operations", elapsed_s))
