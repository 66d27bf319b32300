"""TestDFSIO's files as a simulation tells of them: each map's bytes and the time that its I/O took."""

from __future__ import annotations

from typing import Literal

import numpy as np

from howdah.engines.sim.columns import Columns, seconds
from howdah.model.run import FileRate
from howdah.model.workload import WorkloadKind

_OPERATIONS: dict[WorkloadKind, Literal["write", "read"]] = {
    WorkloadKind.DFSIO_WRITE: "write",
    WorkloadKind.DFSIO_READ: "read",
}


def file_rates(number: int, kind: WorkloadKind, tasks: Columns) -> tuple[FileRate, ...]:
    """One file for each map of the ``number``-th workload, in their order; none of other programs.

    TestDFSIO's clock runs from the open file to the closed one: the start of a map's Java machine and its
    commit are not counted.
    """
    operation = _OPERATIONS.get(kind)
    if operation is None:
        return ()
    mine = np.flatnonzero((tasks["workload"] == number) & (tasks["kind"] == 0))
    mine = mine[np.argsort(tasks["task"][mine], kind="stable")]
    sizes = np.maximum(tasks["input_bytes"], tasks["output_bytes"])[mine]
    rows = zip(tasks["task"][mine].tolist(), sizes.tolist(), seconds(tasks["io_ns"][mine]), strict=True)
    return tuple(
        FileRate(path=f"/dfsio/test_io_{task}", bytes=size, io_s=float(io_s), operation=operation)
        for task, size, io_s in rows
    )
