"""Every run that was scored, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median

from howdah.analysis.wording import percent
from howdah.model.prediction import Score
from howdah.report.figure import Table
from howdah.report.words import NONE


def scored_runs(history: Sequence[Score]) -> Table:
    """Run by run, oldest first: how many times were where they were predicted, and how far off they were."""
    return Table(
        ("run", "prediction", "engine", "calibration", "inside", "median error"), tuple(_lines(history))
    )


def _lines(history: Sequence[Score]) -> Iterator[tuple[str, ...]]:
    for (run, prediction), group in groupby(history, key=lambda one: (one.run, one.prediction)):
        some = list(group)
        yield (
            run,
            prediction,
            some[0].engine,
            some[0].calibration or NONE,
            f"{sum(one.inside for one in some)} of {len(some)}",
            percent(median(abs(one.error) for one in some)),
        )
