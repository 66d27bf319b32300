"""What is added to a finished run: samples of other programs, tags and a note."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from pydantic import ValidationError

from howdah.errors import RecordError, RunFailed, UserError
from howdah.model.run import Annotation, Outcome, RunRecord, RunWarning, Sample
from howdah.model.tables import SAMPLES_SCHEMA, RunData
from howdah.store.layout import ANNOTATION, LOCK, SAMPLES, FileLock, is_held, replacing
from howdah.store.reader import read_run
from howdah.store.run_json import load_run_json, write_run_json
from howdah.store.tables import write_parquet

Key = tuple[str, str]
"""A machine and a metric of it."""


class Added(NamedTuple):
    """What was added to a record, and what it had already."""

    new: tuple[Key, ...]
    kept: tuple[Key, ...]


def attach_samples(path: Path, rows: Sequence[Sample], note: str) -> Added:
    """Add samples to the record in the run directory ``path``, with a note of where they come from.

    A metric that the record has of a machine already stays as it is, so that what was measured in the
    run is never mixed with what others measured, and the same file given twice changes nothing. The
    record is replaced step by step and can be read at any moment. Raises UserError if the run has not
    ended, RecordError if the record cannot be read, RunFailed if the disk refuses.
    """
    # Two who attach at once would each write back what they read.
    with FileLock(path.parent / LOCK):
        if load_run_json(path).outcome is Outcome.RUNNING:
            reason = "is still being written" if is_held(path / LOCK) else "was killed before its end"
            raise UserError(
                str(path), f"this run {reason}", "samples can be attached only to a run that has ended"
            )
        return _attach(path, read_run(path), rows, note)


def _attach(path: Path, data: RunData, rows: Sequence[Sample], note: str) -> Added:
    columns = (data.samples.column("host").to_pylist(), data.samples.column("metric").to_pylist())
    present = set(zip(*columns, strict=True))
    keys = list(dict.fromkeys((row.host, row.metric) for row in rows))
    added = Added(
        tuple(key for key in keys if key not in present), tuple(key for key in keys if key in present)
    )
    if added.new:
        new = set(added.new)
        fresh = _table([row for row in rows if (row.host, row.metric) in new])
        table = pa.concat_tables([data.samples, fresh]).sort_by("time_s").combine_chunks()
        # The note comes first: samples in a record whose origin it does not tell would be worse than
        # a note whose samples a second try has yet to bring.
        _note(path, data.record, note)
        try:
            write_parquet(path, SAMPLES, table)
        except OSError as error:
            raise RunFailed(
                str(path / SAMPLES.parquet),
                f"cannot be written ({error.strerror})",
                "free space for run records, then attach again",
            ) from error
        (path / SAMPLES.stream).unlink(missing_ok=True)
    return added


def _table(rows: Sequence[Sample]) -> pa.Table:
    columns = [
        pa.array(values, type=field.type)
        for values, field in zip(zip(*rows, strict=True), SAMPLES_SCHEMA, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=SAMPLES_SCHEMA)


def _note(path: Path, record: RunRecord, note: str) -> None:
    warning = RunWarning(code="attached-samples", text=note)
    if warning not in record.warnings:
        write_run_json(path, record.model_copy(update={"warnings": (*record.warnings, warning)}))


_NONE = Annotation()


def read_annotation(path: Path) -> Annotation:
    """What was said of the run in a directory; nothing where nothing was said.

    Raises RecordError for a file that is none of howdah's.
    """
    file = path / ANNOTATION
    try:
        return Annotation.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return _NONE
    except OSError as error:
        raise RecordError(
            str(file), f"cannot be read ({error.strerror})", "make it a readable file"
        ) from error
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise RecordError(
            str(file),
            f"is not a note of howdah: {fault['msg'].removeprefix('Value error, ')}",
            "correct it, or remove it",
        ) from error


def write_annotation(path: Path, annotation: Annotation) -> None:
    """Replace what was said of the run in a directory; raises UserError where it cannot be written."""
    try:
        with replacing(path / ANNOTATION) as file:
            file.write(annotation.model_dump_json(indent=2).encode() + b"\n")
    except OSError as error:
        raise UserError(
            str(path / ANNOTATION),
            f"cannot be written ({error.strerror})",
            "make the run's directory writable",
        ) from error
