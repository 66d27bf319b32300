"""The parameters that explain the known figures best, how sure they are, and what each rests on.

Each case is also left out in turn: its prediction from the others shows how wide an interval must be.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import NormalDist, median
from typing import NamedTuple

import numpy as np

from howdah.calibrate.case import Case, is_load, metric_kind, metric_of, workload_of
from howdah.calibrate.problem import FittedFigure, Problem, Vector, position_of
from howdah.extras import extra
from howdah.model.calibration import Parameter, Residual, Without

_STATISTICS = ("statistics", "howdah calibrate")  # The extra that installs scipy, and what needs it.
_MOST_ROUNDS = 4
_MOST_STEPS = 4
_CLOSE = 3e-3
_PARTS = (1.0, 0.5, 0.2)  # Of a step: all of it, then less where more leads uphill.
_NOTHING = 1e-9


class Fit(NamedTuple):
    """A fit: where it ended, the simulated figures there, and how each figure moves."""

    position: Vector
    simulated: Vector
    slopes: Vector  # Derivatives of every distance and surprise by every number.
    weights: Vector  # What each distance and surprise counts: less, the further off it is.
    covariance: Vector


def fit(problem: Problem, begin: Vector | None = None) -> Fit:
    """The most likely numbers, given the figures and what was expected before: a Bayesian's mode.

    A distance *d* costs *2·(√(1 + d²) − 1)*: the pull of a figure that is far off no longer grows with its
    distance, for most such errors are not those of the free numbers (P. Huber, *Robust
    Statistics*, 1981). Each step is that of Gauss and Newton for squares that are weighted to cost the same
    nearby. Figures are simulated in full before and after a round of steps; within it they move as the small
    works do. The search begins at ``begin`` if that is given: it ends sooner there, but not elsewhere.
    """
    position = position_of(problem.free) if begin is None else np.clip(begin, *_room(problem))
    figures = problem.figures_at(position)
    for _ in range(_MOST_ROUNDS):
        at, expected = position, figures
        for _ in range(_MOST_STEPS):
            moved = _downhill(problem, at, expected)
            if moved is None:
                break
            at, expected = moved
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
    with extra(*_STATISTICS):
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


def covariance(slopes: Vector) -> Vector:
    """The covariance of the free numbers from these derivatives; priors make the matrix invertible."""
    return np.asarray(np.linalg.inv(slopes.T @ slopes), dtype=np.float64)


def _room(problem: Problem) -> tuple[Vector, Vector]:
    """The least and the most of every number's logarithm.

    Ranges are expectations, not walls: a number may leave its range at a price, never by far.
    """
    lows = np.log([parameter.low for parameter in problem.free])
    highs = np.log([parameter.high for parameter in problem.free])
    room = (highs - lows) / 2
    return lows - room, highs + room


def rests_on(problem: Problem, full: Fit, index: int, most: int = 3) -> tuple[str, ...]:
    """The figures that determine one number most: their squared slopes make up its certainty."""
    weights = (full.weights * full.slopes[:, index])[: len(problem.figures)] ** 2
    order = np.argsort(-weights, kind="stable")[:most]
    return tuple(
        f"{problem.figures[i].case.name}: {problem.figures[i].quantity}" for i in order if weights[i] > 0
    )


_NEARLY_NOTHING = 1e-12  # Stands for 0, of which there is no logarithm.


class _Error(NamedTuple):
    """How far off one figure is without a mechanism, and with it."""

    figure: FittedFigure
    without: float
    before: float


def ablate(problem: Problem, full: Fit, parameters: Iterable[Parameter]) -> Iterator[Without]:
    """Turn off each mechanism that can be turned off; the other numbers stay where they are."""
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


_SHARE = 0.9
NINETY = NormalDist().inv_cdf((1 + _SHARE) / 2)
"""How many standard deviations a 90 % interval reaches to each side."""


class LeftOut(NamedTuple):
    """Every figure as it is predicted without its case, and what is uncertain about it."""

    simulated: Vector
    explained: Vector  # Standard deviation of its logarithm (points for loads) from parameters and seeds.


def leave_out(problem: Problem, full: Fit) -> LeftOut:
    """Leave out one case after another, with all figures of all runs of the same work, which are related."""
    simulated = np.empty(len(problem.figures))
    explained = np.empty(len(problem.figures))
    for case in problem.cases:
        chosen = [figure for figure in problem.figures if figure.case.name == case.name]
        mine = np.array([figure.case.name == case.name for figure in problem.figures])
        repeats = {repeat.name for repeat in problem.cases if _is_repeat(repeat, case)}
        related = np.array([figure.case.name in repeats for figure in problem.figures])
        kept = np.concatenate([~related, np.ones(len(problem.free), dtype=bool)])
        # One step of Gauss and Newton leads to where the fit would have ended without these runs.
        position = full.position + _step(problem, full.position, full.simulated, kept)
        by_seed = problem.runs(position, case)
        unsure = covariance((full.weights[:, None] * full.slopes)[kept])
        tolerances = np.array([figure.tolerance for figure in chosen])
        slopes = full.slopes[: len(problem.figures)][mine] * tolerances[:, None]
        simulated[mine] = np.mean(by_seed, axis=0)
        chance = [
            [figure.distance(float(x)) for figure, x in zip(chosen, row, strict=True)] for row in by_seed
        ]
        explained[mine] = np.sqrt(
            np.einsum("ij,jk,ik->i", slopes, unsure, slopes)
            + (np.var(chance, axis=0, ddof=1) if len(chance) > 1 else 0.0)
        )
    return LeftOut(simulated, explained)


def _is_repeat(repeat: Case, case: Case) -> bool:
    """Whether two cases, which may be the same, are of the same work on the same hosts."""
    return repeat.study == case.study and repeat.work == case.work


def residuals(figures: Sequence[FittedFigure], left_out: LeftOut) -> tuple[Residual, ...]:
    """What parameters and seeds leave unexplained of times: enough to cover nine of ten of them.

    A part of the time covers those of the longer half of the figures. The shorter half is also off by seconds
    that do not grow with the time. Both are the same for all workloads: each by itself has too few figures to
    distinguish its tenth part from chance.
    """
    times = [
        index
        for index, figure in enumerate(figures)
        if not is_load(figure.quantity) and metric_of(figure.quantity) is None
    ]
    if not times:
        return tuple(_of_metrics(figures, left_out))
    off = np.array([figures[i].distance(float(left_out.simulated[i])) for i in times])
    explained, elapsed_s = left_out.explained[times], left_out.simulated[times]
    longer = elapsed_s >= np.median(elapsed_s)
    relative = enough_to_cover(off[longer], explained[longer])
    short = np.hypot(explained, relative)[~longer]
    seconds = enough_to_cover(off[~longer], short, lambda late_s: np.log1p(late_s / elapsed_s[~longer]))
    counts = Counter(workload_of(figures[i].quantity) for i in times)
    shortest_s = float(np.min(elapsed_s))
    return tuple(
        Residual(quantity=name, relative=relative, seconds=seconds, least_s=round(shortest_s, 3), cells=count)
        for name, count in counts.items()
    )


def _of_metrics(figures: Sequence[FittedFigure], left_out: LeftOut) -> Iterator[Residual]:
    """The same of throughputs and of times of operations, kind by kind."""
    kinds: defaultdict[str, list[int]] = defaultdict(list)
    for index, figure in enumerate(figures):
        if (metric := metric_of(figure.quantity)) is not None:
            kinds[metric_kind(metric)].append(index)
    for kind, places in kinds.items():
        off = np.array([figures[i].distance(float(left_out.simulated[i])) for i in places])
        relative = enough_to_cover(off, left_out.explained[places])
        yield Residual(quantity=kind, relative=relative, cells=len(places))


def half_width(explained: float, unexplained: float) -> float:
    """Half a 90 % interval, as a logarithm: what parameters and seeds explain, and what they do not."""
    return NINETY * math.hypot(explained, unexplained)


def enough_to_cover(
    off: Vector, explained: Vector, counts: Callable[[float], Vector | float] = lambda spread: spread
) -> float:
    """The standard deviation to be added to the explained one so that 90 % of the distances are within it.

    ``counts`` returns what the standard deviation adds to each distance, by default itself.
    """
    if not len(off):
        return 0.0
    with extra(*_STATISTICS):
        from scipy.optimize import brentq  # noqa: PLC0415

    rank = math.ceil(_SHARE * len(off))

    def excess(sigma: float) -> float:
        ratios = np.sort(np.abs(off) / np.hypot(explained, counts(sigma)))
        return float(ratios[rank - 1]) - NINETY

    least, most = 1e-6, 1.0
    while excess(most) > 0:
        most *= 2
    return 0.0 if excess(least) <= 0 else round(float(brentq(excess, least, most)), 6)
