"""Parameters as they may well be: drawn from a calibration's intervals and correlations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from howdah.model.calibration import CalibratedValue, Calibration

_NINETY = 1.6448536269514722
"""Standard deviations from the middle to either end of a 90 % interval."""
_MOST = 2.5
"""No draw is further from what was found, in standard deviations: nobody fitted the tails."""


def draws(calibration: Calibration, count: int, seed: int) -> tuple[dict[str, float], ...]:
    """So many sets of values by name, the first of them the calibration's own; the same seed gives the same.

    A logarithm is normal about the value that was found, as far as its interval says; fitted ones lie apart
    together, as their correlations say. What has no interval, or is not positive, stays as it is. Each set
    has the names of ``calibration.values``: what was fitted to one study's own hosts is of no other's.
    """
    values = calibration.parameters
    spreads = np.array([_spread(value) for value in values])
    normal = np.random.default_rng(seed).standard_normal((max(0, count - 1), len(values)))
    # Row by row, where a product of matrices would round by how many rows there are.
    together = np.clip(np.sum(normal[:, np.newaxis, :] * _root(calibration, values), axis=2), -_MOST, _MOST)
    result = tuple(calibration.values for _ in range(min(count, 1)))
    return result + tuple(
        {
            value.name: value.value * float(np.exp(spread * off))
            for value, spread, off in zip(values, spreads, row, strict=True)
            if value.name in calibration.values
        }
        for row in together
    )


def _spread(value: CalibratedValue) -> float:
    """Standard deviation of the logarithm."""
    if min(value.low, value.value) <= 0:
        return 0.0
    return float(np.log(value.high / value.low)) / (2 * _NINETY)


def _root(calibration: Calibration, values: Sequence[CalibratedValue]) -> NDArray[np.float64]:
    """A square root of the correlations: numbers drawn apart become numbers that lie apart together."""
    whole = np.eye(len(values))
    fitted = [index for index, value in enumerate(values) if value.origin == "fitted"]
    below = iter(calibration.correlations)
    if calibration.correlations:
        for row, index in enumerate(fitted):
            for other in fitted[:row]:
                whole[index, other] = whole[other, index] = next(below)
    # Rounded correlations may be no matrix of any numbers; the nearest is without what is below zero.
    sizes, directions = np.linalg.eigh(whole)
    root: NDArray[np.float64] = directions * np.sqrt(np.maximum(sizes, 0.0))
    return root
