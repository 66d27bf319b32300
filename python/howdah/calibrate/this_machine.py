"""A calibration from what Hadoop's own tasks cost on a machine, without a cluster.

Each measured step is a sum of the simulator's costs. These costs keep the proportions that they have by
default, and are scaled to the measured sum. Costs that no step contains are scaled by the mean of the
steps, with an interval as wide as the steps are apart. What a single JVM does not show at all, such as the
time until a scheduler starts a job, keeps its expected range. The costs are those of a core of this
machine: for other hosts an inventory's ``speed`` is relative to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from statistics import fmean, stdev
from typing import NamedTuple

from howdah.calibrate.leave_out import NINETY
from howdah.model.calibration import OWN, CalibratedValue, Calibration
from howdah.model.measured import StepCost, TaskCosts
from howdah.model.workloads.terasort import ROW_BYTES

_LOCAL = 0.1
"""Standard deviation of a cost's logarithm that comes with local files and one JVM instead of HDFS."""
_OTHER = 0.25
"""The least one of a cost that no step contains."""
_START = 0.3
"""That of the start of a task, which in a cluster also sets up its connections."""
_STALL = "row_stall_s_per_byte"
_MEASURED = "tasks of TeraSort in one JVM on this machine"


def of_this_machine(
    costs: TaskCosts, defaults: Mapping[str, float], published: Calibration, name: str
) -> Calibration:
    """The calibration that measured costs give.

    ``defaults`` are the simulator's own, by name. ``published`` has the simulator's errors on known runs, and
    how far these reach: what no measuring of a machine can show.
    """
    values = tuple(_values(costs, defaults))
    own = {value.name for value in values}
    kept = tuple(
        value.model_copy(update={"origin": "given"})
        for value in published.parameters
        if value.name not in own and "/" not in value.name and not value.name.endswith("_s_per_byte")
    )
    expected = tuple(
        CalibratedValue(
            name=parameter.name,
            value=parameter.default,
            low=parameter.low,
            high=parameter.high,
            origin="given",
            rests_on=(parameter.source,),
        )
        for parameter in OWN
        if parameter.name not in own and parameter.name != "byte_cpu"
    )
    taken = {value.name for value in (*values, *expected)}
    return Calibration(
        name=name,
        parameters=(*values, *expected, *(value for value in kept if value.name not in taken)),
        residuals=published.residuals,
        extents=published.extents,
    )


def _values(costs: TaskCosts, defaults: Mapping[str, float]) -> Iterator[CalibratedValue]:
    steps = _steps(costs, defaults)
    logarithms = []
    for step in steps:
        logarithm, spread = _scale(step.measured, sum(step.own.values()) + step.shared)
        logarithms.append(logarithm)
        for name in step.own:
            yield _value(name, defaults[name] * math.exp(logarithm), math.hypot(spread, _LOCAL), _MEASURED)
    middle, apart = fmean(logarithms), stdev(logarithms)
    contained = {name for step in steps for name in step.own}
    others = {name for name in defaults if name.endswith("_s_per_byte")} - contained
    for name in sorted(others):
        # How long a writing task stalls is not measured at all: it may be nearly nothing on this machine.
        spread = _OTHER * (2 if name == _STALL else 1)
        about = "the mean of the measured steps"
        yield _value(name, defaults[name] * math.exp(middle), math.hypot(apart, spread), about)
    start_s = fmean(costs.start_s.rounds)
    yield _value("task_start_cpu_s", start_s, _START, _MEASURED)


class _Step(NamedTuple):
    """A measured step, and what the simulator's costs add to a byte of it by default."""

    measured: StepCost
    own: Mapping[str, float]
    """Costs that this step determines, by name."""
    shared: float = 0.0
    """The sum of those that another step determines."""


def _steps(costs: TaskCosts, defaults: Mapping[str, float]) -> tuple[_Step, ...]:
    cost = defaults.__getitem__
    stream_s, half_read = cost("stream_s_per_byte"), cost("read_s_per_byte") / 2
    comparing_s = cost("compare_s") * math.log2(costs.sorted_rows) / ROW_BYTES
    made = {"generate_s_per_byte": cost("generate_s_per_byte"), "stream_s_per_byte": stream_s}
    sorted_ = {"map_s_per_byte": cost("map_s_per_byte"), "compare_s": comparing_s}
    # One process fetches from itself: the half of the shuffle that receives.
    reduced = {
        "reduce_s_per_byte": cost("reduce_s_per_byte"),
        "shuffle_s_per_byte": cost("shuffle_s_per_byte") / 2,
    }
    compared = {"validate_s_per_byte": cost("validate_s_per_byte"), "read_s_per_byte": half_read}
    return (
        _Step(costs.generate, made),
        _Step(costs.sort, sorted_, half_read),
        _Step(costs.reduce, reduced, stream_s),
        _Step(costs.validate, compared),
    )


def _scale(measured: StepCost, expected: float) -> tuple[float, float]:
    """The logarithm by which a step's costs are scaled, and the standard deviation of its rounds' mean."""
    rounds = [math.log(max(each, expected / 100) / expected) for each in measured.rounds]
    spread = stdev(rounds) / math.sqrt(len(rounds)) if len(rounds) > 1 else _OTHER
    return fmean(rounds), spread


def _value(name: str, value: float, spread: float, about: str) -> CalibratedValue:
    reach = math.exp(NINETY * spread)
    return CalibratedValue(
        name=name, value=value, low=value / reach, high=value * reach, origin="measured", rests_on=(about,)
    )
