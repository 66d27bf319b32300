"""From times that were simulated again and again to what a run will take, with an honest interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from howdah.calibrate.leave_out import half_width
from howdah.calibrate.noise import typical
from howdah.model.calibration import Calibration
from howdah.model.prediction import Forecast


class ForecastStretch(NamedTuple):
    """A workload, or one of its phases, as one simulation has it."""

    workload: str
    phase: str | None
    elapsed_s: float


def forecasts(
    simulations: Sequence[Sequence[ForecastStretch]], calibration: Calibration | None
) -> tuple[Forecast, ...]:
    """The median and the 90 % interval of every stretch, in the first simulation's order.

    The simulations differ by seeds and by parameters drawn from the calibration; what both leave
    unexplained of figures that were left out is added. A calibration from the best of several runs is
    turned to a run as it typically is. A phase that some simulation has no time for is left out.
    """
    result = []
    for alike in zip(*simulations, strict=True):
        elapsed_s = [stretch.elapsed_s for stretch in alike]
        if min(elapsed_s) > 0:
            result.append(_forecast(alike[0], elapsed_s, calibration))
    return tuple(result)


def unexplained(calibration: Calibration | None, workload: str, elapsed_s: float) -> float:
    """Standard deviation of a time's logarithm that parameters and seeds do not explain.

    That of the workloads known least well for one that the calibration says nothing of.
    """
    if calibration is None:
        return 0.0
    known = {residual.quantity: residual.of(elapsed_s) for residual in calibration.residuals}
    return known.get(workload, max(known.values(), default=0.0))


def _forecast(
    stretch: ForecastStretch, elapsed_s: Sequence[float], calibration: Calibration | None
) -> Forecast:
    logarithms = np.log(elapsed_s)
    explained = float(np.std(logarithms, ddof=1)) if len(elapsed_s) > 1 else 0.0
    median_s = float(np.exp(np.median(logarithms)))
    reach = math.exp(half_width(explained, unexplained(calibration, stretch.workload, median_s)))
    if calibration is not None:
        median_s = typical(median_s, stretch.workload, calibration.best_of)
    return Forecast(
        workload=stretch.workload,
        phase=stretch.phase,
        low_s=median_s / reach,
        median_s=median_s,
        high_s=median_s * reach,
    )
