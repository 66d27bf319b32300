"""What a run took of this machine's own time, which is not the run's where that is simulated."""

from __future__ import annotations

from typing import NamedTuple


class Spent(NamedTuple):
    """Seconds by the clock on the wall."""

    engine_s: float
    """Running it."""
    recording_s: float
    """Writing its record."""
    reporting_s: float
    """Analysing it and drawing its report."""
