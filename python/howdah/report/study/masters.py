"""How much of a core the masters were busy, and how much for the blocks that they saw to."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean, geometric_mean
from typing import NamedTuple

from howdah.analysis.comparing.readings import ELAPSED
from howdah.analysis.wording import percent
from howdah.report.figure import Table
from howdah.report.study.found import CellRuns, StudyFound
from howdah.report.words import NONE

MASTERS = (("NameNode", "NameNode busy"), ("scheduler", "scheduler busy"))
"""The masters whose load is told, and the measure of it."""

PER_BLOCKS = 100
"""Blocks a second that a load is told for."""
LEAST_BLOCKS_PER_S = 1.0
"""With fewer, a master mostly does what it does without any work."""


class Load(NamedTuple):
    """What one workload of a cell asked of the masters."""

    cell: CellRuns
    workload: str
    blocks_per_s: float | None
    """None where the block size or the data are not known."""
    busy: tuple[float | None, ...]
    """Mean share of a core, master by master."""

    def normalised(self, master: int) -> float | None:
        """The share of a core for PER_BLOCKS blocks a second; None where there were hardly any."""
        busy = self.busy[master]
        if busy is None or self.blocks_per_s is None or self.blocks_per_s < LEAST_BLOCKS_PER_S:
            return None
        return PER_BLOCKS * busy / self.blocks_per_s


def loads(found: StudyFound) -> tuple[Load, ...]:
    """Every load there is, in the matrix's order."""
    return tuple(load for cell in found.cells for load in _loads(cell))


def masters_table(found: StudyFound) -> Table:
    """The masters' load as a share of a core, and for 100 blocks a second where these are known."""
    columns = ("cell", "workload", "blocks/s", *(f"{name}, one core" for name, _ in MASTERS))
    columns += tuple(f"{name} per {PER_BLOCKS} blocks/s" for name, _ in MASTERS)
    rows = tuple(
        (
            one.cell.cell.name,
            one.workload,
            f"{one.blocks_per_s:.3g}" if one.blocks_per_s else NONE,
            *(_share(busy) for busy in one.busy),
            *(_share(one.normalised(place)) for place in range(len(MASTERS))),
        )
        for one in loads(found)
    )
    return Table(columns, rows)


def _loads(cell: CellRuns) -> Iterator[Load]:
    workloads = dict.fromkeys(one.measure.workload for run in cell.good for one in run.readings)
    for workload in workloads:
        busy = [cell.values(measure, workload, None) for _, measure in MASTERS]
        times = cell.values(ELAPSED, workload, None)
        if any(busy) and times:
            blocks = cell.data_bytes / cell.block_bytes if cell.data_bytes and cell.block_bytes else None
            yield Load(
                cell=cell,
                workload=workload,
                blocks_per_s=blocks / geometric_mean(times) if blocks else None,
                busy=tuple(fmean(some) if some else None for some in busy),
            )


def _share(value: float | None) -> str:
    return NONE if value is None else percent(value)
