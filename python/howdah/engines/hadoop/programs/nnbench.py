"""NNBench: how many operations on files a NameNode does in a second, one kind after the other."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from howdah.engines.hadoop.programs.command import Command
from howdah.engines.hadoop.work import Conclusion, FinishedJob, HadoopWork
from howdah.engines.under_way import PartialResult
from howdah.errors import RunFailed
from howdah.installation.java_programs import PROGRAMS
from howdah.model.reported import Counters
from howdah.model.run import Phase
from howdah.model.workloads.hadoop_programs import NNBench, operations_per_s

_OPERATIONS = ("create_write", "open_read", "rename", "create_write", "delete")
"""Each uses the files of the one before; delete needs new files, because it does not know renamed ones."""
_BARRIER_S = 20
"""All maps begin at one moment, by which the last of them should have started."""
_CHECKSUM_BYTES = 512
_BLOCK_BYTES = 1 << 20
"""dfs.namenode.fs-limits.min-block-size; NNBench's own default of 1 byte is refused by every NameNode."""

_RATE = re.compile(r"\bTPS: [\w/]+: ([\d.]+)$", re.MULTILINE)
_LATE = re.compile(r"# maps that missed the barrier: (\d+)$", re.MULTILINE)


class OperationRate(NamedTuple):
    """NNBench's measurement of one operation."""

    per_s: float
    """Operations in a second, over all maps."""
    late_maps: int
    """Maps that started after the others had begun."""


def nnbench(work: HadoopWork[NNBench]) -> Conclusion:
    """Create and write empty files, open, rename and delete them; each one's rate is a metric."""
    rates: dict[str, float] = {}
    jobs: list[tuple[str, FinishedJob]] = []
    for operation in _OPERATIONS:
        folder = work.context.workspace.folder("nnbench")
        finished = work.run(Command(PROGRAMS["nnbench"], {}, arguments(work.workload, operation, folder)))
        measured = read_measured(finished.lines)
        if measured is None:
            raise RunFailed(f"{work.workload.kind} {operation}", "NNBench printed no result")
        if measured.late_maps:
            work.context.warn(
                "late-maps",
                f"nnbench {operation}: {measured.late_maps} maps started late, so the rate is too low",
            )
        rates.setdefault(operation, measured.per_s)
        jobs.append((operation, finished))
    metrics = tuple(operations_per_s(operation, per_s) for operation, per_s in rates.items())
    return lambda: PartialResult(counters=Counters(), phases=tuple(_phases(jobs)), metrics=metrics)


def _phases(jobs: Iterable[tuple[str, FinishedJob]]) -> Iterator[Phase]:
    """A phase for each operation."""
    for operation, job in jobs:
        if phases := job.reported.phases:
            yield Phase(name=operation, start_s=phases[0].start_s, end_s=phases[-1].end_s)


def arguments(workload: NNBench, operation: str, folder: str) -> tuple[str, ...]:
    """NNBench's own options."""
    options: dict[str, int | str | None] = {
        "operation": operation,
        "maps": workload.maps,
        "reduces": 1,
        "numberOfFiles": workload.operations,
        "blockSize": workload.block_bytes or _BLOCK_BYTES,
        "bytesPerChecksum": _CHECKSUM_BYTES,
        "bytesToWrite": 0,
        "replicationFactorPerFile": workload.replication,
        "startTime": int(time.time()) + _BARRIER_S,
        "baseDir": folder,
    }
    return tuple(
        word for name, value in options.items() if value is not None for word in (f"-{name}", f"{value}")
    )


def read_measured(lines: Iterable[str]) -> OperationRate | None:
    """The result that a client printed; None without a rate."""
    text = "\n".join(lines)
    rate, late = _RATE.search(text), _LATE.search(text)
    return OperationRate(float(rate[1]), int(late[1]) if late else 0) if rate else None
