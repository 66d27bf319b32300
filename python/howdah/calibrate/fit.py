"""The parameters that explain the known figures best, how sure they are, and what each rests on."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NamedTuple

import numpy as np

from howdah.calibrate.problem import Problem, Vector, start_of
from howdah.extras import extra

_MOST_STEPS = 5
_CLOSE = 3e-3


class Fit(NamedTuple):
    """A fit: where it ended, what the simulator says there, and how each figure moves."""

    position: Vector
    """Logarithms of the free numbers."""
    simulated: Vector
    """What the simulator says of every figure."""
    slopes: Vector
    """Derivatives of every distance and surprise by every number."""
    covariance: Vector
    """Of the position, by Gauss and Newton."""


def fit(problem: Problem, begin: Vector | None = None) -> Fit:
    """The most likely numbers, given the figures and what was expected before: a Bayesian's mode.

    The distances are simulated in full; their derivatives on the small works, which move alike. The search
    begins at ``begin`` where that is given: it ends sooner there, but not elsewhere.
    """
    with needs_statistics():
        from scipy.optimize import least_squares  # noqa: PLC0415

    lows, highs = _room(problem)
    result = least_squares(
        problem.distances,
        start_of(problem.free) if begin is None else np.clip(begin, lows, highs),
        jac=problem.slopes,
        bounds=(lows, highs),
        x_scale=np.array([parameter.spread for parameter in problem.free]),
        loss="linear",
        ftol=_CLOSE,
        xtol=_CLOSE,
        max_nfev=_MOST_STEPS,
    )
    position = np.asarray(result.x)
    slopes = problem.slopes(position)
    return Fit(position, problem.figures_at(position), slopes, covariance(slopes))


def needs_statistics() -> AbstractContextManager[None]:
    """Import scipy; raises MissingExtra where it is not installed."""
    return extra("statistics", "howdah calibrate")


def covariance(slopes: Vector) -> Vector:
    """Of a position with such derivatives about it; priors see to it that there is one."""
    return np.asarray(np.linalg.inv(slopes.T @ slopes), dtype=np.float64)


def refit_without(problem: Problem, full: Fit, case: str) -> Vector:
    """Where the fit would have ended without a case: one step of Gauss and Newton from the full fit."""
    with needs_statistics():
        from scipy.optimize import lsq_linear  # noqa: PLC0415

    kept = np.array([figure.case.name != case for figure in problem.figures] + [True] * len(problem.free))
    distances = np.concatenate([problem.misfits(full.simulated), problem.surprises(full.position)])
    lows, highs = _room(problem)
    step = lsq_linear(
        full.slopes[kept],
        -distances[kept],
        # A full fit that ended on a bound leaves no room on its far side.
        bounds=(np.minimum(lows - full.position, -1e-9), np.maximum(highs - full.position, 1e-9)),
    )
    return full.position + np.asarray(step.x)


def _room(problem: Problem) -> tuple[Vector, Vector]:
    """The least and the most of every number's logarithm.

    Ranges are expectations, not walls: a number may leave its range at a price, never by far.
    """
    lows = np.log([parameter.low for parameter in problem.free])
    highs = np.log([parameter.high for parameter in problem.free])
    room = (highs - lows) / 2
    return lows - room, highs + room


def rests_on(problem: Problem, full: Fit, index: int, most: int = 3) -> tuple[str, ...]:
    """The figures that say most of one number: those whose squared slopes make up its certainty."""
    weights = full.slopes[: len(problem.figures), index] ** 2
    order = np.argsort(-weights, kind="stable")[:most]
    return tuple(
        f"{problem.figures[i].case.name}: {problem.figures[i].quantity}" for i in order if weights[i] > 0
    )
