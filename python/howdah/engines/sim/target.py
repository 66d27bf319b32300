"""What a simulation rests on beside the plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from howdah.model.run import RunWarning


class SimTarget(NamedTuple):
    """The simulator's parameters, where they come from, and how often it is asked."""

    parameters: Mapping[str, float]
    """What is known of them; the others have their defaults."""
    calibration: str | None = None
    """The calibration's name; None where nothing was calibrated."""
    calibration_digest: str | None = None
    """SHA-256 of its content."""
    replications: int = 1
    """Simulations, each with a seed of its own."""
    warnings: tuple[RunWarning, ...] = ()
    """What a reader should know of the calibration."""
    draws: tuple[Mapping[str, float], ...] = ()
    """Parameters of each simulation after the first, where they are not known for sure."""
