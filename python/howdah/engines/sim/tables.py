"""A simulation's tasks, samples and files as the record's tables.

CPU time that is not idle is counted as user time, since the simulator does not tell the two apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from howdah import _native
from howdah.model.counters import Counters
from howdah.model.reported import FileRate
from howdah.model.tables import SAMPLES_SCHEMA, TASKS_SCHEMA
from howdah.model.workloads.base import Moved, Workload
from howdah.model.workloads.dfsio import DfsioFiles
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, TeraRows
from howdah.simulation.hosts import SimulatedHosts

Columns = Mapping[str, NDArray[Any]]
"""Columns of equal length by name; what each holds is said in `crates/howdah-sim/src/outcome.rs`."""

_NS_PER_S = 1e9
_TYPES = {
    "workload": "<u1",
    "kind": "<u1",
    "task": "<u4",
    "attempt": "<u1",
    "host": "<u4",
    "worker": "<u4",
    "slot": "<u4",
    "start_ns": "<i8",
    "end_ns": "<i8",
    "io_ns": "<i8",
    "input_bytes": "<u8",
    "output_bytes": "<u8",
    "spilled_bytes": "<u8",
    "shuffled_bytes": "<u8",
    "locality": "<u1",
    "state": "<u1",
    "shuffle_end_ns": "<i8",
    "merge_end_ns": "<i8",
    "cpu_s": "<f8",
    "time_ns": "<i8",
    "metric": "<u1",
    "value": "<f8",
}
"""The type of every column that the simulator may hand over."""
_KINDS = ("map", "reduce")
_LOCALITIES = ("local", "host", "rack", "remote")
_STATES = ("succeeded", "failed", "killed")


def columns_of(handed: Mapping[str, bytes]) -> Columns:
    """The simulator's columns as arrays; nothing is copied."""
    return {name: np.frombuffer(content, _TYPES[name]) for name, content in handed.items()}


def words(numbers: NDArray[Any], names: Sequence[str]) -> pa.Array[Any]:
    """The name that each number stands for."""
    return pa.DictionaryArray.from_arrays(
        numbers.astype(np.int32), pa.array(names, pa.string())
    ).dictionary_decode()


def seconds(nanoseconds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Times in seconds."""
    return nanoseconds / _NS_PER_S


def some_seconds(nanoseconds: NDArray[np.int64]) -> pa.Array[Any]:
    """Times in seconds; a negative one is none."""
    return pa.array(seconds(nanoseconds), mask=nanoseconds < 0)


def task_tables(columns: Columns, suite: Suite, machines: SimulatedHosts) -> tuple[pa.Table, ...]:
    """The attempts of every workload, in the order they began."""
    order = np.lexsort((columns["attempt"], columns["task"], columns["kind"], columns["start_ns"]))
    ordered = {name: column[order] for name, column in columns.items()}
    whole = _table(ordered, suite, machines)
    return tuple(
        whole.filter(pa.array(ordered["workload"] == number)) for number in range(len(suite.workloads))
    )


def _table(columns: Columns, suite: Suite, machines: SimulatedHosts) -> pa.Table:
    reduces = columns["kind"] == _KINDS.index("reduce")
    # The bytes of programs over rows are so many rows.
    moved = [_moved_rows(workload) for workload in suite.workloads]
    reading = np.array([each.read > 0 for each in moved])[columns["workload"]]
    writing = np.array([each.write > 0 for each in moved])[columns["workload"]]
    rows_out = columns["output_bytes"] // ROW_BYTES
    # A reduce is handed as many rows as it writes; what it fetched may be compressed.
    rows_in = np.where(reduces, rows_out, columns["input_bytes"] // ROW_BYTES)
    nothing = pa.nulls(len(reduces))
    arrays = {name: pa.array(column) for name, column in columns.items()} | {
        "workload": words(columns["workload"], [workload.kind for workload in suite.workloads]),
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
        "executor": nothing,
        "fetch_wait_s": nothing,
    }
    return pa.Table.from_arrays(
        [arrays[field.name].cast(field.type) for field in TASKS_SCHEMA], schema=TASKS_SCHEMA
    )


def _moved_rows(workload: Workload) -> Moved:
    moved = workload.moved(Counters()) if isinstance(workload, TeraRows) else None
    return moved or Moved(0, 0)


def sample_tables(columns: Columns, machines: SimulatedHosts, ends_ns: Sequence[int]) -> tuple[pa.Table, ...]:
    """The samples up to the end of every workload in the order of time; what comes later is in the last.

    The simulator's metrics are named as the record's: a host's data disks together are the disk ``data``, its
    network ports the interface ``net``.
    """
    metrics = _native.Simulation.sample_metrics()
    times_ns = columns["time_ns"]
    order = np.argsort(times_ns, kind="stable")
    cuts = [int(np.searchsorted(times_ns[order], end_ns, side="right")) for end_ns in ends_ns[:-1]]
    whole = pa.Table.from_arrays(
        [
            pa.array(seconds(times_ns[order])),
            words(columns["host"][order], machines.hosts),
            words(columns["metric"][order], metrics),
            pa.array(columns["value"][order]),
        ],
        schema=SAMPLES_SCHEMA,
    )
    edges = [0, *cuts, len(times_ns)]
    return tuple(whole.slice(start, end - start) for start, end in pairwise(edges))


def file_rates(number: int, workload: Workload, tasks: Columns) -> tuple[FileRate, ...]:
    """One file for each map of the ``number``-th workload, in their order; none of other programs.

    TestDFSIO's clock runs from the open file to the closed one: the start of a map's Java machine and its
    commit are not counted.
    """
    if not isinstance(workload, DfsioFiles):
        return ()
    operation: Literal["write", "read"] = "read" if workload.reads else "write"
    mine = np.flatnonzero((tasks["workload"] == number) & (tasks["kind"] == 0))
    mine = mine[np.argsort(tasks["task"][mine], kind="stable")]
    sizes = np.maximum(tasks["input_bytes"], tasks["output_bytes"])[mine]
    rows = zip(tasks["task"][mine].tolist(), sizes.tolist(), seconds(tasks["io_ns"][mine]), strict=True)
    return tuple(
        FileRate(path=f"/dfsio/test_io_{task}", bytes=size, io_s=float(io_s), operation=operation)
        for task, size, io_s in rows
    )
