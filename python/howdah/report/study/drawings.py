"""The figures of a study."""

from __future__ import annotations

from typing import NamedTuple

from howdah.report.comparing.draw import ComparisonFigures as Compared
from howdah.report.comparing.draw import draw as draw_comparison
from howdah.report.document import Figure
from howdah.report.study.found import StudyFound
from howdah.report.study.masters import masters_load
from howdah.report.study.scaling import scaling
from howdah.report.study.unanswered import unanswered_figure


class StudyFigures(NamedTuple):
    """How time grows with size, what blocks ask of the masters, and the figures of each stratum."""

    scaling: Figure | None
    masters: tuple[Figure, ...]
    unanswered: Figure | None
    strata: tuple[Compared, ...]

    @property
    def lead(self) -> Figure | None:
        """The figure of the answer, where there is but one: it stands beside it."""
        return self.strata[0].answer if len(self.strata) == 1 else None


def draw(findings: StudyFound) -> StudyFigures:
    """Every figure there is data for; a figure's id begins with its stratum's number."""
    return StudyFigures(
        scaling=scaling(findings),
        masters=masters_load(findings),
        unanswered=unanswered_figure(findings),
        strata=tuple(
            _numbered(draw_comparison(stratum.comparison, stratum.followed), number)
            for number, stratum in enumerate(findings.strata, start=1)
        ),
    )


def _numbered(figures: Compared, number: int) -> Compared:
    def mine(figure: Figure) -> Figure:
        return figure._replace(id=f"{number}-{figure.id}")

    return Compared(
        answer=mine(figures.answer) if figures.answer else None,
        repeats=tuple(mine(figure) for figure in figures.repeats),
        over_time=tuple(mine(figure) for figure in figures.over_time),
        followed_runs=figures.followed_runs,
    )
