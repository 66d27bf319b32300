"""What follows from a study."""

from __future__ import annotations

from typing import NamedTuple

from howdah.report.comparing.sentences import answer
from howdah.report.study.found import Found
from howdah.units import format_counted


class Conclusion(NamedTuple):
    """What follows for cells that share their other levels; ``where`` says which, if there are several."""

    where: str
    answer: str


def conclusions(found: Found) -> tuple[Conclusion, ...]:
    """A sentence for each stratum; where nothing is held against anything, how far the study came."""
    if found.strata:
        return tuple(Conclusion(one.name, answer(one.comparison)) for one in found.strata)
    done = sum(bool(cell.good) for cell in found.cells)
    ran = f"{done} of {format_counted(len(found.cells), 'cell')} ran; none is held against another."
    return (Conclusion("", ran),)
