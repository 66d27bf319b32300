"""Whether a table's columns are the ones the record promises."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from howdah.errors import RecordError

_WITH_HADOOP = frozenset({"shuffle_end_s", "merge_end_s", "shuffled_bytes", "cpu_s", "gc_s", "error"})
_WITH_JOBS = frozenset({"job"})
_OLDER = (_WITH_JOBS, _WITH_JOBS | _WITH_HADOOP)
"""Columns that earlier records lack: those of a workload's jobs apart, those before engines with Hadoop."""


def check_schema(path: Path, found: pa.Schema, expected: pa.Schema) -> None:
    """Raise RecordError naming the first column that differs from what is expected."""
    older = [pa.schema([field for field in expected if field.name not in later]) for later in _OLDER]
    if any(found.equals(one, check_metadata=False) for one in (expected, *older)):
        return
    missing = [name for name in expected.names if name not in found.names]
    strange = [name for name in found.names if name not in expected.names]
    if missing:
        what = f"column {missing[0]} is missing"
    elif strange:
        what = f"column {strange[0]} does not belong there"
    else:
        what = _first_difference(found, expected)
    columns = ", ".join(f"{field.name} {field.type}" for field in expected)
    raise RecordError(str(path), what, f"its columns are {columns}")


def _first_difference(found: pa.Schema, expected: pa.Schema) -> str:
    for one, other in zip(found, expected, strict=False):
        if one.name != other.name:
            return f"column {one.name} stands where {other.name} belongs"
        if one.type != other.type:
            return f"column {one.name} is {one.type} instead of {other.type}"
    return "its columns are doubled or may hold nothing"


def with_later_columns(rows: pa.Table, expected: pa.Schema) -> pa.Table:
    """The rows of an older record with the columns it lacks, all null."""
    for field in expected:
        if field.name not in rows.column_names:
            rows = rows.append_column(field, pa.nulls(rows.num_rows, field.type))
    return rows
