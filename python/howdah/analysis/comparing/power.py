"""How many repeats would tell a difference, and how large a difference the repeats at hand would tell."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

POWER = 0.9
"""A difference counts as one that would be told if it is told nine times in ten."""

MOST_REPEATS = 100
"""Nobody makes more."""

MOST_TIMES = 100.0
"""That only a difference beyond this many times would show need not be told by a number."""


_FAR = 1e4
"""Standard errors beyond which the distribution takes long to invert, and nothing would ever show."""


def repeats_needed(difference: float, noise: float, level: float) -> int | None:
    """The repeats on each side that tell a difference of logarithms; None for more than MOST_REPEATS."""
    repeats = np.arange(2, MOST_REPEATS + 1, dtype=np.float64)
    least = _shift(2 * repeats - 2, level) * noise * np.sqrt(2 / repeats)
    enough = repeats[least <= abs(difference)]
    return int(enough[0]) if len(enough) else None


def detectable(base: int, other: int, noise: float, level: float) -> float | None:
    """The least ratio above 1 that so many repeats on the two sides tell; None beyond MOST_TIMES."""
    shift = _shift(np.array([_freedom(base, other)]), level)
    difference = float(shift[0]) * noise * math.sqrt(1 / base + 1 / other)
    return math.exp(difference) if difference < math.log(MOST_TIMES) else None


def _freedom(base: int, other: int) -> float:
    """The degrees of freedom of Welch's test where the noise is the same: fewer for unequal sides."""
    if min(base, other) == 1:
        return base + other - 2.0
    parts = sum(1 / (repeats**2 * (repeats - 1)) for repeats in (base, other))
    return (1 / base + 1 / other) ** 2 / parts


def _shift(freedom: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """The standard errors by which two means must differ for a two-sided t-test to tell it.

    That it may tell the difference the wrong way round is left out: with this power, it never does.
    """
    bound = np.asarray(stats.t.isf(level / 2, freedom))
    shift = np.full(len(freedom), np.inf)
    near = bound < _FAR
    shift[near] = special.nctdtrinc(freedom[near], 1 - POWER, bound[near])
    return shift
