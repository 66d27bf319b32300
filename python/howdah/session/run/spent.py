"""Seconds that a run took beside its own work."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass
from typing import NamedTuple


class Spent(NamedTuple):
    """Seconds by the clock on the wall."""

    engine_s: float
    """Running it."""
    recording_s: float
    """Writing its record."""
    reporting_s: float
    """Analysing it and drawing its report."""
