"""At how many blocks a second a load is too much: a straight line through what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from howdah.analysis.comparing.statistics import CONFIDENCE

LEAST_POINTS = 4
"""With fewer a straight line has no interval to speak of."""


class LoadLine(NamedTuple):
    """A load without any blocks, and how much more there is for each block a second, with its interval."""

    idle: float
    per_block: float
    low: float
    high: float

    @property
    def grows(self) -> bool:
        """Whether it is certain that blocks are what the load comes from."""
        return self.low > 0

    def full_at(self, limit: float) -> tuple[float, float, float]:
        """The blocks a second at which the load reaches ``limit``: the fewest, the likeliest, the most.

        For a line that grows and a limit beyond its load without blocks.
        """
        room = limit - max(self.idle, 0.0)
        return room / self.high, room / self.per_block, room / self.low


def load_line(blocks_per_s: Sequence[float], loads: Sequence[float]) -> LoadLine | None:
    """The least-squares line through a point for each run; None for too few or all at one rate of blocks."""
    if len(blocks_per_s) < LEAST_POINTS or np.ptp(blocks_per_s) == 0:
        return None
    fit = stats.linregress(blocks_per_s, loads)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(blocks_per_s) - 2) * fit.stderr)
    slope = float(fit.slope)
    return LoadLine(idle=float(fit.intercept), per_block=slope, low=slope - half, high=slope + half)
