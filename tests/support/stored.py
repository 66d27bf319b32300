"""Synthetic runs on disk, for the tests of the store."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from howdah.model.reported import LatencyHistogram
from howdah.model.run import Outcome, RunRecord, Sample, TaskAttempt
from howdah.model.tables import RunData, ServerEvent
from howdah.store.writer import RunWriter


def task_rows(table: pa.Table) -> list[TaskAttempt]:
    """The rows of a tasks table."""
    return [TaskAttempt(**row) for row in table.to_pylist()]


def sample_ticks(table: pa.Table) -> Iterator[list[Sample]]:
    """The rows of a samples table, tick by tick."""
    rows = (Sample(**row) for row in table.to_pylist())
    for _, tick in groupby(rows, key=lambda row: row.time_s):
        yield list(tick)


def as_begun(record: RunRecord, **changes: Any) -> RunRecord:
    """The record as its engine first wrote it."""
    return record.model_copy(update={"outcome": Outcome.RUNNING, "workloads": (), "error": None, **changes})


def write_run(runs_dir: Path, data: RunData) -> Path:
    """Write a whole run, as an engine does."""
    with RunWriter(runs_dir, as_begun(data.record)) as writer:
        for tick in sample_ticks(data.samples):
            writer.samples(tick)
        writer.tasks(task_rows(data.tasks))
        writer.latencies([LatencyHistogram(**row) for row in data.latencies.to_pylist()])
        writer.server_events([ServerEvent(**row) for row in data.server_events.to_pylist()])
        writer.finish(data.record)
    return writer.path


def write_killed_run(runs_dir: Path, data: RunData) -> Path:
    """Write a run up to the moment before its end, and leave it there."""
    with RunWriter(runs_dir, as_begun(data.record)) as writer:
        for tick in sample_ticks(data.samples):
            writer.samples(tick)
        writer.tasks(task_rows(data.tasks))
        writer.update(data.record.model_copy(update={"outcome": Outcome.RUNNING}))
    return writer.path


def put(path: Path, content: bytes | bytearray) -> None:
    """Write a file anew: ext4 flushes a file that is truncated and rewritten, a new one it does not."""
    path.unlink()
    path.write_bytes(content)
