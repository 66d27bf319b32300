"""What is kept of each run of a study beside its record."""

from __future__ import annotations

from howdah.model.base import Model
from howdah.model.comparison import RunFigures


class StudyRun(Model):
    """One run of a study that has ended, well or not."""

    cell: int
    """Its cell's place in the matrix, from 0."""
    repeat: int
    """Which repeat of the cell it is, from 1; 0 warms up and does not count."""
    took_s: float
    """Seconds that it took here: of a simulation, of this machine's time."""
    caches_dropped: bool = False
    """Whether the page cache was emptied before it."""
    figures: RunFigures
    """What a comparison sees of it."""
