"""From known cases to a calibration, or from what Hadoop's own tasks cost on a machine, without a cluster."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np

from howdah.calibrate.case import Case, Simulate, is_load, metric_kind, metric_of, unit_of, workload_of
from howdah.calibrate.fit import NINETY, Fit, LeftOut, ablate, fit, half_width, leave_out, residuals, rests_on
from howdah.calibrate.problem import FittedFigure, Free, Problem, position_of, values_at
from howdah.calibrate.uncertainty import expected_values, extents, of_sharing
from howdah.errors import UserError
from howdah.model.calibration import (
    BYTE_CPU,
    PARAMETERS,
    CalibratedValue,
    Calibration,
    CalibrationCell,
    Residual,
)
from howdah.model.measured import StepCost, TaskCosts
from howdah.model.workloads.terasort import ROW_BYTES


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
    """Fit the free numbers to the cases, leave each out in turn, and measure how well it all fits.

    The search begins with the values in ``begin``, if it is given. ``report`` is called after every
    simulation. Raises UserError if the cases have no figure.
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
        correlations=_correlations(full),
        residuals=unexplained,
        without=tuple(ablate(problem, full, PARAMETERS)),
        cells=tuple(
            _cell(figure, index, full, left_out, unexplained) for index, figure in enumerate(problem.figures)
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


def _correlations(full: Fit) -> tuple[float, ...]:
    """The correlations of the free numbers, row by row without the diagonal and what is above it."""
    spreads = np.sqrt(np.diag(full.covariance))
    matrix = full.covariance / np.outer(spreads, spreads)
    return tuple(round(float(value), 4) for value in matrix[np.tril_indices(len(spreads), -1)])


def _cell(
    figure: FittedFigure, index: int, full: Fit, left_out: LeftOut, unexplained: Sequence[Residual]
) -> CalibrationCell:
    metric, load = metric_of(figure.quantity), is_load(figure.quantity)
    name = workload_of(figure.quantity) if metric is None else metric_kind(metric)
    alone = float(left_out.simulated[index])
    spread = next((residual.of(alone) for residual in unexplained if residual.quantity == name), 0.0)
    half = half_width(float(left_out.explained[index]), figure.tolerance if load else spread)
    return CalibrationCell(
        case=figure.case.name,
        quantity=figure.quantity,
        unit=unit_of(figure.quantity),
        known=figure.known,
        simulated=_short(float(full.simulated[index])),
        left_out=_short(alone),
        low=_short(alone - half if load else alone * math.exp(-half)),
        high=_short(alone + half if load else alone * math.exp(half)),
    )


def _short(value: float) -> float:
    return float(f"{value:.6g}")


_LOCAL = 0.1  # Deviation of a cost's logarithm that comes with local files and one JVM instead of HDFS.
_UNMEASURED = 0.25  # The least one of a cost that no step contains.
_START = 0.3  # That of the start of a task, which in a cluster also sets up its connections.
_JOB_WAITS_S = 4.5
"""Seconds of a job's start in which no process computes: heartbeats, files copied to the worker, scripts."""
_MASTER_OF_CLIENT = 3.3
"""CPU of an application master until its first task, compared with that of the client here until its maps
begin. In a lab (Hadoop 3.5, Java 17, 29 November 2026) it was 15 to 17 s and that of clients 4.2 to 5.2 s; a
client here took 4.9 s."""
_STALL = "row_stall_s_per_byte"
_MEASURED = "tasks of TeraSort in one JVM on this machine"


def of_this_machine(
    costs: TaskCosts, defaults: Mapping[str, float], published: Calibration, name: str
) -> Calibration:
    """The calibration that measured costs give.

    Each measured step is a sum of the simulator's costs. Those that another step determines are subtracted,
    as that step scales them. The others keep the proportions that they have by default, and are scaled to the
    remainder. Costs that no step contains are scaled by the mean of the steps, with an interval as wide as
    the steps are apart. What a single JVM does not show at all, such as the time until a scheduler starts a
    job, keeps its expected range. The costs are those of a core of this machine: for other hosts an
    inventory's ``speed`` is relative to it.

    ``defaults`` are the simulator's own, by name. ``published`` has the simulator's errors on known runs, and
    how these runs share hosts among tasks: what no measuring of one task can show.
    """
    values = list(_measured_values(costs, defaults, published.values["task_cpu_s"]))
    # The costs of a byte are measured themselves.
    values += [value for value in expected_values(values) if value.name != BYTE_CPU]
    names = {value.name for value in values}
    values += [
        value.model_copy(update={"origin": "given"})
        for value in published.parameters
        if value.name not in names and "/" not in value.name and not value.name.endswith("_s_per_byte")
    ]
    return Calibration(
        name=name,
        parameters=tuple(values),
        residuals=published.residuals,
        extents=of_sharing(published.extents),
    )


def _measured_values(
    costs: TaskCosts, defaults: Mapping[str, float], set_up_s: float
) -> Iterator[CalibratedValue]:
    steps = _steps(costs, defaults)
    for step in steps:
        logarithms = [math.log(scale) for scale in step.scales]
        spread = stdev(logarithms) / math.sqrt(len(logarithms)) if len(logarithms) > 1 else _UNMEASURED
        for name in step.own:
            value = defaults[name] * math.exp(fmean(logarithms))
            yield _value(name, value, math.hypot(spread, _LOCAL), _MEASURED)
    wholes = [math.log(step.whole_scale) for step in steps]
    middle, apart = fmean(wholes), stdev(wholes)
    contained = {name for step in steps for name in step.own}
    remaining = {name for name in defaults if name.endswith("_s_per_byte")} - contained
    for name in sorted(remaining):
        # How long a writing task stalls is not measured at all: it may be nearly nothing on this machine.
        spread = _UNMEASURED * (2 if name == _STALL else 1)
        about = "the mean of the measured steps"
        yield _value(name, defaults[name] * math.exp(middle), math.hypot(apart, spread), about)
    client_s, start_s = fmean(costs.client_s.rounds), fmean(costs.start_s.rounds)
    # The measured start contains the setup and commit, which the simulator adds to the start of each JVM.
    set_up_s = min(set_up_s, start_s / 2)
    yield _value("task_cpu_s", set_up_s, _START, _MEASURED)
    yield _value("task_start_cpu_s", start_s - set_up_s, _START, _MEASURED)
    yield _value("job_start_s", _JOB_WAITS_S + client_s, _START, _MEASURED)
    yield _value("job_start_cpu_s", _MASTER_OF_CLIENT * client_s, _START, _MEASURED)


_LEAST = (
    0.01  # Of what a step costs by default; a measured difference of two noisy times may even be negative.
)
_LEAST_OWN = 0.1  # Of a step's measured cost: what another step determines is itself uncertain.


class _Step(NamedTuple):
    """A measured step, and what the simulator's costs add to a byte of it by default."""

    measured: StepCost
    own: Mapping[str, float]  # Costs that this step determines, by name.
    shared: float = 0.0  # The sum of those that another step determines.
    shared_scales: tuple[float, ...] = ()  # By what that step scales them, round by round.

    @property
    def scales(self) -> tuple[float, ...]:
        """By what its own costs are scaled, round by round."""
        own = sum(self.own.values())
        scales = self.shared_scales or (0.0,) * len(self.measured.rounds)
        return tuple(
            max(cost - self.shared * scale, _LEAST_OWN * cost, _LEAST * own) / own
            for cost, scale in zip(self.measured.rounds, scales, strict=True)
        )

    @property
    def whole_scale(self) -> float:
        """By what all of its costs together are scaled, the geometric mean of the rounds."""
        default = sum(self.own.values()) + self.shared
        return math.exp(fmean(math.log(max(cost / default, _LEAST)) for cost in self.measured.rounds))


def _steps(costs: TaskCosts, defaults: Mapping[str, float]) -> tuple[_Step, ...]:
    cost = defaults.__getitem__
    stream_s, half_read = cost("stream_s_per_byte"), cost("read_s_per_byte") / 2
    comparing_s = cost("compare_s") * math.log2(costs.sorted_rows) / ROW_BYTES
    made = {"generate_s_per_byte": cost("generate_s_per_byte"), "stream_s_per_byte": stream_s}
    sorted_ = {"map_s_per_byte": cost("map_s_per_byte"), "compare_s": comparing_s}
    # One process fetches from itself: the half of the shuffle that receives.
    half_shuffle = cost("shuffle_s_per_byte") / 2
    reduced = {"reduce_s_per_byte": cost("reduce_s_per_byte"), "shuffle_s_per_byte": half_shuffle}
    compared = {"validate_s_per_byte": cost("validate_s_per_byte"), "read_s_per_byte": half_read}
    generate, validate = _Step(costs.generate, made), _Step(costs.validate, compared)
    return (
        generate,
        _Step(costs.sort, sorted_, half_read, validate.scales),
        _Step(costs.reduce, reduced, stream_s, generate.scales),
        validate,
    )


def _value(name: str, value: float, spread: float, about: str) -> CalibratedValue:
    reach = math.exp(NINETY * spread)
    return CalibratedValue(
        name=name, value=value, low=value / reach, high=value * reach, origin="measured", rests_on=(about,)
    )
