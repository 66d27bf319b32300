"""What was predicted of a run before it ran, and what became of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from howdah.model.base import Model
from howdah.model.plan import Plan
from howdah.model.run import RunWarning
from howdah.model.workloads.suite import Suite

PREDICTION_VERSION: Literal[1] = 1


Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Forecast(Model):
    """The elapsed time of a workload, or of one of its phases, as it is predicted."""

    workload: str
    """The workload's kind."""
    phase: str | None = None
    """Its phase; None for the whole workload."""
    low_s: Seconds
    """The lower end of the 90 % interval."""
    median_s: Seconds
    """The median."""
    high_s: Seconds
    """The upper end of the 90 % interval."""

    @property
    def width(self) -> float:
        """How far the interval reaches to the farther side, as a share of the median."""
        return max(self.high_s / self.median_s, self.median_s / self.low_s) - 1


class Prediction(Model):
    """What a suite will take on a plan; kept before anything runs, and never changed."""

    prediction_version: Literal[1] = PREDICTION_VERSION
    """Version of this layout."""
    id: str
    """Its name and its directory's."""
    created: str
    """When it was made, ISO 8601 in UTC."""
    howdah_version: str
    """The howdah that made it."""
    seed: int
    """Seed of everything random."""
    replications: int
    """Simulations that it rests on."""
    calibration: str | None
    """The calibration's name; None where the simulator's parameters are its defaults."""
    best_of: int = 1
    """The calibration's figures are the best of so many runs; the times here are those of any one run."""
    digests: dict[str, str]
    """SHA-256 of the plan, the suite and the calibration, in hex, by name."""
    plan: Plan
    """The plan that it is about."""
    suite: Suite
    """The work that it is about."""
    forecasts: tuple[Forecast, ...]
    """Workload by workload, each followed by its phases."""
    warnings: tuple[RunWarning, ...] = ()
    """What a reader of the numbers should know."""


class Score(Model):
    """One predicted time beside the measured one."""

    prediction: str
    """The prediction's id."""
    run: str
    """The run's id."""
    engine: str
    """The engine that ran it."""
    calibration: str | None
    """What the prediction was calibrated by."""
    forecast: Forecast
    """What was predicted."""
    measured_s: Seconds
    """What it took."""

    @property
    def error(self) -> float:
        """How far the median was off, as a share of what it took: 0.1 where too long by 10 %."""
        return self.forecast.median_s / self.measured_s - 1

    @property
    def inside(self) -> bool:
        """Whether what it took lies in the 90 % interval."""
        return self.forecast.low_s <= self.measured_s <= self.forecast.high_s
