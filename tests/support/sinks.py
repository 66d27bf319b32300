"""A sink that keeps everything in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from howdah.model.reported import LatencyHistogram
from howdah.model.run import RunRecord, Sample, TaskAttempt
from howdah.model.tables import (
    LATENCIES_SCHEMA,
    SAMPLES_SCHEMA,
    TASKS_SCHEMA,
    Job,
    Progress,
    RunData,
    ServerEvent,
)


@dataclass
class MemorySink:
    """Keeps everything it is given; ``on_update`` lets a test act in the middle of a run."""

    records: list[RunRecord] = field(default_factory=list)
    sampled: list[Sample] = field(default_factory=list)
    attempts: list[TaskAttempt] = field(default_factory=list)
    timed: list[LatencyHistogram] = field(default_factory=list)
    happened: list[ServerEvent] = field(default_factory=list)
    steps: list[Progress] = field(default_factory=list)
    ended: int = 0
    on_update: Callable[[RunRecord], None] = lambda record: None

    def samples(self, rows: Sequence[Sample]) -> None:
        self.sampled += rows

    def tasks(self, rows: Sequence[TaskAttempt]) -> None:
        self.attempts += rows

    def latencies(self, rows: Sequence[LatencyHistogram]) -> None:
        self.timed += rows

    def server_events(self, rows: Sequence[ServerEvent]) -> None:
        self.happened += rows

    def sample_table(self, rows: pa.Table) -> None:
        self.sampled += [Sample(**row) for row in rows.to_pylist()]

    def task_table(self, rows: pa.Table) -> None:
        self.attempts += [TaskAttempt(**row) for row in rows.to_pylist()]

    def update(self, record: RunRecord) -> None:
        self.records.append(record)
        self.on_update(record)

    def progress(self, progress: Progress) -> None:
        self.steps.append(progress)

    def measured(self) -> None:
        self.ended += 1


@dataclass
class TableSink(MemorySink):
    """Keeps tables as tables, for engines that hand over nothing else."""

    task_tables: list[pa.Table] = field(default_factory=list)
    sample_tables: list[pa.Table] = field(default_factory=list)

    def task_table(self, rows: pa.Table) -> None:
        self.task_tables.append(rows)

    def sample_table(self, rows: pa.Table) -> None:
        self.sample_tables.append(rows)

    def run(self) -> RunData:
        """All that it was given."""
        return RunData(
            self.records[-1],
            pa.concat_tables([TASKS_SCHEMA.empty_table(), *self.task_tables]).combine_chunks(),
            pa.concat_tables([SAMPLES_SCHEMA.empty_table(), *self.sample_tables]).combine_chunks(),
            pa.Table.from_pylist([row._asdict() for row in self.timed], schema=LATENCIES_SCHEMA),
        )


MakeJob = Callable[..., Job]
"""Makes a small job from a suite's name and request values; see the contract suite's fixture."""
