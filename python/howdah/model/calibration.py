"""What a simulation rests on: its parameters with their intervals, and how well they fit what is known.

A calibration is for one meaning of the parameters (``SCHEMA``); one for another is refused, because
its numbers would be read for something they are not.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from howdah.model.base import Model, WrongValue
from howdah.model.inventory import FORMAT

SCHEMA: Final = 1
"""The meaning of the simulator's parameters; it changes when one of them comes to mean something else."""


def _schema(value: int) -> int:
    if value != SCHEMA:
        raise WrongValue(f"is for parameters of schema {value}, not {SCHEMA}", "calibrate again")
    return value


Finite = Annotated[float, Field(allow_inf_nan=False)]


class CalibratedValue(Model):
    """One parameter of the simulator as it was found."""

    name: str
    """The parameter's name."""
    value: Finite
    """The value found, in the parameter's unit."""
    low: Finite
    """The lower end of its 90 % interval."""
    high: Finite
    """The upper end of its 90 % interval."""
    origin: Literal["fitted", "measured", "given"] = "fitted"
    """Whether it was fitted, measured by itself or given by hand."""
    rests_on: tuple[str, ...] = ()
    """What it was found from: the cells that move it most, or the measurement."""


class CalibrationCell(Model):
    """One known figure beside what the simulator says of it."""

    case: str
    """The run that it is a figure of."""
    quantity: str
    """What of that run: ``teragen``, ``terasort/map-shuffle``, ``terasort/jobtracker-cpu``."""
    unit: Literal["s", "%", "x", "1/s"] = "s"
    """Seconds, per cent of a core, a ratio of two runs, or operations in a second."""
    known: Finite
    """The published or measured figure."""
    simulated: Finite
    """The simulator's figure with this calibration."""
    left_out: Finite | None = None
    """The simulator's figure with parameters fitted to the other cases alone."""
    low: Finite | None = None
    """The lower end of the 90 % interval for a figure that was left out."""
    high: Finite | None = None
    """The upper end of that interval."""
    fitted: bool = True
    """Whether the parameters were fitted to it; otherwise it was only compared."""

    @property
    def error(self) -> float:
        """How far the simulator is off: relative, or in points for per cent of a core."""
        return self._error(self.simulated)

    @property
    def left_out_error(self) -> float | None:
        """How far it is off where it did not know the cell."""
        return None if self.left_out is None else self._error(self.left_out)

    def _error(self, simulated: float) -> float:
        return simulated - self.known if self.unit == "%" else simulated / self.known - 1


class Residual(Model):
    """How far off left-out figures of one kind are, beyond what parameters and seeds explain."""

    quantity: str
    """The workload whose figures they are, or the kind of metric, of any workload."""
    relative: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """Standard deviation of the logarithm."""
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Standard deviation of what does not grow with a run: its starts and ends, its slowest task."""
    least_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """The shortest figure it was found from. Of shorter times nothing is known; they count as this one."""
    cells: int
    """How many figures it was found from."""

    def of(self, elapsed_s: float) -> float:
        """Standard deviation of the logarithm of a time of so many seconds."""
        return math.hypot(self.relative, math.log1p(self.seconds / max(self.least_s, elapsed_s)))


class Without(Model):
    """What becomes of the errors where one mechanism of the simulator does nothing."""

    parameter: str
    """The parameter whose mechanism is off."""
    median: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """Median error of the times, with the other parameters as they were found."""
    most: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """The error of the figure that loses most by it."""
    case: str
    """The run that this figure is of."""
    quantity: str
    """What of that run."""


class Extent(Model):
    """How far the runs reach that a calibration was made from, in one quantity."""

    name: str
    """The quantity: ``hosts``, ``dataset`` …"""
    unit: str = ""
    """``B``, ``bit/s`` or nothing."""
    low: Finite
    """The least of all runs."""
    high: Finite
    """The most of all runs."""


class Transfer(Model):
    """A study that no parameter was fitted to: some of its runs determine its hosts, others are predicted."""

    study: str
    hardware: dict[str, Finite]
    """What its probes determine of its hosts, by name."""
    probes: tuple[str, ...]
    """The runs that determine its hosts."""
    cells: tuple[CalibrationCell, ...]
    """Every published figure next to the simulated one; those of probes are fitted."""
    without: tuple[Without, ...] = ()
    """The errors of the predicted figures without each mechanism, its hosts fitted again."""


class OtherFigure(Model):
    """A published figure that is neither a time nor a master's load, next to the simulated one."""

    case: str
    """The run that was simulated."""
    quantity: str
    """What it is, in words."""
    known: str
    """The published figure with its unit."""
    simulated: str
    """The simulator's figure."""


class Calibration(Model):
    """The simulator's parameters and the ground they stand on."""

    howdah: Literal[1] = FORMAT
    """The format's version."""
    calibration: Annotated[int, AfterValidator(_schema)] = SCHEMA
    """The schema of the parameters."""
    name: str
    """What it was made from, in a word or two."""
    best_of: Annotated[int, Field(ge=1)] = 1
    """Known figures are the best of so many runs; 1 where every run counts."""
    parameters: tuple[CalibratedValue, ...]
    """What was found; every other parameter has its default."""
    correlations: tuple[Finite, ...] = ()
    """Correlations of the fitted parameters' logarithms: what is below the diagonal, row by row."""
    residuals: tuple[Residual, ...] = ()
    """What is left unexplained, by workload."""
    cells: tuple[CalibrationCell, ...] = ()
    """Every known figure beside the simulator's."""
    extents: tuple[Extent, ...] = ()
    """How far the runs reach that it was made from."""
    without: tuple[Without, ...] = ()
    """Ablation: the errors without each mechanism that can be left out."""
    transfers: tuple[Transfer, ...] = ()
    """Studies that were only predicted."""
    others: tuple[OtherFigure, ...] = ()
    """Other published figures, which were only compared."""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        names = [parameter.name for parameter in self.parameters]
        for index, parameter in enumerate(self.parameters):
            if parameter.name in names[:index]:
                raise WrongValue(
                    f"{parameter.name} is given twice", "leave one out", ("parameters", index, "name")
                )
            if not parameter.low <= parameter.value <= parameter.high:
                raise WrongValue(
                    f"{parameter.name} lies outside its own interval",
                    f"low {parameter.low:g} ≤ value {parameter.value:g} ≤ high {parameter.high:g}",
                    ("parameters", index, "value"),
                )
        fitted = sum(parameter.origin == "fitted" for parameter in self.parameters)
        pairs = fitted * (fitted - 1) // 2
        if len(self.correlations) not in (0, pairs):
            raise WrongValue(
                "has not one for each pair of fitted parameters", f"{pairs} of them", ("correlations",)
            )
        return self

    @property
    def values(self) -> dict[str, float]:
        """Every value by its parameter's name; what was fitted to one study's hosts is of no other's."""
        return {parameter.name: parameter.value for parameter in self.parameters if "/" not in parameter.name}
