"""Simulated task attempts as the record's table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from howdah.engines.sim.columns import Columns, seconds, some_seconds, words
from howdah.model.tables import TASKS_SCHEMA
from howdah.model.workload import ROW_BYTES, Suite, WorkloadKind
from howdah.simulation.hosts import Machines

_KINDS = ("map", "reduce")
_LOCALITIES = ("local", "host", "rack", "remote")
_STATES = ("succeeded", "failed", "killed")
_READERS = (WorkloadKind.TERASORT, WorkloadKind.TERAVALIDATE)
_WRITERS = (WorkloadKind.TERAGEN, WorkloadKind.TERASORT)
"""Programs over rows, whose bytes are so many rows."""


def task_tables(columns: Columns, suite: Suite, machines: Machines) -> tuple[pa.Table, ...]:
    """The attempts of every workload, in the order they began."""
    order = np.lexsort((columns["attempt"], columns["task"], columns["kind"], columns["start_ns"]))
    ordered = {name: column[order] for name, column in columns.items()}
    whole = _table(ordered, suite, machines)
    return tuple(
        whole.filter(pa.array(ordered["workload"] == number)) for number in range(len(suite.workloads))
    )


def _table(columns: Columns, suite: Suite, machines: Machines) -> pa.Table:
    kinds = [workload.kind for workload in suite.workloads]
    reduces = columns["kind"] == _KINDS.index("reduce")
    reading = np.array([kind in _READERS for kind in kinds])[columns["workload"]]
    writing = np.array([kind in _WRITERS for kind in kinds])[columns["workload"]]
    rows_out = columns["output_bytes"] // ROW_BYTES
    # A reduce is handed as many rows as it writes; what it fetched may be compressed.
    rows_in = np.where(reduces, rows_out, columns["input_bytes"] // ROW_BYTES)
    nothing = pa.nulls(len(reduces))
    arrays = {name: pa.array(column) for name, column in columns.items()} | {
        "workload": words(columns["workload"], [kind.value for kind in kinds]),
        "kind": words(columns["kind"], _KINDS),
        "host": words(columns["host"], machines.hosts),
        "worker": words(columns["worker"], machines.workers),
        "start_s": pa.array(seconds(columns["start_ns"])),
        "end_s": pa.array(seconds(columns["end_ns"])),
        "input_rows": pa.array(np.where(reading, rows_in, 0)),
        "output_rows": pa.array(np.where(writing, rows_out, 0)),
        "locality": words(np.where(reduces, len(_LOCALITIES), columns["locality"]), (*_LOCALITIES, "")),
        "state": words(columns["state"], _STATES),
        "shuffle_end_s": some_seconds(columns["shuffle_end_ns"]),
        "merge_end_s": some_seconds(columns["merge_end_ns"]),
        "shuffled_bytes": pa.array(columns["shuffled_bytes"], mask=~reduces),
        "gc_s": nothing,
        "error": nothing,
        "job": nothing,
    }
    return pa.Table.from_arrays(
        [arrays[field.name].cast(field.type) for field in TASKS_SCHEMA], schema=TASKS_SCHEMA
    )
