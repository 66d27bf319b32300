"""Properties of a user's own job that were varied in real runs, and what they brought."""

from __future__ import annotations

from collections.abc import Mapping

from howdah.model.base import Model
from howdah.model.prediction import Seconds
from howdah.model.tuning import Fixed, RacedPlan, RaceRequest, TuneParameter

CONFIGURED_NAME, COMBINED_NAME = "configured", "combined"
"""The job as it is, and the job with the best value of every property that helped alone."""


class JobTuningRequest(Model):
    """What the tuning of a job was started with: enough to continue it."""

    command: tuple[str, ...]
    """The command and its arguments."""
    race: RaceRequest
    """Where it runs, and how long at most."""
    space: tuple[TuneParameter, ...]
    """Properties and their values; ``planned`` is the configured value."""
    fixed: tuple[Fixed, ...]
    """Properties that are not varied, and why."""
    seed: int
    """Seed of the order of the runs."""
    defaults: Mapping[str, str] = {}
    """Properties with which the job runs as with Hadoop's defaults; empty if these do not race."""


class ValueAlone(Model):
    """One value of one property, with everything else as configured."""

    name: str
    """The property."""
    value: str
    runs: int
    """Runs that succeeded."""
    failed: int
    """Runs that failed."""
    share: float | None
    """How much longer the job took than as configured: -0.1 for 10 % less; None if no run succeeded."""


class JobTuning(Model):
    """The result."""

    id: str
    """The name of its directory."""
    request: JobTuningRequest
    """What it was started with."""
    alone: tuple[ValueAlone, ...]
    """Every value that was tried alone."""
    plans: tuple[RacedPlan, ...] = ()
    """The race of the job as configured and the best candidates; empty if no value helped alone."""
    values: Mapping[str, str]
    """The properties to use; empty if nothing is faster than the configuration."""
    winner: str
    """The name of the candidate with these properties."""
    spent_s: Seconds
    """What the runs took."""
    decided: bool
    """Whether the race ended before time ran out."""
