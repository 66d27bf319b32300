"""How long what is left of a study will take, as its runs so far tell."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from howdah.model.study_run import StudyRun
from howdah.study.schedule import Due


def expected_s(left: Sequence[Due], done: Sequence[StudyRun]) -> float | None:
    """Seconds; a cell that has not run is taken to be as long as those that have. None where none has."""
    if not done:
        return None
    by_cell: dict[int, list[float]] = {}
    for run in done:
        by_cell.setdefault(run.cell, []).append(run.took_s)
    usual = fmean(fmean(some) for some in by_cell.values())
    return sum(fmean(by_cell[one.cell.number]) if one.cell.number in by_cell else usual for one in left)
