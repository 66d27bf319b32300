"""The figures of a run's report."""

from __future__ import annotations

from howdah.analysis.analyse import analyse
from howdah.model.tables import RunData
from howdah.report.document import Figure
from howdah.report.figures import Figures, draw
from howdah.report.figures.timeaxis import FigureSource


def source_of(run: RunData) -> FigureSource:
    """What a run's figures are drawn from."""
    return FigureSource(run, analyse(run).evidence)


def report_figures(run: RunData) -> tuple[Figure, ...]:
    """All figures of a run's report."""
    return all_of(draw(source_of(run)))


def all_of(figures: Figures) -> tuple[Figure, ...]:
    """The figures of all groups."""
    answer = () if figures.answer is None else (figures.answer,)
    return (*answer, *figures.over_time, *figures.places, *figures.throughput, *figures.flows)
