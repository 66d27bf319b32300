"""The figures of a comparison in the order in which a reader meets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from howdah.analysis.comparing.courses import Course
from howdah.analysis.wording import listed
from howdah.model.comparison import Comparison
from howdah.report.comparing.overlay import overlays
from howdah.report.comparing.ratios import ratios
from howdah.report.comparing.repeats import repeats
from howdah.report.document import Figure


class ComparisonFigures(NamedTuple):
    """The answer's own figure, every run's times, and what resources did meanwhile in whose runs."""

    answer: Figure | None
    repeats: tuple[Figure, ...]
    over_time: tuple[Figure, ...]
    followed_runs: str

    def every(self) -> tuple[Figure, ...]:
        """All of them in order."""
        return (*([self.answer] if self.answer else []), *self.repeats, *self.over_time)


class Followed(NamedTuple):
    """What resources did in one workload, in one run of each group, by the group's name."""

    workload: str
    courses: Mapping[str, Sequence[Course]]


def draw(comparison: Comparison, followed: Followed) -> ComparisonFigures:
    """Every figure there is data for."""
    return ComparisonFigures(
        answer=ratios(comparison),
        repeats=repeats(comparison),
        over_time=overlays(comparison, followed.workload, followed.courses),
        followed_runs=_followed_runs(followed),
    )


def _followed_runs(followed: Followed) -> str:
    """Which runs are followed over time, in a sentence."""
    runs = listed([f"{name} {some[0].run}" for name, some in followed.courses.items() if some])
    return f"Sums over all machines that did the work, in the median run of each group: {runs}."
