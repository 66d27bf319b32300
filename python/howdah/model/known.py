"""What is known of the same work as a run's: published figures, and measured runs."""

from __future__ import annotations

from typing import Literal

from howdah.model.base import Model
from howdah.model.prediction import Seconds


class KnownTimes(Model):
    """Times of the same work on the same hosts, divided alike."""

    origin: Literal["published", "measured"]
    """Whether a study says so or a run of one's own."""
    source: str
    """The published run's name, or the measured run's id."""
    times: dict[str, Seconds]
    """Seconds by workload, and by workload and phase: ``terasort``, ``terasort/map-shuffle``."""
    differs: tuple[str, ...] = ()
    """What else is not the same, in words."""
