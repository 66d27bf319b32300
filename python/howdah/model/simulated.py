"""What only a simulated run's record has: what it rests on, how sure it is, and the load of its masters."""

from __future__ import annotations

from pydantic import Field

from howdah.model.base import Model


class Band(Model):
    """The elapsed times of one stretch over several simulations that differ in their seeds."""

    workload: str
    """The workload's kind."""
    phase: str | None
    """Its phase; None for the whole workload."""
    low_s: float
    """The lower end of the 90 % interval."""
    median_s: float
    """The median."""
    high_s: float
    """The upper end of the 90 % interval."""


class MasterLoad(Model):
    """How busy a master was in a stretch of a workload."""

    master: str
    """The daemon: ``NameNode``, ``ResourceManager``."""
    phase: str | None
    """The phase; None for the whole workload."""
    busy: float
    """Share of one core: above 1 the master would not have kept up."""


class Simulated(Model):
    """What a simulated record rests on."""

    calibration: str | None
    """The calibration's name; None where every parameter has its default."""
    parameters: dict[str, float] = Field(default_factory=dict)
    """The parameters that the calibration gives."""
    replications: int = 1
    """How many simulations the bands are over."""
    bands: tuple[Band, ...] = ()
    """Elapsed times over all of them; the record's own are those of its seed."""
    activities: int
    """Transfers and computations that were simulated for the record itself."""
