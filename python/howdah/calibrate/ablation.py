"""What the errors become where one mechanism after another does nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from statistics import median
from typing import NamedTuple

from howdah.calibrate.case import is_load
from howdah.calibrate.fit import Fit
from howdah.calibrate.problem import FittedFigure, Problem
from howdah.model.calibration import Without
from howdah.model.parameter import Parameter

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
