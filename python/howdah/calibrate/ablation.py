"""What the errors become where one mechanism after another does nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from operator import itemgetter
from statistics import median

from howdah.calibrate.case import is_load
from howdah.calibrate.fit import Fit
from howdah.calibrate.problem import Problem
from howdah.model.calibration import Without
from howdah.model.parameter import Parameter

_NEARLY_NOTHING = 1e-12
"""Stands for 0, of which there is no logarithm."""


def ablate(problem: Problem, full: Fit, parameters: Iterable[Parameter]) -> Iterator[Without]:
    """Turn off each mechanism that can be, the other numbers staying where they are."""
    names = [one.name for one in problem.free]
    for parameter in parameters:
        if parameter.off is None or parameter.name not in names:
            continue
        position = full.position.copy()
        position[names.index(parameter.name)] = math.log(parameter.off or _NEARLY_NOTHING)
        simulated = problem.moved(full.simulated, full.position, position)
        errors = [
            (abs(float(x) / figure.known - 1), figure)
            for figure, x in zip(problem.figures, simulated, strict=True)
            if not is_load(figure.quantity)
        ]
        most, worst = max(errors, key=itemgetter(0))
        yield Without(
            parameter=parameter.name,
            median=round(median(error for error, _ in errors), 4),
            most=round(most, 4),
            case=worst.case.name,
            quantity=worst.quantity,
        )
