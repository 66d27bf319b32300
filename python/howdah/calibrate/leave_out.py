"""What the simulator says of a case that it does not know, and how wide that makes an interval."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from howdah.calibrate.case import is_load, metric_kind, metric_of, workload_of
from howdah.calibrate.fit import Fit, covariance, needs_statistics, refit_without
from howdah.calibrate.problem import FittedFigure, Problem, Vector
from howdah.model.calibration import Residual

_SHARE = 0.9
NINETY = NormalDist().inv_cdf((1 + _SHARE) / 2)
"""How many standard deviations a 90 % interval reaches to each side."""


class LeftOut(NamedTuple):
    """Every figure as it is predicted without its case, and what is uncertain about it."""

    simulated: Vector
    """What the simulator says."""
    explained: Vector
    """Standard deviation of its logarithm (points for loads) that parameters and seeds explain."""


def leave_out(problem: Problem, full: Fit) -> LeftOut:
    """Leave out one case after another, with all of its figures: those of one run are no strangers."""
    simulated = np.empty(len(problem.figures))
    explained = np.empty(len(problem.figures))
    for case in problem.cases:
        mine = np.array([figure.case.name == case.name for figure in problem.figures])
        position = refit_without(problem, full, case.name)
        by_seed = problem.runs(position, case)
        kept = np.concatenate([~mine, np.ones(len(problem.free), dtype=bool)])
        unsure = covariance((full.weights[:, None] * full.slopes)[kept])
        tolerances = np.array([figure.tolerance for figure in problem.figures])[mine]
        slopes = full.slopes[: len(problem.figures)][mine] * tolerances[:, None]
        simulated[mine] = np.mean(by_seed, axis=0)
        chance = [_scaled(problem.figures, mine, row) for row in by_seed]
        explained[mine] = np.sqrt(
            np.einsum("ij,jk,ik->i", slopes, unsure, slopes)
            + (np.var(chance, axis=0, ddof=1) if len(chance) > 1 else 0.0)
        )
    return LeftOut(simulated, explained)


def residuals(figures: Sequence[FittedFigure], left_out: LeftOut) -> tuple[Residual, ...]:
    """What parameters and seeds leave unexplained of times: enough to cover nine of ten of them.

    A share of the time covers those of the longer half of the figures. What the shorter half is off by
    besides are seconds that do not grow with the time. Both are the same for all workloads: each by itself
    has too few figures to tell its tenth part from chance.
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

    ``counts`` tells what it makes of each distance, where that is not itself.
    """
    if not len(off):
        return 0.0
    with needs_statistics():
        from scipy.optimize import brentq  # noqa: PLC0415

    rank = math.ceil(_SHARE * len(off))

    def excess(sigma: float) -> float:
        ratios = np.sort(np.abs(off) / np.hypot(explained, counts(sigma)))
        return float(ratios[rank - 1]) - NINETY

    least, most = 1e-6, 1.0
    while excess(most) > 0:
        most *= 2
    return 0.0 if excess(least) <= 0 else round(float(brentq(excess, least, most)), 6)


def _scaled(figures: Sequence[FittedFigure], mine: Vector, simulated: Vector) -> Vector:
    """Figures as distances from what is known."""
    chosen = [figure for figure, wanted in zip(figures, mine, strict=True) if wanted]
    return np.array([figure.distance(float(x)) for figure, x in zip(chosen, simulated, strict=True)])
