"""From known cases to a calibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from howdah.calibrate.case import Case, Simulate, is_load, metric_kind, metric_of, unit_of, workload_of
from howdah.calibrate.fit import Fit, ablate, fit, rests_on
from howdah.calibrate.leave_out import NINETY, LeftOut, half_width, leave_out, residuals
from howdah.calibrate.problem import FittedFigure, Free, Problem, position_of, values_at
from howdah.calibrate.uncertainty import extents
from howdah.errors import UserError
from howdah.model.calibration import PARAMETERS, CalibratedValue, Calibration, CalibrationCell, Residual

_DIGITS = 6


def calibrate(
    name: str,
    cases: Sequence[Case],
    free: Sequence[Free],
    simulate: Simulate,
    *,
    begin: Mapping[str, float] | None = None,
    seed: int = 1,
    threads: int = 1,
    report: Callable[[], None] = lambda: None,
) -> Calibration:
    """Fit the free numbers to the cases, leave each out in turn, and say how well it all fits.

    The search begins with what ``begin`` says of them, if it is given. ``report`` is called after every
    simulation. Raises UserError where the cases hold no figure.
    """
    problem = Problem(cases, free, simulate, seed=seed, threads=threads, report=report)
    if not problem.figures:
        raise UserError("calibrate", "has no times for these runs", "give tables or records with times")
    full = fit(problem, None if begin is None else position_of(problem.free, begin))
    left_out = leave_out(problem, full)
    unexplained = residuals(problem.figures, left_out)
    return Calibration(
        name=name,
        best_of=max(case.best_of for case in cases),
        parameters=tuple(_values(problem, full)),
        correlations=tuple(_correlations(full)),
        residuals=unexplained,
        without=tuple(ablate(problem, full, PARAMETERS)),
        cells=tuple(
            _cell(
                figure,
                float(full.simulated[i]),
                float(left_out.simulated[i]),
                _half(figure, i, left_out, unexplained),
            )
            for i, figure in enumerate(problem.figures)
        ),
        extents=extents((case.work.plan, case.work.suite) for case in cases),
    )


def _values(problem: Problem, full: Fit) -> Iterator[CalibratedValue]:
    positions = values_at(problem.free, full.position)
    for index, (name, value) in enumerate(positions.items()):
        width = NINETY * math.sqrt(full.covariance[index, index])
        yield CalibratedValue(
            name=name,
            value=_short(value),
            low=_short(value * math.exp(-width)),
            high=_short(value * math.exp(width)),
            rests_on=rests_on(problem, full, index),
        )


def _correlations(full: Fit) -> Iterator[float]:
    spreads = np.sqrt(np.diag(full.covariance))
    matrix = full.covariance / np.outer(spreads, spreads)
    for row in range(len(spreads)):
        for column in range(row):
            yield round(float(matrix[row, column]), 4)


def _half(figure: FittedFigure, index: int, left_out: LeftOut, unexplained: Sequence[Residual]) -> float:
    metric = metric_of(figure.quantity)
    name = workload_of(figure.quantity) if metric is None else metric_kind(metric)
    elapsed_s = float(left_out.simulated[index])
    rest = next((residual.of(elapsed_s) for residual in unexplained if residual.quantity == name), 0.0)
    if is_load(figure.quantity):
        rest = figure.tolerance
    return half_width(float(left_out.explained[index]), rest)


def _cell(figure: FittedFigure, simulated: float, left_out: float, half: float) -> CalibrationCell:
    load = is_load(figure.quantity)
    return CalibrationCell(
        case=figure.case.name,
        quantity=figure.quantity,
        unit=unit_of(figure.quantity),
        known=figure.known,
        simulated=_short(simulated),
        left_out=_short(left_out),
        low=_short(left_out - half if load else left_out * math.exp(-half)),
        high=_short(left_out + half if load else left_out * math.exp(half)),
    )


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
