"""What a planned cluster would take if it were another: with one thing changed, or grown."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from howdah.model.base import Model
from howdah.model.prediction import Forecast, Interval, Seconds
from howdah.model.run import RunWarning

SATURATED = 0.95
"""A master that is busy for so much of one core, as one lock allows, is what everything waits for."""


NEARLY = 0.95
"""So much of all there is counts as all of it: of a rate that is asked for, of the highest throughput."""


class Effect(Model):
    """What one change does to the time of the whole suite."""

    quantity: str
    """What is changed: ``disks``, ``nic-speed`` …"""
    before: str
    """As it is planned, with its unit."""
    after: str
    """As it would be, with its unit."""
    elapsed_s: Seconds
    """What the suite would take, the median."""
    share: float
    """How much longer that is: 0.1 for 10 %."""
    low: float | None
    """The lower end of the 90 % interval of this; None without a calibration, when nothing is known of it."""
    high: float | None
    """The upper end of it."""
    tells: bool
    """Whether the change can be distinguished from none; without a calibration, from chance between seeds."""

    @property
    def interval(self) -> Interval | None:
        """The 90 % interval; None where nothing is known of it."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)


class WhatIf(Model):
    """The suite's time as planned, and every change's effect, the largest first."""

    suite: str
    calibration: str | None
    """The calibration's name; None where the simulator's parameters are its defaults."""
    replications: int
    """Simulations of the plan and of each change, always with the same draws."""
    seed: int
    elapsed_s: Seconds
    """What the suite takes as planned, the median."""
    effects: tuple[Effect, ...]
    """What each change does."""
    impossible: tuple[str, ...]
    """Changes that cannot be planned, and why."""
    warnings: tuple[RunWarning, ...]
    """What a reader of the numbers should know."""


class Point(Model):
    """One size of the cluster or of its data."""

    hosts: int
    """Hosts with workers."""
    dataset_bytes: int
    """Bytes that are sorted."""
    elapsed_s: Seconds
    """What the whole suite takes, the median."""
    low_s: Seconds | None
    """The lower end of its 90 % interval; None without a calibration, when nothing is known of it."""
    high_s: Seconds | None
    """The upper end of it."""
    forecasts: tuple[Forecast, ...]
    """What each workload takes."""
    namenode: float
    """The share of one core that the NameNode is busy in the phase that loads it most."""
    scheduler: float
    """The same of the ResourceManager, or of Hadoop 1's JobTracker."""

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
    quantity: Literal["hosts", "dataset"]
    """What grows; with the hosts, their work does."""
    calibration: str | None
    """The calibration's name; None where the simulator's parameters are its defaults."""
    replications: int
    """Simulations of each size, always with the same draws."""
    seed: int
    points: tuple[Point, ...]
    warnings: tuple[RunWarning, ...]
    """What a reader of the numbers should know."""

    @property
    def saturation(self) -> tuple[Point, Point] | None:
        """The sizes between which a master saturates; None where none does, or one does from the first."""
        return next(
            (
                (point, larger)
                for point, larger in pairwise(self.points)
                if point.busiest < SATURATED <= larger.busiest
            ),
            None,
        )


class LoadPoint(Model):
    """What operations on a table come to where so much is asked of it."""

    asked: int
    """Threads of each client, or operations a second."""
    forecasts: tuple[Forecast, ...]
    """The throughput, then within what times so many operations ended."""
    station: str
    """What is busiest: ``server processors``, ``log`` …"""
    busy: float
    """Share of the time, of the busiest one of its kind."""

    @property
    def throughput_per_s(self) -> float:
        """Operations in a second, the median."""
        return self.forecasts[0].median


class LoadSweep(Model):
    """A planned HBase asked more and more, the least first."""

    suite: str
    """The program's name."""
    quantity: Literal["threads", "target"]
    """What grows: operations at once of each client, or those asked for in a second."""
    calibration: str | None
    """The calibration's name; None where the simulator's parameters are its defaults."""
    replications: int
    """Simulations of each point, always with the same draws."""
    seed: int
    points: tuple[LoadPoint, ...]
    warnings: tuple[RunWarning, ...]
    """What a reader of the numbers should know."""

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
