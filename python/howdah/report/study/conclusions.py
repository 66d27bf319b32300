"""What follows from a study."""

from __future__ import annotations

from typing import NamedTuple

from howdah.analysis.wording import listed
from howdah.model.comparison import Comparison
from howdah.report.comparing.sentences import TOLD, answer
from howdah.report.comparing.words import interval, more_time
from howdah.report.plan.words import answer as planned
from howdah.report.study.found import Found
from howdah.units import format_counted


class Conclusion(NamedTuple):
    """What follows for cells that share their other levels; ``where`` says which, if there are several."""

    where: str
    answer: str


def conclusions(found: Found) -> tuple[Conclusion, ...]:
    """A sentence for each stratum; where nothing is held against anything, what is planned or has run."""
    if found.strata:
        return tuple(Conclusion(one.name, _answer(one.comparison)) for one in found.strata)
    if not any(cell.cell.runs for cell in found.cells):
        return tuple(
            Conclusion(one.cell.name, planned(one.plan, one.plan.cluster))
            for one in found.cells
            if one.plan is not None and one.plan.cluster is not None
        )
    done = sum(bool(cell.good) for cell in found.cells)
    ran = f"{done} of {format_counted(len(found.cells), 'cell')} ran; none is held against another."
    return (Conclusion("", ran),)


def _answer(comparison: Comparison) -> str:
    """The answer, which names one workload; of two groups, what can be told of the others is said, too."""
    main = answer(comparison)
    if len(comparison.against) > 1:
        return main
    (only,) = comparison.against
    named = [
        f"{one.measure.workload} {more_time(one.ratio)} ({interval(one)})"
        for one in only.times
        if one.measure.phase is None and one.verdict in TOLD and one.ratio is not None
        if f"{one.measure.workload} " not in main
    ]
    return f"{main} Also: {listed(named)}." if named else main
