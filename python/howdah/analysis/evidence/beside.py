"""A time of a simulated run beside one that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Beside:
    """One workload or phase as it was simulated, and as it was published or measured.

    ``source`` names the published or the measured run, ``differs`` says in words what else is not the same.
    """

    workload: str
    phase: str | None
    simulated_s: float
    known_s: float
    origin: Literal["published", "measured"]
    source: str
    differs: tuple[str, ...]

    @property
    def error(self) -> float:
        """How far the simulated time lies above the known one, as a share of it."""
        return self.simulated_s / self.known_s - 1
