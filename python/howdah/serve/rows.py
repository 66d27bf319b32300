"""A run as a row of a list."""

from __future__ import annotations

from pathlib import Path

from howdah.errors import RecordError
from howdah.model.annotation import Annotation
from howdah.model.base import Model
from howdah.model.legible import legible
from howdah.model.listed_run import ListedRecord
from howdah.model.run import Outcome, RunRecord
from howdah.serve.places import odd_file
from howdah.store.additions import read_annotation
from howdah.store.reader import check_tables, read_record

UNREADABLE = "unreadable"
"""Stands where a record's outcome would, if it could be read."""


class RunRow(Model):
    """What a list of runs shows of one, and what it is found by."""

    id: str
    """Its name and its directory's."""
    created: str = ""
    """When it began, ISO 8601 in UTC."""
    suite: str = ""
    """What was run."""
    engine: str = ""
    """What ran it."""
    origin: str = ""
    """Whether its figures are measured or simulated."""
    platform: str = ""
    """How hosts are divided."""
    host: str = ""
    """The machine that it was started on, or the cluster's name."""
    outcome: str = UNREADABLE
    """How it ended; ``running`` while it goes, ``unreadable`` for a record that cannot be read."""
    elapsed_s: float | None = None
    """Seconds from its start to its end, or to the last sign of life."""
    metric: str = ""
    """What its suite is run for: the primary metric of its main workload, otherwise that workload's time."""
    value: float | None = None
    """That metric's value."""
    unit: str = ""
    """Its unit."""
    said: str = ""
    """The value as people write it."""
    higher_is_better: bool = False
    """Whether a higher value is the better one."""
    tags: tuple[str, ...] = ()
    """What it was tagged with."""
    note: str = ""
    """What was said of it, the beginning."""
    error: str = ""
    """Why it did not succeed, or why its record cannot be read."""


def row_of(path: Path) -> RunRow:
    """The run in a directory as a row; a record that cannot be read is a row that says why."""
    return legible(_row_of(path))


def _row_of(path: Path) -> RunRow:
    if odd := odd_file(path):
        return RunRow(id=path.name, error=odd)
    try:
        record = read_record(path, ListedRecord)
    except RecordError as error:
        return RunRow(id=path.name, error=_in_words(error, path))
    try:
        said = read_annotation(path)
    except RecordError:
        said = Annotation()
    row = _row(path.name, record, said)
    try:
        if record.outcome is not Outcome.RUNNING:
            check_tables(path)
    except RecordError as error:
        return row.model_copy(update={"error": _in_words(error, path)})
    return row


def _in_words(error: RecordError, path: Path) -> str:
    return str(error).replace(str(path), path.name)


def _row(name: str, record: RunRecord, annotation: Annotation) -> RunRow:
    cluster = record.plan.cluster
    row = RunRow(
        id=name,
        created=record.created,
        suite=record.suite.name,
        engine=record.engine,
        origin=record.origin.value,
        platform=record.plan.platform,
        host=cluster.inventory.cluster if cluster else record.host.name,
        outcome=record.outcome.value,
        elapsed_s=record.elapsed_s,
        tags=annotation.tags,
        note=annotation.note[:200],
        error=record.error or "",
    )
    main = next((result for result in record.workloads if result.workload.kind == record.suite.main), None)
    if main is None or main.outcome is not Outcome.SUCCEEDED:
        return row
    if metric := main.primary:
        return row.model_copy(
            update={
                "metric": f"{main.workload.kind} {metric.name}",
                "value": metric.value,
                "unit": metric.unit,
                "said": metric.in_words(),
                "higher_is_better": metric.better == "higher",
            }
        )
    return row.model_copy(update={"metric": main.workload.kind, "value": main.elapsed_s, "unit": "s"})
