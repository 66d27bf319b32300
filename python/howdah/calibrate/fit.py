"""The parameters that explain the known figures best, how sure they are, and what each rests on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from statistics import median
from typing import NamedTuple

import numpy as np

from howdah.calibrate.case import is_load
from howdah.calibrate.problem import FittedFigure, Problem, Vector, start_of
from howdah.extras import extra
from howdah.model.calibration import Parameter, Without

_MOST_ROUNDS = 4
_MOST_STEPS = 4
_CLOSE = 3e-3
_PARTS = (1.0, 0.5, 0.2)
"""Of a step: all of it, then less where more leads uphill."""
_NOTHING = 1e-9


class Fit(NamedTuple):
    """A fit: where it ended, what the simulator says there, and how each figure moves."""

    position: Vector
    """Logarithms of the free numbers."""
    simulated: Vector
    """What the simulator says of every figure."""
    slopes: Vector
    """Derivatives of every distance and surprise by every number."""
    weights: Vector
    """What each distance and surprise counts: less, the further off it is."""
    covariance: Vector
    """Of the position, by Gauss and Newton."""


def fit(problem: Problem, begin: Vector | None = None) -> Fit:
    """The most likely numbers, given the figures and what was expected before: a Bayesian's mode.

    A distance *d* costs *2·(√(1 + d²) − 1)*: the pull of a figure that is far off no longer grows with its
    distance, for most such errors are not those of the numbers that are sought (P. Huber, *Robust
    Statistics*, 1981). Each step is that of Gauss and Newton for squares that are weighted to cost the same
    nearby. Figures are simulated in full before and after a round of steps; within it they move as the small
    works do. The search begins at ``begin`` if that is given: it ends sooner there, but not elsewhere.
    """
    position = start_of(problem.free) if begin is None else np.clip(begin, *_room(problem))
    figures = problem.figures_at(position)
    for _ in range(_MOST_ROUNDS):
        at, known = position, figures
        for _ in range(_MOST_STEPS):
            moved = _downhill(problem, at, known)
            if moved is None:
                break
            at, known = moved
        simulated = problem.figures_at(at)
        before, after = _cost(problem, position, figures), _cost(problem, at, simulated)
        if after < before:
            position, figures = at, simulated
        if before - after < _CLOSE * before:
            break
    slopes = problem.slopes(position)
    weights = _weights(_distances(problem, position, figures))
    return Fit(position, figures, slopes, weights, covariance(weights[:, None] * slopes))


def _downhill(problem: Problem, position: Vector, figures: Vector) -> tuple[Vector, Vector] | None:
    """Where a step leads, and the figures there; None if it makes little difference."""
    cost = _cost(problem, position, figures)
    every = np.ones(len(problem.figures) + len(problem.free), dtype=bool)
    step = _step(problem, position, figures, every)
    for part in _PARTS:
        at = position + part * step
        moved = problem.moved(figures, position, at)
        if cost - _cost(problem, at, moved) > _CLOSE * cost:
            return at, moved
    return None


def _distances(problem: Problem, position: Vector, figures: Vector) -> Vector:
    return np.concatenate([problem.misfits(figures), problem.surprises(position)])


def _cost(problem: Problem, position: Vector, figures: Vector) -> float:
    return float(np.sum(2 * (np.sqrt(1 + _distances(problem, position, figures) ** 2) - 1)))


def _weights(distances: Vector) -> Vector:
    """What makes squares of distances cost what they do in the fit, near where they are."""
    return np.asarray((1 + distances**2) ** -0.25)


def _step(problem: Problem, position: Vector, figures: Vector, kept: Vector) -> Vector:
    """A step of Gauss and Newton that counts some of the distances and surprises, within the room."""
    with needs_statistics():
        from scipy.optimize import lsq_linear  # noqa: PLC0415

    distances = _distances(problem, position, figures)
    weights = _weights(distances)
    lows, highs = _room(problem)
    step = lsq_linear(
        (weights[:, None] * problem.slopes(position))[kept],
        -(weights * distances)[kept],
        # A fit that ended on a bound leaves no room on its far side.
        bounds=(np.minimum(lows - position, -_NOTHING), np.maximum(highs - position, _NOTHING)),
    )
    return np.asarray(step.x)


def needs_statistics() -> AbstractContextManager[None]:
    """Import scipy; raises MissingExtra where it is not installed."""
    return extra("statistics", "howdah calibrate")


def covariance(slopes: Vector) -> Vector:
    """Of a position with such derivatives about it; priors see to it that there is one."""
    return np.asarray(np.linalg.inv(slopes.T @ slopes), dtype=np.float64)


def refit_without(problem: Problem, full: Fit, case: str) -> Vector:
    """Where the fit would have ended without a case: one step of Gauss and Newton from the full fit."""
    kept = np.array([figure.case.name != case for figure in problem.figures] + [True] * len(problem.free))
    return full.position + _step(problem, full.position, full.simulated, kept)


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
    weights = (full.weights * full.slopes[:, index])[: len(problem.figures)] ** 2
    order = np.argsort(-weights, kind="stable")[:most]
    return tuple(
        f"{problem.figures[i].case.name}: {problem.figures[i].quantity}" for i in order if weights[i] > 0
    )


_NEARLY_NOTHING = 1e-12
"""Stands for 0, of which there is no logarithm."""


class _Error(NamedTuple):
    """How far off one figure is without a mechanism, and with it."""

    figure: FittedFigure
    without: float
    before: float


def ablate(problem: Problem, full: Fit, parameters: Iterable[Parameter]) -> Iterator[Without]:
    """Turn off each mechanism that can be, the other numbers staying where they are."""
    names = [parameter.name for parameter in problem.free]
    for parameter in parameters:
        if parameter.off is None or parameter.name not in names:
            continue
        position = full.position.copy()
        position[names.index(parameter.name)] = math.log(parameter.off or _NEARLY_NOTHING)
        simulated = problem.moved(full.simulated, full.position, position)
        errors = [
            _Error(figure, abs(float(x) / figure.known - 1), abs(float(before) / figure.known - 1))
            for figure, x, before in zip(problem.figures, simulated, full.simulated, strict=True)
            if not is_load(figure.quantity)
        ]
        worst = max(errors, key=lambda error: error.without - error.before)
        yield Without(
            parameter=parameter.name,
            median=round(median(error.without for error in errors), 4),
            most=round(worst.without, 4),
            case=worst.figure.case.name,
            quantity=worst.figure.quantity,
        )
