"""What a study's paper is written from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from howdah.analysis.wording import listed
from howdah.model.comparison import Comparison, RunFigures
from howdah.model.plan import Plan, Setting
from howdah.model.run import Outcome
from howdah.model.study import Study
from howdah.model.workloads.dfsio import FILE_SIZE, FILES
from howdah.report.comparing.draw import Followed
from howdah.study import Cell, named

BLOCK_SIZE = "dfs.blocksize"
ALL = "all"


class CellRuns(NamedTuple):
    """A cell of the matrix and its runs, warm-ups aside."""

    cell: Cell
    runs: tuple[RunFigures, ...]
    plan: Plan | None = None
    """What it runs on; none before a run of it, where its engine makes the plan."""
    parameters: tuple[Setting, ...] = ()
    """What the plan sets otherwise than by default."""

    @property
    def data_bytes(self) -> int | None:
        """What each of its workloads reads or writes of HDFS, replicas aside; none where it is not said."""
        settings = self.cell.settings
        files, file_bytes = settings.of(FILES), settings.of(FILE_SIZE)
        if files is not None and file_bytes is not None:
            return files * file_bytes
        return settings.dataset

    @property
    def block_bytes(self) -> int | None:
        """The block size that it asks for, or its plan has."""
        if self.cell.settings.block_size is not None or self.plan is None:
            return self.cell.settings.block_size
        planned = next((setting.value for setting in self.plan.settings if setting.key == BLOCK_SIZE), None)
        return planned if isinstance(planned, int) else None

    @property
    def blocks(self) -> float | None:
        """Blocks that each of its workloads writes or reads, replicas aside; none where it is not said."""
        return self.data_bytes / self.block_bytes if self.data_bytes and self.block_bytes else None

    @property
    def good(self) -> tuple[RunFigures, ...]:
        """The runs that succeeded."""
        return tuple(run for run in self.runs if run.outcome is Outcome.SUCCEEDED)

    def values(self, name: str, workload: str, phase: str | None) -> list[float]:
        """What the good runs came to in one measure."""
        return [
            reading.value
            for run in self.good
            for reading in run.readings
            if (reading.measure.name, reading.measure.workload, reading.measure.phase)
            == (name, workload, phase)
        ]


class StratumFound(NamedTuple):
    """Cells compared with one another, and what resources did in them."""

    name: str
    comparison: Comparison
    followed: Followed


class StudyFound(NamedTuple):
    """Everything a study has found so far."""

    study: Study
    cells: tuple[CellRuns, ...]
    strata: tuple[StratumFound, ...]
    warnings: tuple[str, ...]
    """What runs warned of, each once."""
    left: int
    """Runs that are still to be made."""
    warm_ups: int
    """Runs that do not count."""


def where(study: Study, some: Collection[int], of: Sequence[CellRuns]) -> str:
    """The cells with these numbers: all of them, those of some levels of one factor, or one by one."""
    cells = [cell.cell for cell in of]
    chosen = [cell for cell in cells if cell.number in some]
    if len(chosen) == len(cells) > 1:
        return ALL
    for factor in study.factors:
        labels = dict.fromkeys(cell.levels[factor.vary] for cell in chosen)
        if len(chosen) == sum(cell.levels[factor.vary] in labels for cell in cells):
            return listed([named(study, {factor.vary: label}) for label in labels])
    return listed([cell.name for cell in chosen])
