"""What follows from a study."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from howdah.analysis.wording import listed
from howdah.model.comparison import Comparison, Verdict
from howdah.report.comparing.sentences import answer
from howdah.report.comparing.words import interval, more, subject
from howdah.report.plan.words import answer as planned
from howdah.report.study.found import StudyFound
from howdah.report.study.results import SORT, by_size, n_log_n, sorted_size
from howdah.study.matrix import named
from howdah.units import format_bytes, format_counted


class Conclusion(NamedTuple):
    """What follows for cells that share their other levels; ``where`` says which, if there are several."""

    where: str
    answer: str


def conclusions(found: StudyFound) -> tuple[Conclusion, ...]:
    """A sentence for each stratum; else how time grew with size, or what is planned."""
    if found.strata:
        return tuple(Conclusion(one.name, _answer(one.comparison)) for one in found.strata)
    if by_size(found):
        return tuple(_grown(found))
    if not any(cell.cell.runs for cell in found.cells):
        return tuple(
            Conclusion(one.cell.name, planned(one.plan, one.plan.cluster))
            for one in found.cells
            if one.plan is not None and one.plan.cluster is not None
        )
    done = sum(bool(cell.good) for cell in found.cells)
    ran = f"{done} of {format_counted(len(found.cells), 'cell')} ran; none is compared with another."
    return (Conclusion("", ran),)


def _answer(comparison: Comparison) -> str:
    """The answer, which names one workload; of two groups, what can be told of the others is said, too."""
    main = answer(comparison)
    if len(comparison.against) > 1:
        return main
    (only,) = comparison.against
    if not any(one.is_told for one in only.wholes):
        return main
    others = [one for one in only.wholes if f"{subject(one.measure)} " not in main]
    told = [
        f"{subject(one.measure)} {more(one)} ({interval(one)})"
        for one in others
        if one.is_told and one.ratio is not None
    ]
    unclear = [subject(one.measure) for one in others if one.verdict is Verdict.CANNOT_TELL]
    also = f" Also: {listed(told)}." if told else ""
    return f"{main}{also}" + (f" Of {listed(unclear)} no difference is certain." if unclear else "")


def _grown(found: StudyFound) -> Iterator[Conclusion]:
    """How time grew from each size to the next beside n log n."""
    lines = by_size(found)
    for cells in lines:
        steps = []
        for smaller, larger in pairwise(cells):
            (less, less_s), (more, more_s) = sorted_size(smaller), sorted_size(larger)
            grown = more_s / less_s / (n_log_n(more) / n_log_n(less))
            steps.append(f"from {format_bytes(less)} to {format_bytes(more)} {grown:.2f} times as much")
        others = {name: label for name, label in cells[0].cell.levels.items() if name != "dataset"}
        said = f"Beside n log n, {SORT} grew {listed(steps)}; 1 is exactly so, less where starts still count."
        yield Conclusion(named(found.study, others), said)
