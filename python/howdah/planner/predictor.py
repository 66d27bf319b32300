"""Predicted times of plans that do not exist yet: what the planner compares platforms by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, mean, stdev
from typing import NamedTuple, Protocol

from howdah.model.plan import ClusterPlan

_NINETY = NormalDist().inv_cdf(0.95)


class Predicted(NamedTuple):
    """How long the work takes on one plan."""

    elapsed_s: tuple[float, ...]
    """One time for each draw of what is not known for sure; the draws are the same for every plan."""
    unexplained: float
    """Standard deviation of a time's logarithm that the draws do not explain."""
    own: float
    """As much of it as counts beside another plan of the same hosts for the same data."""

    @property
    def apart(self) -> Predicted:
        """The same beside a plan of other hosts, where all of it counts."""
        return self._replace(own=self.unexplained)


class Predictor(Protocol):
    """Predicts plans."""

    about: str
    """What is predicted, and from what, in words."""

    def __call__(self, plans: Sequence[ClusterPlan]) -> Sequence[Predicted]:
        """What the same work takes on each of the plans."""


class Lag(NamedTuple):
    """How much longer one plan takes than another: 0.1 for 10 %, with the ends of a 90 % interval."""

    share: float
    low: float
    high: float

    @property
    def tells(self) -> bool:
        """Whether the two can be distinguished."""
        return self.low > 0 or self.high < 0


def lag(prediction: Predicted, other: Predicted) -> Lag:
    """How much longer ``prediction``'s plan takes than ``other``'s, over the same draws.

    The effect of a draw on both cancels out. What the draws do not explain counts for each plan as far as it
    is not common to both.
    """
    ratios = [
        math.log(mine / theirs) for mine, theirs in zip(prediction.elapsed_s, other.elapsed_s, strict=True)
    ]
    drawn = stdev(ratios) if len(ratios) > 1 else 0.0
    middle = mean(ratios)
    reach = _NINETY * math.hypot(drawn, prediction.own, other.own)
    return Lag(*(math.expm1(end) for end in (middle, middle - reach, middle + reach)))
