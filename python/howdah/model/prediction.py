"""Predictions of runs, what became of them, and what a planned cluster would take if it were another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AliasChoices, Field, model_validator

from howdah.model.base import Model
from howdah.model.cluster import Laboratory
from howdah.model.plan import ClusterPlan
from howdah.model.reported import Unit, format_value
from howdah.model.run import RunWarning
from howdah.model.workloads.suite import Suite
from howdah.units import format_seconds

PREDICTION_VERSION: Literal[1] = 1


Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Seconds = Positive


def _formerly(name: str, *, required: bool = True) -> Any:
    """A field that was of seconds alone before metrics were predicted; what was kept then is still read."""
    return Field(... if required else None, validation_alias=AliasChoices(name, f"{name}_s"))


class Interval(NamedTuple):
    """What nine of ten values lie in."""

    low: float
    high: float


class Forecast(Model):
    """The elapsed time of a workload or of one of its phases, or a metric of it, as it is predicted."""

    workload: str
    phase: str | None = None  # Its phase; None for the whole workload.
    metric: str | None = None  # The metric of its results, by name; None for its elapsed time.
    unit: Unit = "s"
    low: Positive | None = _formerly("low", required=False)
    """The lower end of the 90 % interval; None without a calibration, when nothing is known of it."""
    median: Positive = _formerly("median")
    high: Positive | None = _formerly("high", required=False)

    @property
    def part(self) -> str | None:
        """What of the workload it is about; None where that is the whole of it."""
        return self.phase or self.metric

    @property
    def interval(self) -> Interval | None:
        """The 90 % interval; None where nothing is known of it."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)

    @property
    def width(self) -> float | None:
        """How far the interval reaches to the farther side, as a share of the median; None without one."""
        if self.interval is None:
            return None
        return max(self.interval.high / self.median, self.median / self.interval.low) - 1

    def text_of(self, value: float) -> str:
        """A value of the same, for people to read."""
        return format_seconds(value) if self.metric is None else format_value(value, self.unit)


def _known_intervals(content: Any) -> Any:
    """What was kept, without the intervals that seeds alone gave: howdah wrote such ones once."""
    if not isinstance(content, dict) or content.get("calibration") is not None:
        return content
    ends = {"low", "high", "low_s", "high_s"}

    def bare(forecast: Any) -> Any:
        if not isinstance(forecast, dict):
            return forecast
        return {key: value for key, value in forecast.items() if key not in ends}

    several = {
        key: [bare(forecast) for forecast in content[key]]
        for key in ("forecasts", "neighbours_idle")
        if isinstance(content.get(key), list)
    }
    single = {"forecast": bare(content["forecast"])} if "forecast" in content else {}
    return {**content, **several, **single}


class Beyond(Model):
    """A quantity of a run that lies outside the runs that its calibration was made from."""

    name: str  # The quantity: ``maps at once on a data disk``.
    value: float
    low: float  # The least value among the calibration's runs.
    high: float
    factor: float  # How many times the nearer end it is, above 1 on either side.
    text: str


class Distance(Model):
    """How far a run lies from all runs that its calibration was made from."""

    length: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """Length of the vector that has the logarithm of every factor beyond them; 0 inside."""
    deviation: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """Standard deviation that it adds to the logarithm of every time: the intervals are wider by that."""
    beyond: tuple[Beyond, ...] = ()  # The quantities outside, the furthest first.


class Prediction(Model):
    """What a suite will take on a plan; kept before anything runs, and never changed."""

    prediction_version: Literal[1] = PREDICTION_VERSION
    id: str
    created: str
    howdah_version: str
    seed: int
    replications: int
    calibration: str | None  # The calibration's name; None where the simulator's parameters are its defaults.
    best_of: int = 1  # The calibration's figures are the best of so many runs; times here of any one.
    distance: Distance | None = None  # How far the run lies from those of the calibration; None without one.
    digests: dict[str, str]  # SHA-256 of the plan, the suite and the calibration, in hex, by name.
    plan: ClusterPlan
    laboratory: Laboratory | None = None  # The lab that it is about, with less than its plan; None without.
    suite: Suite
    forecasts: tuple[Forecast, ...]
    """Workload by workload, each followed by its phases; or the metrics of those that are run for some."""
    neighbours_idle: tuple[Forecast, ...] = ()
    """The same on hosts whose other clusters do nothing, where the plan shares its hosts: ``forecasts`` are
    with neighbours that use all of their parts, and no more."""
    warnings: tuple[RunWarning, ...] = ()

    _bare = model_validator(mode="before")(_known_intervals)

    @property
    def neighbours(self) -> str | None:
        """Who else is on the plan's hosts, in words; None where they are its own."""
        sharing = self.plan.cluster.request.sharing
        return sharing.neighbours if sharing is not None else None


class Score(Model):
    """One predicted time or metric beside the measured one."""

    prediction: str
    run: str
    engine: str
    calibration: str | None
    forecast: Forecast
    measured: Positive = _formerly("measured")

    _bare = model_validator(mode="before")(_known_intervals)

    @property
    def error(self) -> float:
        """How far the median was off, as a share of what was measured: 0.1 where too long by 10 %."""
        return self.forecast.median / self.measured - 1

    @property
    def inside(self) -> bool | None:
        """Whether what it took lies in the 90 % interval; None where there is none."""
        interval = self.forecast.interval
        return None if interval is None else interval.low <= self.measured <= interval.high


