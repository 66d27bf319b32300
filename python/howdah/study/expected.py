"""How long what is left of a study will take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from howdah.model.study import Study
from howdah.model.study_run import StudyRun
from howdah.study.schedule import Due


def expected_s(
    study: Study, left: Sequence[Due], done: Sequence[StudyRun], guesses: Mapping[int, float] | None = None
) -> float | None:
    """Seconds, rests included and at most what the budget has left; None where nothing is known.

    A cell that has not run takes what is guessed of it by its number, or is taken to be as long as those
    that have.
    """
    by_cell: dict[int, list[float]] = {}
    for run in done:
        by_cell.setdefault(run.cell, []).append(run.took_s)
    known = {**(guesses or {}), **{cell: fmean(some) for cell, some in by_cell.items()}}
    if not known:
        return None
    usual = fmean(known.values())
    total = sum(known.get(run.cell.number, usual) + study.settle_s for run in left)
    if study.budget.hours is None:
        return total
    return min(total, max(0.0, 3600 * study.budget.hours - sum(run.took_s for run in done)))
