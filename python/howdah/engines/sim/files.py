"""TestDFSIO's files as a simulation tells of them: each map's bytes and the time that its I/O took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pyarrow as pa

from howdah import _native
from howdah.model.run import FileRate
from howdah.model.workload import WorkloadKind

_OPERATIONS: dict[WorkloadKind, Literal["write", "read"]] = {
    WorkloadKind.DFSIO_WRITE: "write",
    WorkloadKind.DFSIO_READ: "read",
}
_LEAST_S = 1e-3


def file_rates(kind: WorkloadKind, tasks: pa.Table, given: Mapping[str, float]) -> tuple[FileRate, ...]:
    """One file for each map, in the order of their numbers; none of other programs.

    TestDFSIO's clock runs from the open file to the closed one, so the start of a map's Java machine and its
    commit are not counted. ``given`` are the simulation's parameters as far as they are not its defaults.
    """
    operation = _OPERATIONS.get(kind)
    if operation is None:
        return ()
    parameters = {name: default for name, default, *_ in _native.simulation_parameters()} | dict(given)
    around_s = parameters["task_start_s"] + parameters["task_end_s"]
    rows = tasks.select(["kind", "task", "start_s", "end_s", "input_bytes", "output_bytes"]).to_pylist()
    maps = sorted((row for row in rows if row["kind"] == "map"), key=lambda row: int(row["task"]))
    return tuple(
        FileRate(
            path=f"/dfsio/test_io_{row['task']}",
            bytes=max(row["input_bytes"], row["output_bytes"]),
            io_s=max(_LEAST_S, row["end_s"] - row["start_s"] - around_s),
            operation=operation,
        )
        for row in maps
    )