class PredictionTally(Model):
    """How right predictions were so far."""

    times: int
    runs: int
    inside: float | None  # Share of the times that lie in their 90 % intervals; null where none has one.
    median_error: float


def tally(scores: Sequence[Score]) -> PredictionTally | None:
    """How right many predictions were; None if there are none."""
    if not scores:
        return None
    inside = [score.inside for score in scores if score.inside is not None]
    return PredictionTally(
        times=len(scores),
        runs=len({score.run for score in scores}),
        inside=fmean(inside) if inside else None,
        median_error=median(abs(score.error) for score in scores),
    )


class KnownTimes(Model):
    """Published or measured times of the same work on the same hosts, divided in the same way."""

    origin: Literal["published", "measured"]  # Whether a study says so or a run of one's own.
    source: str  # The published run's name, or the measured run's id.
    times: dict[str, Seconds]
    """Seconds by workload, and by workload and phase: ``terasort``, ``terasort/map-shuffle``."""
    differs: tuple[str, ...] = ()  # What else is not the same, in words.


SATURATED = 0.95  # A master so busy on one core, as one lock allows, is the bottleneck.


NEARLY = 0.95  # So much of a requested rate or of the highest throughput counts as all of it.


class Effect(Model):
    """What one change does to the time of the whole suite."""

    quantity: str  # What is changed: ``disks``, ``nic-speed`` …
    before: str
    after: str
    elapsed_s: Seconds  # What the suite would take, the median.
    share: float  # How much longer that is: 0.1 for 10 %.
    low: float | None  # The lower end of the 90 % interval of this; None without a calibration.
    high: float | None
    tells: bool  # Whether it can be distinguished from none; uncalibrated, from chance between seeds.

    @property
    def interval(self) -> Interval | None:
        """The 90 % interval; None where nothing is known of it."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)


class WhatIf(Model):
    """The suite's time as planned, and every change's effect, the largest first."""

    suite: str
    calibration: str | None
    replications: int  # Simulations of the plan and of each change, always with the same draws.
    seed: int
    elapsed_s: Seconds  # What the suite takes as planned, the median.
    effects: tuple[Effect, ...]
    impossible: tuple[str, ...]
    warnings: tuple[RunWarning, ...]


class Point(Model):
    """One size of the cluster or of its data."""

    hosts: int
    dataset_bytes: int
    elapsed_s: Seconds  # What the whole suite takes, the median.
    low_s: Seconds | None  # The lower end of its 90 % interval; None without a calibration.
    high_s: Seconds | None
    forecasts: tuple[Forecast, ...]
    namenode: float  # The share of one core that the NameNode is busy in the phase that loads it most.
    scheduler: float  # The same of the ResourceManager, or of Hadoop 1's JobTracker.

    @property
    def interval(self) -> Interval | None:
        """The suite's 90 % interval; None where nothing is known of it."""
        return None if self.low_s is None or self.high_s is None else Interval(self.low_s, self.high_s)

    @property
    def busiest(self) -> float:
        """The load of the busier of the two."""
        return max(self.namenode, self.scheduler)


class Sweep(Model):
    """A plan at several sizes, the smallest first."""

    suite: str
    quantity: Literal["hosts", "dataset"]  # What grows; with the hosts, their work does.
    calibration: str | None
    replications: int  # Simulations of each size, always with the same draws.
    seed: int
    points: tuple[Point, ...]
    warnings: tuple[RunWarning, ...]

    @property
    def saturation(self) -> tuple[Point, Point] | None:
        """The sizes between which a master saturates; None where none does, or one does from the first."""
        pairs = pairwise(self.points)
        return next((pair for pair in pairs if pair[0].busiest < SATURATED <= pair[1].busiest), None)


class LoadPoint(Model):
    """What operations on a table come to where so much is asked of it."""

    asked: int  # Threads of each client, or operations a second.
    forecasts: tuple[Forecast, ...]  # The throughput, then within what times so many operations ended.
    station: str  # What is busiest: ``server processors``, ``log`` …
    busy: float  # Share of the time, of the busiest one of its kind.

    @property
    def throughput_per_s(self) -> float:
        """Operations in a second, the median."""
        return self.forecasts[0].median


class LoadSweep(Model):
    """A planned HBase asked more and more, the least first."""

    suite: str
    quantity: Literal["threads", "target"]  # What grows: operations at once of each client, or a second.
    calibration: str | None
    replications: int  # Simulations of each point, always with the same draws.
    seed: int
    points: tuple[LoadPoint, ...]
    warnings: tuple[RunWarning, ...]

    @property
    def saturated(self) -> LoadPoint | None:
        """The first point beyond which nothing is won, or at which less is done than asked; None: none is.

        Of threads, where as much is done as anywhere; it has to be before the last point to tell.
        """
        if self.quantity == "target":
            missed = (point for point in self.points if point.throughput_per_s < NEARLY * point.asked)
            return next(missed, None)
        most = max(point.throughput_per_s for point in self.points)
        first = next(point for point in self.points if point.throughput_per_s >= NEARLY * most)
        return None if first is self.points[-1] else first
