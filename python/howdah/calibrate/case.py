"""Known runs as the simulator would run them, the quantities in tables, and how far repeats are apart.

The vSphere 6 study saw about 1 % between runs of TeraGen and TeraSort and 5 % of TeraValidate (D0 66).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from statistics import NormalDist
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from howdah.model.plan import ClusterPlan
from howdah.model.run import WorkloadResult
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.ycsb import THROUGHPUT

WITHIN: Final = " % within"  # Ends the names of metrics that are times within which so many operations ended.
SHARES: Final = (0.5, 0.99)  # Shares of operations: the times within which they end are fitted.


class CaseWork(NamedTuple):
    """What is simulated: a suite on a plan, or on part of its hosts."""

    plan: ClusterPlan
    suite: Suite
    share: float = 1.0  # Share of the hosts, and of the data, that is simulated.


class Unsure(NamedTuple):
    """How unsure one published figure is: standard deviations, relative or in points for a load."""

    rounding: float = 0.0  # From the digits that it was printed with.
    runs: float | None = None  # From the runs behind it, if the table states their number and range.


class Case(NamedTuple):
    """One run with its known figures."""

    name: str  # Its name in tables: ``vsphere6 4 VMs 30 TB r3``.
    study: str
    work: CaseWork
    known: Mapping[str, float]  # Its known figures by quantity: seconds, or per cent of a core.
    best_of: int = 1
    seeds: int = 1  # Over how many seeds its simulation is averaged: a short run varies more, and costs less.
    small: CaseWork | None = None
    """The same work for each host on fewer of them, if that shows how a parameter moves the figures."""
    noise: float | None = None  # How far apart such runs lie, relative; None for published runs.
    unsure: Mapping[str, Unsure] = MappingProxyType({})  # How unsure its figures are, if tables show it.


Simulate = Callable[[CaseWork, Mapping[str, float], int], Mapping[str, float]]
"""Simulates a work with parameters and a seed; returns the value of every quantity.

The parameters may contain quantities of the hosts, which go before the inventory's.
"""


def is_load(quantity: str) -> bool:
    """Whether a quantity is a master's load, in per cent of a core, and not a time."""
    return quantity.endswith("-cpu")


def metric_of(quantity: str) -> str | None:
    """The metric that a quantity is, if a workload is run for metrics: ``read, 99 % within``."""
    metric = quantity.partition("/")[2]
    return metric if metric == THROUGHPUT or metric.endswith(WITHIN) else None


def metric_kind(metric: str) -> str:
    """What metrics of several operations have in common: ``throughput``, ``99 % within``."""
    return metric.rpartition(", ")[2]


def unit_of(quantity: str) -> Literal["s", "%", "1/s"]:
    """What a quantity is counted in."""
    if is_load(quantity):
        return "%"
    return "1/s" if metric_of(quantity) == THROUGHPUT else "s"


def workload_of(quantity: str) -> str:
    """The workload that a quantity belongs to: ``terasort`` of ``terasort/map-shuffle``."""
    return quantity.partition("/")[0]


def phase_times(result: WorkloadResult) -> dict[str, float]:
    """Seconds of each phase by its name, from the workload's start to its end; none if it has only one."""
    if len(result.phases) < 2:
        return {}
    ends = [phase.end_s for phase in result.phases[:-1]]
    bounds = pairwise([result.start_s, *ends, result.end_s])
    return {phase.name: end - start for phase, (start, end) in zip(result.phases, bounds, strict=True)}


_RUN_TO_RUN = {"teravalidate": 0.05}
_OTHERWISE = 0.01
_OF_METRICS = {THROUGHPUT: 0.05, "50 % within": 0.1, "99 % within": 0.2}
"""How far apart two runs of YCSB on one lab lie: the slower the operations, the more chance there is."""
_STEPS = 20  # Of the trapezoidal rule for each standard deviation.
_MEDIAN = math.sqrt(math.pi / 2)  # How much further medians of normal values vary than means do.
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
    """What a run typically takes if the best of so many took ``best`` seconds."""
    return best / (1 - best_of_shift(runs) * run_to_run(quantity))
