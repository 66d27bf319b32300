"""From repeated simulations to what a run will take, with intervals; how far apart two plans may be.

Single figures do not show how far the ratio of two plans may be off. Runs of one study on the same data had
the same hosts and programs, and share a part of the simulator's error; and the figures that are furthest off,
of the smallest runs, have no other run on the same data. So the ratios of such runs are used, each run as it
was predicted without its own figures.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from howdah.calibrate.case import metric_kind, typical, workload_of
from howdah.calibrate.fit import NINETY, enough_to_cover, half_width
from howdah.calibrate.tables import named_run
from howdah.calibrate.uncertainty import PER_DISTANCE
from howdah.model.calibration import Calibration, CalibrationCell
from howdah.model.prediction import Forecast
from howdah.model.workloads.ycsb import THROUGHPUT


class ForecastStretch(NamedTuple):
    """A workload, one of its phases or its metrics as one simulation has it."""

    workload: str
    phase: str | None
    value: float  # Seconds, or what the metric is counted in.
    metric: str | None = None  # The metric, by name; None for the elapsed time.
    most: float = math.inf  # Its upper limit, however unsure it is: the operations requested in a second.


def forecasts(
    simulations: Sequence[Sequence[ForecastStretch]], calibration: Calibration | None, distance: float = 0.0
) -> tuple[Forecast, ...]:
    """The median and the 90 % interval of every stretch, in the simulations' order.

    Without a calibration there is no interval: seeds alone do not show how far off times are.
    The simulations differ by seeds and by parameters drawn from the calibration; what both leave
    unexplained of figures that were left out is added, and what grows with the distance of the run from those
    that the calibration was made from. A calibration from the best of several runs is
    turned to a run as it typically is. A phase that some simulation has no time for is left out, and so is a
    kind of operation that is so rare that it occurred in fewer than half of them.
    """
    result = []
    for same in _joined(simulations):
        values = [stretch.value for stretch in same]
        if 2 * len(values) >= len(simulations) and min(values) > 0:
            result.append(_forecast(same[0], values, calibration, distance))
    return tuple(result)


def _joined(simulations: Sequence[Sequence[ForecastStretch]]) -> list[list[ForecastStretch]]:
    """The same stretch of all simulations that have it, workload by workload."""
    several: defaultdict[tuple[str, str | None, str | None], list[ForecastStretch]] = defaultdict(list)
    for stretch in chain.from_iterable(simulations):
        several[stretch.workload, stretch.phase, stretch.metric].append(stretch)
    workloads = list(dict.fromkeys(workload for workload, _, _ in several))
    # A kind that the first simulation lacks comes last, but with its workload.
    return sorted(several.values(), key=lambda same: workloads.index(same[0].workload))


def unexplained(calibration: Calibration | None, workload: str, elapsed_s: float) -> float:
    """Standard deviation of a time's logarithm that parameters and seeds do not explain.

    ``workload`` is a workload's name, or a kind of metrics. For one that the calibration does not have, the
    largest of all.
    """
    if calibration is None:
        return 0.0
    spreads = {residual.quantity: residual.of(elapsed_s) for residual in calibration.residuals}
    return spreads.get(workload, max(spreads.values(), default=0.0))


def _forecast(
    stretch: ForecastStretch, values: Sequence[float], calibration: Calibration | None, distance: float
) -> Forecast:
    logarithms = np.log(values)
    explained = float(np.std(logarithms, ddof=1)) if len(values) > 1 else 0.0
    median = float(np.exp(np.median(logarithms)))
    low = high = None
    if calibration is not None:
        kind = stretch.workload if stretch.metric is None else metric_kind(stretch.metric)
        spread = math.hypot(unexplained(calibration, kind, median), PER_DISTANCE * distance)
        reach = math.exp(half_width(explained, spread))
        if stretch.metric is None:
            median = typical(median, stretch.workload, calibration.best_of)
        low, high = min(median / reach, stretch.most), min(median * reach, stretch.most)
    return Forecast(
        workload=stretch.workload,
        phase=stretch.phase,
        metric=stretch.metric,
        unit="1/s" if stretch.metric == THROUGHPUT else "s",
        low=low,
        median=min(median, stretch.most),
        high=high,
    )


class RunRatio(NamedTuple):
    """A figure of two published runs of one study on the same data, one over the other."""

    numerator: CalibrationCell
    denominator: CalibrationCell

    @property
    def off(self) -> float:
        """How far off the ratio is with each run left out in turn, as a logarithm."""
        return _off(self.numerator) - _off(self.denominator)


class Apart(NamedTuple):
    """What is left unexplained of the ratios of plans."""

    relative: float  # Standard deviation of a ratio's logarithm, beyond what parameters and seeds explain.
    ratios: tuple[RunRatio, ...]


def own_part(calibration: Calibration | None, workload: str, elapsed_s: float) -> float:
    """Standard deviation of a time's logarithm of which two make up what is unexplained of a ratio.

    All that is unexplained of the time if the calibration has no ratios, as those from a user's runs.
    """
    whole = unexplained(calibration, workload, elapsed_s)
    ratios = unexplained_ratios(calibration) if calibration is not None else None
    return whole if ratios is None else min(whole, ratios.relative / math.sqrt(2))


def unexplained_ratios(calibration: Calibration) -> Apart | None:
    """What is unexplained of ratios: enough to cover nine of ten of those left out; None without any.

    One number for all workloads, platforms, replicas and block sizes: each by itself has too few figures.
    """
    ratios = tuple(_ratios(calibration))
    if not ratios:
        return None
    off = np.array([ratio.off for ratio in ratios])
    explained = [math.hypot(*(_explained(calibration, cell) for cell in ratio)) for ratio in ratios]
    return Apart(enough_to_cover(off, np.array(explained)), ratios)


def _ratios(calibration: Calibration) -> list[RunRatio]:
    same_data: defaultdict[tuple[str, int, str], list[CalibrationCell]] = defaultdict(list)
    for cell in calibration.cells:
        run = named_run(cell.case)
        if run is not None and cell.unit == "s" and cell.left_out is not None:
            same_data[run.study, run.setting.dataset_bytes, cell.quantity].append(cell)
    return [RunRatio(*pair) for cells in same_data.values() for pair in combinations(cells, 2)]


def _off(cell: CalibrationCell) -> float:
    assert cell.left_out is not None
    return math.log(cell.left_out / cell.known)


def _explained(calibration: Calibration, cell: CalibrationCell) -> float:
    """What parameters and seeds explain of a left-out figure: its interval without the residual."""
    if cell.left_out is None or cell.high is None:
        return 0.0
    whole = math.log(cell.high / cell.left_out) / NINETY
    residual = unexplained(calibration, workload_of(cell.quantity), cell.left_out)
    return math.sqrt(max(0.0, whole**2 - residual**2))
