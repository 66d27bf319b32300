"""The numbers that a fit seeks, and what is known of them before it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from howdah.calibrate.study import Study
from howdah.model.parameter import Parameter

Vector = NDArray[np.float64]

_WIDTHS = 4.0
"""A range from low to high is taken for so many standard deviations: 95 % of what is thought possible."""


class Free(NamedTuple):
    """One number that is sought. It is positive, and its logarithm is what the optimiser moves."""

    name: str
    """The parameter's name, or the study's and the quantity's: ``seven-node/speed``."""
    start: float
    """Where the search begins, and what is most likely before any data is seen."""
    low: float
    """The least it can be."""
    high: float
    """The most it can be."""
    source: str
    """Who says so."""

    @property
    def spread(self) -> float:
        """Standard deviation of its logarithm before any data is seen."""
        return math.log(self.high / self.low) / _WIDTHS


def free_parameters(parameters: Iterable[Parameter]) -> list[Free]:
    """The simulator's parameters, before anything is known of a study."""
    return [Free(one.name, one.default, one.low, one.high, one.source) for one in parameters]


def free_hardware(study: Study) -> list[Free]:
    """What of a study's hardware is fitted to its own figures."""
    return [
        Free(f"{study.study}/{one.name}", one.start, one.low, one.high, one.source) for one in study.refit
    ]


def values_at(free: Sequence[Free], position: Vector) -> dict[str, float]:
    """The numbers at a position of the optimiser's."""
    return {one.name: float(math.exp(x)) for one, x in zip(free, position, strict=True)}


def start_of(free: Sequence[Free]) -> Vector:
    """Where the search begins."""
    return np.array([math.log(one.start) for one in free])


def position_of(free: Sequence[Free], values: Mapping[str, float]) -> Vector:
    """The position of numbers that are known; the others are where they are most likely."""
    return np.array([math.log(values.get(one.name, one.start)) for one in free])


def values_for(study: str, values: Mapping[str, float]) -> dict[str, float]:
    """The values that hold for a study: the simulator's parameters, and its own hosts' quantities."""
    prefix = f"{study}/"
    return {
        name.removeprefix(prefix): value
        for name, value in values.items()
        if "/" not in name or name.startswith(prefix)
    }
