"""The tables of a run record as Arrow tables, and a whole run in memory."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from howdah.model.run import RunRecord

TASKS_SCHEMA = pa.schema(
    [
        ("workload", pa.string()),
        ("kind", pa.string()),
        ("task", pa.int32()),
        ("attempt", pa.int32()),
        ("host", pa.string()),
        ("worker", pa.string()),
        ("slot", pa.int32()),
        ("start_s", pa.float64()),
        ("end_s", pa.float64()),
        ("input_rows", pa.int64()),
        ("output_rows", pa.int64()),
        ("input_bytes", pa.int64()),
        ("output_bytes", pa.int64()),
        ("spilled_bytes", pa.int64()),
        ("locality", pa.string()),
        ("state", pa.string()),
    ]
)
"""One row per TaskAttempt, columns in its field order."""

SAMPLES_SCHEMA = pa.schema(
    [
        ("time_s", pa.float64()),
        ("host", pa.string()),
        ("metric", pa.string()),
        ("value", pa.float64()),
    ]
)
"""One row per Sample, columns in its field order."""


class RunData(NamedTuple):
    """A run as later stages read it: the record and its two tables."""

    record: RunRecord
    tasks: pa.Table
    samples: pa.Table
