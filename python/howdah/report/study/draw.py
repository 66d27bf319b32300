"""The figures of a study's paper in the order in which a reader meets them."""

from __future__ import annotations

from typing import NamedTuple

from howdah.report.comparing.draw import ComparisonFigures as Compared
from howdah.report.comparing.draw import draw as draw_comparison
from howdah.report.figure import Figure
from howdah.report.study.found import StudyFound
from howdah.report.study.masters_load import masters_load
from howdah.report.study.scaling import scaling


class StudyFigures(NamedTuple):
    """How time grows with size, what blocks ask of the masters, and the figures of each stratum."""

    scaling: Figure | None
    masters: tuple[Figure, ...]
    strata: tuple[Compared, ...]

    @property
    def lead(self) -> Figure | None:
        """The figure of the answer, where there is but one: it stands beside it."""
        return self.strata[0].answer if len(self.strata) == 1 else None

    def every(self) -> tuple[Figure, ...]:
        """All of them in order."""
        compared = (figure for stratum in self.strata for figure in stratum.every())
        return (*([self.scaling] if self.scaling else []), *self.masters, *compared)


def draw(found: StudyFound) -> StudyFigures:
    """Every figure there is data for; a figure's id begins with its stratum's number."""
    return StudyFigures(
        scaling=scaling(found),
        masters=masters_load(found),
        strata=tuple(
            _numbered(draw_comparison(one.comparison, one.followed), number)
            for number, one in enumerate(found.strata, start=1)
        ),
    )


def _numbered(figures: Compared, number: int) -> Compared:
    def mine(figure: Figure) -> Figure:
        return figure._replace(id=f"{number}-{figure.id}")

    return Compared(
        answer=mine(figures.answer) if figures.answer else None,
        repeats=tuple(mine(one) for one in figures.repeats),
        over_time=tuple(mine(one) for one in figures.over_time),
        whose=figures.whose,
    )
