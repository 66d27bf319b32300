"""How far apart two runs of the same work are, and how much better the best of several is than a run.

The vSphere 6 study saw about 1 % between runs of TeraGen and TeraSort and 5 % of TeraValidate (D0 66).
"""

from __future__ import annotations

import math
from statistics import NormalDist

from howdah.calibrate.case import is_load, metric_kind, metric_of, workload_of
from howdah.model.workloads.ycsb import THROUGHPUT

_RUN_TO_RUN = {"teravalidate": 0.05}
_OTHERWISE = 0.01
_OF_METRICS = {THROUGHPUT: 0.05, "50 % within": 0.1, "99 % within": 0.2}
"""What two runs of YCSB on one laboratory lie apart: the slower the operations, the more chance there is."""
_STEPS = 20
"""Of the trapezoidal rule for each standard deviation."""
_MEDIAN = math.sqrt(math.pi / 2)
"""How much further medians of normal values vary than means do."""
_LOAD_POINTS = 3.0
"""The fault-tolerance study calls its figures of CPU noisy; FT on and off differ by up to 6 points."""


def run_to_run(quantity: str) -> float:
    """Standard deviation between runs: relative, or in points for a load."""
    if is_load(quantity):
        return _LOAD_POINTS
    if (metric := metric_of(quantity)) is not None:
        return _OF_METRICS[metric_kind(metric)]
    return _RUN_TO_RUN.get(workload_of(quantity), _OTHERWISE)


def best_of_shift(runs: int) -> float:
    """How many standard deviations the best of so many runs is expected below their mean."""
    return 0.0 if runs == 1 else _moment(runs, 1)


def best_of_spread(runs: int) -> float:
    """The standard deviation of the best of so many runs, relative to that of a run."""
    return 1.0 if runs == 1 else math.sqrt(_moment(runs, 2) - _moment(runs, 1) ** 2)


def median_spread(least: float, most: float, runs: int) -> float:
    """The standard deviation of the median of so many runs that reach from ``least`` to ``most``."""
    return _MEDIAN * (most - least) / (2 * best_of_shift(runs)) / math.sqrt(runs)


def _moment(runs: int, power: int) -> float:
    """The mean of such a power of the largest of n standard normal values.

    By the trapezoidal rule, exact to the last digits for a smooth function that vanishes at both ends.
    """
    normal = NormalDist()
    steps = [step / _STEPS for step in range(-8 * _STEPS, 8 * _STEPS + 1)]
    return sum(x**power * runs * normal.pdf(x) * normal.cdf(x) ** (runs - 1) for x in steps) / _STEPS


def typical(best: float, quantity: str, runs: int) -> float:
    """What a run typically takes where the best of so many took ``best`` seconds."""
    return best / (1 - best_of_shift(runs) * run_to_run(quantity))
