"""Which cells something holds for, said as shortly as the matrix allows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from howdah.analysis.wording import listed
from howdah.model.study import Study
from howdah.report.study.found import CellRuns
from howdah.study.matrix import named

ALL = "all"


def where(study: Study, some: Collection[int], of: Sequence[CellRuns]) -> str:
    """The cells with these numbers: all of them, those of some levels of one factor, or one by one."""
    cells = [one.cell for one in of]
    chosen = [cell for cell in cells if cell.number in some]
    if len(chosen) == len(cells) > 1:
        return ALL
    for factor in study.factors:
        labels = dict.fromkeys(cell.levels[factor.vary] for cell in chosen)
        if len(chosen) == sum(cell.levels[factor.vary] in labels for cell in cells):
            return listed([named(study, {factor.vary: label}) for label in labels])
    return listed([cell.name for cell in chosen])
