"""What an engine gets: the suite to run on a plan, and the sink for the data of the run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import pyarrow as pa

from howdah.model.base import Model
from howdah.model.host import Host
from howdah.model.latencies import LatencyHistogram
from howdah.model.plan import Plan
from howdah.model.run import RunRecord, Sample, TaskAttempt
from howdah.model.tables import ServerEvent
from howdah.model.workloads.suite import Suite


class Job(Model):
    """A Suite to run on a Plan.

    ``run_id`` names the record; ``keep_data`` leaves the generated data in place;
    ``sample_interval_s`` is the telemetry's interval; ``results_dir`` is where a workload leaves
    files of its own (TestDFSIO_results.log).
    """

    run_id: str
    command: tuple[str, ...]
    host: Host
    plan: Plan
    suite: Suite
    seed: int
    keep_data: bool
    sample_interval_s: float
    results_dir: Path


Unit = Literal["B", "points", "operations", "share"]
"""What progress is counted in: bytes read and written, points of pi, operations, or parts of a whole."""


class Progress(NamedTuple):
    """How far the operation under way in a workload is: units done of those to do."""

    workload: str
    phase: str
    done: int
    total: int
    unit: Unit
    elapsed_s: float
    tasks: str = ""
    """The tasks that are done, ``3 of 8 maps ended``, where an engine has tasks of its own to count."""


class SampleSink(Protocol):
    """What an engine and its samplers write to; every method may be called from any thread."""

    def samples(self, rows: Sequence[Sample]) -> None:
        """Append measured values."""

    def tasks(self, rows: Sequence[TaskAttempt]) -> None:
        """Append finished task attempts."""

    def latencies(self, rows: Sequence[LatencyHistogram]) -> None:
        """Append histograms of timed operations, each once its interval is over."""

    def server_events(self, rows: Sequence[ServerEvent]) -> None:
        """Append what servers did, in any order; their logs may be read once the run is over."""

    def sample_table(self, rows: pa.Table) -> None:
        """Append measured values that an engine has as columns: those of SAMPLES_SCHEMA, in its order."""

    def task_table(self, rows: pa.Table) -> None:
        """Append task attempts that an engine has as columns: those of TASKS_SCHEMA, in its order."""

    def update(self, record: RunRecord) -> None:
        """Replace the record so far: called whenever a workload starts or ends."""

    def progress(self, progress: Progress) -> None:
        """Say how far the current workload is; called about ten times a second."""

    def measured(self) -> None:
        """Say that the last workload has ended: nothing is disturbed from now on."""
